package io.hxb.flow;

import java.util.Arrays;

/**
 * The messages of one context that wait to be sent or to be acknowledged, by send slot. Messages of
 * one flow are chained in their order. Owned by the loop that owns the context.
 */
final class MessageSlots {
    /** The end of a chain. */
    static final int NONE = -1;

    /** By slot, {@code [slots][2]}: address of the payload; its length and the tag. */
    private long[] messages = new long[0];

    private int[] next = new int[0];

    /** Puts in a message that is not part of a chain yet. */
    void put(final int slot, final long address, final int lengthBytes, final int tag) {
        if (slot >= next.length) {
            grow(slot);
        }
        messages[2 * slot] = address;
        messages[2 * slot + 1] = ((long) lengthBytes << Integer.SIZE) | (tag & 0xFFFF_FFFFL);
        next[slot] = NONE;
    }

    // Doubles the table, so that this happens rarely.
    private void grow(final int slot) {
        final int count = Math.max(64, Integer.highestOneBit(slot) << 1);
        messages = Arrays.copyOf(messages, 2 * count);
        next = Arrays.copyOf(next, count);
    }

    /** Chains {@code following} after {@code slot}. */
    void chain(final int slot, final int following) {
        assert next[slot] == NONE : "slot " + slot + " is followed by " + next[slot];
        next[slot] = following;
    }

    /** The slot after {@code slot}, or {@link #NONE}. */
    int next(final int slot) {
        return next[slot];
    }

    int lengthBytes(final int slot) {
        return (int) (messages[2 * slot + 1] >>> Integer.SIZE);
    }

    int tag(final int slot) {
        return (int) messages[2 * slot + 1];
    }

    long address(final int slot) {
        return messages[2 * slot];
    }
}
