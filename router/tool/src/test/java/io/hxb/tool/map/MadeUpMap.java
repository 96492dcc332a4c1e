package io.hxb.tool.map;

import io.hxb.linkstate.NodeGraph;
import io.hxb.linkstate.NodeLink;
import io.hxb.linkstate.PublishedMap;
import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.LinkSample;
import io.hxb.observe.live.NodeState;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Maps that are written by hand, of node 0. */
final class MadeUpMap {
    static final long WRITTEN_MS = 1_700_000_000_000L;
    static final int AGE_MS = 2_000;

    final SortedMap<Integer, List<LocalNic>> nics = new TreeMap<>();
    final Set<Integer> stopped = new HashSet<>();
    final Set<Integer> unknown = new HashSet<>();
    final List<NodeGraph.Edge> edges = new ArrayList<>();
    NodeState state = NodeState.RUNNING;
    private final int nodes;

    MadeUpMap(final int nodes, final String... cables) {
        this.nodes = nodes;
        for (final String cable : cables) {
            join(cable, 1, 1_500, 10_000);
        }
    }

    /** Joins two nodes, such as {@code 0-1}. */
    MadeUpMap join(final String ends, final int links, final int mtu, final int capacity) {
        final String[] words = ends.split("-", -1);
        edges.add(
                new NodeGraph.Edge(
                        Integer.parseInt(words[0]),
                        Integer.parseInt(words[1]),
                        links,
                        mtu,
                        capacity));
        edges.sort(
                Comparator.comparingInt(NodeGraph.Edge::one)
                        .thenComparingInt(NodeGraph.Edge::other));
        return this;
    }

    MadeUpMap nic(
            final int node,
            final String name,
            final LinkCondition condition,
            final int mtu,
            final Integer... partners) {
        nics.computeIfAbsent(node, key -> new ArrayList<>())
                .add(
                        new LocalNic(
                                new LinkSample(
                                        "x.0",
                                        name,
                                        condition,
                                        0,
                                        100,
                                        new LinkSample.Traffic(0, 0),
                                        new LinkSample.Traffic(0, 0),
                                        0,
                                        0,
                                        ""),
                                new NodeLink(mtu, 10_000, List.of(partners))));
        return this;
    }

    CableMap map() {
        final List<Integer> known = new ArrayList<>();
        for (int node = 0; node < nodes; node++) {
            if (!unknown.contains(node)) {
                known.add(node);
            }
        }
        final Set<Integer> reached = new HashSet<>();
        new CableGraph(known, edges)
                .parts().stream().filter(part -> part.contains(0)).forEach(reached::addAll);
        return new CableMap(
                "room",
                new PublishedMap(
                        0,
                        nodes,
                        WRITTEN_MS,
                        known.stream()
                                .map(
                                        node ->
                                                new PublishedMap.KnownNode(
                                                        node,
                                                        1_000 * node,
                                                        reached.contains(node) ? 0 : 10_000,
                                                        new NodeGraph.Node(
                                                                0x1000 + node,
                                                                7,
                                                                stopped.contains(node),
                                                                "pc" + node)))
                                .toList(),
                        edges,
                        List.of()),
                state,
                AGE_MS,
                nics);
    }

    CableGraph graph() {
        return CableGraph.of(map().map());
    }

    List<String> findings() {
        return MapFindings.of(map(), graph());
    }
}
