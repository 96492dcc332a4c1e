package io.hxb.counter;

import java.util.List;

/**
 * Where the values of a link's neighbours are among those of a counter: a place for each coordinate
 * of the link's line, one link after the other. Links of lines with two nodes have none, as their
 * own counters say the same, and those beyond {@value #MAX_PLACES} places have none, so that the
 * counters stay small. Immutable.
 */
public final class NeighbourPlaces {
    /** Places of a node; each takes 32 bytes of each writer. */
    public static final int MAX_PLACES = 1_024;

    private static final int COUNTED_FROM_NODES = 3;

    private final int[] first;
    private final int[] nodes;
    private final int count;

    private NeighbourPlaces(final int... lineNodes) {
        first = new int[lineNodes.length];
        nodes = new int[lineNodes.length];
        int places = 0;
        for (int link = 0; link < lineNodes.length; link++) {
            final boolean isCounted =
                    lineNodes[link] >= COUNTED_FROM_NODES && places + lineNodes[link] <= MAX_PLACES;
            first[link] = places;
            nodes[link] = isCounted ? lineNodes[link] : 0;
            places += nodes[link];
        }
        count = places;
    }

    /** Those of a node with these links. */
    public static NeighbourPlaces of(final List<CounterLabels.LinkLabel> links) {
        return of(links.stream().mapToInt(CounterLabels.LinkLabel::lineNodes).toArray());
    }

    /**
     * The same.
     *
     * @param lineNodes nodes of each link's line, {@code [links]}.
     */
    static NeighbourPlaces of(final int... lineNodes) {
        return new NeighbourPlaces(lineNodes);
    }

    /** Links of the node. */
    int links() {
        return nodes.length;
    }

    /** Places of all links. */
    public int count() {
        return count;
    }

    /** Nodes of the link's line if its neighbours are counted one by one, otherwise 0. */
    public int nodes(final int link) {
        return nodes[link];
    }

    /** Place of the coordinate 0 of the link's line. */
    public int first(final int link) {
        return first[link];
    }

    /**
     * The link that a place is of.
     *
     * @param place 0 to {@link #count} - 1.
     */
    public int link(final int place) {
        int link = 0;
        while (first[link] + nodes[link] <= place) {
            link++;
        }
        return link;
    }
}
