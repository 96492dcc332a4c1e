package io.hxb.linkstate;

import io.hxb.frame.LinkStateFlyweight;
import io.hxb.routing.GraphRoutes;

import java.util.Arrays;
import java.util.Objects;

/**
 * The map of a cluster at one time: the nodes that are known, and the edges between them. An edge
 * is there if both ends report it, and has what both agree on: the smaller of what they report.
 * Immutable; any thread may use it. Two are equal if they show the same, whenever it was told.
 */
public final class NodeGraph {
    private static final long NS_PER_MS = 1_000_000L;

    private final Node[] known;
    private final Edge[] edges;
    private final long[] toldNs;

    /**
     * What a node reports of itself.
     *
     * @param identity the same after each start.
     * @param incarnation of its start.
     * @param isStopped whether it has stopped in order.
     * @param hostName as it came, any text.
     */
    public record Node(long identity, int incarnation, boolean isStopped, String hostName) {}

    /**
     * An edge.
     *
     * @param one the end with the lower number.
     * @param other the other end.
     * @param links good ones, 1 to 255.
     * @param mtuBytes smallest of these, 0 to 65,535.
     * @param capacityMbps of all of them, 1 to {@link GraphRoutes#MAX_CAPACITY_MBPS}.
     */
    public record Edge(int one, int other, int links, int mtuBytes, int capacityMbps) {}

    NodeGraph(final RecordTable table) {
        known = new Node[table.nodes()];
        toldNs = new long[known.length];
        final long[] found = new long[LinkStateFlyweight.MAX_ADJACENCIES];
        Edge[] all = new Edge[table.nodes()];
        int count = 0;
        for (int node = 0; node < known.length; node++) {
            if (!table.isKnown(node)) {
                continue;
            }
            toldNs[node] = table.toldNs(node);
            final LinkStateFlyweight record = table.record(node);
            known[node] =
                    new Node(
                            record.identity(),
                            record.incarnation(),
                            record.isStopped(),
                            record.name());
            final int ofNode = table.edges(node, found);
            for (int i = 0; i < ofNode; i++) {
                if (RecordTable.neighbour(found[i]) > node) {
                    all = count == all.length ? Arrays.copyOf(all, 2 * count) : all;
                    all[count] = edge(node, found[i]);
                    count++;
                }
            }
        }
        edges = Arrays.copyOf(all, count);
    }

    private static Edge edge(final int node, final long found) {
        return new Edge(
                node,
                RecordTable.neighbour(found),
                RecordTable.links(found),
                RecordTable.mtuBytes(found),
                RecordTable.capacityMbps(found));
    }

    /** Nodes of the cluster, known or not. */
    public int nodes() {
        return known.length;
    }

    /** Whether there is a record of a node. */
    public boolean isKnown(final int node) {
        return known[node] != null;
    }

    /**
     * A node.
     *
     * @throws NullPointerException if it is not known.
     */
    public Node node(final int node) {
        return Objects.requireNonNull(known[node], () -> "node " + node + " is not known");
    }

    /**
     * How long before {@code nowNs} a node, which is known, made its record, ms; by the clock of
     * the loops.
     */
    public int ageMs(final int node, final long nowNs) {
        return Math.clamp((nowNs - toldNs[node]) / NS_PER_MS, 0, Integer.MAX_VALUE);
    }

    /** Number of edges. */
    public int edges() {
        return edges.length;
    }

    /** An edge, {@code index} 0 to {@link #edges()} - 1, in the order of their ends. */
    public Edge edge(final int index) {
        return edges[index];
    }

    /** The routes of this map. Takes milliseconds for the largest ones. */
    public GraphRoutes routes() {
        return GraphRoutes.of(
                nodes(),
                Arrays.stream(edges).mapToInt(Edge::one).toArray(),
                Arrays.stream(edges).mapToInt(Edge::other).toArray(),
                Arrays.stream(edges).mapToInt(Edge::capacityMbps).toArray());
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof final NodeGraph graph
                && Arrays.equals(known, graph.known)
                && Arrays.equals(edges, graph.edges);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(known) + Arrays.hashCode(edges);
    }

    @Override
    public String toString() {
        final long nodes = Arrays.stream(known).filter(Objects::nonNull).count();
        return nodes + " of " + known.length + " nodes, " + Arrays.toString(edges);
    }
}
