package io.hxb.fabric.algorithm;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.tree.HvGraph;

/**
 * The cycle detection of L-turn and R-turn: finds which of the turns that are prohibited only where
 * they close a cycle do so. Used by one thread. Source: Koibuchi 2002, section 3.1.2.3, with two
 * choices: the search goes through the start switch, and turns not yet examined count as allowed.
 */
final class TurnCycles {
    private final SwitchGraph graph;
    private final HvGraph directions;
    private final boolean[] isAlways;
    private final int width;

    /** Prohibited turns: bit {@code channel * width + outgoing index}. */
    private final boolean[] isProhibited;

    private final int[] seenBy;
    private final int[] stack;
    private int prohibited;
    private int searches;

    /**
     * Begins with the turns that are always prohibited.
     *
     * @param isAlways by {@code arriving * 4 + leaving} direction, {@code [16]}.
     */
    TurnCycles(final SwitchGraph graph, final HvGraph directions, final boolean[] isAlways) {
        this.graph = graph;
        this.directions = directions;
        this.isAlways = isAlways;
        this.width = graph.maxDegree();
        this.isProhibited = new boolean[graph.channelCount() * width];
        this.seenBy = new int[graph.channelCount()];
        this.stack = new int[graph.channelCount()];
    }

    /** Whether {@code to} may follow {@code from}. */
    boolean permits(final int from, final int to) {
        return !isAlways[directions.direction(from) * 4 + directions.direction(to)]
                && !isProhibited[from * width + graph.outgoingIndex(to)];
    }

    /** Number of turns prohibited because they closed a cycle. */
    int prohibited() {
        return prohibited;
    }

    /** Prohibits the turns from one direction to another that close a cycle, switch by switch. */
    void prohibitCycles(final int arriving, final int leaving) {
        for (int node = 0; node < graph.switchCount(); node++) {
            for (int i = 0; i < graph.degree(node); i++) {
                final int out = graph.outgoing(node, i);
                if (directions.direction(out) == leaving) {
                    search(node, out, arriving);
                }
            }
        }
    }

    /** Prohibits the turns of one kind everywhere. */
    void prohibitAll(final int arriving, final int leaving) {
        isAlways[arriving * 4 + leaving] = true;
    }

    private void search(final int node, final int start, final int arriving) {
        int candidates = 0;
        for (int i = 0; i < graph.degree(node); i++) {
            final int in = graph.outgoing(node, i) ^ 1;
            candidates += isCandidate(in, start, arriving) ? 1 : 0;
        }
        searches++;
        int depth = 0;
        if (candidates > 0) {
            stack[depth++] = start;
            seenBy[start] = searches;
        }
        while (depth > 0 && candidates > 0) {
            final int at = stack[--depth];
            final int next = graph.target(at);
            if (next == node && isCandidate(at, start, arriving)) {
                isProhibited[at * width + graph.outgoingIndex(start)] = true;
                prohibited++;
                candidates--;
            }
            for (int i = 0; i < graph.degree(next); i++) {
                final int out = graph.outgoing(next, i);
                if (seenBy[out] != searches
                        && graph.target(out) != graph.source(at)
                        && permits(at, out)) {
                    seenBy[out] = searches;
                    stack[depth++] = out;
                }
            }
        }
    }

    private boolean isCandidate(final int in, final int start, final int arriving) {
        return directions.direction(in) == arriving && graph.source(in) != graph.target(start);
    }
}
