package io.hxb.flow;

import io.hxb.frame.EndedFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.MessageRecordFlyweight;
import io.hxb.frame.SealFlyweight;
import io.hxb.link.Link;

import java.lang.foreign.Arena;

/**
 * The memory that one loop sends from, bounded and made at start: headers of frames with one
 * message, whole frames for several messages, and control frames.
 *
 * <p>Sizes: txFrames x 128 bytes, sharedFrames x (16 + 9,216 + 24) at most, control frames x (16 +
 * 64 + 24 + 128, or windowFrames / 8), each rounded up to 64 bytes.
 */
final class TxPool {
    static final int CONTROL_FRAMES = 256;

    private static final int HEADER_STRIDE_BYTES =
            align(
                    Link.HEADROOM_BYTES
                            + FrameHeaderFlyweight.LENGTH
                            + MessageRecordFlyweight.LENGTH
                            + SealFlyweight.LENGTH);

    private final TxFrame[] frames;
    private final TxFrame[] free;
    private final int[] freeShared;
    private final int[] freeControl;
    private final int sharedStrideBytes;
    private final int controlStrideBytes;
    private final long sharedBase;
    private final long controlBase;
    private int freeCount;
    private int freeSharedCount;
    private int freeControlCount;

    TxPool(final FlowSizes sizes, final int windowFrames, final Arena arena) {
        final int count = sizes.txFrames();
        frames = new TxFrame[count];
        free = new TxFrame[count];
        final long base = allocate(arena, count, HEADER_STRIDE_BYTES);
        for (int index = count - 1; index >= 0; index--) {
            frames[index] =
                    new TxFrame(
                            index, base + (long) index * HEADER_STRIDE_BYTES + Link.HEADROOM_BYTES);
            free[freeCount++] = frames[index];
        }
        sharedStrideBytes = sharedStrideBytes(sizes);
        sharedBase = allocate(arena, sizes.sharedFrames(), sharedStrideBytes);
        freeShared = numbers(sizes.sharedFrames());
        freeSharedCount = freeShared.length;
        controlStrideBytes = controlStrideBytes(sizes, windowFrames);
        controlBase = allocate(arena, CONTROL_FRAMES, controlStrideBytes);
        freeControl = numbers(CONTROL_FRAMES);
        freeControlCount = CONTROL_FRAMES;
    }

    /**
     * Bytes of the selective bitmap: one bit for a frame of the window, 32 at least, and no more
     * than a frame has room for. What arrived beyond it is acknowledged when the window has moved
     * on.
     */
    static int ackBodyBytes(final int windowFrames, final int frameBytes) {
        final int roomBytes = (frameBytes - FrameHeaderFlyweight.LENGTH) & -Long.BYTES;
        return Math.min(Math.max(32, windowFrames / 8), roomBytes);
    }

    /** Native bytes of one loop's pool. */
    static long bytes(final FlowSizes sizes, final int windowFrames) {
        return (long) sizes.txFrames() * HEADER_STRIDE_BYTES
                + (long) sizes.sharedFrames() * sharedStrideBytes(sizes)
                + (long) CONTROL_FRAMES * controlStrideBytes(sizes, windowFrames);
    }

    /**
     * A free frame for a flow that has {@code inFlight}; null when there is none, or when the flow
     * has more than are left: so that one slow destination cannot take all.
     */
    TxFrame acquire(final int inFlight) {
        return freeCount == 0 || inFlight > freeCount ? null : free[--freeCount];
    }

    TxFrame frame(final int index) {
        return frames[index];
    }

    void release(final TxFrame frame) {
        final int shared = frame.free();
        if (shared != TxFrame.NOT_SHARED) {
            assert freeSharedCount < freeShared.length : "memory was given back twice";
            freeShared[freeSharedCount++] = shared;
        }
        assert freeCount < free.length : "frame " + frame.index() + " was given back twice";
        free[freeCount++] = frame;
    }

    /** Memory for a frame of several messages, by the rule of {@link #acquire}; -1 for none. */
    int acquireShared(final int inFlight) {
        return freeSharedCount == 0 || inFlight > freeSharedCount
                ? TxFrame.NOT_SHARED
                : freeShared[--freeSharedCount];
    }

    long sharedHeaderAddress(final int index) {
        return sharedBase + (long) index * sharedStrideBytes + Link.HEADROOM_BYTES;
    }

    int acquireControl() {
        return freeControlCount == 0 ? -1 : freeControl[--freeControlCount];
    }

    long controlHeaderAddress(final int index) {
        return controlBase + (long) index * controlStrideBytes + Link.HEADROOM_BYTES;
    }

    void releaseControl(final int index) {
        assert freeControlCount < CONTROL_FRAMES : "frame " + index + " was given back twice";
        freeControl[freeControlCount++] = index;
    }

    int framesInUse() {
        return frames.length - freeCount;
    }

    int controlInUse() {
        return CONTROL_FRAMES - freeControlCount;
    }

    private static int controlStrideBytes(final FlowSizes sizes, final int windowFrames) {
        return align(
                Link.HEADROOM_BYTES
                        + FrameHeaderFlyweight.LENGTH
                        + Math.max(
                                EndedFlyweight.MAX_RUNS * EndedFlyweight.RUN_BYTES,
                                ackBodyBytes(windowFrames, sizes.frameBytes()))
                        + SealFlyweight.LENGTH);
    }

    // The trailer of a sealed frame lies after it.
    private static int sharedStrideBytes(final FlowSizes sizes) {
        return align(Link.HEADROOM_BYTES + sizes.sharedFrameBytes() + SealFlyweight.LENGTH);
    }

    private static int[] numbers(final int count) {
        final int[] numbers = new int[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = count - 1 - i;
        }
        return numbers;
    }

    private static long allocate(final Arena arena, final int count, final int strideBytes) {
        return count == 0 ? 0 : arena.allocate((long) count * strideBytes, 64).address();
    }

    private static int align(final int lengthBytes) {
        return (lengthBytes + 63) & -64;
    }
}
