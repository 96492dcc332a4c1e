package io.hxb.fabric.tree;

import io.hxb.fabric.SwitchGraph;

/** Up or down for every channel, so that every cycle has some of both. Immutable. */
public final class Directions {
    private final boolean[] isUp;

    private Directions(final boolean[] isUp) {
        this.isUp = isUp;
    }

    /**
     * By a breadth-first tree: up is nearer to the root, at the same depth to the smaller number.
     * Source: Koibuchi 2002, section 2.6.5.1.
     */
    public static Directions bfs(final SwitchGraph graph, final int root) {
        final BfsTree tree = new BfsTree(graph, root);
        final boolean[] isUp = new boolean[graph.channelCount()];
        for (int channel = 0; channel < isUp.length; channel++) {
            final int from = graph.source(channel);
            final int to = graph.target(channel);
            final int nearer = Integer.compare(tree.depth(from), tree.depth(to));
            isUp[channel] = nearer > 0 || (nearer == 0 && to < from);
        }
        return new Directions(isUp);
    }

    /** By labels: up is to the larger one. */
    static Directions byLabels(final SwitchGraph graph, final int[] labels) {
        final boolean[] isUp = new boolean[graph.channelCount()];
        for (int channel = 0; channel < isUp.length; channel++) {
            isUp[channel] = labels[graph.target(channel)] > labels[graph.source(channel)];
        }
        return new Directions(isUp);
    }

    /** Whether a channel leads up. */
    public boolean isUp(final int channel) {
        return isUp[channel];
    }

    /** Whether a turn is zero or more ups, then zero or more downs. */
    public boolean isUpDown(final int from, final int to) {
        return isUp[from] || !isUp[to];
    }

    /** Whether a turn is zero or more downs, then zero or more ups. */
    public boolean isDownUp(final int from, final int to) {
        return !isUp[from] || isUp[to];
    }
}
