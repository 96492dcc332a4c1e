package io.hxb.link;

/**
 * The long frames that a {@link FrameReassembler} has completed or given up lately, so that ranges
 * of them that arrive later are known. It may forget one early, for another. Owned by the
 * reassembler.
 */
final class RecentFrames {
    /** Spreads numbers over the upper bits of a product. Source: Knuth, TAOCP 6.4, 2^64 / phi. */
    static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

    private final long timeoutNs;
    private final int shift;
    private final long[] sources;
    private final long[] numbers;
    private final long[] times;
    private final boolean[] isUsed;

    /** Remembers about {@code count} frames, each for {@code timeoutNs}. */
    RecentFrames(final int count, final long timeoutNs) {
        this.timeoutNs = timeoutNs;
        final int bits = bits(Math.max(256, count));
        shift = Long.SIZE - bits;
        sources = new long[1 << bits];
        numbers = new long[1 << bits];
        times = new long[1 << bits];
        isUsed = new boolean[1 << bits];
    }

    /** Bits of the smallest power of two that is not less. */
    static int bits(final int value) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(value - 1);
    }

    void add(final long source, final long number, final long nowNs) {
        final int index = index(source, number);
        sources[index] = source;
        numbers[index] = number;
        times[index] = nowNs;
        isUsed[index] = true;
    }

    boolean has(final long source, final long number, final long nowNs) {
        final int index = index(source, number);
        return isUsed[index]
                && numbers[index] == number
                && sources[index] == source
                && nowNs - times[index] < timeoutNs;
    }

    private int index(final long source, final long number) {
        return (int) (((source * MULTIPLIER + number) * MULTIPLIER) >>> shift);
    }
}
