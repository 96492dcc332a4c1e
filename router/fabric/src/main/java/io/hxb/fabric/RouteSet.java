package io.hxb.fabric;

/**
 * One path for every source and destination of a graph. A source is a switch. Destinations are
 * either all switches, or all hosts ({@link #isPerHost}); then hosts of one switch may be reached
 * by different paths, and switches without hosts are neither sources nor destinations. A path
 * within one switch is empty. Immutable; made by {@link RouteSetBuilder}. Takes four bytes per step
 * and per path, with an array for each source: about 30 MB for 1,024 switches six links apart, 2.3
 * GB for 8,192 eight links apart.
 */
public final class RouteSet {
    /** Marks a step before which the packet is ejected to a host and injected again. */
    static final int REINJECTED = 1 << 31;

    private final SwitchGraph graph;
    private final int virtualChannels;
    private final boolean isPerHost;
    private final int[][] starts;
    private final int[][] steps;
    private final int[] hostCounts;

    /**
     * Takes over checked arrays.
     *
     * @param starts where each path starts in its source's steps, {@code [switches][destinations +
     *     1]}; null for switches that are no source.
     * @param steps of each source, {@code [switches][steps]}; null for switches that are no source.
     */
    RouteSet(
            final SwitchGraph graph,
            final int virtualChannels,
            final boolean isPerHost,
            final int[][] starts,
            final int[][] steps) {
        this.graph = graph;
        this.virtualChannels = virtualChannels;
        this.isPerHost = isPerHost;
        this.starts = starts;
        this.steps = steps;
        this.hostCounts = graph.hostCounts();
    }

    /** The graph of the paths. */
    public SwitchGraph graph() {
        return graph;
    }

    /** Virtual channels of each channel, at least 1. */
    public int virtualChannels() {
        return virtualChannels;
    }

    /** Whether destinations are hosts; otherwise they are switches. */
    public boolean isPerHost() {
        return isPerHost;
    }

    /** Number of destinations: of hosts, or of switches. */
    public int destinationCount() {
        return isPerHost ? graph.hostCount() : graph.switchCount();
    }

    /** The switch of a destination. */
    public int destinationSwitch(final int to) {
        return isPerHost ? graph.hostSwitch(to) : to;
    }

    /** The destination whose paths lead to a host: itself, or its switch. */
    public int destinationOf(final int host) {
        return isPerHost ? host : graph.hostSwitch(host);
    }

    /** Name of a destination. */
    public String destinationName(final int to) {
        return isPerHost ? graph.hostName(to) : graph.switchName(to);
    }

    /** Whether paths start at a switch; with hosts as destinations, those that have hosts. */
    public boolean isSource(final int from) {
        return starts[from] != null;
    }

    /** How many ordered pairs of different hosts use a path. */
    public long hostPairs(final int from, final int to) {
        final int node = destinationSwitch(to);
        final long receivers = isPerHost ? 1 : hostCounts[node];
        return receivers * (hostCounts[from] - (from == node ? 1 : 0));
    }

    /** Number of links of a path; 0 within one switch, and from a switch that is no source. */
    public int length(final int from, final int to) {
        return starts[from] == null ? 0 : starts[from][to + 1] - starts[from][to];
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
            sum += ofSource == null ? 0 : ofSource.length;
        }
        return sum;
    }

    /** Links of the longest path. */
    public int maxLinks() {
        int max = 0;
        for (int from = 0; from < starts.length; from++) {
            for (int to = 0; to < destinationCount(); to++) {
                max = Math.max(max, length(from, to));
            }
        }
        return max;
    }

    /** Bytes that the paths take. */
    public long sizeBytes() {
        long bytes = 4 * sumLinks();
        for (final int[] ofSource : starts) {
            bytes += ofSource == null ? 0 : 4L * ofSource.length;
        }
        return bytes;
    }

    /**
     * A path as text: {@code s0 -> s1 -> s2}, with virtual channels in brackets, ports where links
     * are parallel, and the host when it is the destination.
     */
    public String describe(final int from, final int to) {
        final StringBuilder text = new StringBuilder(graph.switchName(from));
        for (int i = 0; i < length(from, to); i++) {
            final int step = step(from, to, i);
            final int channel = step / virtualChannels;
            text.append(graph.isParallel(channel) ? "." + graph.sourcePort(channel) : "");
            text.append(isReinjected(from, to, i) ? " (out and in)" : "");
            text.append(virtualChannels > 1 ? " -[" + step % virtualChannels + "]-> " : " -> ");
            text.append(graph.switchName(graph.target(channel)));
        }
        return text + (isPerHost ? " -> " + graph.hostName(to) : "");
    }
}
