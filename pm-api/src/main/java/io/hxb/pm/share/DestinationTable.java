package io.hxb.pm.share;

import java.util.Arrays;

/**
 * Numbers for destinations, found by node and context. A number is given to another destination
 * when nothing is known of its own any more and there are no others left. Owned by the context's
 * thread.
 */
final class DestinationTable {
    /** The number of no destination. */
    static final int NONE = -1;

    private static final int FIRST_CAPACITY = 64;
    private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

    /** First of the destinations with the same hash, and those after each of them. */
    private int[] first = new int[2 * FIRST_CAPACITY];

    private int[] next = new int[FIRST_CAPACITY];
    private long[] keys = new long[FIRST_CAPACITY];
    private int count;

    DestinationTable() {
        Arrays.fill(first, NONE);
    }

    private static long key(final int node, final int context) {
        return (long) node << Integer.SIZE | context;
    }

    private int bucket(final long key) {
        return (int) ((key * MIX) >>> Integer.SIZE) & (first.length - 1);
    }

    /** Number of a destination, or {@link #NONE}. */
    int find(final int node, final int context) {
        final long key = key(node, context);
        int at = first[bucket(key)];
        while (at != NONE && keys[at] != key) {
            at = next[at];
        }
        return at;
    }

    /** True if {@link #add} has no room: {@link #replace} or {@link #grow}. */
    boolean isFull() {
        return count == keys.length;
    }

    /** Destinations that there is room for. */
    int capacity() {
        return keys.length;
    }

    /** Adds a destination that is not in the table, which has room; returns its number. */
    int add(final int node, final int context) {
        return put(count++, node, context);
    }

    /** Gives the number of one destination to another one that is not in the table. */
    int replace(final int number, final int node, final int context) {
        final int bucket = bucket(keys[number]);
        if (first[bucket] == number) {
            first[bucket] = next[number];
        } else {
            int before = first[bucket];
            while (next[before] != number) {
                before = next[before];
            }
            next[before] = next[number];
        }
        return put(number, node, context);
    }

    private int put(final int number, final int node, final int context) {
        keys[number] = key(node, context);
        link(number);
        return number;
    }

    private void link(final int number) {
        final int bucket = bucket(keys[number]);
        next[number] = first[bucket];
        first[bucket] = number;
    }

    /** Doubles the table; all keep their numbers. */
    void grow() {
        keys = Arrays.copyOf(keys, 2 * keys.length);
        next = new int[keys.length];
        first = new int[2 * keys.length];
        Arrays.fill(first, NONE);
        for (int number = 0; number < count; number++) {
            link(number);
        }
    }
}
