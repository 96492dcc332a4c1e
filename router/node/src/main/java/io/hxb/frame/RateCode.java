package io.hxb.frame;

/**
 * A number of at least 0 in 16 bits: 11 bits of value, shifted left by the other 5. Three digits
 * are kept, and order: a larger number never has a smaller code. Stateless.
 */
public final class RateCode {
    private static final int VALUE_BITS = 11;
    private static final int MAX_VALUE = (1 << VALUE_BITS) - 1;
    private static final int MAX_SHIFT = 31;

    private RateCode() {}

    /**
     * The code of {@code rate}; that of the largest number for larger ones, 0 for negative ones.
     */
    public static int of(final long rate) {
        if (rate <= 0) {
            return 0;
        }
        final int shift = Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(rate) - VALUE_BITS);
        return shift > MAX_SHIFT
                ? MAX_SHIFT << VALUE_BITS | MAX_VALUE
                : shift << VALUE_BITS | (int) (rate >>> shift);
    }

    /** The number with that code, 0 to 65,535. */
    public static long rate(final int code) {
        return (long) (code & MAX_VALUE) << (code >>> VALUE_BITS);
    }

    /** True if the numbers of two codes differ by more than an eighth of the larger, and by 16. */
    public static boolean differ(final int one, final int other) {
        final long difference = Math.abs(rate(one) - rate(other));
        return difference > 16 && difference * 8 > Math.max(rate(one), rate(other));
    }
}
