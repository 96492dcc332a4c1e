package io.hxb.fabric.verify;

import io.hxb.fabric.SwitchGraph;

import java.util.Arrays;

/**
 * Forwarding tables that another program made: for each switch and destination the output. Checks
 * whether they deliver and whether they can deadlock. Immutable.
 */
public final class ForwardingTables {
    /** The destination hangs on this switch. */
    public static final int LOCAL = -1;

    /** There is no entry. */
    public static final int NONE = -2;

    private final SwitchGraph graph;
    private final String[] destinations;
    private final int[][] outputs;

    /**
     * Joins a graph and its tables.
     *
     * @param destinations names of the destinations, {@code [destinations]}.
     * @param outputs channel, {@link #LOCAL} or {@link #NONE}, {@code [switches][destinations]}.
     */
    public ForwardingTables(
            final SwitchGraph graph, final String[] destinations, final int[][] outputs) {
        this.graph = graph;
        this.destinations = destinations.clone();
        this.outputs = Arrays.stream(outputs).map(int[]::clone).toArray(int[][]::new);
    }

    /** The graph. */
    public SwitchGraph graph() {
        return graph;
    }

    /** Number of destinations. */
    public int destinationCount() {
        return destinations.length;
    }

    /** Channel by which a switch sends on to a destination, {@link #LOCAL} or {@link #NONE}. */
    public int output(final int node, final int destination) {
        return outputs[node][destination];
    }

    /**
     * Follows the tables from every switch with hosts (all switches when there are none) to every
     * destination. All traffic is taken to share one virtual lane.
     */
    public Verification verify() {
        final DependencyGraph dependencies = new DependencyGraph(graph, 1);
        final int[] hosts = graph.hostCounts();
        String problem = null;
        for (int destination = 0; destination < destinations.length; destination++) {
            for (int from = 0; from < graph.switchCount(); from++) {
                if (hosts[from] > 0 || graph.hostCount() == 0) {
                    final String found = follow(from, destination, dependencies);
                    problem = problem == null ? found : problem;
                }
            }
        }
        final int[] cycle = dependencies.findCycle();
        final boolean isConnected = problem == null;
        if (problem == null && cycle != null) {
            problem = dependencies.describe(cycle);
        }
        return new Verification(isConnected, cycle == null, true, problem);
    }

    private String follow(
            final int from, final int destination, final DependencyGraph dependencies) {
        int node = from;
        int before = -1;
        for (int links = 0; links <= graph.switchCount(); links++) {
            final int channel = outputs[node][destination];
            if (channel == LOCAL) {
                return null;
            }
            if (channel == NONE) {
                return "switch "
                        + graph.switchName(node)
                        + " has no entry for "
                        + destinations[destination]
                        + ", on the way from "
                        + graph.switchName(from);
            }
            if (before >= 0) {
                dependencies.add(before, channel);
            }
            before = channel;
            node = graph.target(channel);
        }
        return "the way from "
                + graph.switchName(from)
                + " to "
                + destinations[destination]
                + " goes round in a loop, by "
                + graph.channelName(before);
    }

    /**
     * Links of all ways together, and the longest, {@code [sum, max]}; ways that fail do not count.
     */
    public long[] links() {
        final int[] hosts = graph.hostCounts();
        long sum = 0;
        long longest = 0;
        for (int destination = 0; destination < destinations.length; destination++) {
            for (int from = 0; from < graph.switchCount(); from++) {
                if (hosts[from] == 0 && graph.hostCount() > 0) {
                    continue;
                }
                int links = 0;
                int node = from;
                while (outputs[node][destination] >= 0 && links <= graph.switchCount()) {
                    node = graph.target(outputs[node][destination]);
                    links++;
                }
                final boolean isThere = outputs[node][destination] == LOCAL;
                sum += isThere ? links : 0;
                longest = Math.max(longest, isThere ? links : 0);
            }
        }
        return new long[] {sum, longest};
    }
}
