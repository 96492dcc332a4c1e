package io.hxb.fabric.tree;

import io.hxb.fabric.SwitchGraph;

/**
 * The H/V graph: left or right and up or down for every channel. Depth is the distance from the
 * root, horizontal spread the position in a preorder walk of the breadth-first tree. Immutable.
 * Source: Koibuchi 2002, section 3.1.1.
 */
public final class HvGraph {
    /** Left up. */
    public static final int LU = 0;

    /** Left down; channels at the same depth to the left are of this kind. */
    public static final int LD = 1;

    /** Right up; channels at the same depth to the right are of this kind. */
    public static final int RU = 2;

    /** Right down. */
    public static final int RD = 3;

    private final byte[] directions;

    /** Builds the graph over the breadth-first tree of a root. */
    public HvGraph(final SwitchGraph graph, final int root) {
        final BfsTree tree = new BfsTree(graph, root);
        final int[] spread = tree.preorder();
        this.directions = new byte[graph.channelCount()];
        for (int channel = 0; channel < directions.length; channel++) {
            final int from = graph.source(channel);
            final int to = graph.target(channel);
            if (spread[from] > spread[to]) {
                directions[channel] = (byte) (tree.depth(from) > tree.depth(to) ? LU : LD);
            } else {
                directions[channel] = (byte) (tree.depth(from) < tree.depth(to) ? RD : RU);
            }
        }
    }

    /** {@link #LU}, {@link #LD}, {@link #RU} or {@link #RD}. */
    public int direction(final int channel) {
        return directions[channel];
    }

    /** The direction of the opposite channel. */
    public static int reverse(final int direction) {
        return 3 - direction;
    }
}
