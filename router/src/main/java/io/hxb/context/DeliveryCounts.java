package io.hxb.context;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Room in one delivery ring, counted in messages. Delivering loops claim and publish, the loop that
 * owns the context releases and closes. Each count has its own cache lines.
 */
final class DeliveryCounts {
    /** Returned by {@link #claim} when there is no room or the ring is closed. */
    static final long FULL = -1;

    private static final VarHandle VALUE = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int CLAIMED = 16;
    private static final int PUBLISHED = 32;
    private static final int RELEASED = 48;
    private static final int FRAMES = 64;
    private static final int STALLED = 80;
    private static final long CLOSED = 1L << 62;

    private final long[] values = new long[96];
    private final int capacity;

    DeliveryCounts(final int capacity) {
        this.capacity = capacity;
    }

    /** Claims positions for {@code messages}: the first, or {@link #FULL}; any loop. */
    long claim(final int messages) {
        while (true) {
            final long position = (long) VALUE.getAcquire(values, CLAIMED);
            if (position >= CLOSED) {
                return FULL;
            }
            if (position + messages - (long) VALUE.getAcquire(values, RELEASED) > capacity) {
                // Set before looking again, so that a release in between is not missed.
                stall();
                if (position + messages - (long) VALUE.getVolatile(values, RELEASED) > capacity) {
                    return FULL;
                }
            }
            if (VALUE.compareAndSet(values, CLAIMED, position, position + messages)) {
                return position;
            }
        }
    }

    /** There was no buffer for a frame: {@link #takeStalled} says so once; any loop. */
    void stall() {
        VALUE.setVolatile(values, STALLED, 1L);
    }

    /** Claimed positions of one frame have been published; any loop. */
    void published(final int messages) {
        VALUE.getAndAdd(values, FRAMES, 1L);
        VALUE.getAndAdd(values, PUBLISHED, (long) messages);
    }

    /** The application has released messages and whole frames; the owner. */
    void released(final int messages, final int frames) {
        assert messages >= 0 && frames >= 0;
        // An application may release a message before the loop that delivered it has counted it.
        assert values[RELEASED] + messages <= delivered() : "only what was delivered is released";
        VALUE.setVolatile(values, RELEASED, values[RELEASED] + messages);
        if (frames > 0) {
            VALUE.getAndAdd(values, FRAMES, (long) -frames);
        }
    }

    /** True once after there was no room; the owner, behind a release. */
    boolean takeStalled() {
        return (long) VALUE.getVolatile(values, STALLED) != 0
                && (long) VALUE.getAndSet(values, STALLED, 0L) != 0;
    }

    boolean isStalled() {
        return (long) VALUE.getVolatile(values, STALLED) != 0;
    }

    /** Frames delivered and not released. */
    long framesHeld() {
        return (long) VALUE.getAcquire(values, FRAMES);
    }

    /** Messages delivered so far. */
    long delivered() {
        return (long) VALUE.getAcquire(values, CLAIMED) & (CLOSED - 1);
    }

    /** Ends claims; the owner. */
    void close() {
        VALUE.getAndBitwiseOr(values, CLAIMED, CLOSED);
    }

    /** True when, behind {@link #close}, all that was claimed has been published. */
    boolean isQuiet() {
        return (long) VALUE.getAcquire(values, PUBLISHED) == delivered();
    }
}
