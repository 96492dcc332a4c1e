package io.hxb.vlan;

/**
 * An array of numbers from 0 on, each of as few bits as the largest one needs; there is one for
 * each host of the network at each of its hosts. Owned by one thread.
 */
final class Numbers {
    private final long[] words;
    private final int count;
    private final int width;
    private final long mask;

    /**
     * So many zeros.
     *
     * @param max the largest number that there will be, 0 to 2^62.
     */
    Numbers(final int count, final long max) {
        this.count = count;
        width = Long.SIZE - Long.numberOfLeadingZeros(max);
        mask = (1L << width) - 1;
        words = new long[Math.toIntExact(((long) count * width + Long.SIZE - 1) / Long.SIZE)];
    }

    private static int word(final long bit) {
        return (int) (bit / Long.SIZE);
    }

    long get(final int index) {
        final long bit = (long) index * width;
        final int shift = (int) (bit % Long.SIZE);
        if (width == 0) {
            return 0;
        }
        final long low = words[word(bit)] >>> shift;
        if (isWhole(shift)) {
            return low & mask;
        }
        return (low | (words[word(bit) + 1] << (Long.SIZE - shift))) & mask;
    }

    void set(final int index, final long value) {
        assert (value & ~mask) == 0 : value + " does not fit into " + width + " bits";
        final long bit = (long) index * width;
        final int shift = (int) (bit % Long.SIZE);
        if (width == 0) {
            return;
        }
        final int word = word(bit);
        words[word] = (words[word] & ~(mask << shift)) | (value << shift);
        if (!isWhole(shift)) {
            final int written = Long.SIZE - shift;
            words[word + 1] = (words[word + 1] & ~(mask >>> written)) | (value >>> written);
        }
    }

    private boolean isWhole(final int shift) {
        return shift + width <= Long.SIZE;
    }

    int count() {
        return count;
    }
}
