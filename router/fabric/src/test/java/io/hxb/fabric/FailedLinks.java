package io.hxb.fabric;

import java.util.SplittableRandom;

/** Graphs some of whose links have failed. */
public final class FailedLinks {
    private FailedLinks() {}

    /**
     * The graph without {@code count} links drawn by a seed, such that it stays connected. Switches
     * and hosts keep their numbers.
     */
    public static SwitchGraph without(final SwitchGraph graph, final int count, final long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final boolean[] isFailed = new boolean[graph.linkCount()];
        SwitchGraph left = graph;
        for (int failed = 0; failed < count; ) {
            final int link = random.nextInt(isFailed.length);
            if (isFailed[link]) {
                continue;
            }
            isFailed[link] = true;
            try {
                left = rest(graph, isFailed);
                failed++;
            } catch (final GraphException e) {
                // This one holds the graph together.
                isFailed[link] = false;
            }
        }
        return left;
    }

    private static SwitchGraph rest(final SwitchGraph graph, final boolean[] isFailed) {
        final SwitchGraphBuilder builder = new SwitchGraphBuilder();
        builder.addSwitches(graph.switchCount());
        for (int link = 0; link < isFailed.length; link++) {
            if (!isFailed[link]) {
                builder.addLink(
                        graph.source(2 * link),
                        "p" + link,
                        graph.target(2 * link),
                        "p" + link,
                        graph.linkRateBps(link));
            }
        }
        for (int host = 0; host < graph.hostCount(); host++) {
            builder.addHost(
                    graph.hostName(host),
                    graph.hostSwitch(host),
                    "h" + host,
                    0,
                    graph.hostRateBps(host));
        }
        return builder.build();
    }

    /** The same graph with its switches numbered and its links listed in a random order. */
    public static SwitchGraph shuffled(final SwitchGraph graph, final long seed) {
        final int[] numbers = permutation(graph.switchCount(), seed);
        final int[] links = permutation(graph.linkCount(), seed + 1);
        final SwitchGraphBuilder builder = new SwitchGraphBuilder();
        builder.addSwitches(graph.switchCount());
        for (final int link : links) {
            builder.addLink(numbers[graph.source(2 * link)], numbers[graph.target(2 * link)]);
        }
        for (int host = 0; host < graph.hostCount(); host++) {
            builder.addHosts(numbers[graph.hostSwitch(host)], 1);
        }
        return builder.build();
    }

    private static int[] permutation(final int count, final long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final int[] numbers = new int[count];
        for (int i = 0; i < count; i++) {
            final int at = random.nextInt(i + 1);
            numbers[i] = numbers[at];
            numbers[at] = i;
        }
        return numbers;
    }
}
