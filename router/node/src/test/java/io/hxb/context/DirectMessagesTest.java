package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.LimitConfig;
import io.hxb.config.ResourceShare;
import io.hxb.counter.CounterType;
import io.hxb.linux.Memory;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmEvent;
import io.hxb.pm.PmLargeHandler;
import io.hxb.pm.PmLargeMessages;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmMessageHandler;
import io.hxb.pm.PmRegion;
import io.hxb.pm.PmStatus;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/** Messages between attached contexts of one node, most of which do not go through it. */
@Tag("unit")
@Timeout(60)
class DirectMessagesTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final int SEEDS = 40;
    private static final int MESSAGES = 4_000;
    private static final int SLOTS = 64;
    private static final int REGION_BYTES = 8_192;

    @TempDir Path directory;

    private final PmMessage message = new PmMessage();

    /** What one end has done: sends numbered messages in many ways, checks those of the other. */
    static final class End {
        private final SplittableRandom random;
        private final PmDevice device;
        private final PmContext context;
        private final PmRegion region;
        private final int peer;
        private final List<Long> claimed = new ArrayList<>();
        private final List<Long> held = new ArrayList<>();
        private final PmMessage message = new PmMessage();
        private int sent;
        private int received;

        End(final PmDevice device, final int own, final int peer, final long seed)
                throws Exception {
            random = new SplittableRandom(seed);
            this.device = device;
            this.peer = peer;
            context = device.openContext(own, PmContextOptions.DEFAULT.withSendBuffers(SLOTS));
            region = device.openRegion((long) SLOTS * REGION_BYTES);
        }

        /** Length of a message, known from its number. */
        private static int lengthBytes(final int number) {
            final int kind = number % 7;
            return kind == 6 ? 8 + number * 131 % 8_000 : 4 + number * 17 % (kind == 5 ? 900 : 60);
        }

        private static void write(final long address, final int number) {
            final int length = lengthBytes(number);
            Memory.fill(address, length, number);
            Memory.putInt(address, number);
        }

        private void claim() {
            final int slot = context.claim(0, peer, context.maxLengthBytes());
            if (slot >= 0) {
                claimed.add((long) slot);
                Memory.fill(context.sendAddress(slot), 64, 0x5A);
            }
        }

        private void endClaim() {
            if (claimed.isEmpty()) {
                return;
            }
            final int slot = claimed.remove(random.nextInt(claimed.size())).intValue();
            final int how = random.nextInt(8);
            if (how == 0 || sent == MESSAGES) {
                context.abandon(slot);
            } else if (how == 1) {
                // Bytes of the slot's own, which are not written again before its message is done.
                final long offset = (long) slot * REGION_BYTES;
                write(region.address() + offset, sent);
                final int status =
                        context.sendFrom(slot, region, offset, lengthBytes(sent), sent * 3);
                assertEquals(PmStatus.OK, status);
                sent++;
            } else {
                write(context.sendAddress(slot), sent);
                assertEquals(PmStatus.OK, context.send(slot, lengthBytes(sent), sent * 3));
                sent++;
            }
        }

        private void receive() {
            if (context.receive(message) == PmStatus.OK) {
                assertEquals(0, message.sourceNode());
                assertEquals(peer, message.sourceContext());
                final int number = Memory.getInt(message.address());
                assertEquals(received, number);
                assertEquals(lengthBytes(number), message.lengthBytes());
                assertEquals(number * 3, message.tag());
                for (int i = Integer.BYTES; i < message.lengthBytes(); i++) {
                    assertEquals((byte) number, Memory.getByte(message.address() + i));
                }
                held.add(message.handle());
                received++;
            }
        }

        private void release() {
            if (!held.isEmpty()) {
                context.release(held.remove(random.nextInt(held.size())));
            }
        }

        void step() {
            final int what = random.nextInt(10);
            if (what < 3) {
                if (claimed.size() < 4 && sent < MESSAGES) {
                    claim();
                }
            } else if (what < 6) {
                endClaim();
            } else if (what < 8) {
                receive();
            } else {
                release();
            }
            if (held.size() > 40) {
                release();
            }
        }

        boolean isDone() {
            return sent == MESSAGES && received == MESSAGES && claimed.isEmpty() && held.isEmpty();
        }

        void close() {
            context.close();
            region.close();
            device.close();
        }
    }

    @Test
    void shouldKeepOrderAndBytesHoweverMessagesAreSentAndReleased() throws Exception {
        for (int seed = 0; seed < SEEDS; seed++) {
            try (TestNode node = new TestNode();
                    ServedSocket socket = new ServedSocket(directory);
                    AttachServer server = socket.serve(node.start())) {
                final End one = new End(PmDevice.attach(socket.path()), 1, 2, seed);
                final End two = new End(PmDevice.attach(socket.path()), 2, 1, ~seed);
                // when
                while (!one.isDone() || !two.isDone()) {
                    one.step();
                    two.step();
                }
                // then
                assertEquals(0, one.context.messagesHeld(), "seed " + seed);
                assertEquals(0, server.refused());
                assertEquals(PmStatus.OK, one.context.awaitAllSends(SECOND_NS));
                assertEquals(PmStatus.OK, two.context.awaitAllSends(SECOND_NS));
                final long throughNode =
                        node.loop.counters().value(CounterType.CONTEXT_SENT_MESSAGES);
                assertTrue(throughNode < MESSAGES, throughNode + " through the node, seed " + seed);
                one.close();
                two.close();
            }
        }
    }

    @Test
    void shouldSendDirectlyAfterTheFirstMessages() throws Exception {
        try (TwoPrograms programs = new TwoPrograms(directory)) {
            final PmContext one = programs.one;
            final PmContext two = programs.two;
            for (int i = 0; i < 10_000; i++) {
                exchange(one, two);
                exchange(two, one);
            }
            assertTrue(
                    programs.node.loop.counters().value(CounterType.CONTEXT_SENT_MESSAGES) < 200);
            assertEquals(0, programs.server.refused());
        }
    }

    @Test
    void shouldSendWhatWasClaimedBeforeTheRingWasOpen() throws Exception {
        try (TwoPrograms programs = new TwoPrograms(directory)) {
            final PmContext one = programs.one;
            final PmContext two = programs.two;
            // given a short message that is written in the ring of short ones
            for (int i = 0; i < 31; i++) {
                exchange(one, two);
            }
            final int early = one.claim(0, 2, 8);
            assertEquals(PmStatus.EMPTY, two.receive(message));
            final int begin = one.claim(0, 2, 8);
            // when
            Memory.putLong(one.sendAddress(begin), 1);
            assertEquals(PmStatus.OK, one.send(begin, 8, 0));
            Memory.putLong(one.sendAddress(early), 2);
            assertEquals(PmStatus.OK, one.send(early, 8, 0));
            // then
            for (int i = 1; i <= 2; i++) {
                assertEquals(PmStatus.OK, two.receive(message, SECOND_NS));
                assertEquals(i, Memory.getLong(message.address()));
                two.release(message);
            }
            exchange(one, two);
            assertEquals(0, programs.server.refused());
        }
    }

    @Test
    void shouldReceiveWhatWasSentBeforeTheSenderWasClosed() throws Exception {
        try (TestNode node = new TestNode();
                ServedSocket socket = new ServedSocket(directory);
                AttachServer server = socket.serve(node.start());
                PmDevice left = PmDevice.attach(socket.path());
                PmDevice right = PmDevice.attach(socket.path());
                PmContext two = right.openContext(2)) {
            final PmContext one = left.openContext(1);
            // given messages in a ring of which the receiver has not seen the begin
            for (int i = 0; i < 32; i++) {
                exchange(one, two);
            }
            assertEquals(PmStatus.EMPTY, two.receive(message));
            final long before = node.loop.counters().value(CounterType.CONTEXT_SENT_MESSAGES);
            TestNode.await(
                    "ring begun",
                    () -> {
                        // The node answers both ends when it likes.
                        assertEquals(PmStatus.EMPTY, two.receive(message));
                        one.abandon(one.claim(0, 2, 1));
                        return one.unfinishedSends() == 0
                                && node.loop.counters().value(CounterType.CONTEXT_SENT_MESSAGES)
                                        > before;
                    });
            for (int i = 0; i < 3; i++) {
                assertEquals(PmStatus.OK, one.send(0, 2, new byte[100], i, SECOND_NS));
            }
            assertEquals(PmStatus.OK, one.awaitAllSends(SECOND_NS));
            assertEquals(before + 1, node.loop.counters().value(CounterType.CONTEXT_SENT_MESSAGES));
            // when
            one.close();
            TestNode.await("context closed", () -> node.manager.openContexts() == 1);
            // then
            for (int i = 0; i < 3; i++) {
                assertEquals(PmStatus.OK, two.receive(message, SECOND_NS));
                assertEquals(i, message.tag());
                assertEquals(100, message.lengthBytes());
                two.release(message);
            }
            assertEquals(PmStatus.EMPTY, two.receive(message));
            assertEquals(0, server.refused());
        }
    }

    private void exchange(final PmContext from, final PmContext to) {
        assertEquals(PmStatus.OK, from.send(0, to.contextId(), new byte[] {1, 2, 3}, 7, SECOND_NS));
        assertEquals(PmStatus.OK, to.receive(message, SECOND_NS));
        assertEquals(3, message.lengthBytes());
        assertEquals(from.contextId(), message.sourceContext());
        final long handle = message.handle();
        to.release(message);
        assertThrows(IllegalStateException.class, () -> to.release(handle));
    }

    @Test
    void shouldBlockTheSenderWhileTheReceiverHoldsTheRing() throws Exception {
        final PmContextOptions options = PmContextOptions.DEFAULT.withSendBuffers(4_096);
        try (TestNode node = new TestNode();
                ServedSocket socket = new ServedSocket(directory);
                AttachServer server = socket.serve(node.start());
                PmDevice left = PmDevice.attach(socket.path());
                PmDevice right = PmDevice.attach(socket.path());
                PmContext one = left.openContext(1, options);
                PmContext two = right.openContext(2)) {
            for (int i = 0; i < 100; i++) {
                exchange(one, two);
            }
            // when
            final byte[] payload = new byte[one.maxLengthBytes()];
            int sent = 0;
            while (one.send(0, 2, payload, 0, 1_000_000) == PmStatus.OK) {
                sent++;
            }
            // then
            assertTrue(sent > 50 && sent < 1_000, sent + " messages");
            assertEquals(PmStatus.OK, two.receive(message));
            two.release(message);
            assertEquals(PmStatus.OK, one.send(0, 2, payload, 0, SECOND_NS));
            for (int i = 0; i < sent; i++) {
                assertEquals(PmStatus.OK, two.receive(message));
                two.release(message);
            }
            assertEquals(PmStatus.EMPTY, two.receive(message));
            assertEquals(0, server.refused());
        }
    }

    /** Sends to an echoing process and waits for the answer. */
    private int echo(final PmContext context, final int tag) {
        final int sent = context.send(0, 2, new byte[] {4, 5}, tag, SECOND_NS);
        return sent == PmStatus.OK ? takeAnswer(context, tag) : sent;
    }

    /**
     * Waits for an answer, past events of the process that was there before and answers to what it
     * left.
     */
    private int takeAnswer(final PmContext context, final int tag) {
        final PmEvent event = new PmEvent();
        while (true) {
            final int status = context.receive(message, SECOND_NS);
            if (status == PmStatus.EVENT) {
                while (context.pollEvent(event) == PmStatus.OK) {
                    assertEquals(2, event.context());
                }
            } else if (status != PmStatus.OK) {
                return status;
            } else {
                assertEquals(2, message.sourceContext());
                final boolean isMine = message.tag() == tag;
                context.release(message);
                if (isMine) {
                    return status;
                }
            }
        }
    }

    @Test
    void shouldGoOnWithANewProcessWhenAReceiverIsKilled() throws Exception {
        final PmContextOptions options = PmContextOptions.DEFAULT.withPeerWaitNs(10 * SECOND_NS);
        try (TestNode node = new TestNode();
                ServedSocket socket = new ServedSocket(directory);
                AttachServer server = socket.serve(node.start());
                PmDevice device = PmDevice.attach(socket.path());
                PmContext one = device.openContext(1, options)) {
            for (int i = 0; i < 3; i++) {
                // given
                final Process child = socket.child("echo", 2);
                for (int k = 0; k < 200; k++) {
                    assertEquals(PmStatus.OK, echo(one, i));
                }
                final long throughNode =
                        node.loop.counters().value(CounterType.CONTEXT_SENT_MESSAGES);
                for (int k = 0; k < 100; k++) {
                    assertEquals(PmStatus.OK, echo(one, i));
                }
                assertEquals(
                        throughNode, node.loop.counters().value(CounterType.CONTEXT_SENT_MESSAGES));
                // when
                child.destroyForcibly().waitFor();
                TestNode.await("the end", () -> node.manager.openContexts() == 1);
                // then
                final int status = echo(one, -1);
                assertTrue(status != PmStatus.OK, PmStatus.name(status));
            }
            assertEquals(0, server.refused());
        }
    }

    @Test
    void shouldReceiveWhatAClosedSenderHasSent() throws Exception {
        try (TestNode node = new TestNode();
                ServedSocket socket = new ServedSocket(directory);
                AttachServer server = socket.serve(node.start());
                PmDevice left = PmDevice.attach(socket.path());
                PmDevice right = PmDevice.attach(socket.path());
                PmContext two = right.openContext(2)) {
            for (int round = 0; round < 5; round++) {
                final PmContext one = left.openContext(1);
                for (int i = 0; i < 100; i++) {
                    exchange(one, two);
                }
                // when
                for (int i = 0; i < 50; i++) {
                    assertEquals(PmStatus.OK, one.send(0, 2, new byte[100], i, SECOND_NS));
                }
                one.close();
                TestNode.await("the end", () -> node.manager.openContexts() == 1);
                // then
                for (int i = 0; i < 50; i++) {
                    assertEquals(PmStatus.OK, two.receive(message));
                    assertEquals(i, message.tag());
                    two.release(message);
                }
                assertEquals(PmStatus.EMPTY, two.receive(message));
            }
            assertEquals(0, server.refused());
        }
    }

    @Test
    void shouldWakeWhoeverSleepsHoweverOften() throws Exception {
        final PmContextOptions sleeping = PmContextOptions.DEFAULT.withSpinNs(0);
        final int count = 30_000;
        try (TwoPrograms programs = new TwoPrograms(directory, new TestNode(), sleeping)) {
            final PmContext one = programs.one;
            final PmContext two = programs.two;
            // when: bursts of random length, so that either end sleeps
            final AtomicReference<Throwable> failure = new AtomicReference<>();
            final Thread sender =
                    new Thread(
                            () -> {
                                try {
                                    sendNumbered(one, count);
                                } catch (final Throwable e) {
                                    failure.set(e);
                                }
                            });
            sender.start();
            final SplittableRandom random = new SplittableRandom(1);
            for (int i = 0; i < count; i++) {
                // then: no wait is longer than the machine makes it
                assertEquals(PmStatus.OK, two.receive(message, 10 * SECOND_NS), "message " + i);
                assertEquals(i, message.tag());
                two.release(message);
                if (random.nextInt(1_000) == 0) {
                    LockSupport.parkNanos(1_000_000);
                }
            }
            sender.join();
            assertNull(failure.get());
            assertEquals(0, programs.server.refused());
        }
    }

    private static void sendNumbered(final PmContext from, final int count) {
        final SplittableRandom random = new SplittableRandom(2);
        for (int i = 0; i < count; i++) {
            final byte[] payload = new byte[random.nextInt(8_000)];
            assertEquals(PmStatus.OK, from.send(0, 2, payload, i, 10 * SECOND_NS));
            if (random.nextInt(50) == 0) {
                LockSupport.parkNanos(50_000);
            }
        }
    }

    @Test
    void shouldSendThroughTheNodeWhereMessagesAreCounted() throws Exception {
        final LimitConfig limits = LimitConfig.of(Map.of(ResourceShare.MESSAGES, 1_000_000L));
        try (TwoPrograms programs =
                new TwoPrograms(directory, new TestNode(limits), PmContextOptions.DEFAULT)) {
            final PmContext one = programs.one;
            final PmContext two = programs.two;
            for (int i = 0; i < 500; i++) {
                exchange(one, two);
            }
            assertEquals(
                    500, programs.node.loop.counters().value(CounterType.CONTEXT_SENT_MESSAGES));
            assertEquals(0, programs.server.refused());
        }
    }

    @Test
    void shouldServeManyRingsAndForgetThemAll() throws Exception {
        try (TestNode node = new TestNode();
                ServedSocket socket = new ServedSocket(directory);
                AttachServer server = socket.serve(node.start())) {
            final List<PmDevice> devices = new ArrayList<>();
            final List<PmContext> contexts = new ArrayList<>();
            for (int i = 1; i <= 14; i++) {
                devices.add(PmDevice.attach(socket.path()));
                contexts.add(devices.getLast().openContext(i));
            }
            // when: all others send to one context before it receives
            final PmContext to = contexts.getFirst();
            for (int i = 0; i < 40; i++) {
                for (final PmContext from : contexts.subList(1, contexts.size())) {
                    assertEquals(PmStatus.OK, from.send(0, 1, new byte[8], i, SECOND_NS));
                }
            }
            // then
            int received = 0;
            while (to.receive(message, 100_000_000) == PmStatus.OK) {
                to.release(message);
                received++;
            }
            assertEquals(40 * 13, received);
            assertEquals(0, server.refused());
            contexts.forEach(PmContext::close);
            devices.forEach(PmDevice::close);
            TestNode.await("the end", () -> node.manager.openContexts() == 0);
            assertEquals(0, node.manager.directOffers().count());
        }
    }

    @Test
    void shouldReceiveSeveralMessagesByOneCall() throws Exception {
        try (TwoPrograms programs = new TwoPrograms(directory)) {
            final PmContext one = programs.one;
            final PmContext two = programs.two;
            final List<Integer> tags = new ArrayList<>();
            final PmMessageHandler handler =
                    received -> {
                        assertEquals(1, two.messagesHeld());
                        assertThrows(IllegalStateException.class, two::close);
                        assertThrows(IllegalStateException.class, () -> two.receive(_ -> {}, 1));
                        tags.add(received.tag());
                        if (received.tag() % 3 == 0) {
                            two.release(received);
                        }
                        if (received.tag() % 5 == 0) {
                            throw new IllegalArgumentException("a handler that fails");
                        }
                    };
            // when: at first they come through the node, then through a ring
            int sent = 0;
            while (sent < 3_000) {
                for (int i = 0; i < 30; i++) {
                    assertEquals(PmStatus.OK, one.send(0, 2, new byte[200], sent++, SECOND_NS));
                }
                while (tags.size() < sent) {
                    final int before = tags.size();
                    try {
                        final int count = two.receive(handler, 7);
                        assertTrue(count <= 7);
                        assertEquals(before + count, tags.size());
                    } catch (final IllegalArgumentException e) {
                        assertEquals(0, tags.getLast() % 5);
                    }
                }
            }
            // then
            for (int i = 0; i < sent; i++) {
                assertEquals(i, tags.get(i));
            }
            assertEquals(0, two.messagesHeld());
            assertEquals(0, two.receive(handler, 7));
            assertTrue(
                    programs.node.loop.counters().value(CounterType.CONTEXT_SENT_MESSAGES)
                            < sent / 2);
            assertThrows(IllegalArgumentException.class, () -> two.receive(handler, 0));
            assertEquals(PmStatus.OK, one.awaitAllSends(SECOND_NS));
            TestNode.await("buffers back", () -> programs.node.pool.outstanding() == 0);
            assertEquals(0, programs.server.refused());
        }
    }

    @Test
    void shouldHaveSixtyFourRingsAndSendTheRestThroughTheNode() throws Exception {
        final int others = DirectOffers.MAX_RINGS + 6;
        try (TestNode node = TestNode.withContexts(others + 3);
                ServedSocket socket = new ServedSocket(directory);
                AttachServer server = socket.serve(node.start());
                PmDevice device = PmDevice.attach(socket.path());
                PmDevice second = PmDevice.attach(socket.path())) {
            final PmContext hub = second.openContext(others + 1);
            final List<PmContext> contexts = new ArrayList<>();
            for (int i = 1; i <= others; i++) {
                contexts.add(device.openContext(i));
            }
            // when: all others send to one, and one to all others, while the node answers their
            // offers
            TestNode.await(
                    "rings",
                    () -> {
                        final long sent =
                                node.loop.counters().value(CounterType.CONTEXT_SENT_MESSAGES);
                        for (final PmContext context : contexts) {
                            exchange(context, hub);
                            exchange(hub, context);
                        }
                        return node.loop.counters().value(CounterType.CONTEXT_SENT_MESSAGES)
                                == sent + 2 * 6;
                    });
            // then
            assertEquals(2 * DirectOffers.MAX_RINGS, node.manager.directOffers().count());
            final long before = node.loop.counters().value(CounterType.CONTEXT_SENT_MESSAGES);
            for (final PmContext context : contexts) {
                exchange(context, hub);
                exchange(hub, context);
            }
            assertEquals(
                    before + 2 * 6, node.loop.counters().value(CounterType.CONTEXT_SENT_MESSAGES));
            assertEquals(0, server.refused());
            contexts.forEach(PmContext::close);
            hub.close();
            TestNode.await("the end", () -> node.manager.openContexts() == 0);
            assertEquals(0, node.manager.directOffers().count());
        }
    }

    @Test
    void shouldReplaceARingThatItsReceiverHasGivenUp() throws Exception {
        try (TwoPrograms programs = new TwoPrograms(directory)) {
            final PmContext one = programs.one;
            final PmContext two = programs.two;
            int patience = 8 * 32;
            for (int round = 0; round < 2; round++) {
                // given: a ring with a header that cannot be
                for (int i = 0; i < 40 + patience; i++) {
                    exchange(one, two);
                }
                final int slot = one.claim(0, 2, 100);
                Memory.putLong(one.sendAddress(slot) - Long.BYTES, Integer.MAX_VALUE);
                assertEquals(PmStatus.EMPTY, two.receive(message));
                one.abandon(slot);
                final long before =
                        programs.node.loop.counters().value(CounterType.CONTEXT_SENT_MESSAGES);
                // when
                for (int i = 0; i < patience; i++) {
                    exchange(one, two);
                }
                // then: all of them through the node
                assertEquals(
                        before + patience,
                        programs.node.loop.counters().value(CounterType.CONTEXT_SENT_MESSAGES));
                // and the next ones directly, once the node has answered the offer
                TestNode.await(
                        "the next ring",
                        () -> {
                            final long sent =
                                    programs.node
                                            .loop
                                            .counters()
                                            .value(CounterType.CONTEXT_SENT_MESSAGES);
                            exchange(one, two);
                            return programs.node
                                            .loop
                                            .counters()
                                            .value(CounterType.CONTEXT_SENT_MESSAGES)
                                    == sent;
                        });
                assertEquals(1, programs.node.manager.directOffers().count());
                patience *= 8;
            }
            assertEquals(0, programs.server.refused());
        }
    }

    /** A full ring to one that takes nothing keeps nobody from the room in another one. */
    @Test
    void shouldTellOfRoomInOneRingWhileAnotherOneIsFull() throws Exception {
        try (TwoPrograms programs = new TwoPrograms(directory);
                PmContext three = programs.right.openContext(3)) {
            // given
            final PmContext one = programs.one;
            final PmContext two = programs.two;
            final int[] rooms = new int[1];
            for (int i = 0; i < 100; i++) {
                exchange(one, two);
                assertEquals(PmStatus.OK, one.send(0, 3, new byte[8], 0, SECOND_NS));
                assertEquals(PmStatus.OK, three.receive(message, SECOND_NS));
                three.release(message);
            }
            fillRing(one, 3);
            fillRing(one, 2);
            one.sendDoneListener(
                    new PmContext.SendDoneListener() {
                        @Override
                        public void onSendDone(final int slot, final int status) {
                            assertEquals(PmStatus.OK, status);
                        }

                        @Override
                        public void onRoom() {
                            rooms[0]++;
                        }
                    });
            one.unfinishedSends();
            assertEquals(0, rooms[0]);
            // when
            while (three.receive(message) == PmStatus.OK) {
                three.release(message);
            }
            // then
            for (int i = 0; i < 1_000 && rooms[0] == 0; i++) {
                one.unfinishedSends();
            }
            assertTrue(rooms[0] > 0);
            assertEquals(PmStatus.OK, one.awaitSends(SECOND_NS));
            assertEquals(PmStatus.OK, one.send(0, 3, new byte[1_000], 0, SECOND_NS));
            assertEquals(PmStatus.TIMED_OUT, one.send(0, 2, new byte[1_000], 0, 1_000_000));
        }
    }

    private static void fillRing(final PmContext from, final int context) {
        final byte[] bytes = new byte[1_000];
        int refused = 0;
        for (int i = 0; i < 100_000 && refused < 200; i++) {
            refused += from.send(0, context, bytes, 0, 0) == PmStatus.OK ? 0 : 1;
        }
        assertEquals(200, refused);
    }

    /** Takes messages of any length, and counts their bytes. */
    private static final class Counting implements PmLargeHandler {
        private long bytes;

        @Override
        public MemorySegment onStart(
                final int sourceNode,
                final int sourceContext,
                final long lengthBytes,
                final int tag) {
            return Arena.ofAuto().allocate(lengthBytes);
        }

        @Override
        public void onEnd(
                final int sourceNode,
                final int sourceContext,
                final long lengthBytes,
                final int tag,
                final MemorySegment target,
                final int status) {
            assertEquals(PmStatus.OK, status);
            bytes += lengthBytes;
        }
    }

    @Test
    void shouldSleepWhileALongMessageFindsTheRingFull() throws Exception {
        final int length = 16 << 20;
        try (TwoPrograms programs = new TwoPrograms(directory);
                PmRegion region = programs.left.openRegion(length)) {
            final PmContext one = programs.one;
            final PmContext two = programs.two;
            // given
            for (int i = 0; i < 100; i++) {
                exchange(one, two);
            }
            final Counting counting = new Counting();
            final PmLargeMessages from =
                    new PmLargeMessages(one, new Counting(), PmLargeMessages.Limits.DEFAULT);
            final PmLargeMessages to =
                    new PmLargeMessages(two, counting, PmLargeMessages.Limits.DEFAULT);
            assertTrue(from.send(0, 2, region, 0, length, 1) >= 0);
            // when the receiver does nothing
            int turns = 0;
            while (from.await(50_000_000) == PmStatus.OK && turns < 10_000) {
                from.poll();
                turns++;
            }
            // then the sender waits asleep
            assertTrue(turns < 10_000, turns + " turns");
            while (counting.bytes < length) {
                from.poll();
                to.poll();
            }
            assertEquals(0, programs.server.refused());
        }
    }
}
