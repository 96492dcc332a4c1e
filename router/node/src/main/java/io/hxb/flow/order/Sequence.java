package io.hxb.flow.order;

/**
 * Serial numbers that wrap: 32-bit sequences and incarnations, 16-bit epochs. Two numbers compare
 * by their difference, so the answers hold while they lie less than half the range apart.
 * Stateless. Source: RFC 1982.
 */
public final class Sequence {
    private Sequence() {}

    /** Steps from {@code from} to {@code to}; negative when {@code to} comes first. */
    public static int distance(final int from, final int to) {
        return to - from;
    }

    /** True if {@code one} comes before {@code other}. */
    public static boolean isBefore(final int one, final int other) {
        return one - other < 0;
    }

    /** The later one. */
    public static int later(final int one, final int other) {
        return one - other < 0 ? other : one;
    }

    /** Steps from one 16-bit epoch to another; negative when {@code to} comes first. */
    public static int epochDistance(final int from, final int to) {
        return (short) (to - from);
    }
}
