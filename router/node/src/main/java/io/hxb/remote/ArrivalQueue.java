package io.hxb.remote;

import io.hxb.flow.order.ProducerClaims;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What arrived and the owner has to know of: loops that receive claim room for a frame, write its
 * entries and publish each; the loop that owns the context takes them in that order. Bounded; a
 * claim without room fails, and {@link #takeStalled} notifies the owner later. Allocates nothing.
 */
final class ArrivalQueue {
    /** Returned by {@link #claim} when there is no room or the queue is closed. */
    static final long FULL = ProducerClaims.FULL;

    private static final VarHandle VALUE = MethodHandles.arrayElementVarHandle(long[].class);

    /** Words of an entry: a stamp, then what {@link #write} is given. */
    private static final int WORDS = 8;

    private static final int WHAT = 1;
    private static final int SOURCE = 2;
    private static final int OPERATION = 3;
    private static final int KEY = 4;
    private static final int OFFSET = 5;
    private static final int LENGTH = 6;
    private static final int TAG = 7;

    private final ProducerClaims claims;
    private final long[] words;
    private final int mask;
    private long position;
    private int at;

    ArrivalQueue(final int capacity) {
        assert Integer.bitCount(capacity) == 1 : "no power of two: " + capacity;
        words = new long[capacity * WORDS];
        mask = capacity - 1;
        claims = new ProducerClaims(capacity);
    }

    /** Claims positions for {@code entries}: the first, or {@link #FULL}; any loop. */
    long claim(final int entries) {
        return claims.claim(entries);
    }

    /** Writes and publishes the entry at a claimed position; its claimer. */
    void write(
            final long claimed,
            final long what,
            final long source,
            final long operation,
            final long key,
            final long offset,
            final long lengthBytes,
            final long tag) {
        final int entry = (int) (claimed & mask) * WORDS;
        words[entry + WHAT] = what;
        words[entry + SOURCE] = source;
        words[entry + OPERATION] = operation;
        words[entry + KEY] = key;
        words[entry + OFFSET] = offset;
        words[entry + LENGTH] = lengthBytes;
        words[entry + TAG] = tag;
        VALUE.setRelease(words, entry, claimed + 1);
    }

    /** Claimed entries have been written; their claimer, which touches nothing more. */
    void published(final int entries) {
        claims.published(entries);
    }

    /** Moves to the next entry; false if there is none. The owner, as all below. */
    boolean next() {
        if (!isReady()) {
            return false;
        }
        at = (int) (position & mask) * WORDS;
        position++;
        return true;
    }

    /** True if there is another entry. */
    boolean isReady() {
        return (long) VALUE.getAcquire(words, (int) (position & mask) * WORDS) == position + 1;
    }

    /** Gives the room of the entries back that were moved over. */
    void release() {
        claims.release(position);
    }

    /** True once after there was no room; the owner, after {@link #release}. */
    boolean takeStalled() {
        return claims.takeStalled();
    }

    /** Ends claims. */
    void close() {
        claims.close();
    }

    /** True when, after {@link #close}, all that was claimed has been published. */
    boolean isQuiet() {
        return claims.isQuiet();
    }

    long what() {
        return words[at + WHAT];
    }

    long source() {
        return words[at + SOURCE];
    }

    long operation() {
        return words[at + OPERATION];
    }

    long key() {
        return words[at + KEY];
    }

    long offset() {
        return words[at + OFFSET];
    }

    long lengthBytes() {
        return words[at + LENGTH];
    }

    long tag() {
        return words[at + TAG];
    }
}
