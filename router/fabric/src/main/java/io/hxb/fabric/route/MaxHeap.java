package io.hxb.fabric.route;

/** Binary heaps of longs, the largest on top, each in a part of an array. Used by one thread. */
final class MaxHeap {
    private MaxHeap() {}

    /** A key that is larger for a larger count, then for a smaller number. */
    static long key(final int count, final int number) {
        return (long) count << 32 | (Integer.MAX_VALUE - number);
    }

    static int count(final long key) {
        return (int) (key >>> 32);
    }

    static int number(final long key) {
        return Integer.MAX_VALUE - (int) key;
    }

    /** Orders {@code size} keys from {@code base}. */
    static void order(final long[] keys, final int base, final int size) {
        for (int i = size / 2 - 1; i >= 0; i--) {
            down(keys, base, size, i);
        }
    }

    /** Lets the key at {@code index} sink to its place. */
    static void down(final long[] keys, final int base, final int size, final int index) {
        final long key = keys[base + index];
        int at = index;
        int child = 2 * at + 1;
        while (child < size) {
            if (child + 1 < size && keys[base + child + 1] > keys[base + child]) {
                child++;
            }
            if (keys[base + child] <= key) {
                break;
            }
            keys[base + at] = keys[base + child];
            at = child;
            child = 2 * at + 1;
        }
        keys[base + at] = key;
    }

    /** Removes the top of a heap of {@code size} keys. */
    static void pop(final long[] keys, final int base, final int size) {
        keys[base] = keys[base + size - 1];
        down(keys, base, size - 1, 0);
    }
}
