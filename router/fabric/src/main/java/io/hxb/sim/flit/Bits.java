package io.hxb.sim.flit;

/** A set of small numbers that is walked in ascending order. Owned by a run. */
final class Bits {
    final long[] words;

    Bits(final int size) {
        words = new long[(size + 63) >> 6];
    }

    void set(final int index) {
        words[index >> 6] |= 1L << index;
    }

    void clear(final int index) {
        words[index >> 6] &= ~(1L << index);
    }

    boolean isEmpty() {
        for (final long word : words) {
            if (word != 0) {
                return false;
            }
        }
        return true;
    }
}
