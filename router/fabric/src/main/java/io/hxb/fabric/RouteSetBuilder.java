package io.hxb.fabric;

import java.util.Arrays;

/**
 * Takes the paths of all ordered pairs of switches, in ascending order of (source, destination),
 * including those from a switch to itself, without steps. Used by one thread.
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
    private final int[][] starts;
    private final int[][] steps;

    /** Steps of the current source. */
    private int[] room;

    private int from;
    private int to;
    private int count;
    private int at;

    /**
     * Starts with the path from switch 0 to itself.
     *
     * @param virtualChannels of each channel, at least 1.
     * @throws GraphException if the heap has no room for the paths.
     */
    public RouteSetBuilder(final SwitchGraph graph, final int virtualChannels) {
        if (virtualChannels < 1) {
            throw new IllegalArgumentException(
                    "virtualChannels must be at least 1: " + virtualChannels);
        }
        HeapCheck.require(HeapCheck.pathsBytes(graph), "the paths of all pairs of switches");
        this.graph = graph;
        this.virtualChannels = virtualChannels;
        this.starts = new int[graph.switchCount()][];
        this.steps = new int[graph.switchCount()][];
        this.room = new int[Math.max(16, 4 * graph.switchCount())];
        this.starts[0] = new int[graph.switchCount() + 1];
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
        if (at != to) {
            throw new IllegalArgumentException(
                    "the path of " + pairName() + " ends at switch " + graph.switchName(at));
        }
        to++;
        starts[from][to] = count;
        if (to == graph.switchCount()) {
            steps[from] = Arrays.copyOf(room, count);
            count = 0;
            to = 0;
            from++;
            if (from < starts.length) {
                starts[from] = new int[graph.switchCount() + 1];
            }
        }
        at = from;
        return this;
    }

    private String pairName() {
        return graph.switchName(from) + " to " + graph.switchName(to);
    }

    /**
     * Makes the set.
     *
     * @throws IllegalStateException if pairs are missing.
     */
    public RouteSet build() {
        if (from != starts.length) {
            final long missing = (long) (starts.length - from) * starts.length - to;
            throw new IllegalStateException("paths of " + missing + " pairs are missing");
        }
        return new RouteSet(graph, virtualChannels, starts, steps);
    }
}
