package io.hxb.context;

import io.hxb.flow.order.ProducerClaims;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Room in one delivery ring, counted in messages, and the frames that they are in. Delivering loops
 * claim and publish, the loop that owns the context releases and closes.
 */
final class DeliveryCounts {
    /** Returned by {@link #claim} when there is no room or the ring is closed. */
    static final long FULL = ProducerClaims.FULL;

    private static final VarHandle VALUE = MethodHandles.arrayElementVarHandle(long[].class);

    // In cache lines of its own.
    private static final int FRAMES = 16;

    private final ProducerClaims claims;
    private final long[] frames = new long[32];

    DeliveryCounts(final int capacity) {
        claims = new ProducerClaims(capacity);
    }

    /** Claims positions for {@code messages}: the first, or {@link #FULL}; any loop. */
    long claim(final int messages) {
        return claims.claim(messages);
    }

    /** Notes that a frame found no buffer, until {@link #takeStalled}; any loop. */
    void stall() {
        claims.stall();
    }

    /** Claimed positions of one frame have been published; any loop. */
    void published(final int messages) {
        VALUE.getAndAdd(frames, FRAMES, 1L);
        claims.published(messages);
    }

    /** The application has released messages and whole frames; the owner. */
    void released(final int messages, final int frameCount) {
        assert messages >= 0 && frameCount >= 0;
        // An application may release a message before the loop that delivered it has counted it.
        assert claims.released() + messages <= delivered() : "only what was delivered is released";
        claims.release(claims.released() + messages);
        if (frameCount > 0) {
            VALUE.getAndAdd(frames, FRAMES, (long) -frameCount);
        }
    }

    /** True once after there was no room; the owner, after a release. */
    boolean takeStalled() {
        return claims.takeStalled();
    }

    boolean isStalled() {
        return claims.isStalled();
    }

    /** Frames delivered and not released. */
    long framesHeld() {
        return (long) VALUE.getAcquire(frames, FRAMES);
    }

    /** Messages delivered so far. */
    long delivered() {
        return claims.claimed();
    }

    /** Ends claims; the owner. */
    void close() {
        claims.close();
    }

    /** True when, after {@link #close}, all that was claimed has been published. */
    boolean isQuiet() {
        return claims.isQuiet();
    }
}
