package io.hxb.routing;

import io.hxb.topology.Shape;

import java.util.Arrays;

/**
 * A dimension order as a frame carries it: 4 bits for each of 8 places, the first dimension to
 * correct in the lowest bits. Stateless.
 *
 * <p>A frame corrects its coordinates in that order, each in one hop, so it crosses as many links
 * as coordinates differ. Within one order the channel dependency graph has no cycle, because a
 * frame only goes from a dimension to one that comes later in the order. Source: PM/Ethernet-HXB,
 * routing X, then Y, then Z (the CP-PACS rule).
 */
public final class DimensionOrder {
    /** X, Y, Z and so on. */
    public static final int DEFAULT = 0x7654_3210;

    /** Returned by {@link #nextDimension} at the destination. */
    public static final int HERE = -1;

    private DimensionOrder() {}

    /**
     * The dimension of the next hop: the first in the order in which the vectors differ.
     *
     * @param order places of 4 bits; every value is safe, even a malformed one.
     * @return 0 to 7, or {@link #HERE} when no dimension of the order differs.
     */
    public static int nextDimension(final int order, final long here, final long destination) {
        final long difference = here ^ destination;
        if (difference == 0) {
            return HERE;
        }
        int rest = order;
        for (int place = 0; place < Shape.MAX_DIMENSIONS; place++) {
            final int dimension = rest & 7;
            if ((difference >>> (8 * dimension) & 0xFF) != 0) {
                return dimension;
            }
            rest >>>= 4;
        }
        return HERE;
    }

    /**
     * The order that corrects {@code dimensions} first, in the order given, then the rest.
     *
     * @param dimensions 0 to 7 each, none twice, {@code [0..8]}.
     * @throws IllegalArgumentException if a dimension is out of range or occurs twice.
     */
    public static int of(final int... dimensions) {
        int order = 0;
        int used = 0;
        int place = 0;
        for (final int dimension : dimensions) {
            if (dimension < 0
                    || dimension >= Shape.MAX_DIMENSIONS
                    || (used & 1 << dimension) != 0) {
                throw new IllegalArgumentException(
                        "dimensions must be 0..7, none twice: " + Arrays.toString(dimensions));
            }
            order |= dimension << (4 * place++);
            used |= 1 << dimension;
        }
        for (int dimension = 0; dimension < Shape.MAX_DIMENSIONS; dimension++) {
            if ((used & 1 << dimension) == 0) {
                order |= dimension << (4 * place++);
            }
        }
        return order;
    }

    /** True if each of the 8 dimensions occurs in the order exactly once. */
    public static boolean isValid(final int order) {
        int seen = 0;
        for (int place = 0; place < Shape.MAX_DIMENSIONS; place++) {
            final int dimension = order >>> (4 * place) & 0xF;
            if (dimension >= Shape.MAX_DIMENSIONS) {
                return false;
            }
            seen |= 1 << dimension;
        }
        return seen == 0xFF;
    }
}
