package io.hxb.fabric;

import java.util.Arrays;

/**
 * Takes the paths of all ordered pairs of switches, in ascending order of (source, destination),
 * those from a switch to itself (without steps) included. Used by one thread.
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
    private final int[] starts;
    private int[] steps;
    private int pair;
    private int count;
    private int at;

    /**
     * Starts with the path from switch 0 to itself.
     *
     * @param virtualChannels of each channel, at least 1.
     */
    public RouteSetBuilder(final SwitchGraph graph, final int virtualChannels) {
        if (virtualChannels < 1) {
            throw new IllegalArgumentException(
                    "virtualChannels must be at least 1: " + virtualChannels);
        }
        final long pairs = (long) graph.switchCount() * graph.switchCount();
        if (pairs >= Integer.MAX_VALUE / 8) {
            throw new GraphException(
                    graph.switchCount()
                            + " switches are too many for a path of each pair; plan at most"
                            + " 16,000");
        }
        this.graph = graph;
        this.virtualChannels = virtualChannels;
        this.starts = new int[(int) pairs + 1];
        this.steps = new int[(int) Math.max(16, Math.min(1 << 24, pairs * 4))];
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

    /** Adds a step before which the packet goes out to a host of the switch and in again. */
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
        if (count == steps.length) {
            if (count > Integer.MAX_VALUE / 4 * 3) {
                throw new GraphException("the paths have more than 1.6 * 10^9 links together");
            }
            steps = Arrays.copyOf(steps, (int) Math.min(2L * count, Integer.MAX_VALUE - 8));
        }
        steps[count++] = virtualChannel | mark;
        at = graph.target(channel);
        return this;
    }

    /**
     * Ends the current path and goes on to the next pair.
     *
     * @throws IllegalArgumentException if the path does not end at its destination.
     */
    public RouteSetBuilder endPath() {
        if (at != pair % graph.switchCount()) {
            throw new IllegalArgumentException(
                    "the path of " + pairName() + " ends at switch " + graph.switchName(at));
        }
        pair++;
        starts[pair] = count;
        at = pair / graph.switchCount();
        return this;
    }

    private String pairName() {
        return graph.switchName(pair / graph.switchCount())
                + " to "
                + graph.switchName(pair % graph.switchCount());
    }

    /**
     * Makes the set.
     *
     * @throws IllegalStateException if pairs are missing.
     */
    public RouteSet build() {
        if (pair != starts.length - 1) {
            throw new IllegalStateException(
                    "paths of " + (starts.length - 1 - pair) + " pairs are missing");
        }
        return new RouteSet(graph, virtualChannels, starts, Arrays.copyOf(steps, count));
    }
}
