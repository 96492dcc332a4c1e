package io.hxb.fabric.route;

import io.hxb.fabric.SwitchGraph;

import java.util.Arrays;

/**
 * Links left to every destination from every virtual channel, this one included. Two bytes for each
 * virtual channel and destination. Used by one thread: rows are made when first asked for.
 */
final class DistanceTable {
    /** No legal path. */
    static final int NEVER = Character.MAX_VALUE;

    private final TurnRelation relation;
    private final TurnRelation reversed;
    private final char[][] rows;
    private final int[] queue;

    DistanceTable(final TurnRelation relation) {
        this.relation = relation;
        this.reversed = relation.reversed();
        this.rows = new char[relation.graph().switchCount()][];
        this.queue = new int[relation.stateCount()];
    }

    /** Links to {@code destination} by virtual channel, {@code [virtual channels]}. */
    char[] to(final int destination) {
        if (rows[destination] == null) {
            rows[destination] = search(destination);
        }
        return rows[destination];
    }

    private char[] search(final int destination) {
        final SwitchGraph graph = relation.graph();
        final int virtualChannels = relation.virtualChannels();
        final char[] links = new char[relation.stateCount()];
        Arrays.fill(links, (char) NEVER);
        int queued = 0;
        for (int i = 0; i < graph.degree(destination); i++) {
            final int first = (graph.outgoing(destination, i) ^ 1) * virtualChannels;
            for (int state = first; state < first + virtualChannels; state++) {
                links[state] = 1;
                queue[queued++] = state;
            }
        }
        final int[] before = reversed.followers();
        for (int at = 0; at < queued; at++) {
            final int state = queue[at];
            for (int i = reversed.nextStart(state); i < reversed.nextStart(state + 1); i++) {
                if (links[before[i]] == NEVER) {
                    links[before[i]] = (char) (links[state] + 1);
                    queue[queued++] = before[i];
                }
            }
        }
        return links;
    }
}
