package io.hxb.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hxb.linux.Memory;
import io.hxb.testing.Allocations;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;

class FrameReassemblerTest {
    private static final int BUFFERS = 8;
    private static final int FRAME_BYTES = 3000;
    private static final long TIMEOUT_NS = 100;

    private final Arena arena = Arena.ofConfined();
    private final long bytes = arena.allocate(FRAME_BYTES, 64).address();
    private BufferPool pool;
    private BufferPool.Share share;
    private FrameReassembler reassembler;

    @BeforeEach
    void makeReassembler() {
        pool = new BufferPool(arena.allocate(BUFFERS * 4096L, 64).address(), BUFFERS, 4096);
        share = pool.newShare();
        reassembler = new FrameReassembler(share, 3, 2, TIMEOUT_NS);
        for (int i = 0; i < FRAME_BYTES; i++) {
            Memory.putByte(bytes + i, i ^ i >> 8);
        }
    }

    @AfterEach
    void closeArena() {
        reassembler.close();
        assertEquals(0, pool.outstanding());
        arena.close();
    }

    private int range(final long source, final int number, final int offset, final int length) {
        return reassembler.onRange(source, number, FRAME_BYTES, offset, bytes + offset, length, 0);
    }

    private int buffer(final int offset, final int length) {
        final int id = share.acquire();
        Memory.copy(bytes + offset, pool.headerAddress(id), length);
        return id;
    }

    private void checkWhole(final int id) {
        assertNotEquals(BufferPool.NONE, id);
        for (int i = 0; i < FRAME_BYTES; i++) {
            assertEquals(
                    Memory.getByte(bytes + i), Memory.getByte(pool.headerAddress(id) + i), "" + i);
        }
        share.release(id);
    }

    @Test
    @Tag("unit")
    void shouldJoinRangesInOrder() {
        // given / when / then
        assertEquals(BufferPool.NONE, range(1, 7, 0, 1000));
        assertEquals(BufferPool.NONE, range(1, 7, 1000, 1000));
        assertEquals(1, reassembler.openFrames());
        checkWhole(range(1, 7, 2000, 1000));
        assertEquals(0, reassembler.openFrames());
        assertEquals(1, reassembler.counts().frames());
        assertEquals(3, reassembler.counts().ranges());
    }

    @Test
    @Tag("unit")
    void shouldJoinRangesInAnyOrder() {
        // given / when / then
        assertEquals(BufferPool.NONE, range(1, 7, 2000, 1000));
        assertEquals(BufferPool.NONE, range(1, 7, 0, 500));
        assertEquals(BufferPool.NONE, range(1, 7, 1000, 1000));
        checkWhole(range(1, 7, 500, 500));
    }

    @Test
    @Tag("unit")
    void shouldLeaveTheFirstRangeInItsBuffer() {
        // given
        final int first = buffer(0, 1000);
        // when
        assertEquals(BufferPool.NONE, reassembler.onBuffer(1, 7, FRAME_BYTES, 0, first, 1000, 0));
        final int whole =
                reassembler.onBuffer(1, 7, FRAME_BYTES, 1000, buffer(1000, 2000), 2000, 0);
        // then
        assertEquals(first, whole);
        assertEquals(1, pool.outstanding());
        checkWhole(whole);
    }

    @Test
    @Tag("unit")
    void shouldMoveTheFirstRangeToItsOffset() {
        // given
        final int first = buffer(500, 2500);
        // when
        assertEquals(BufferPool.NONE, reassembler.onBuffer(1, 7, FRAME_BYTES, 500, first, 2500, 0));
        // then
        checkWhole(range(1, 7, 0, 500));
    }

    @Test
    @Tag("unit")
    void shouldPassAWholeFrameInItsBuffer() {
        // given
        final int id = buffer(0, FRAME_BYTES);
        // when / then
        assertEquals(id, reassembler.onBuffer(1, 7, FRAME_BYTES, 0, id, FRAME_BYTES, 0));
        assertEquals(0, reassembler.openFrames());
        checkWhole(id);
    }

    @Test
    @Tag("unit")
    void shouldKeepFramesOfSourcesApart() {
        // given
        range(1, 7, 0, 1000);
        range(2, 7, 1000, 2000);
        // when / then
        checkWhole(range(1, 7, 1000, 2000));
        checkWhole(range(2, 7, 0, 1000));
    }

    @Test
    @Tag("unit")
    void shouldDropWhatArrivesTwice() {
        // given
        range(1, 7, 0, 1000);
        // when
        range(1, 7, 0, 1000);
        assertEquals(FrameReassembler.DOUBLED, reassembler.answer());
        range(1, 7, 200, 100);
        final int whole = range(1, 7, 1000, 2000);
        // then
        checkWhole(whole);
        assertEquals(2, reassembler.counts().doubled());
        assertEquals(BufferPool.NONE, range(1, 7, 0, 1000));
        assertEquals(FrameReassembler.LATE, reassembler.answer());
        assertEquals(0, reassembler.openFrames());
    }

    @Test
    @Tag("unit")
    void shouldDropWhatContradicts() {
        // given
        range(1, 7, 1000, 1000);
        // when
        range(1, 7, 500, 501);
        range(1, 7, 1999, 10);
        range(1, 7, 900, 1200);
        range(1, 7, 2000, 1001);
        range(1, 7, -1, 10);
        range(1, 7, 0, 0);
        range(1, 7, 0, -5);
        range(1, 7, Integer.MAX_VALUE, 10);
        range(1, 7, 10, Integer.MAX_VALUE);
        reassembler.onRange(1, 7, FRAME_BYTES + 1, 0, bytes, 10, 0);
        // then
        assertEquals(10, reassembler.counts().contradicting());
        assertEquals(FrameReassembler.CONTRADICTING, reassembler.answer());
        range(1, 7, 0, 1000);
        checkWhole(range(1, 7, 2000, 1000));
    }

    @Test
    @Tag("unit")
    void shouldDropFramesLongerThanABuffer() {
        // given / when
        final int fits = pool.frameBytes();
        reassembler.onRange(1, 7, fits + 1, 0, bytes, 10, 0);
        reassembler.onBuffer(1, 8, Integer.MAX_VALUE, 0, buffer(0, 10), 10, 0);
        reassembler.onBuffer(1, 9, -1, 0, buffer(0, 10), 10, 0);
        reassembler.onRange(1, 10, fits, 0, bytes, 10, 0);
        // then
        assertEquals(3, reassembler.counts().contradicting());
        assertEquals(1, reassembler.openFrames());
        assertEquals(1, pool.outstanding());
    }

    @Test
    @Tag("unit")
    void shouldGiveUpTheOldestOfASourceForItsNewest() {
        // given
        range(1, 7, 0, 1000);
        range(1, 8, 0, 1000);
        range(2, 1, 0, 1000);
        // when
        range(1, 9, 0, 1000);
        // then
        assertEquals(1, reassembler.counts().displaced());
        assertEquals(3, reassembler.openFrames());
        range(1, 7, 1000, 2000);
        assertEquals(FrameReassembler.LATE, reassembler.answer());
        checkWhole(range(1, 8, 1000, 2000));
        checkWhole(range(1, 9, 1000, 2000));
        checkWhole(range(2, 1, 1000, 2000));
    }

    @Test
    @Tag("unit")
    void shouldRefuseNewFramesWhenAllPlacesAreTaken() {
        // given
        range(1, 7, 0, 1000);
        range(2, 7, 0, 1000);
        range(3, 7, 0, 1000);
        // when
        range(4, 7, 0, 1000);
        reassembler.onBuffer(5, 7, FRAME_BYTES, 0, buffer(0, 1000), 1000, 0);
        // then
        assertEquals(2, reassembler.counts().refused());
        assertEquals(3, pool.outstanding());
        checkWhole(range(1, 7, 1000, 2000));
        range(4, 7, 0, 1000);
        assertEquals(FrameReassembler.TAKEN, reassembler.answer());
    }

    @Test
    @Tag("unit")
    void shouldRefuseWhenThePoolIsEmpty() {
        // given
        final int[] ids = new int[BUFFERS];
        for (int i = 0; i < BUFFERS; i++) {
            ids[i] = share.acquire();
        }
        // when
        range(1, 7, 0, 1000);
        // then
        assertEquals(1, reassembler.counts().refused());
        Memory.copy(bytes, pool.headerAddress(ids[0]), 1000);
        reassembler.onBuffer(1, 7, FRAME_BYTES, 0, ids[0], 1000, 0);
        checkWhole(range(1, 7, 1000, 2000));
        for (int i = 1; i < BUFFERS; i++) {
            share.release(ids[i]);
        }
    }

    @Test
    @Tag("unit")
    void shouldGiveUpWhatStaysIncomplete() {
        // given
        range(1, 7, 0, 1000);
        reassembler.onRange(1, 8, FRAME_BYTES, 0, bytes, 1000, 1);
        // when / then
        assertEquals(0, reassembler.expire(TIMEOUT_NS));
        assertEquals(1, reassembler.expire(TIMEOUT_NS + 1));
        assertEquals(1, reassembler.counts().expired());
        assertEquals(1, pool.outstanding());
        checkWhole(range(1, 8, 1000, 2000));
    }

    @Test
    @Tag("unit")
    void shouldForgetGivenUpFramesAfterTheTimeout() {
        // given
        range(1, 7, 0, 1000);
        reassembler.expire(TIMEOUT_NS + 1);
        // when
        reassembler.onRange(1, 7, FRAME_BYTES, 0, bytes, 10, 2 * TIMEOUT_NS);
        assertEquals(FrameReassembler.LATE, reassembler.answer());
        reassembler.onRange(1, 7, FRAME_BYTES, 0, bytes, 10, 2 * TIMEOUT_NS + 1);
        // then
        assertEquals(FrameReassembler.TAKEN, reassembler.answer());
    }

    @Test
    @Tag("unit")
    void shouldBoundThePiecesOfAFrame() {
        // given
        for (int i = 0; i < FrameReassembler.MAX_SPANS; i++) {
            range(1, 7, 20 * i + 10, 10);
        }
        // when
        range(1, 7, 20 * FrameReassembler.MAX_SPANS + 10, 10);
        // then
        assertEquals(1, reassembler.counts().refused());
        for (int i = 0; i < FrameReassembler.MAX_SPANS; i++) {
            range(1, 7, 20 * i, 10);
        }
        assertEquals(1, reassembler.counts().refused());
        final int joined = 20 * FrameReassembler.MAX_SPANS;
        checkWhole(range(1, 7, joined, FRAME_BYTES - joined));
    }

    @Test
    @Tag("unit")
    void shouldRejectSizesOutOfRange() {
        assertThrows(IllegalArgumentException.class, () -> new FrameReassembler(share, 0, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new FrameReassembler(share, 1, 2, 1));
        assertThrows(IllegalArgumentException.class, () -> new FrameReassembler(share, 4097, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> new FrameReassembler(share, 1, 1, 0));
    }

    @Test
    @Tag("unit")
    void shouldAllocateNothingPerRange() {
        // given
        final int[] first = new int[1];
        // when
        Allocations.awaitNone(
                () -> {
                    joinFrames(first[0], first[0] + 100_000);
                    first[0] += 100_000;
                });
        // then
        assertEquals(first[0] * 9L / 10, reassembler.counts().frames());
    }

    private void joinFrames(final int first, final int end) {
        for (int number = first; number < end; number++) {
            reassembler.onRange(1, number, 300, 0, bytes, 100, number);
            reassembler.onBuffer(1, number, 300, 200, share.acquire(), 100, number);
            // Every tenth frame remains incomplete.
            if (number % 10 != 0) {
                share.release(reassembler.onRange(1, number, 300, 100, bytes, 100, number));
            }
            reassembler.expire(number);
        }
    }
}
