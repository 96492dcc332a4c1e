package io.hxb.tool.map;

import io.hxb.linkstate.NodeGraph;
import io.hxb.linkstate.PublishedMap;
import io.hxb.observe.live.NodeState;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The map of a node of this machine, with the NICs of all nodes that run here. Immutable.
 *
 * @param cluster name of the cluster.
 * @param map the map.
 * @param state of the node that has it.
 * @param ageMs how long ago it was written.
 * @param nics of nodes of this machine, by node; must not be changed.
 */
record CableMap(
        String cluster,
        PublishedMap map,
        NodeState state,
        long ageMs,
        SortedMap<Integer, List<LocalNic>> nics) {

    /** Copies the NICs. */
    CableMap {
        nics = new TreeMap<>(nics);
    }

    /** The node that has the map. */
    int here() {
        return map.here();
    }

    /** The nodes that have not stopped in order. */
    List<PublishedMap.KnownNode> running() {
        return map.nodes().stream().filter(node -> !node.node().isStopped()).toList();
    }

    /** The nodes that edges lead to. */
    List<PublishedMap.KnownNode> reached() {
        return map.nodes().stream().filter(PublishedMap.KnownNode::isReached).toList();
    }

    /** The edges of a node. */
    List<NodeGraph.Edge> edges(final int node) {
        return map.edges().stream()
                .filter(edge -> edge.one() == node || edge.other() == node)
                .toList();
    }

    /** All cables. */
    int cables() {
        return map.edges().stream().mapToInt(NodeGraph.Edge::links).sum();
    }

    /** How long a node has not been reached, ms. */
    long unreachedMs(final PublishedMap.KnownNode node) {
        return node.unreachedMs() + Math.max(0, ageMs);
    }
}
