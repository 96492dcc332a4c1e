package io.hxb.config;

import io.hxb.topology.Shape;

/** Names of dimensions: x, y, z, then d3 to d7. Stateless. */
public final class Dimensions {
    private static final String FIRST = "xyz";

    private Dimensions() {}

    /** The name of {@code dimension}, 0 to 7. */
    public static String name(final int dimension) {
        return dimension < FIRST.length()
                ? String.valueOf(FIRST.charAt(dimension))
                : "d" + dimension;
    }

    /** The dimension called {@code name}, or -1. */
    public static int parse(final String name) {
        for (int dimension = 0; dimension < Shape.MAX_DIMENSIONS; dimension++) {
            if (name.equals(name(dimension)) || name.equals("d" + dimension)) {
                return dimension;
            }
        }
        return -1;
    }
}
