package io.hxb.trunk.health;

import io.hxb.topology.Shape;

/**
 * Which links to which neighbours have been excluded since start, numbered from 1. Added to under
 * the lock of {@link TrunkHealth}; every loop reads without it.
 */
final class Exclusions {
    // The number of the last exclusion of each link to each neighbour; written before count is.
    private final int[][] last;
    // Volatile, so that a reader of the count also sees which link it was.
    private volatile int count;

    Exclusions(final int links) {
        last = new int[links][Shape.MAX_EXTENT];
    }

    /** A link to a neighbour has been excluded. */
    void add(final int linkIndex, final int neighbour) {
        final int number = count + 1;
        last[linkIndex][neighbour] = number;
        count = number;
    }

    /** Exclusions since start. */
    int count() {
        return count;
    }

    /** True if a link to a neighbour was excluded after the first {@code seen} exclusions. */
    boolean isExcludedSince(final int linkIndex, final int neighbour, final int seen) {
        final int number = last[linkIndex][neighbour];
        return number != 0 && number - seen > 0;
    }
}
