package io.hxb.flow;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Frames of the receive pool that contexts borrow beyond what is guaranteed to each: those of a
 * node, or the part of them that one user or tenant may have. Used by all loops; one
 * compare-and-set lends, and one more where this pool is a part of another.
 *
 * <p>Nobody may have more than {@value #ALPHA} times what is free, so that some is always free and
 * a newcomer gets nearly as much as the others have: with n borrowers that want all, each gets
 * {@value #ALPHA} parts of {@value #ALPHA} n + 1.
 *
 * <p>Source: A. K. Choudhury, E. L. Hahne, Dynamic Queue Length Thresholds for Shared-Memory Packet
 * Switches, IEEE/ACM Transactions on Networking 6(2), 1998.
 */
public final class CreditPool {
    /** More frames than any node has. */
    public static final int MAX_FRAMES = 1 << 24;

    private static final int ALPHA = 4;
    private static final VarHandle VALUE = MethodHandles.arrayElementVarHandle(int[].class);

    // Each has cache lines of its own.
    private static final int FREE = 32;
    private static final int SHORTAGES = 64;

    private final int[] values = new int[96];
    private final int frames;
    private final CreditPool whole;

    /**
     * Makes a pool in which all frames are free.
     *
     * @param frames that it lends in all, 0 to {@link #MAX_FRAMES}.
     */
    public CreditPool(final int frames) {
        this(frames, null);
    }

    /**
     * Makes a part of another in which all is free.
     *
     * @param frames that it lends in all, 0 to {@link #MAX_FRAMES}.
     * @param whole from which everything is borrowed that this one lends; or null.
     */
    public CreditPool(final int frames, final CreditPool whole) {
        if (frames < 0 || frames > MAX_FRAMES) {
            throw new IllegalArgumentException("frames must be 0.." + MAX_FRAMES + ": " + frames);
        }
        this.frames = frames;
        this.whole = whole;
        VALUE.setRelease(values, FREE, frames);
    }

    /** Frames that it lends in all. */
    public int frames() {
        return frames;
    }

    /** Frames that are lent; any thread. */
    public int lentFrames() {
        return frames - freeFrames();
    }

    /**
     * How many more frames a borrower may have that has {@code lentFrames}: below 0 if it has too
     * many, now that others want some.
     */
    int allowance(final int lentFrames) {
        final int own = (ALPHA * freeFrames() - lentFrames) / (ALPHA + 1);
        return whole == null ? own : Math.min(own, whole.allowance(lentFrames));
    }

    /** Lends {@code wanted} frames, or as many as there are here and in the whole; how many. */
    public int lend(final int wanted) {
        final int own = take(wanted);
        if (whole == null || own == 0) {
            return own;
        }
        final int both = whole.lend(own);
        putBack(own - both);
        return both;
    }

    private int take(final int wanted) {
        while (true) {
            final int free = freeFrames();
            final int taken = Math.min(wanted, free);
            if (taken <= 0) {
                return 0;
            }
            if (VALUE.compareAndSet(values, FREE, free, free - taken)) {
                return taken;
            }
        }
    }

    /** Takes frames back that were lent. */
    public void giveBack(final int returned) {
        putBack(returned);
        if (whole != null) {
            whole.giveBack(returned);
        }
    }

    private void putBack(final int returned) {
        final int before = (int) VALUE.getAndAdd(values, FREE, returned);
        assert returned >= 0 && before + returned <= frames : before + " free and " + returned;
    }

    /** A borrower could use more than it may have; any loop, so that no other call may be lost. */
    void onShortage() {
        VALUE.getAndAdd(values, SHORTAGES, 1);
    }

    /** Changes whenever a borrower could use more than it may have. */
    int shortages() {
        return (int) VALUE.getOpaque(values, SHORTAGES);
    }

    /** Frames that are not lent; any thread. */
    int freeFrames() {
        return (int) VALUE.getAcquire(values, FREE);
    }
}
