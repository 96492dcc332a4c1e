package io.hxb.fabric.route;

/** How one of the shortest legal paths of a pair is chosen. */
public enum PathSelection {
    /** The smallest port first at every switch, then the highest virtual channel. */
    LOW_PORT,
    /** A random one, by a seed. */
    RANDOM,
    /** Sancho's: thins out the busiest virtual channel first. */
    SANCHO,
    /** Thins out the busiest physical channel first, and there the busiest virtual one. */
    HIGH_PHYSICAL,
    /**
     * A path for each host of the destination, by channels that the fewest pairs of hosts use:
     * {@link BalancedPaths}.
     */
    BALANCED
}
