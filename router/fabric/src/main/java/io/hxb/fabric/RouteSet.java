package io.hxb.fabric;

/**
 * One path for every ordered pair of switches of a graph; the one from a switch to itself is empty.
 * Immutable; made by {@link RouteSetBuilder}. Takes four bytes per step and per pair, with an array
 * for each source: about 30 MB for 1,024 switches six links apart, 2.3 GB for 8,192 eight links
 * apart.
 */
public final class RouteSet {
    /** Marks a step before which the packet is ejected to a host and injected again. */
    static final int REINJECTED = 1 << 31;

    private final SwitchGraph graph;
    private final int virtualChannels;
    private final int[][] starts;
    private final int[][] steps;

    /**
     * Takes over checked arrays.
     *
     * @param starts where each path starts in its source's steps, {@code [switches][switches + 1]}.
     * @param steps of each source, {@code [switches][steps]}.
     */
    RouteSet(
            final SwitchGraph graph,
            final int virtualChannels,
            final int[][] starts,
            final int[][] steps) {
        this.graph = graph;
        this.virtualChannels = virtualChannels;
        this.starts = starts;
        this.steps = steps;
    }

    /** The graph of the paths. */
    public SwitchGraph graph() {
        return graph;
    }

    /** Virtual channels of each channel, at least 1. */
    public int virtualChannels() {
        return virtualChannels;
    }

    /** Number of links of a path; 0 from a switch to itself. */
    public int length(final int from, final int to) {
        return starts[from][to + 1] - starts[from][to];
    }

    /**
     * One step of a path.
     *
     * @param index 0 to {@code length(from, to) - 1}.
     * @return channel times {@link #virtualChannels()} plus the virtual channel.
     */
    public int step(final int from, final int to, final int index) {
        return steps[from][starts[from][to] + index] & ~REINJECTED;
    }

    /** The channel of one step. */
    public int channel(final int from, final int to, final int index) {
        return step(from, to, index) / virtualChannels;
    }

    /**
     * Whether the packet is ejected to a host at the source of this step, and injected again: then
     * it holds no channel when it asks for this one (in-transit buffers).
     */
    public boolean isReinjected(final int from, final int to, final int index) {
        return steps[from][starts[from][to] + index] < 0;
    }

    /** The channels of a path in order, a new array. */
    public int[] channels(final int from, final int to) {
        final int[] channels = new int[length(from, to)];
        for (int i = 0; i < channels.length; i++) {
            channels[i] = channel(from, to, i);
        }
        return channels;
    }

    /** Total links of all paths. */
    public long sumLinks() {
        long sum = 0;
        for (final int[] ofSource : steps) {
            sum += ofSource.length;
        }
        return sum;
    }

    /** Links of the longest path. */
    public int maxLinks() {
        int max = 0;
        for (final int[] ofSource : starts) {
            for (int to = 0; to + 1 < ofSource.length; to++) {
                max = Math.max(max, ofSource[to + 1] - ofSource[to]);
            }
        }
        return max;
    }

    /** Bytes that the paths take. */
    public long sizeBytes() {
        return 4 * (sumLinks() + starts.length * (starts.length + 1L));
    }

    /** A path as text: {@code s0 -> s1 -> s2}, with virtual channels in brackets. */
    public String describe(final int from, final int to) {
        final StringBuilder text = new StringBuilder(graph.switchName(from));
        for (int i = 0; i < length(from, to); i++) {
            final int step = step(from, to, i);
            text.append(isReinjected(from, to, i) ? " (out and in)" : "");
            text.append(virtualChannels > 1 ? " -[" + step % virtualChannels + "]-> " : " -> ");
            text.append(graph.switchName(graph.target(step / virtualChannels)));
        }
        return text.toString();
    }
}
