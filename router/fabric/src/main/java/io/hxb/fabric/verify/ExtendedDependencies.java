package io.hxb.fabric.verify;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.route.Routing;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Duato's extended channel dependency graph: an escape channel depends on every escape channel that
 * a packet holding it may ask for next, directly or after adaptive channels; channels that are
 * escape paths for other destinations count as held too (cross dependencies). Used by one thread.
 * Source: Duato 1993, 1995.
 */
final class ExtendedDependencies {
    private final Routing routing;
    private final SwitchGraph graph;
    private final int virtualChannels;
    private final DependencyGraph dependencies;
    private final boolean[] isEverEscape;
    private final BitSet[] behind;
    private final int[] rounds;
    private final int[] out;
    private int round;
    private String problem;

    private ExtendedDependencies(final Routing routing) {
        this.routing = routing;
        this.graph = routing.graph();
        this.virtualChannels = routing.virtualChannels();
        final int states = graph.channelCount() * virtualChannels;
        this.dependencies = new DependencyGraph(graph, virtualChannels);
        this.isEverEscape = new boolean[states];
        this.behind = new BitSet[states];
        this.rounds = new int[states];
        this.out = new int[graph.maxDegree() * virtualChannels];
        for (int destination = 0; destination < graph.switchCount(); destination++) {
            for (int state = 0; state < states; state++) {
                isEverEscape[state] |= routing.isEscape(state, destination);
            }
        }
    }

    /** Describes the first cycle, or state without an escape; null when there is none. */
    static String findProblem(final Routing routing) {
        final ExtendedDependencies extended = new ExtendedDependencies(routing);
        for (int to = 0; to < extended.graph.switchCount() && extended.problem == null; to++) {
            extended.round++;
            for (int from = 0; from < extended.graph.switchCount(); from++) {
                if (from != to) {
                    extended.inject(from, to);
                }
            }
        }
        if (extended.problem != null) {
            return extended.problem;
        }
        final int[] cycle = extended.dependencies.findCycle();
        return cycle == null ? null : extended.dependencies.describe(cycle);
    }

    private void inject(final int from, final int to) {
        final int count = routing.next(from, Routing.INJECTED, to, out);
        final int[] first = Arrays.copyOf(out, count);
        boolean hasEscape = false;
        for (final int state : first) {
            hasEscape |= routing.isEscape(state, to);
            escapesBehind(from, state, to);
        }
        if (!hasEscape) {
            problem = "no escape path at " + graph.switchName(from) + " to " + graph.switchName(to);
        }
    }

    /**
     * Escape channels for a destination that a packet on a virtual channel may ask for before any
     * other escape channel. Recursion is as deep as paths are long.
     */
    private BitSet escapesBehind(final int source, final int state, final int to) {
        if (rounds[state] == round) {
            return behind[state];
        }
        rounds[state] = round;
        final BitSet escapes = new BitSet();
        behind[state] = escapes;
        if (graph.target(state / virtualChannels) == to) {
            return escapes;
        }
        final int count = routing.next(source, state, to, out);
        final int[] next = Arrays.copyOf(out, count);
        boolean hasEscape = false;
        for (final int after : next) {
            final BitSet further = escapesBehind(source, after, to);
            if (routing.isEscape(after, to)) {
                hasEscape = true;
                escapes.set(after);
            } else {
                escapes.or(further);
            }
        }
        if (!hasEscape) {
            problem =
                    "no escape path after "
                            + graph.channelName(state / virtualChannels)
                            + " to "
                            + graph.switchName(to);
        }
        if (isEverEscape[state]) {
            escapes.stream().forEach(after -> dependencies.add(state, after));
        }
        return escapes;
    }
}
