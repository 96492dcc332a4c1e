package io.hxb.counter;

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
     */
    public record LinkLabel(int dimension, int number, String name) {}
}
