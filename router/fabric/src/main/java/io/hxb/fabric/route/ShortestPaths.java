package io.hxb.fabric.route;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;

import java.util.Arrays;

/**
 * Shortest legal paths from one switch at a time, by a breadth-first search over virtual channels.
 * Used by one thread.
 */
final class ShortestPaths {
    private final TurnRelation relation;
    private final SwitchGraph graph;
    private final int virtualChannels;
    private final int[] queue;
    private final int[] links;
    private final int[] before;
    private final int[] arrival;
    private int queued;
    private int source;

    ShortestPaths(final TurnRelation relation) {
        this.relation = relation;
        this.graph = relation.graph();
        this.virtualChannels = relation.virtualChannels();
        this.queue = new int[relation.stateCount()];
        this.links = new int[relation.stateCount()];
        this.before = new int[relation.stateCount()];
        this.arrival = new int[graph.switchCount()];
    }

    /**
     * Searches from a switch, smallest neighbour first, until every switch is reached.
     *
     * @param isComplete whether to find every virtual channel on shortest paths, not only the
     *     first.
     * @throws GraphException if a switch cannot be reached.
     */
    void search(final int from, final boolean isComplete) {
        source = from;
        queued = 0;
        Arrays.fill(links, 0);
        Arrays.fill(arrival, -1);
        int missing = graph.switchCount() - 1;
        for (int i = 0; i < graph.degree(from); i++) {
            final int first = graph.outgoing(from, i) * virtualChannels;
            for (int state = first + virtualChannels - 1; state >= first; state--) {
                if (relation.isStart(state)) {
                    missing -= reach(state, -1, 1);
                }
            }
        }
        final int[] followers = relation.followers();
        int last = Integer.MAX_VALUE;
        for (int at = 0; at < queued; at++) {
            final int state = queue[at];
            final int count = links[state] + 1;
            if (missing == 0 && (!isComplete || count > last)) {
                break;
            }
            final int end = relation.nextStart(state + 1);
            for (int i = relation.nextStart(state); i < end; i++) {
                final int to = followers[i];
                if (links[to] == 0) {
                    missing -= reach(to, state, count);
                }
            }
            if (missing == 0 && last == Integer.MAX_VALUE) {
                last = count;
            }
        }
        if (missing > 0) {
            throw unreachable(graph, source, missingSwitch());
        }
    }

    private int reach(final int state, final int from, final int count) {
        links[state] = count;
        before[state] = from;
        queue[queued++] = state;
        final int node = graph.target(state / virtualChannels);
        if (arrival[node] < 0 && node != source) {
            arrival[node] = state;
            return 1;
        }
        return 0;
    }

    private int missingSwitch() {
        int node = 0;
        while (arrival[node] >= 0 || node == source) {
            node++;
        }
        return node;
    }

    /** What is thrown when no legal path leads from one switch to another. */
    static GraphException unreachable(final SwitchGraph graph, final int from, final int to) {
        return new GraphException(
                "no legal path leads from switch '"
                        + graph.switchName(from)
                        + "' to switch '"
                        + graph.switchName(to)
                        + "'; use more virtual channels or another algorithm");
    }

    /** Links to a switch from the source of the search. */
    int distance(final int node) {
        return node == source ? 0 : links[arrival[node]];
    }

    /**
     * Writes the first path found: the smallest ports.
     *
     * @return its number of links.
     */
    int path(final int node, final int[] steps) {
        final int count = distance(node);
        int state = node == source ? -1 : arrival[node];
        for (int i = count - 1; i >= 0; i--) {
            steps[i] = state;
            state = before[state];
        }
        return count;
    }

    /** Links passed up to the end of a virtual channel, 0 when it was not reached. */
    int links(final int state) {
        return links[state];
    }

    /** Number of virtual channels reached. */
    int reachedCount() {
        return queued;
    }

    /** The virtual channels reached, in order of distance. */
    int reached(final int index) {
        return queue[index];
    }
}
