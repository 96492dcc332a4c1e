package io.hxb.tool.map;

import io.hxb.linkstate.NodeGraph;
import io.hxb.linkstate.PublishedMap;

import org.jgrapht.Graph;
import org.jgrapht.alg.connectivity.BiconnectivityInspector;
import org.jgrapht.alg.connectivity.ConnectivityInspector;
import org.jgrapht.alg.flow.GusfieldGomoryHuCutTree;
import org.jgrapht.graph.AsSubgraph;
import org.jgrapht.graph.DefaultWeightedEdge;
import org.jgrapht.graph.SimpleWeightedGraph;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * Nodes and the number of cables between each two of them, as a graph of which questions are asked.
 * Used by one thread.
 */
final class CableGraph {
    private final Graph<Integer, DefaultWeightedEdge> graph =
            new SimpleWeightedGraph<>(DefaultWeightedEdge.class);

    /** Joins nodes by edges; those of an end that is no node are left out. */
    CableGraph(final Collection<Integer> nodes, final Collection<NodeGraph.Edge> edges) {
        nodes.forEach(graph::addVertex);
        for (final NodeGraph.Edge edge : edges) {
            if (graph.containsVertex(edge.one()) && graph.containsVertex(edge.other())) {
                final DefaultWeightedEdge added = graph.addEdge(edge.one(), edge.other());
                graph.setEdgeWeight(added, edge.links());
            }
        }
    }

    /** The nodes of a map that have not stopped in order, and their edges. */
    static CableGraph of(final PublishedMap map) {
        return new CableGraph(
                map.nodes().stream()
                        .filter(node -> !node.node().isStopped())
                        .map(PublishedMap.KnownNode::number)
                        .toList(),
                map.edges());
    }

    /** All nodes, in order. */
    List<Integer> nodes() {
        return graph.vertexSet().stream().sorted().toList();
    }

    /** Cables of a node. */
    int cables(final int node) {
        return graph.edgesOf(node).stream().mapToInt(edge -> (int) graph.getEdgeWeight(edge)).sum();
    }

    /** Cables between two nodes. */
    int cables(final int one, final int other) {
        final DefaultWeightedEdge edge = graph.getEdge(one, other);
        return edge == null ? 0 : (int) graph.getEdgeWeight(edge);
    }

    /** Nodes without which others do not reach each other, in order. */
    List<Integer> cutNodes() {
        return new BiconnectivityInspector<>(graph).getCutpoints().stream().sorted().toList();
    }

    /** The parts that do not reach each other, the one with the lowest number first. */
    List<NavigableSet<Integer>> parts() {
        return parts(graph);
    }

    /** The parts into which the part of a node falls without it, likewise. */
    List<NavigableSet<Integer>> partsWithout(final int node) {
        final Set<Integer> rest =
                new HashSet<>(new ConnectivityInspector<>(graph).connectedSetOf(node));
        rest.remove(node);
        return parts(new AsSubgraph<>(graph, rest));
    }

    private static List<NavigableSet<Integer>> parts(final Graph<Integer, DefaultWeightedEdge> of) {
        final List<NavigableSet<Integer>> parts = new ArrayList<>();
        new ConnectivityInspector<>(of)
                .connectedSets()
                .forEach(part -> parts.add(new TreeSet<>(part)));
        parts.sort(Comparator.comparing(NavigableSet::first));
        return parts;
    }

    /**
     * The smallest number of ways without a common cable between any two nodes.
     *
     * @return 0 if some do not reach each other, or there are fewer than two.
     */
    int fewestWays() {
        return graph.vertexSet().size() < 2 || parts().size() > 1 ? 0 : (int) cutTreeMin(cutTree());
    }

    private Graph<Integer, DefaultWeightedEdge> cutTree() {
        return new GusfieldGomoryHuCutTree<>(graph).getGomoryHuTree();
    }

    private static double cutTreeMin(final Graph<Integer, DefaultWeightedEdge> tree) {
        return tree.edgeSet().stream().mapToDouble(tree::getEdgeWeight).min().orElseThrow();
    }

    /**
     * The groups of nodes that the fewest cables join with the others: a group has more ways inside
     * than to any node outside, and no part of it is such a group. If there are exactly two, a
     * cable from one to the other adds a way between any two nodes that have the fewest; if there
     * are more, no single cable does, as each group needs one.
     *
     * <p>A cut with the fewest cables splits no set of nodes which have more ways between them; the
     * smallest sides of such cuts are therefore whole sets, and every such cut has one of them on
     * either side. Sets and ways are those of the tree of R. Gomory and T. Hu, Multi-Terminal
     * Network Flows, 1961.
     *
     * @return at least two, if there are two nodes.
     */
    List<NavigableSet<Integer>> weakGroups() {
        final List<NavigableSet<Integer>> parts = parts();
        if (parts.size() != 1 || graph.vertexSet().size() < 2) {
            return parts;
        }
        final Graph<Integer, DefaultWeightedEdge> tree = cutTree();
        final double fewest = cutTreeMin(tree);
        List.copyOf(tree.edgeSet()).stream()
                .filter(edge -> tree.getEdgeWeight(edge) <= fewest)
                .forEach(tree::removeEdge);
        return parts(tree).stream().filter(group -> leaving(group) <= fewest).toList();
    }

    private double leaving(final Set<Integer> group) {
        return graph.edgeSet().stream()
                .filter(
                        edge ->
                                group.contains(graph.getEdgeSource(edge))
                                        != group.contains(graph.getEdgeTarget(edge)))
                .mapToDouble(graph::getEdgeWeight)
                .sum();
    }

    /**
     * Hops between all nodes.
     *
     * @return {@code [nodes][nodes]}, in the order of {@link #nodes()}; -1 where none lead.
     */
    int[][] hops() {
        final List<Integer> nodes = nodes();
        final int[][] next =
                nodes.stream()
                        .map(
                                from ->
                                        nodes.stream()
                                                .filter(to -> graph.containsEdge(from, to))
                                                .mapToInt(nodes::indexOf)
                                                .toArray())
                        .toArray(int[][]::new);
        final int[][] hops = new int[next.length][next.length];
        final int[] queue = new int[next.length];
        for (int from = 0; from < next.length; from++) {
            Arrays.fill(hops[from], -1);
            hops[from][from] = 0;
            queue[0] = from;
            int count = 1;
            for (int i = 0; i < count; i++) {
                for (final int to : next[queue[i]]) {
                    if (hops[from][to] < 0) {
                        hops[from][to] = hops[from][queue[i]] + 1;
                        queue[count++] = to;
                    }
                }
            }
        }
        return hops;
    }
}
