package io.hxb.sim.flit;

import java.util.Arrays;

/** Numbers due at a time in the near future, in the order in which they came. Owned by a run. */
final class IntWheel {
    private final int[][] slots;
    private final int[] counts;
    private final int mask;
    private int size;

    /** For times up to {@code furthest} cycles ahead. */
    IntWheel(final int furthest) {
        final int count = Integer.highestOneBit(furthest) * 2;
        slots = new int[count][16];
        counts = new int[count];
        mask = count - 1;
    }

    void add(final long time, final int number) {
        final int slot = (int) time & mask;
        final int count = counts[slot];
        int[] numbers = slots[slot];
        if (count == numbers.length) {
            numbers = Arrays.copyOf(numbers, 2 * count);
            slots[slot] = numbers;
        }
        numbers[count] = number;
        counts[slot] = count + 1;
        size++;
    }

    /** The numbers due; valid until {@link #clear}. */
    int[] due(final long time) {
        return slots[(int) time & mask];
    }

    int count(final long time) {
        return counts[(int) time & mask];
    }

    void clear(final long time) {
        final int slot = (int) time & mask;
        size -= counts[slot];
        counts[slot] = 0;
    }

    /** Numbers of all times. */
    int size() {
        return size;
    }

    /** Counts how often each number waits, into {@code totals}. */
    void tally(final int[] totals) {
        for (int slot = 0; slot <= mask; slot++) {
            for (int i = 0; i < counts[slot]; i++) {
                totals[slots[slot][i]]++;
            }
        }
    }
}
