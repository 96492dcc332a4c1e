package io.hxb.fabric.verify;

import io.hxb.fabric.SwitchGraph;

import java.util.Arrays;

/**
 * Forwarding tables that another program made: for each switch and destination the output. Checks
 * whether they deliver, each destination at its own port, and whether they can deadlock. Immutable.
 *
 * <p>An output is a channel, {@link #NONE}, or made by {@link #toHost} or {@link #toNothing}.
 */
public final class ForwardingTables {
    /** There is no entry. */
    public static final int NONE = -1;

    /** Outputs from here on downwards are ports without a cable; those above are hosts. */
    private static final int FIRST_NOTHING = Integer.MIN_VALUE / 2;

    private final SwitchGraph graph;
    private final String[] destinations;
    private final int[] owners;
    private final int[][] outputs;

    /**
     * Joins a graph and its tables.
     *
     * @param destinations names of the destinations, {@code [destinations]}.
     * @param owners the host that each destination is, or -1 when the graph has no such host,
     *     {@code [destinations]}.
     * @param outputs {@code [switches][destinations]}.
     */
    public ForwardingTables(
            final SwitchGraph graph,
            final String[] destinations,
            final int[] owners,
            final int[][] outputs) {
        this.graph = graph;
        this.destinations = destinations.clone();
        this.owners = owners.clone();
        this.outputs = Arrays.stream(outputs).map(int[]::clone).toArray(int[][]::new);
    }

    /** An output: the port of a host of the switch. */
    public static int toHost(final int host) {
        return -2 - host;
    }

    /** An output: a port, by number from 0, at which the graph has neither link nor host. */
    public static int toNothing(final int port) {
        return FIRST_NOTHING - port;
    }

    /** The graph. */
    public SwitchGraph graph() {
        return graph;
    }

    /** Number of destinations. */
    public int destinationCount() {
        return destinations.length;
    }

    /** What a switch does with a destination: see above. */
    public int output(final int node, final int destination) {
        return outputs[node][destination];
    }

    /**
     * Follows the tables from every switch with hosts (all switches when there are none) to every
     * destination, which is reached at its own port and nowhere else. All traffic is taken to share
     * one virtual lane. Hosts that are no destination are not reached.
     */
    public Verification verify() {
        final DependencyGraph dependencies = new DependencyGraph(graph, 1);
        final int[] hosts = graph.hostCounts();
        String problem = missing();
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

    /** Destinations without a host, and hosts that no table knows. */
    private String missing() {
        final boolean[] isKnown = new boolean[graph.hostCount()];
        for (int destination = 0; destination < owners.length; destination++) {
            if (owners[destination] < 0) {
                return "the tables have the destination "
                        + destinations[destination]
                        + ", which is not in the cabling; dump both at the same time";
            }
            isKnown[owners[destination]] = true;
        }
        for (int host = 0; host < isKnown.length; host++) {
            if (!isKnown[host]) {
                return "no table has an entry for the host "
                        + graph.hostName(host)
                        + " at "
                        + place(host);
            }
        }
        return null;
    }

    private String place(final int host) {
        return "switch "
                + graph.switchName(graph.hostSwitch(host))
                + " port "
                + graph.hostPort(host);
    }

    private String follow(
            final int from, final int destination, final DependencyGraph dependencies) {
        int node = from;
        int before = -1;
        for (int links = 0; links <= graph.switchCount(); links++) {
            final int output = outputs[node][destination];
            if (output < 0) {
                return output == toHost(owners[destination])
                        ? null
                        : lost(from, node, destination, output);
            }
            if (before >= 0) {
                dependencies.add(before, output);
            }
            before = output;
            node = graph.target(output);
        }
        return path(from, destination) + " goes round in a loop, by " + graph.channelName(before);
    }

    private String path(final int from, final int destination) {
        return "the path from "
                + graph.switchName(from)
                + " to "
                + destinations[destination]
                + (owners[destination] < 0 ? "" : ", at " + place(owners[destination]) + ",");
    }

    /** Why a path ends at a switch without reaching its destination. */
    private String lost(final int from, final int node, final int destination, final int output) {
        if (output == NONE) {
            return "switch "
                    + graph.switchName(node)
                    + " has no entry for "
                    + destinations[destination]
                    + ", on "
                    + path(from, destination);
        }
        if (output <= FIRST_NOTHING) {
            return path(from, destination)
                    + " ends at switch "
                    + graph.switchName(node)
                    + " port "
                    + (FIRST_NOTHING - output)
                    + ", where the cabling has nothing";
        }
        final int host = -2 - output;
        return path(from, destination)
                + " ends at "
                + place(host)
                + ", where the host "
                + graph.hostName(host)
                + " is: delivered to the wrong host";
    }

    /**
     * Links of all paths together, and of the longest, {@code [sum, max]}; paths that fail do not
     * count.
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
                final boolean arrives =
                        owners[destination] >= 0
                                && outputs[node][destination] == toHost(owners[destination]);
                sum += arrives ? links : 0;
                longest = Math.max(longest, arrives ? links : 0);
            }
        }
        return new long[] {sum, longest};
    }
}
