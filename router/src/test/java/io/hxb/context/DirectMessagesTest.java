package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Memory;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmRegion;
import io.hxb.pm.PmStatus;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

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
    private static final class End {
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
            context =
                    device.openContext(own, PmContextOptions.DEFAULT.withSendBuffers(SLOTS));
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
                final long throughNode = node.loop.counters().messagesSent();
                assertTrue(throughNode < MESSAGES, throughNode + " through the node, seed " + seed);
                one.close();
                two.close();
            }
        }
    }

    @Test
    void shouldSendDirectlyAfterTheFirstMessages() throws Exception {
        try (TestNode node = new TestNode();
                ServedSocket socket = new ServedSocket(directory);
                AttachServer server = socket.serve(node.start());
                PmDevice left = PmDevice.attach(socket.path());
                PmDevice right = PmDevice.attach(socket.path());
                PmContext one = left.openContext(1);
                PmContext two = right.openContext(2)) {
            for (int i = 0; i < 10_000; i++) {
                exchange(one, two);
                exchange(two, one);
            }
            assertTrue(node.loop.counters().messagesSent() < 200);
            assertEquals(0, server.refused());
        }
    }

    private void exchange(final PmContext from, final PmContext to) {
        assertEquals(
                PmStatus.OK, from.send(0, to.contextId(), new byte[] {1, 2, 3}, 7, SECOND_NS));
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
}
