package io.hxb.flow.order;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Room in a ring that many loops fill: they claim positions, write the entries and publish them;
 * the owner releases them in order, and closes. Each count has its own cache lines. Allocates
 * nothing.
 */
public final class ProducerClaims {
    /** Returned by {@link #claim} when there is no room or the ring is closed. */
    public static final long FULL = -1;

    private static final VarHandle VALUE = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int CLAIMED = 16;
    private static final int PUBLISHED = 32;
    private static final int RELEASED = 48;
    private static final int STALLED = 64;
    private static final int LENGTH = 80;
    private static final long CLOSED = 1L << 62;

    private final long[] values = new long[LENGTH];
    private final int capacity;

    /** Those of an empty ring with that many entries. */
    public ProducerClaims(final int capacity) {
        this.capacity = capacity;
    }

    /** Claims positions for {@code entries}: the first, or {@link #FULL}; any loop. */
    public long claim(final int entries) {
        while (true) {
            final long first = (long) VALUE.getAcquire(values, CLAIMED);
            if (first >= CLOSED) {
                return FULL;
            }
            if (first + entries - (long) VALUE.getAcquire(values, RELEASED) > capacity) {
                // Set before looking again, so that a release in between is not missed.
                stall();
                if (first + entries - (long) VALUE.getVolatile(values, RELEASED) > capacity) {
                    return FULL;
                }
            }
            if (VALUE.compareAndSet(values, CLAIMED, first, first + entries)) {
                return first;
            }
        }
    }

    /** Something had to be turned away: {@link #takeStalled} reports it once; any loop. */
    public void stall() {
        VALUE.setVolatile(values, STALLED, 1L);
    }

    /** Claimed entries have been written; their claimer, which touches nothing more. */
    public void published(final int entries) {
        VALUE.getAndAdd(values, PUBLISHED, (long) entries);
    }

    /** All before that position may be claimed again; the owner. */
    public void release(final long position) {
        VALUE.setVolatile(values, RELEASED, position);
    }

    /** The last position given to {@link #release}; the owner. */
    public long released() {
        return values[RELEASED];
    }

    /** True once after there was no room; called by the owner after a release. */
    public boolean takeStalled() {
        return isStalled() && (long) VALUE.getAndSet(values, STALLED, 0L) != 0;
    }

    /** True if {@link #takeStalled} would be. */
    public boolean isStalled() {
        return (long) VALUE.getVolatile(values, STALLED) != 0;
    }

    /** Positions claimed so far. */
    public long claimed() {
        return (long) VALUE.getAcquire(values, CLAIMED) & (CLOSED - 1);
    }

    /** Ends claims; the owner. */
    public void close() {
        VALUE.getAndBitwiseOr(values, CLAIMED, CLOSED);
    }

    /** True when, after {@link #close}, all that was claimed has been published. */
    public boolean isQuiet() {
        return (long) VALUE.getAcquire(values, PUBLISHED) == claimed();
    }
}
