package io.hxb.fabric.verify;

import io.hxb.fabric.SwitchGraph;

import java.util.Arrays;
import java.util.BitSet;

/**
 * A channel dependency graph: an edge from a virtual channel to one that a packet may ask for while
 * it holds the first. Used by one thread.
 */
public final class DependencyGraph {
    private final SwitchGraph graph;
    private final int virtualChannels;
    private final int[][] next;
    private final int[] counts;
    private BitSet[] wide;

    /** Starts without dependencies. */
    public DependencyGraph(final SwitchGraph graph, final int virtualChannels) {
        this.graph = graph;
        this.virtualChannels = virtualChannels;
        this.next = new int[graph.channelCount() * virtualChannels][];
        this.counts = new int[next.length];
    }

    /** Adds a dependency unless it is there. */
    public void add(final int from, final int to) {
        if (next[from] == null) {
            next[from] = new int[4];
        }
        if (has(from, to)) {
            return;
        }
        if (counts[from] == next[from].length) {
            next[from] = Arrays.copyOf(next[from], 2 * counts[from]);
        }
        next[from][counts[from]++] = to;
        if (counts[from] > 32) {
            remember(from, to);
        }
    }

    private boolean has(final int from, final int to) {
        if (counts[from] > 32) {
            return wide[from].get(to);
        }
        for (int i = 0; i < counts[from]; i++) {
            if (next[from][i] == to) {
                return true;
            }
        }
        return false;
    }

    /** Switches with many neighbours, and extended graphs, look dependencies up in bit sets. */
    private void remember(final int from, final int to) {
        if (wide == null) {
            wide = new BitSet[next.length];
        }
        if (wide[from] == null) {
            wide[from] = new BitSet();
            for (int i = 0; i < counts[from]; i++) {
                wide[from].set(next[from][i]);
            }
        }
        wide[from].set(to);
    }

    /** Number of dependencies. */
    public int size() {
        return Arrays.stream(counts).sum();
    }

    /**
     * Virtual channels that form a cycle, each depending on the next and the last on the first;
     * null when there is none.
     */
    public int[] findCycle() {
        final byte[] colours = new byte[next.length];
        final int[] stack = new int[next.length];
        final int[] at = new int[next.length];
        for (int start = 0; start < next.length; start++) {
            if (colours[start] != 0) {
                continue;
            }
            int depth = 1;
            stack[0] = start;
            colours[start] = 1;
            while (depth > 0) {
                final int state = stack[depth - 1];
                if (at[state] == counts[state]) {
                    colours[state] = 2;
                    depth--;
                    continue;
                }
                final int to = next[state][at[state]++];
                if (colours[to] == 1) {
                    return cycle(stack, depth, to);
                }
                if (colours[to] == 0) {
                    colours[to] = 1;
                    stack[depth++] = to;
                }
            }
        }
        return null;
    }

    private static int[] cycle(final int[] stack, final int depth, final int first) {
        int start = depth - 1;
        while (stack[start] != first) {
            start--;
        }
        return Arrays.copyOfRange(stack, start, depth);
    }

    /** A cycle as text. */
    public String describe(final int[] cycle) {
        final StringBuilder text = new StringBuilder("cycle of " + cycle.length + " channels: ");
        final int shown = Math.min(cycle.length, 32);
        for (int i = 0; i < shown; i++) {
            text.append('[').append(name(cycle[i])).append("] waits for ");
        }
        if (shown < cycle.length) {
            text.append("... (").append(cycle.length - shown).append(" more) waits for ");
        }
        return text.append('[').append(name(cycle[0])).append(']').toString();
    }

    private String name(final int state) {
        final String channel = graph.channelName(state / virtualChannels);
        return virtualChannels == 1 ? channel : channel + " vc " + state % virtualChannels;
    }
}
