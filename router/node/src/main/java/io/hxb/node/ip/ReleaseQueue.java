package io.hxb.node.ip;

import io.hxb.flow.order.ProducerClaims;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Handles of flows of which frames were handed over, by the loops that received them, for the loop
 * that owns the flows. Bounded; allocates nothing.
 */
final class ReleaseQueue {
    /** Returned by {@link #claim} when there is no room or the queue is closed. */
    static final long FULL = ProducerClaims.FULL;

    /** Returned by {@link #poll} when there is none. */
    static final long NONE = -1;

    private static final VarHandle VALUE = MethodHandles.arrayElementVarHandle(long[].class);

    private final ProducerClaims claims;

    /** By entry: a stamp, which is written last, and the handle. */
    private final long[] words;

    private final int mask;
    private long position;

    ReleaseQueue(final int capacity) {
        assert Integer.bitCount(capacity) == 1 : "no power of two: " + capacity;
        words = new long[2 * capacity];
        mask = capacity - 1;
        claims = new ProducerClaims(capacity);
    }

    /** Claims an entry: its position, or {@link #FULL}; any loop. */
    long claim() {
        return claims.claim(1);
    }

    /** Writes and publishes the handle at a claimed position; its claimer. */
    void put(final long claimed, final int flowHandle) {
        final int entry = 2 * (int) (claimed & mask);
        words[entry + 1] = flowHandle & 0xFFFF_FFFFL;
        VALUE.setRelease(words, entry, claimed + 1);
        claims.published(1);
    }

    /** The next handle, as an unsigned number, or {@link #NONE}. The owner, as all below. */
    long poll() {
        final int entry = 2 * (int) (position & mask);
        if ((long) VALUE.getAcquire(words, entry) != position + 1) {
            return NONE;
        }
        position++;
        return words[entry + 1];
    }

    /** Gives the room of the entries back that were polled. */
    void release() {
        claims.release(position);
    }

    /** True once after there was no room; after {@link #release}. */
    boolean takeStalled() {
        return claims.takeStalled();
    }

    /** True if there is another handle. */
    boolean isReady() {
        final int entry = 2 * (int) (position & mask);
        return (long) VALUE.getAcquire(words, entry) == position + 1;
    }

    /** Ends claims. */
    void close() {
        claims.close();
    }
}
