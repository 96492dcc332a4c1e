package io.hxb.linkstate;

import java.util.List;
import java.util.Optional;

/**
 * The map of a cluster as a node has written it to its file. Immutable.
 *
 * @param here number of the node that wrote it.
 * @param maxNodes nodes that the cluster may have.
 * @param writtenMs when it was written, ms since 1970.
 * @param nodes those that are known, in the order of their numbers.
 * @param edges between these, in the order of their ends.
 * @param links of the node that wrote it, in the order of their index.
 */
public record PublishedMap(
        int here,
        int maxNodes,
        long writtenMs,
        List<KnownNode> nodes,
        List<NodeGraph.Edge> edges,
        List<NodeLink> links) {

    /** Copies the lists. */
    public PublishedMap {
        nodes = List.copyOf(nodes);
        edges = List.copyOf(edges);
        links = List.copyOf(links);
    }

    /**
     * A node that is known. Immutable.
     *
     * @param number its number.
     * @param ageMs how long before the file it made its record, ms.
     * @param unreachedMs how long before the file edges last led to it, ms; 0 if they do.
     * @param node what it reports of itself.
     */
    public record KnownNode(int number, int ageMs, int unreachedMs, NodeGraph.Node node) {
        /** Whether edges lead to it. */
        public boolean isReached() {
            return unreachedMs == 0;
        }
    }

    /** The node of a number; empty if it is not known. */
    public Optional<KnownNode> node(final int number) {
        return nodes.stream().filter(node -> node.number() == number).findFirst();
    }
}
