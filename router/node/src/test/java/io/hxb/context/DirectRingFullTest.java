package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmLargeHandler;
import io.hxb.pm.PmLargeMessages;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmRegion;
import io.hxb.pm.PmStatus;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/** Senders and receivers that wait for each other at the rings between contexts of one node. */
@Tag("unit")
@Timeout(60)
class DirectRingFullTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final long LIMIT_NS = 20 * SECOND_NS;

    @TempDir private Path directory;

    private final PmMessage message = new PmMessage();

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
                TwoPrograms.exchange(one, two);
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
            assertEquals(PmStatus.OK, one.send(0, 2, payload, 0, LIMIT_NS));
            for (int i = 0; i < sent; i++) {
                assertEquals(PmStatus.OK, two.receive(message));
                two.release(message);
            }
            assertEquals(PmStatus.EMPTY, two.receive(message));
            assertEquals(0, server.refused());
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
    void shouldWakeSleepersHoweverOften() throws Exception {
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

    private static void fillRing(final PmContext from, final int context) {
        final byte[] bytes = new byte[1_000];
        int refused = 0;
        for (int i = 0; i < 100_000 && refused < 200; i++) {
            refused += from.send(0, context, bytes, 0, 0) == PmStatus.OK ? 0 : 1;
        }
        assertEquals(200, refused);
    }

    /** A full ring to one that takes nothing keeps nobody from the room in another one. */
    @Test
    void shouldReportRoomInOneRingWhileAnotherOneIsFull() throws Exception {
        try (TwoPrograms programs = new TwoPrograms(directory);
                PmContext three = programs.right.openContext(3)) {
            // given
            final PmContext one = programs.one;
            final PmContext two = programs.two;
            final int[] rooms = new int[1];
            for (int i = 0; i < 100; i++) {
                TwoPrograms.exchange(one, two);
                assertEquals(PmStatus.OK, one.send(0, 3, new byte[8], 0, LIMIT_NS));
                assertEquals(PmStatus.OK, three.receive(message, LIMIT_NS));
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
            assertEquals(PmStatus.OK, one.awaitSends(LIMIT_NS));
            assertEquals(PmStatus.OK, one.send(0, 3, new byte[1_000], 0, LIMIT_NS));
            assertEquals(PmStatus.TIMED_OUT, one.send(0, 2, new byte[1_000], 0, 1_000_000));
        }
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
                TwoPrograms.exchange(one, two);
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
