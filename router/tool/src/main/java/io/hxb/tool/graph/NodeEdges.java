package io.hxb.tool.graph;

import io.hxb.tool.graph.NodeCables.End;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Collects the edges of a graph. In a directed one, two opposite arcs with the same ports are one
 * cable. A cable from a port of a switch to another one of its ports carries nothing and is left
 * out. Used by one thread.
 */
final class NodeEdges {
    private final boolean isDirected;
    private final List<Arc> arcs = new ArrayList<>();

    /** Arcs that have no opposite yet, by their opposite ends; empty in undirected graphs. */
    private final Map<List<String>, Deque<Arc>> waiting = new HashMap<>();

    private record Arc(End from, End to, long rateBps) {}

    NodeEdges(final boolean isDirected) {
        this.isDirected = isDirected;
    }

    /**
     * Adds an edge or arc.
     *
     * @param rateBps bit/s, 0 when it is not known.
     */
    void add(final End from, final End to, final long rateBps) {
        final boolean isLoop =
                from.system().equals(to.system())
                        && from.port() != null
                        && to.port() != null
                        && !from.port().equals(to.port());
        if (isLoop) {
            return;
        }
        if (isDirected) {
            final Deque<Arc> opposite = waiting.get(key(from, to));
            if (opposite != null && !opposite.isEmpty()) {
                opposite.removeFirst();
                return;
            }
        }
        final Arc arc = new Arc(from, to, rateBps);
        arcs.add(arc);
        if (isDirected) {
            waiting.computeIfAbsent(key(to, from), _ -> new ArrayDeque<>()).add(arc);
        }
    }

    private static List<String> key(final End from, final End to) {
        return List.of(
                from.system(),
                Objects.requireNonNullElse(from.port(), ""),
                to.system(),
                Objects.requireNonNullElse(to.port(), ""));
    }

    /** Hands the cables over in their order. */
    void addTo(final NodeCables cables) {
        arcs.forEach(arc -> cables.addCable(arc.from, arc.to, arc.rateBps));
    }
}
