package io.hxb.tool.lab;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

import io.hxb.config.LinkPlan;
import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;
import io.hxb.topology.Shape;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The cables of a lab whose nodes are joined one by one, without lines and switches. Immutable; the
 * JSON fields are the components.
 *
 * @param graph file or words that they were made from.
 * @param cables each joins two NICs; the NICs of a node are its links 0, 1, and so on.
 */
public record LabCabling(String graph, List<Cable> cables) {
    /** Most cables of one node: it has as many links. */
    public static final int MAX_CABLES = LinkPlan.MAX_LINKS_PER_DIMENSION;

    /** Copies the list. */
    public LabCabling {
        cables = List.copyOf(cables);
    }

    /**
     * The NIC at one end of a cable. Immutable.
     *
     * @param node node id.
     * @param link number of the link of that node.
     */
    public record End(int node, int link) {
        /** As people read it: {@code 3.x1}. */
        @Override
        public String toString() {
            return node + "." + LabNames.nic(0, link);
        }
    }

    /**
     * A cable. Immutable; JSON has its text.
     *
     * @param first one end.
     * @param second the other.
     */
    public record Cable(End first, End second) {
        private static final Pattern TEXT =
                Pattern.compile("(\\d{1,3})\\.x(\\d) - (\\d{1,3})\\.x(\\d)");

        /**
         * Reads what {@link #toString} wrote.
         *
         * @throws IllegalArgumentException if it is not that.
         */
        @JsonCreator
        public static Cable parse(final String text) {
            final Matcher found = TEXT.matcher(text);
            if (!found.matches()) {
                throw new IllegalArgumentException(
                        "a cable is written as in '0.x0 - 1.x0', not '" + text + "'");
            }
            return new Cable(end(found, 1), end(found, 3));
        }

        private static End end(final Matcher found, final int group) {
            return new End(
                    Integer.parseInt(found.group(group)), Integer.parseInt(found.group(group + 1)));
        }

        /** As people read it: {@code 0.x0 - 1.x0}. */
        @JsonValue
        @Override
        public String toString() {
            return first + " - " + second;
        }
    }

    /**
     * The cables of a graph: each of its switches is a node, each link a cable. Hosts are ignored.
     *
     * @param words file or words that the graph was made from.
     * @param parallel cables instead of one link, 1 to {@link #MAX_CABLES}.
     * @throws GraphException if there are too few nodes, too many, or too many cables at one.
     */
    public static LabCabling of(final String words, final SwitchGraph graph, final int parallel) {
        if (parallel < 1 || parallel > MAX_CABLES) {
            throw new GraphException("--parallel must be 1.." + MAX_CABLES + ": " + parallel);
        }
        if (graph.switchCount() < 2 || graph.switchCount() > Shape.MAX_CABLED_NODES) {
            throw new GraphException(
                    "a lab of any cabling has 2 to "
                            + Shape.MAX_CABLED_NODES
                            + " nodes, one for each switch of the graph; "
                            + words
                            + " has "
                            + graph.switchCount());
        }
        for (int node = 0; node < graph.switchCount(); node++) {
            final int count = graph.degree(node) * parallel;
            if (count > MAX_CABLES) {
                throw new GraphException(
                        "a node has at most "
                                + MAX_CABLES
                                + " cables; "
                                + graph.switchName(node)
                                + " of "
                                + words
                                + " would have "
                                + count
                                + (parallel > 1 ? ", " + parallel + " for each link" : ""));
            }
        }
        final int[] links = new int[graph.switchCount()];
        final List<Cable> cables = new ArrayList<>();
        for (int link = 0; link < graph.linkCount(); link++) {
            final int from = graph.source(2 * link);
            final int to = graph.target(2 * link);
            for (int i = 0; i < parallel; i++) {
                cables.add(new Cable(new End(from, links[from]++), new End(to, links[to]++)));
            }
        }
        return new LabCabling(words, cables);
    }

    /** Number of nodes: none is without a cable. */
    public int nodeCount() {
        int last = 0;
        for (final Cable cable : cables) {
            last = Math.max(last, Math.max(cable.first.node, cable.second.node));
        }
        return last + 1;
    }

    /** The shape of the cluster. */
    public Shape shape() {
        return Shape.ofAnyCabling(nodeCount());
    }

    /** Links of each node, {@code [nodes]}, a new array. */
    public int[] linkCounts() {
        final int[] counts = new int[nodeCount()];
        for (final Cable cable : cables) {
            counts[cable.first.node]++;
            counts[cable.second.node]++;
        }
        return counts;
    }

    /** Links of one node. */
    public int linkCount(final int node) {
        return linkCounts()[node];
    }

    /** Links of the node with the most. */
    public int maxLinkCount() {
        return Arrays.stream(linkCounts()).max().orElseThrow();
    }

    /** How many links nodes have, as text: {@code 2}, or {@code 1-4} where they differ. */
    public String linkCountsText() {
        final int min = Arrays.stream(linkCounts()).min().orElseThrow();
        final int max = maxLinkCount();
        return min == max ? Integer.toString(max) : min + "-" + max;
    }

    /** Cables on a shortest path from a node to each, {@code [nodes]}, a new array. */
    public int[] distances(final int from) {
        return distances(cables, nodeCount(), from);
    }

    // -1 for nodes that no path leads to.
    private static int[] distances(final List<Cable> cables, final int nodeCount, final int from) {
        final int[] distances = new int[nodeCount];
        Arrays.fill(distances, -1);
        distances[from] = 0;
        final ArrayDeque<Integer> reached = new ArrayDeque<>(List.of(from));
        while (!reached.isEmpty()) {
            final int node = reached.remove();
            for (final End other : farEnds(cables, node)) {
                if (distances[other.node] < 0) {
                    distances[other.node] = distances[node] + 1;
                    reached.add(other.node);
                }
            }
        }
        return distances;
    }

    /** The far ends of a node's cables, in the order of its links. */
    public List<End> neighbours(final int node) {
        return farEnds(cables, node);
    }

    private static List<End> farEnds(final List<Cable> cables, final int node) {
        final List<End> ends = new ArrayList<>();
        for (final Cable cable : cables) {
            if (cable.first.node == node) {
                ends.add(cable.second);
            } else if (cable.second.node == node) {
                ends.add(cable.first);
            }
        }
        return ends;
    }

    /** The cables of the shortest paths between two nodes without which another path is left. */
    public List<Cable> spareCables(final int from, final int to) {
        final int[] before = distances(from);
        final int[] after = distances(to);
        return cables.stream()
                .filter(
                        cable -> {
                            final int a = cable.first.node;
                            final int b = cable.second.node;
                            return Math.min(before[a] + after[b], before[b] + after[a]) + 1
                                    == before[to];
                        })
                .filter(cable -> isJoinedWithout(cable, from, to))
                .toList();
    }

    private boolean isJoinedWithout(final Cable cable, final int from, final int to) {
        final List<Cable> others = new ArrayList<>(cables);
        others.remove(cable);
        return distances(others, nodeCount(), from)[to] >= 0;
    }
}
