package io.hxb.fabric.route;

import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SwitchGraph;

import java.util.Arrays;

/**
 * All shortest paths of the graph, without regard to deadlock. Used by one thread: distances to a
 * destination, two bytes for each switch, are found when they are first needed.
 */
public final class MinimalRouting implements Routing {
    private static final char FAR = Character.MAX_VALUE;

    private final SwitchGraph graph;
    private final char[][] distances;
    private final int[] queue;
    private TurnRouting everyTurn;

    /** Routes on a graph. */
    public MinimalRouting(final SwitchGraph graph) {
        this.graph = graph;
        this.distances = new char[graph.switchCount()][];
        this.queue = new int[graph.switchCount()];
    }

    @Override
    public String name() {
        return "minimal";
    }

    @Override
    public SwitchGraph graph() {
        return graph;
    }

    @Override
    public int virtualChannels() {
        return 1;
    }

    @Override
    public int next(final int source, final int at, final int destination, final int[] out) {
        return nearer(at == INJECTED ? source : graph.target(at), destination, out);
    }

    /**
     * Writes the channels that lead a link nearer to a destination, by port.
     *
     * @return how many.
     */
    int nearer(final int node, final int destination, final int[] out) {
        if (distances[destination] == null) {
            distances[destination] = search(destination);
        }
        final char[] links = distances[destination];
        int count = 0;
        for (int i = 0; i < graph.degree(node); i++) {
            final int channel = graph.outgoing(node, i);
            if (links[graph.target(channel)] < links[node]) {
                out[count++] = channel;
            }
        }
        return count;
    }

    private char[] search(final int destination) {
        final char[] links = new char[graph.switchCount()];
        Arrays.fill(links, FAR);
        links[destination] = 0;
        queue[0] = destination;
        int queued = 1;
        for (int at = 0; at < queued; at++) {
            final int node = queue[at];
            for (int i = 0; i < graph.degree(node); i++) {
                final int next = graph.target(graph.outgoing(node, i));
                if (links[next] == FAR) {
                    links[next] = (char) (links[node] + 1);
                    queue[queued++] = next;
                }
            }
        }
        return links;
    }

    @Override
    public RouteSet routes(final PathSelection selection, final long seed) {
        if (everyTurn == null) {
            everyTurn = new TurnRouting(name(), TurnRelation.of(graph, 1, (from, to) -> true));
        }
        return everyTurn.routes(selection, seed);
    }
}
