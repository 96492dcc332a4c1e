package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterType;
import io.hxb.linux.Memory;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmEvent;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How the rings between contexts of one node begin, and what becomes of messages when an end is
 * closed, dies or spoils its ring.
 */
@Tag("unit")
@Timeout(60)
class DirectRingLifeTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final long LIMIT_NS = 20 * SECOND_NS;

    @TempDir private Path directory;

    private final PmMessage message = new PmMessage();

    @Test
    void shouldSendWhatWasClaimedBeforeTheRingWasOpen() throws Exception {
        try (TwoPrograms programs = new TwoPrograms(directory)) {
            final PmContext one = programs.one;
            final PmContext two = programs.two;
            // given a short message that is written in the ring of short ones
            for (int i = 0; i < 31; i++) {
                TwoPrograms.exchange(one, two);
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
                assertEquals(PmStatus.OK, two.receive(message, LIMIT_NS));
                assertEquals(i, Memory.getLong(message.address()));
                two.release(message);
            }
            TwoPrograms.exchange(one, two);
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
                TwoPrograms.exchange(one, two);
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
                assertEquals(PmStatus.OK, one.send(0, 2, new byte[100], i, LIMIT_NS));
            }
            assertEquals(PmStatus.OK, one.awaitAllSends(LIMIT_NS));
            assertEquals(before + 1, node.loop.counters().value(CounterType.CONTEXT_SENT_MESSAGES));
            // when
            one.close();
            TestNode.await("context closed", () -> node.manager.openContexts() == 1);
            // then
            for (int i = 0; i < 3; i++) {
                assertEquals(PmStatus.OK, two.receive(message, LIMIT_NS));
                assertEquals(i, message.tag());
                assertEquals(100, message.lengthBytes());
                two.release(message);
            }
            assertEquals(PmStatus.EMPTY, two.receive(message));
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
                    TwoPrograms.exchange(one, two);
                }
                // when
                for (int i = 0; i < 50; i++) {
                    assertEquals(PmStatus.OK, one.send(0, 2, new byte[100], i, LIMIT_NS));
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
    void shouldReplaceARingThatItsReceiverHasGivenUp() throws Exception {
        try (TwoPrograms programs = new TwoPrograms(directory)) {
            final PmContext one = programs.one;
            final PmContext two = programs.two;
            int patience = 8 * 32;
            for (int round = 0; round < 2; round++) {
                // given: a ring with a header that cannot be
                for (int i = 0; i < 40 + patience; i++) {
                    TwoPrograms.exchange(one, two);
                }
                final int slot = one.claim(0, 2, 100);
                Memory.putLong(one.sendAddress(slot) - Long.BYTES, Integer.MAX_VALUE);
                assertEquals(PmStatus.EMPTY, two.receive(message));
                one.abandon(slot);
                final long before =
                        programs.node.loop.counters().value(CounterType.CONTEXT_SENT_MESSAGES);
                // when
                for (int i = 0; i < patience; i++) {
                    TwoPrograms.exchange(one, two);
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
                            TwoPrograms.exchange(one, two);
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
                    assertEquals(PmStatus.OK, from.send(0, 1, new byte[8], i, LIMIT_NS));
                }
            }
            // then
            for (int received = 0; received < 40 * 13; received++) {
                assertEquals(PmStatus.OK, to.receive(message, LIMIT_NS), received + " messages");
                to.release(message);
            }
            assertEquals(PmStatus.EMPTY, to.receive(message));
            assertEquals(0, server.refused());
            contexts.forEach(PmContext::close);
            devices.forEach(PmDevice::close);
            TestNode.await("the end", () -> node.manager.openContexts() == 0);
            assertEquals(0, node.manager.directOffers().count());
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
                            TwoPrograms.exchange(context, hub);
                            TwoPrograms.exchange(hub, context);
                        }
                        return node.loop.counters().value(CounterType.CONTEXT_SENT_MESSAGES)
                                == sent + 2 * 6;
                    });
            // then
            assertEquals(2 * DirectOffers.MAX_RINGS, node.manager.directOffers().count());
            final long before = node.loop.counters().value(CounterType.CONTEXT_SENT_MESSAGES);
            for (final PmContext context : contexts) {
                TwoPrograms.exchange(context, hub);
                TwoPrograms.exchange(hub, context);
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
}
