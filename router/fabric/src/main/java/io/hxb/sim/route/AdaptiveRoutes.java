package io.hxb.sim.route;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.route.Routing;
import io.hxb.sim.flit.RouteFunction;

import java.util.Arrays;

/**
 * Adaptive routing: at every switch all that {@link Routing#next} permits. Its answers are kept,
 * equal ones once, unless the network is so large that they would take too much of the heap;
 * routings whose answer depends on the source need {@link StoredRoutes}. Owned by one run.
 */
public final class AdaptiveRoutes implements RouteFunction {
    private static final int UNKNOWN = 0;

    private final Routing routing;
    private final SwitchGraph graph;
    private final int virtualChannels;
    private final LaneCopies lanes;

    /** The place of each answer, or null when they are not kept. */
    private final int[][] rows;

    private final int[] room;
    private int[] lists = new int[1024];
    private int[] buckets = new int[1024];
    private int listsEnd = 1;
    private int listCount;

    /**
     * Follows a routing.
     *
     * @param lanes virtual channels of each channel, at least those of the routing; further ones
     *     are copies of them.
     * @param isFree whether a packet may take any copy at every switch, instead of keeping to one.
     */
    public AdaptiveRoutes(final Routing routing, final int lanes, final boolean isFree) {
        this(routing, lanes, isFree, maxBytesOfAnswers());
    }

    /**
     * The same with a limit of its own.
     *
     * @param maxBytes for which answers are kept.
     */
    AdaptiveRoutes(
            final Routing routing, final int lanes, final boolean isFree, final long maxBytes) {
        this.routing = routing;
        this.graph = routing.graph();
        this.virtualChannels = routing.virtualChannels();
        this.lanes = new LaneCopies(lanes, virtualChannels, isFree);
        this.rows =
                bytesOfAnswers(graph, virtualChannels) <= maxBytes
                        ? new int[graph.switchCount() + graph.channelCount() * virtualChannels][]
                        : null;
        this.room = new int[graph.maxDegree() * virtualChannels];
    }

    /** Bytes that the answers of one run take when they are kept, without the lists themselves. */
    public static long bytesOfAnswers(final SwitchGraph graph, final int virtualChannels) {
        final long states = graph.switchCount() + (long) graph.channelCount() * virtualChannels;
        return 4 * states * graph.switchCount();
    }

    /** Memory that kept answers may take. */
    public static long maxBytesOfAnswers() {
        return Runtime.getRuntime().maxMemory() / 16;
    }

    @Override
    public int maxCandidates() {
        // At least 2: the order of packets is not kept.
        return Math.max(2, graph.maxDegree() * virtualChannels * lanes.written());
    }

    @Override
    public int copies() {
        return lanes.bound();
    }

    @Override
    public int route(
            final int from,
            final int at,
            final int node,
            final int to,
            final int hops,
            final int copy,
            final int[] out,
            final int offset) {
        final int state =
                at == FROM_HOST
                        ? Routing.INJECTED
                        : lanes.channel(at) * virtualChannels + lanes.virtualChannel(at);
        if (rows == null) {
            return write(room, 0, ask(node, state, to), copy, out, offset);
        }
        final int list = list(node, state, to);
        return write(lists, list + 1, lists[list], copy, out, offset);
    }

    private int write(
            final int[] from,
            final int first,
            final int count,
            final int copy,
            final int[] out,
            final int offset) {
        int written = offset;
        for (int i = first; i < first + count; i++) {
            written = lanes.writeStep(from[i], copy, out, written);
        }
        return written - offset;
    }

    private int list(final int node, final int state, final int to) {
        final int row = state == Routing.INJECTED ? node : graph.switchCount() + state;
        if (rows[row] == null) {
            rows[row] = new int[graph.switchCount()];
        }
        if (rows[row][to] == UNKNOWN) {
            rows[row][to] = intern(ask(node, state, to));
        }
        return rows[row][to];
    }

    /** Writes the virtual channels that the routing permits into {@code room}. */
    private int ask(final int node, final int state, final int to) {
        final int count = routing.next(node, state, to, room);
        if (count == 0) {
            throw new IllegalStateException(
                    routing.name()
                            + " leads nowhere from switch "
                            + graph.switchName(node)
                            + " to "
                            + graph.switchName(to));
        }
        return count;
    }

    /** The place of a list equal to the one in {@code room}. */
    private int intern(final int count) {
        int hash = 1;
        for (int i = 0; i < count; i++) {
            hash = 31 * hash + room[i];
        }
        int bucket = mix(hash) & (buckets.length - 1);
        while (buckets[bucket] != 0) {
            if (isEqual(buckets[bucket], count)) {
                return buckets[bucket];
            }
            bucket = (bucket + 1) & (buckets.length - 1);
        }
        final int list = append(count);
        buckets[bucket] = list;
        if (++listCount * 2 > buckets.length) {
            rehash();
        }
        return list;
    }

    private static int mix(final int hash) {
        final int mixed = hash * 0x9E3779B1;
        return mixed ^ mixed >>> 15;
    }

    private boolean isEqual(final int list, final int count) {
        return lists[list] == count
                && Arrays.equals(lists, list + 1, list + 1 + count, room, 0, count);
    }

    private int append(final int count) {
        if (listsEnd + count + 1 > lists.length) {
            lists = Arrays.copyOf(lists, Math.max(2 * lists.length, listsEnd + count + 1));
        }
        final int list = listsEnd;
        lists[list] = count;
        System.arraycopy(room, 0, lists, list + 1, count);
        listsEnd += count + 1;
        return list;
    }

    private void rehash() {
        final int[] old = buckets;
        buckets = new int[2 * old.length];
        for (final int list : old) {
            if (list == 0) {
                continue;
            }
            int hash = 1;
            for (int i = 1; i <= lists[list]; i++) {
                hash = 31 * hash + lists[list + i];
            }
            int bucket = mix(hash) & (buckets.length - 1);
            while (buckets[bucket] != 0) {
                bucket = (bucket + 1) & (buckets.length - 1);
            }
            buckets[bucket] = list;
        }
    }
}
