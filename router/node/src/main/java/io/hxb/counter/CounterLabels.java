package io.hxb.counter;

import io.hxb.topology.Shape;

import java.util.List;

/**
 * Whose counters these are. Immutable.
 *
 * @param clusterName name of the cluster.
 * @param clusterId its id.
 * @param node node id.
 * @param coordinates coordinate vector of the node.
 * @param dimensions dimensions of the cluster, 1 to 8.
 * @param links the node's links in the order of their index.
 */
public record CounterLabels(
        String clusterName,
        int clusterId,
        int node,
        long coordinates,
        int dimensions,
        List<LinkLabel> links) {

    /** Copies the list. */
    public CounterLabels {
        links = List.copyOf(links);
    }

    /**
     * The labels that identify a link. Immutable.
     *
     * @param dimension its dimension.
     * @param number its number in the trunk.
     * @param name NIC or address.
     * @param lineNodes nodes of its line, 1 to 256; 0 if that is not known.
     * @param step difference of the ids of two nodes whose coordinates in the dimension differ by
     *     1; 0 if that is not known.
     */
    public record LinkLabel(int dimension, int number, String name, int lineNodes, int step) {
        /** One of which only the place is known. */
        public LinkLabel(final int dimension, final int number, final String name) {
            this(dimension, number, name, 0, 0);
        }
    }

    /**
     * Id of a neighbour.
     *
     * @param link index of the link.
     * @param coordinate of the neighbour in the link's dimension.
     */
    public int neighbour(final int link, final int coordinate) {
        final LinkLabel label = links.get(link);
        final int own = Shape.coordinate(coordinates, label.dimension());
        return node + (coordinate - own) * label.step();
    }

    /**
     * Id of the neighbour at a place of {@link NeighbourPlaces}.
     *
     * @param place 0 or more, below their count.
     */
    public int neighbour(final int place) {
        final NeighbourPlaces places = NeighbourPlaces.of(links);
        final int link = places.link(place);
        return neighbour(link, place - places.first(link));
    }

    /** The link of a place of {@link NeighbourPlaces}. */
    public LinkLabel linkOf(final int place) {
        return links.get(NeighbourPlaces.of(links).link(place));
    }
}
