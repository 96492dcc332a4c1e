package io.hxb.fabric;

import java.util.Arrays;

/**
 * Takes the paths from all sources to all destinations, in ascending order of (source,
 * destination), including those within a switch, without steps. Used by one thread.
 *
 * <pre>{@code
 * for (int from ...) for (int to ...) {
 *     builder.step(virtualChannel); // for each step
 *     builder.endPath();
 * }
 * RouteSet routes = builder.build();
 * }</pre>
 */
public final class RouteSetBuilder {
    private final SwitchGraph graph;
    private final int virtualChannels;
    private final boolean isPerHost;
    private final int[] hostCounts;
    private final int[][] starts;
    private final int[][] steps;

    /** Steps of the current source. */
    private int[] room;

    private int from;
    private int to;
    private int count;
    private int at;

    /**
     * Takes paths from every switch to every switch.
     *
     * @param virtualChannels of each channel, at least 1.
     * @throws GraphException if the heap has no room for the paths.
     */
    public RouteSetBuilder(final SwitchGraph graph, final int virtualChannels) {
        this(graph, virtualChannels, false);
    }

    /**
     * Takes paths to every switch, or paths from every switch with hosts to every host.
     *
     * @param virtualChannels of each channel, at least 1.
     * @param isPerHost whether destinations are hosts; the graph must have some then.
     * @throws GraphException if the heap has no room for the paths.
     */
    public RouteSetBuilder(
            final SwitchGraph graph, final int virtualChannels, final boolean isPerHost) {
        if (virtualChannels < 1) {
            throw new IllegalArgumentException(
                    "virtualChannels must be at least 1: " + virtualChannels);
        }
        if (isPerHost && graph.hostCount() == 0) {
            throw new IllegalArgumentException("paths to hosts need a graph with hosts: " + graph);
        }
        HeapCheck.require(
                isPerHost ? HeapCheck.hostPathsBytes(graph) : HeapCheck.pathsBytes(graph),
                isPerHost ? "the paths to all hosts" : "the paths of all pairs of switches");
        this.graph = graph;
        this.virtualChannels = virtualChannels;
        this.isPerHost = isPerHost;
        this.hostCounts = graph.hostCounts();
        this.starts = new int[graph.switchCount()][];
        this.steps = new int[graph.switchCount()][];
        this.room = new int[Math.max(16, 4 * graph.switchCount())];
        this.from = -1;
        nextSource();
    }

    /** Goes on to the next switch that is a source; past all of them at the end. */
    private void nextSource() {
        do {
            from++;
        } while (isPerHost && from < hostCounts.length && hostCounts[from] == 0);
        if (from < starts.length) {
            starts[from] = new int[destinationCount() + 1];
        }
        at = from;
    }

    private int destinationCount() {
        return isPerHost ? graph.hostCount() : graph.switchCount();
    }

    /**
     * Adds a step to the current path.
     *
     * @param virtualChannel channel times virtual channels plus the virtual channel; it must leave
     *     the switch that the path has reached.
     * @throws IllegalArgumentException if it does not.
     */
    public RouteSetBuilder step(final int virtualChannel) {
        return add(virtualChannel, 0);
    }

    /** Adds a step before which the packet is ejected to a host and injected again. */
    public RouteSetBuilder reinjectedStep(final int virtualChannel) {
        return add(virtualChannel, RouteSet.REINJECTED);
    }

    private RouteSetBuilder add(final int virtualChannel, final int mark) {
        final int channel = virtualChannel / virtualChannels;
        if (graph.source(channel) != at) {
            throw new IllegalArgumentException(
                    "the path of "
                            + pairName()
                            + " is at switch "
                            + graph.switchName(at)
                            + ", but goes on by "
                            + graph.channelName(channel));
        }
        if (count == room.length) {
            room = Arrays.copyOf(room, 2 * count);
        }
        room[count++] = virtualChannel | mark;
        at = graph.target(channel);
        return this;
    }

    /**
     * Ends the current path and goes on to the next pair.
     *
     * @throws IllegalArgumentException if the path does not end at its destination.
     */
    public RouteSetBuilder endPath() {
        if (at != (isPerHost ? graph.hostSwitch(to) : to)) {
            throw new IllegalArgumentException(
                    "the path of " + pairName() + " ends at switch " + graph.switchName(at));
        }
        to++;
        starts[from][to] = count;
        at = from;
        if (to == destinationCount()) {
            steps[from] = Arrays.copyOf(room, count);
            count = 0;
            to = 0;
            nextSource();
        }
        return this;
    }

    private String pairName() {
        return graph.switchName(from)
                + " to "
                + (isPerHost ? graph.hostName(to) : graph.switchName(to));
    }

    /**
     * Makes the set.
     *
     * @throws IllegalStateException if pairs are missing.
     */
    public RouteSet build() {
        if (from != starts.length) {
            long missing = -to;
            for (int source = from; source < starts.length; source++) {
                missing += isPerHost && hostCounts[source] == 0 ? 0 : destinationCount();
            }
            throw new IllegalStateException("paths of " + missing + " pairs are missing");
        }
        return new RouteSet(graph, virtualChannels, isPerHost, starts, steps);
    }
}
