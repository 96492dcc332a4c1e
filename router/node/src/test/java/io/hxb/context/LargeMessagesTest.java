package io.hxb.context;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Memory;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmLargeHandler;
import io.hxb.pm.PmLargeMessages;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmRegion;
import io.hxb.pm.PmStatus;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

@Tag("unit")
class LargeMessagesTest {
    private static final PmLargeMessages.Limits LIMITS =
            new PmLargeMessages.Limits(8, 4, 100_000_000);

    private final Arena arena = Arena.ofConfined();
    private final Random random = new Random(42);
    private TestNode node;
    private PmDevice device;

    @BeforeEach
    void startNode() throws Exception {
        node = new TestNode();
        device = node.invoked();
    }

    @AfterEach
    void stopNode() {
        device.close();
        node.close();
        arena.close();
    }

    private MemorySegment randomSegment(final int lengthBytes) {
        final byte[] bytes = new byte[lengthBytes];
        random.nextBytes(bytes);
        final MemorySegment segment = arena.allocate(Math.max(1, lengthBytes));
        MemorySegment.copy(bytes, 0, segment, ValueLayout.JAVA_BYTE, 0, lengthBytes);
        return segment.asSlice(0, lengthBytes);
    }

    private void run(final PmLargeMessages... all) {
        int idle = 0;
        while (idle < 3) {
            int work = device.poll();
            for (final PmLargeMessages messages : all) {
                work += messages.poll();
            }
            idle = work == 0 ? idle + 1 : 0;
        }
    }

    private static byte[] bytes(final MemorySegment segment) {
        return segment.toArray(ValueLayout.JAVA_BYTE);
    }

    @Test
    void shouldCarryMessagesOfAnySizeInOrder() throws Exception {
        // given
        final Recorder received = new Recorder(true);
        final Recorder sent = new Recorder(true);
        final PmLargeMessages from = new PmLargeMessages(device.openContext(1), sent, LIMITS);
        final PmLargeMessages to = new PmLargeMessages(device.openContext(2), received, LIMITS);
        final int edge = TestNode.MTU_BYTES - 16;
        final int[] sizes = {0, 1, 15, edge - 1, edge, edge + 1, 8920, 17_840, 17_841, 1_000_000};
        final List<MemorySegment> payloads = new ArrayList<>();
        // when
        for (int i = 0; i < sizes.length; i++) {
            payloads.add(randomSegment(sizes[i]));
            long transfer = from.send(0, 2, payloads.get(i), i);
            while (transfer == PmStatus.NO_BUFFERS) {
                run(from, to);
                transfer = from.send(0, 2, payloads.get(i), i);
            }
        }
        run(from, to);
        // then
        assertEquals(sizes.length, received.ended.size());
        for (int i = 0; i < sizes.length; i++) {
            assertArrayEquals(bytes(payloads.get(i)), received.ended.get(i), "size " + sizes[i]);
        }
        assertEquals(sizes.length, sent.sent.size());
        assertEquals(0, from.unfinishedTransfers());
        assertEquals(0, node.pool.outstanding());
    }

    @Test
    void shouldReportHowMuchOfALongMessageHasArrived() throws Exception {
        // given
        final PmLargeMessages from =
                new PmLargeMessages(device.openContext(1), new Recorder(true), LIMITS);
        final Recorder received = new Recorder(true);
        final PmLargeMessages to = new PmLargeMessages(device.openContext(2), received, LIMITS);
        assertEquals(0, to.incompleteBytes());
        // when
        assertTrue(from.send(0, 2, randomSegment(5_000_000), 7) >= 0);
        while (to.incompleteBytes() < 1_000_000) {
            device.poll();
            from.poll();
            to.poll();
        }
        // then
        assertEquals(0, received.ended.size());
        assertTrue(to.incompleteBytes() < 5_000_000, () -> to.incompleteBytes() + " bytes");
        assertEquals(0, from.incompleteBytes());
        run(from, to);
        assertEquals(1, received.ended.size());
        assertEquals(0, to.incompleteBytes());
    }

    @Test
    void shouldHaveAsManyFragmentsOfARegionUnderWayAsThereAreSendBuffers() throws Exception {
        try (TestNode longNode = TestNode.withLongFrames();
                PmDevice longDevice = longNode.invoked();
                PmRegion region = longDevice.openRegion(8 << 20)) {
            // given 64 buffers, of which a message of 65,536 bytes takes eight, and a silent peer
            final PmContext context =
                    longDevice.openContext(1, PmContextOptions.DEFAULT.withSendBuffers(64));
            final PmLargeMessages from = new PmLargeMessages(context, new Recorder(false), LIMITS);
            // when
            assertTrue(from.send(1, 2, region, 0, 8 << 20, 1) >= 0);
            for (int i = 0; i < 10; i++) {
                from.poll();
                longDevice.poll();
            }
            // then its share of them, not of the groups of eight
            assertTrue(context.unfinishedSends() >= 40, () -> context.unfinishedSends() + " sent");
        }
    }

    @Test
    void shouldGatherFromARegionAndGiveFragmentsInPlace() throws Exception {
        // given
        final Recorder received = new Recorder(false);
        final PmLargeMessages from =
                new PmLargeMessages(
                        device.openContext(1, PmContextOptions.DEFAULT.withSendBuffers(8)),
                        new Recorder(true),
                        LIMITS);
        final PmLargeMessages to = new PmLargeMessages(device.openContext(2), received, LIMITS);
        final MemorySegment payload = randomSegment(5_000_001);
        try (PmRegion region = device.openRegion(6_000_000)) {
            region.segment().asSlice(1000).copyFrom(payload);
            // when
            final long transfer = from.send(0, 2, region, 1000, payload.byteSize(), 77);
            assertThrows(
                    IndexOutOfBoundsException.class,
                    () -> from.send(0, 2, region, 1000, 5_999_001, 77));
            run(from, to);
            // then
            assertTrue(from.isSent(transfer));
            assertArrayEquals(bytes(payload), received.ended.get(0));
        }
    }

    @Test
    void shouldKeepInterleavedSourcesApart() throws Exception {
        // given
        final Recorder received = new Recorder(true);
        final PmLargeMessages to = new PmLargeMessages(device.openContext(9), received, LIMITS);
        final PmLargeMessages[] all = new PmLargeMessages[4];
        final MemorySegment[] payloads = new MemorySegment[3];
        all[3] = to;
        for (int i = 0; i < 3; i++) {
            all[i] =
                    new PmLargeMessages(
                            device.openContext(i + 1, PmContextOptions.DEFAULT.withSendBuffers(3)),
                            new Recorder(true),
                            LIMITS);
            payloads[i] = randomSegment(300_000 + i);
            all[i].send(0, 9, payloads[i], i + 1);
        }
        // when
        run(all);
        // then
        assertEquals(3, received.ended.size());
        for (int i = 0; i < 3; i++) {
            final int tag = received.tags.get(i);
            assertArrayEquals(bytes(payloads[tag - 1]), received.ended.get(i));
        }
    }

    @Test
    void shouldRejectWhatBreaksTheRulesAndGoOn() throws Exception {
        // given
        final Recorder received = new Recorder(true);
        final PmLargeMessages to = new PmLargeMessages(device.openContext(2), received, LIMITS);
        final PmContext raw = device.openContext(1);
        // when a fragment without a start, absurd totals, a start that is too short
        send(raw, 5 | (1 << 31), 100, 0);
        send(raw, 6, 16, Long.MAX_VALUE);
        send(raw, 7, 16, -1);
        send(raw, 8, 16, 100_000_001);
        send(raw, 9, 15, 0);
        send(raw, 10, 26, 100);
        run(to);
        assertEquals(6, to.rejected());
        assertEquals(0, received.ended.size());
        // more than announced
        send(raw, 11, 16, 150);
        send(raw, 11 | (1 << 31), 100, 0);
        send(raw, 11 | (1 << 31), 51, 0);
        send(raw, 11 | (1 << 31), 50, 0);
        run(to);
        // then
        assertEquals(List.of(PmStatus.TOO_LONG), received.statuses);
        assertEquals(8, to.rejected());
        send(raw, 12, 16, 100);
        send(raw, 12 | (1 << 31), 100, 0);
        run(to);
        assertEquals(List.of(PmStatus.TOO_LONG, PmStatus.OK), received.statuses);
        // two that were too long were sent back
        final PmMessage refusal = new PmMessage();
        for (final int number : new int[] {6, 8}) {
            assertEquals(PmStatus.OK, raw.receive(refusal));
            assertEquals(number, refusal.tag());
            raw.release(refusal);
        }
        assertEquals(PmStatus.EMPTY, raw.receive(refusal));
        device.poll();
        assertEquals(0, node.pool.outstanding());
    }

    @Test
    void shouldSendNoMoreOfWhatTheReceiverDoesNotWant() throws Exception {
        // given
        final Recorder sent = new Recorder(true);
        final Recorder received = new Recorder(true);
        final PmLargeMessages from = new PmLargeMessages(device.openContext(1), sent, LIMITS);
        final PmLargeMessages to =
                new PmLargeMessages(
                        device.openContext(2),
                        received,
                        new PmLargeMessages.Limits(8, 4, 30_000_000));
        // when one is too long, one is not wanted, and one is
        from.send(0, 2, randomSegment(30_000_001), 1);
        from.send(0, 2, randomSegment(30_000_000), Recorder.UNWANTED);
        final MemorySegment wanted = randomSegment(1_000_000);
        from.send(0, 2, wanted, 3);
        run(from, to);
        // then
        assertEquals(List.of(PmStatus.TOO_LONG, PmStatus.TOO_LONG, PmStatus.OK), sent.sent);
        assertEquals(List.of(PmStatus.OK), received.statuses);
        assertArrayEquals(bytes(wanted), received.ended.getFirst());
        assertEquals(0, from.unfinishedTransfers());
        assertTrue(to.rejected() < 1_000, () -> "fragments " + to.rejected());
        assertEquals(0, node.pool.outstanding());
    }

    private void send(
            final PmContext raw, final int tag, final int lengthBytes, final long announced) {
        final int slot = raw.claim(0, 2, lengthBytes);
        Memory.fill(raw.sendAddress(slot), 128, 0);
        Memory.putLong(raw.sendAddress(slot), announced);
        assertEquals(PmStatus.OK, raw.send(slot, lengthBytes, tag));
        device.poll();
    }

    @Test
    void shouldReportWhenNobodyIsThere() throws Exception {
        // given
        final Recorder sent = new Recorder(true);
        final PmLargeMessages from = new PmLargeMessages(device.openContext(1), sent, LIMITS);
        // when
        from.send(0, 2, randomSegment(1_000_000), 0);
        run(from);
        // then
        assertEquals(List.of(PmStatus.NO_SUCH_CONTEXT), sent.sent);
        assertEquals(0, from.unfinishedTransfers());
    }

    /** Keeps all that arrives. */
    private static final class Recorder implements PmLargeHandler {
        private static final int UNWANTED = 99;

        private final boolean isAssembling;
        private final Map<Integer, ByteArrayOutputStream> inPlace = new HashMap<>();
        private final List<byte[]> ended = new ArrayList<>();
        private final List<Integer> tags = new ArrayList<>();
        private final List<Integer> statuses = new ArrayList<>();
        private final List<Integer> sent = new ArrayList<>();

        private Recorder(final boolean isAssembling) {
            this.isAssembling = isAssembling;
        }

        @Override
        public MemorySegment onStart(
                final int sourceNode,
                final int sourceContext,
                final long lengthBytes,
                final int tag) {
            if (tag == UNWANTED) {
                return PmLargeMessages.REJECT;
            }
            inPlace.put(sourceContext, new ByteArrayOutputStream());
            return isAssembling ? MemorySegment.ofArray(new byte[(int) lengthBytes]) : null;
        }

        @Override
        public void onFragment(
                final int sourceNode,
                final int sourceContext,
                final long offset,
                final long address,
                final int lengthBytes) {
            assertEquals(0, address & 7);
            assertEquals(inPlace.get(sourceContext).size(), offset);
            inPlace.get(sourceContext).writeBytes(bytes(Memory.ALL.asSlice(address, lengthBytes)));
        }

        @Override
        public void onEnd(
                final int sourceNode,
                final int sourceContext,
                final long lengthBytes,
                final int tag,
                final MemorySegment target,
                final int status) {
            statuses.add(status);
            tags.add(tag);
            ended.add(isAssembling ? bytes(target) : inPlace.get(sourceContext).toByteArray());
        }

        @Override
        public void onSent(final long transfer, final int status) {
            sent.add(status);
        }
    }
}
