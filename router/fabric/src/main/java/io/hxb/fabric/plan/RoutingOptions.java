package io.hxb.fabric.plan;

import io.hxb.fabric.route.PathSelection;

/**
 * Options of the routing algorithms; each uses those that apply to it.
 *
 * @param root switch at the root of spanning trees, or -1 for the algorithm's own choice: the best
 *     by crossing path for updown-dfs, otherwise 0.
 * @param virtualChannels of each channel, or 0 for the algorithm's own number.
 * @param hasCycleDetection whether L-turn and R-turn permit the turns that close no cycle.
 * @param selection how one of several shortest paths is chosen.
 * @param seed for a random choice.
 */
public record RoutingOptions(
        int root,
        int virtualChannels,
        boolean hasCycleDetection,
        PathSelection selection,
        long seed) {
    /** Every choice left to the algorithm, smallest ports first. */
    public static final RoutingOptions DEFAULTS =
            new RoutingOptions(-1, 0, true, PathSelection.LOW_PORT, 1);

    /** The same with another number of virtual channels. */
    public RoutingOptions withVirtualChannels(final int count) {
        return new RoutingOptions(root, count, hasCycleDetection, selection, seed);
    }

    /** The same with another path selection. */
    public RoutingOptions withSelection(final PathSelection other) {
        return new RoutingOptions(root, virtualChannels, hasCycleDetection, other, seed);
    }

    /** The same with another root. */
    public RoutingOptions withRoot(final int other) {
        return new RoutingOptions(other, virtualChannels, hasCycleDetection, selection, seed);
    }

    /** The root, 0 when it is left open. */
    int rootOrFirst() {
        return Math.max(0, root);
    }

    /** The number of virtual channels, {@code fallback} when it is left open. */
    int channelsOr(final int fallback) {
        return virtualChannels == 0 ? fallback : virtualChannels;
    }
}
