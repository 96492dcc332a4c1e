package io.hxb.flow;

import java.util.Arrays;

/**
 * The messages of one context that wait to be sent or to be acknowledged, by send slot. Messages of
 * one flow are chained in their order. Owned by the loop that owns the context.
 */
final class MessageSlots {
    /** The end of a chain. */
    static final int NONE = -1;

    private int[] next = new int[0];
    private int[] lengthBytes = new int[0];
    private int[] tag = new int[0];
    private long[] address = new long[0];

    /** Puts a message in, at the end of no chain. */
    void put(final int slot, final long messageAddress, final int messageBytes, final int itsTag) {
        if (slot >= next.length) {
            grow(slot);
        }
        address[slot] = messageAddress;
        lengthBytes[slot] = messageBytes;
        tag[slot] = itsTag;
        next[slot] = NONE;
    }

    // Doubles, so that it is rarely done.
    private void grow(final int slot) {
        final int count = Math.max(64, Integer.highestOneBit(slot) << 1);
        next = Arrays.copyOf(next, count);
        lengthBytes = Arrays.copyOf(lengthBytes, count);
        tag = Arrays.copyOf(tag, count);
        address = Arrays.copyOf(address, count);
    }

    /** Lets {@code following} come behind {@code slot}. */
    void chain(final int slot, final int following) {
        assert next[slot] == NONE : "slot " + slot + " is followed by " + next[slot];
        next[slot] = following;
    }

    /** The slot behind {@code slot}, or {@link #NONE}. */
    int next(final int slot) {
        return next[slot];
    }

    int lengthBytes(final int slot) {
        return lengthBytes[slot];
    }

    int tag(final int slot) {
        return tag[slot];
    }

    long address(final int slot) {
        return address[slot];
    }
}
