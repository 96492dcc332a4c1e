package io.hxb.fabric;

import java.util.Locale;

/** Refuses tables that cannot fit into the heap before the work on them begins. Stateless. */
public final class HeapCheck {
    private static final double GIB = 1 << 30;

    private HeapCheck() {}

    /**
     * Checks that the heap has room for a table.
     *
     * @param bytes estimated size, including whatever else is needed at the same time.
     * @param what names the table at the beginning of the message, such as {@code "the paths"}.
     * @throws GraphException naming the option for more memory when the heap can never hold it.
     */
    public static void require(final long bytes, final String what) {
        final long most = Runtime.getRuntime().maxMemory();
        if (bytes > most / 100 * 95) {
            throw new GraphException(
                    String.format(
                            Locale.ROOT,
                            "%s take about %.1f GiB of memory, and the Java heap may have %.1f"
                                    + " GiB: set HXB_JAVA_OPTIONS=-Xmx%dg if the machine has that"
                                    + " much, or take a smaller graph",
                            what,
                            bytes / GIB,
                            most / GIB,
                            (long) Math.ceil(bytes * 1.1 / GIB)));
        }
    }

    /**
     * Checks that the heap has room for a table with an entry for every ordered pair of switches.
     *
     * @param bytesPerPair size of one entry.
     * @throws GraphException also if there are more pairs than an array can hold.
     */
    public static void requirePairs(
            final SwitchGraph graph, final long bytesPerPair, final String what) {
        final long pairs = (long) graph.switchCount() * graph.switchCount();
        if (pairs > Integer.MAX_VALUE - 8) {
            throw new GraphException(
                    what
                            + " are for at most 46340 switches, and the graph has "
                            + graph.switchCount());
        }
        require(pairs * bytesPerPair, what);
    }

    /** Bytes of a {@link RouteSet} of shortest paths, estimated from those of switch 0. */
    public static long pathsBytes(final SwitchGraph graph) {
        final int[] depths = new int[graph.switchCount()];
        final int[] queue = new int[graph.switchCount()];
        int queued = 1;
        long links = 0;
        for (int i = 0; i < queued; i++) {
            final int node = queue[i];
            links += depths[node];
            for (int j = 0; j < graph.degree(node); j++) {
                final int next = graph.target(graph.outgoing(node, j));
                if (next != 0 && depths[next] == 0) {
                    depths[next] = depths[node] + 1;
                    queue[queued++] = next;
                }
            }
        }
        return 4L * graph.switchCount() * (links + graph.switchCount());
    }

    /** Bytes of a {@link RouteSet} of shortest paths to every host, estimated from switch 0. */
    public static long hostPathsBytes(final SwitchGraph graph) {
        int sources = 0;
        for (final int hosts : graph.hostCounts()) {
            sources += hosts > 0 ? 1 : 0;
        }
        final double ofPair =
                (double) pathsBytes(graph) / graph.switchCount() / graph.switchCount();
        return (long) (ofPair * sources * graph.hostCount());
    }
}
