package io.hxb.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.frame.FragmentFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.linux.Memory;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

@Tag("property")
class FragmentCutterTest {
    private static final int HEADER = FrameHeaderFlyweight.LENGTH;
    private static final int MAX_BYTES = 66_000;

    private final Arena arena = Arena.ofAuto();
    private final FragmentCutter cutter = new FragmentCutter(-2);
    private final MemorySegment head = arena.allocate(MAX_BYTES, 8);
    private final MemorySegment payload = arena.allocate(MAX_BYTES, 8);
    private final MemorySegment fragment = arena.allocate(MAX_BYTES, 8);
    private final BufferPool pool =
            new BufferPool(arena.allocate(4L * 66_112, 64).address(), 4, 66_112);
    private final BufferPool.Share share = pool.newShare();
    private final FrameReassembler reassembler = new FrameReassembler(share, 2, 2, 1_000);
    private final OutgoingFrame outgoing = new OutgoingFrame();

    private OutgoingFrame frame(
            final SplittableRandom random,
            final int headBytes,
            final int payloadBytes,
            final int trailerBytes) {
        for (int i = 0; i < headBytes + trailerBytes; i++) {
            head.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
        }
        for (int i = 0; i < payloadBytes; i++) {
            payload.set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
        }
        new FrameHeaderFlyweight().wrap(head.address()).type(FrameType.DATA);
        return outgoing.wrap(head.address(), headBytes, token -> {}, 0)
                .payload(payload.address(), payloadBytes)
                .trailer(trailerBytes);
    }

    /** Cuts the frame into fragments, each as the bytes on the wire. */
    private List<byte[]> cut(final OutgoingFrame frame, final int mtuBytes) {
        final List<byte[]> cut = new ArrayList<>();
        final int count = cutter.begin(frame, mtuBytes);
        for (int i = 0; i < count; i++) {
            cutter.next(fragment.address());
            final byte[] bytes = new byte[cutter.fragmentBytes()];
            MemorySegment.copy(fragment, 0, MemorySegment.ofArray(bytes), 0, HEADER);
            int end = HEADER;
            for (int slice = 0; slice < cutter.slices(); slice++) {
                final int length = cutter.sliceBytes(slice);
                MemorySegment.copy(
                        Memory.ALL,
                        cutter.sliceAddress(slice),
                        MemorySegment.ofArray(bytes),
                        end,
                        length);
                end += length;
            }
            assertEquals(bytes.length, end);
            assertTrue(end <= mtuBytes, end + " > " + mtuBytes);
            cut.add(bytes);
        }
        cutter.take();
        return cut;
    }

    private int join(final byte[] bytes) {
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, fragment, 0, bytes.length);
        final long address = fragment.address();
        assertTrue(FragmentFlyweight.isFragment(address));
        final int id =
                reassembler.onRange(
                        1,
                        FragmentFlyweight.number(address),
                        FragmentFlyweight.frameBytes(address),
                        FragmentFlyweight.offset(address),
                        address + HEADER,
                        bytes.length - HEADER,
                        0);
        assertEquals(FrameReassembler.TAKEN, reassembler.answer());
        return id;
    }

    private void checkWhole(final int id, final OutgoingFrame frame) {
        assertTrue(id != BufferPool.NONE, "not whole");
        final byte[] expected = new byte[frame.lengthBytes()];
        final MemorySegment copy = arena.allocate(frame.lengthBytes(), 8);
        frame.copyTo(copy.address());
        MemorySegment.copy(copy, 0, MemorySegment.ofArray(expected), 0, expected.length);
        final byte[] actual = new byte[expected.length];
        MemorySegment.copy(
                Memory.ALL,
                pool.headerAddress(id),
                MemorySegment.ofArray(actual),
                0,
                actual.length);
        assertTrue(Arrays.equals(expected, actual), "contents");
        share.release(id);
    }

    @Test
    void shouldLeaveFramesThatFitAsTheyAre() {
        // given
        final OutgoingFrame frame = frame(new SplittableRandom(1), 100, 800, 24);
        // when / then
        assertEquals(1, cutter.begin(frame, 924));
        assertFalse(cutter.isCutting());
        assertEquals(2, cutter.begin(frame, 923));
        assertTrue(cutter.isCutting());
    }

    @Test
    void shouldNotCutForLinksThatTakeNothing() {
        // given
        final OutgoingFrame frame = frame(new SplittableRandom(1), 100, 800, 24);
        // when / then
        assertEquals(Integer.MAX_VALUE, cutter.begin(frame, HEADER + 7));
        assertFalse(cutter.isCutting());
    }

    @Test
    void shouldCutFramesOfAnyPiecesIntoEqualParts() {
        for (int seed = 0; seed < 500; seed++) {
            final SplittableRandom random = new SplittableRandom(seed);
            // given
            final int mtu = 72 + random.nextInt(seed % 2 == 0 ? 200 : 9_000);
            final int bytes = mtu + 1 + random.nextInt(Math.min(60 * (mtu - 71), 56_000));
            final int headBytes = HEADER + random.nextInt(Math.max(1, bytes - HEADER - 24));
            final OutgoingFrame frame =
                    frame(random, headBytes, bytes - headBytes, random.nextInt(2) * 24);
            // when
            final List<byte[]> cut = cut(frame, mtu);
            // then
            int id = BufferPool.NONE;
            for (int i = 0; i < cut.size(); i++) {
                assertTrue(i == cut.size() - 1 || cut.get(i).length == cut.getFirst().length);
                id = join(cut.get(i));
            }
            checkWhole(id, frame);
            assertEquals(0, pool.outstanding(), "seed " + seed);
        }
        assertEquals(0, pool.outstanding());
    }

    @Test
    void shouldMakeNoFragmentMuchShorterThanOthers() {
        for (int mtu = 1_440; mtu <= 9_000; mtu += 4) {
            // given
            final OutgoingFrame frame = frame(new SplittableRandom(mtu), 72, 65_536, 24);
            // when
            final List<byte[]> cut = cut(frame, mtu);
            // then
            assertTrue(cut.getLast().length >= 1_024, "MTU " + mtu);
        }
    }

    @Test
    void shouldCutFragmentsAgainForAShorterLink() {
        // given
        final SplittableRandom random = new SplittableRandom(7);
        final OutgoingFrame frame = frame(random, 72, 30_001, 24);
        final List<byte[]> cut = cut(frame, 9_000);
        assertEquals(4, cut.size());
        final MemorySegment relayed = arena.allocate(9_000, 8);
        final FragmentCutter relay = cutter;
        int id = BufferPool.NONE;
        // when
        for (final byte[] bytes : cut) {
            MemorySegment.copy(MemorySegment.ofArray(bytes), 0, relayed, 0, bytes.length);
            final OutgoingFrame again =
                    new OutgoingFrame().wrap(relayed.address(), bytes.length, token -> {}, 0);
            assertEquals(6, relay.begin(again, 1_500));
            for (final byte[] part : cut(again, 1_500)) {
                id = join(part);
            }
        }
        // then
        checkWhole(id, frame);
    }

    @Test
    void shouldSendARangeAgainUnderItsNumber() {
        // given
        final OutgoingFrame frame = frame(new SplittableRandom(8), 72, 20_000, 24);
        final List<byte[]> cut = cut(frame, 1_500);
        for (int i = 0; i < cut.size(); i++) {
            if (i < 3 || i > 5) {
                join(cut.get(i));
            }
        }
        final int rangeBytes = cut.getFirst().length - HEADER;
        final int number = -2;
        cut(frame(new SplittableRandom(8), 72, 20_000, 24), 1_500);
        // when
        final List<byte[]> again = cut(frame.range(number, 3 * rangeBytes, 3 * rangeBytes), 1_500);
        // then
        assertEquals(3, again.size());
        join(again.get(2));
        join(again.get(0));
        checkWhole(join(again.get(1)), frame);
    }

    @Test
    void shouldNumberFramesThatAreTaken() {
        // given
        final OutgoingFrame frame = frame(new SplittableRandom(9), 72, 2_000, 0);
        // when
        cutter.begin(frame, 1_500);
        final byte[] first = cut(frame, 1_500).getFirst();
        final byte[] second = cut(frame, 1_500).getFirst();
        // then
        final int at = FragmentFlyweight.NUMBER_OFFSET;
        assertEquals(-2, first[at]);
        assertEquals(-1, second[at]);
    }
}
