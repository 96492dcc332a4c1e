package io.hxb.routing;

import java.util.Arrays;

/**
 * The default next hops between all nodes of a graph, and several paths of which no two use the
 * same edge. Immutable; any thread may use it.
 *
 * <p>A default next hop is on a shortest path, by hops; of several, on one whose narrowest edge is
 * widest; of several, it is the lowest number. So the next hops towards a destination are a tree:
 * each leads to a node that is one hop nearer, which excludes loops, and all nodes that have the
 * same graph have the same tree.
 *
 * <p>Source: J. Suurballe, Disjoint paths in a network, 1974; R. Bhandari, Survivable Networks,
 * 1999, 3.3, for graphs whose edges lead both ways.
 */
public final class GraphRoutes {
    /** Most nodes. */
    public static final int MAX_NODES = 255;

    /** Returned by {@link #next} where there is none. */
    public static final int NONE = -1;

    /** Capacities that are taken as they are; lower and larger ones count as the nearest. */
    public static final int MAX_CAPACITY_MBPS = 100_000_000;

    private static final byte NO_NODE = (byte) MAX_NODES;

    private final int nodes;
    // Edges of a node, with growing neighbours: starts[node] to starts[node + 1].
    private final int[] starts;
    private final int[] neighbours;
    private final int[] capacities;
    private final int[] edges;
    private final int edgeCount;
    // [from * nodes + to]
    private final byte[] next;

    private GraphRoutes(final int nodes, final int[] one, final int[] other, final int[] mbps) {
        this.nodes = nodes;
        edgeCount = one.length;
        starts = new int[nodes + 1];
        for (int edge = 0; edge < edgeCount; edge++) {
            starts[one[edge] + 1]++;
            starts[other[edge] + 1]++;
        }
        for (int node = 0; node < nodes; node++) {
            starts[node + 1] += starts[node];
        }
        neighbours = new int[2 * edgeCount];
        capacities = new int[2 * edgeCount];
        edges = new int[2 * edgeCount];
        final int[] ends = Arrays.copyOf(starts, nodes);
        for (final int edge : byEnds(one, other)) {
            final int low = Math.min(one[edge], other[edge]);
            final int high = Math.max(one[edge], other[edge]);
            final int capacity = Math.clamp(mbps[edge], 1, MAX_CAPACITY_MBPS);
            put(ends[high]++, low, capacity, edge);
            put(ends[low]++, high, capacity, edge);
        }
        next = new byte[nodes * nodes];
        new Trees().grow();
    }

    // Edges in the order of their ends, so that each node gets its neighbours in theirs: first
    // those with lower numbers, and of these and of the others the lowest first.
    private static int[] byEnds(final int[] one, final int[] other) {
        final long[] keys = new long[one.length];
        for (int edge = 0; edge < keys.length; edge++) {
            final long low = Math.min(one[edge], other[edge]);
            final long high = Math.max(one[edge], other[edge]);
            keys[edge] = (low << Byte.SIZE | high) << Integer.SIZE | edge;
        }
        Arrays.sort(keys);
        return Arrays.stream(keys).mapToInt(key -> (int) key).toArray();
    }

    private void put(final int place, final int neighbour, final int capacity, final int edge) {
        neighbours[place] = neighbour;
        capacities[place] = capacity;
        edges[place] = edge;
    }

    /**
     * Computes the next hops of a graph.
     *
     * @param nodes 1 to {@link #MAX_NODES}.
     * @param one one end of each edge, {@code [edges]}.
     * @param other the other end of each edge, {@code [edges]}; no two nodes have two edges.
     * @param capacitiesMbps of each edge, {@code [edges]}.
     * @throws IllegalArgumentException if a number is out of range, or edges are no simple graph.
     */
    public static GraphRoutes of(
            final int nodes, final int[] one, final int[] other, final int[] capacitiesMbps) {
        if (nodes < 1 || nodes > MAX_NODES) {
            throw new IllegalArgumentException("nodes must be 1..255: " + nodes);
        }
        if (one.length != other.length || one.length != capacitiesMbps.length) {
            throw new IllegalArgumentException(
                    "edges must have two ends and a capacity each: "
                            + one.length
                            + ", "
                            + other.length
                            + ", "
                            + capacitiesMbps.length);
        }
        final boolean[] isEdge = new boolean[nodes * nodes];
        for (int edge = 0; edge < one.length; edge++) {
            check(nodes, one[edge]);
            check(nodes, other[edge]);
            final int low = Math.min(one[edge], other[edge]);
            final int key = low * nodes + Math.max(one[edge], other[edge]);
            if (one[edge] == other[edge] || isEdge[key]) {
                throw new IllegalArgumentException(
                        "edges must be between two nodes, one for each two: "
                                + one[edge]
                                + " to "
                                + other[edge]);
            }
            isEdge[key] = true;
        }
        return new GraphRoutes(nodes, one, other, capacitiesMbps);
    }

    private static void check(final int nodes, final int node) {
        if (node < 0 || node >= nodes) {
            throw new IllegalArgumentException(
                    "node must be 0.." + (nodes - 1) + ", the last of the graph: " + node);
        }
    }

    /** Number of nodes. */
    public int nodes() {
        return nodes;
    }

    /**
     * The default next hop.
     *
     * @param from 0 to {@link #nodes()} - 1.
     * @param to likewise.
     * @return a neighbour of {@code from}; {@link #NONE} if nothing leads to {@code to}, or it is
     *     {@code from}.
     */
    public int next(final int from, final int to) {
        check(nodes, from);
        check(nodes, to);
        final int found = Byte.toUnsignedInt(next[from * nodes + to]);
        return found == MAX_NODES ? NONE : found;
    }

    /**
     * The default path.
     *
     * @return its nodes, {@code from} first, {@code to} last; empty if there is none.
     */
    public int[] path(final int from, final int to) {
        final int[] path = new int[nodes];
        int count = 0;
        int node = from;
        while (node >= 0 && node != to) {
            path[count] = node;
            count++;
            node = next(node, to);
        }
        if (node < 0) {
            return new int[0];
        }
        path[count] = to;
        return Arrays.copyOf(path, count + 1);
    }

    /**
     * How many hops of a path have to be listed in a frame, because from there on the default next
     * hops follow it.
     *
     * @param path nodes, as {@link #paths} returns them.
     * @return 0 for a default path; at most the hops of the path.
     */
    public int listedHops(final int... path) {
        final int to = path[path.length - 1];
        int listed = path.length - 1;
        while (listed > 0 && next(path[listed - 1], to) == path[listed]) {
            listed--;
        }
        return listed;
    }

    /**
     * Paths of which no two use the same edge, as many as there are, but at most {@code max}. The
     * default path comes first, if there can be as many with it as without it; its fellows have
     * together as few hops as possible. Otherwise the default path is left out, as it would cost
     * one: all of them together have as few hops as possible then. The others are in the order of
     * their hops, the shortest first. Takes time of {@code max} searches; allocates.
     *
     * @param max 0 or more.
     * @return nodes of each path, {@code from} first, {@code to} last; none if nothing leads there,
     *     or it is {@code from}.
     */
    public int[][] paths(final int from, final int to, final int max) {
        final int[] first = path(from, to);
        if (first.length < 2 || max < 1) {
            return new int[0][];
        }
        final int[][] free = new DisjointPaths().find(from, to, max, null);
        if (free.length > 0 && Arrays.equals(free[0], first)) {
            return free;
        }
        final int[][] fellows = new DisjointPaths().find(from, to, max - 1, first);
        if (fellows.length + 1 < free.length) {
            return free;
        }
        final int[][] all = new int[fellows.length + 1][];
        all[0] = first;
        System.arraycopy(fellows, 0, all, 1, fellows.length);
        return all;
    }

    // Place of an edge among those of `from`; -1 if there is none.
    private int place(final int from, final int to) {
        final int found = Arrays.binarySearch(neighbours, starts[from], starts[from + 1], to);
        return found < 0 ? -1 : found;
    }

    /** Finds the tree of next hops towards each node. Owned by the constructor. */
    private final class Trees {
        private final int[] hops = new int[nodes];
        private final int[] widths = new int[nodes];
        private final int[] queue = new int[nodes];

        void grow() {
            Arrays.fill(next, NO_NODE);
            for (int to = 0; to < nodes; to++) {
                grow(to);
            }
        }

        // Nodes are taken in the order of their hops, so that the widths of all those which are
        // one hop nearer are known.
        private void grow(final int to) {
            final int[] first = starts;
            final int[] ends = neighbours;
            Arrays.fill(hops, -1);
            hops[to] = 0;
            widths[to] = Integer.MAX_VALUE;
            queue[0] = to;
            int count = 1;
            for (int head = 0; head < count; head++) {
                final int node = queue[head];
                if (node != to) {
                    choose(node, to);
                }
                final int last = first[node + 1];
                for (int place = first[node]; place < last; place++) {
                    final int neighbour = ends[place];
                    if (hops[neighbour] < 0) {
                        hops[neighbour] = hops[node] + 1;
                        queue[count] = neighbour;
                        count++;
                    }
                }
            }
        }

        private void choose(final int node, final int to) {
            final int[] ends = neighbours;
            final int[] wide = capacities;
            final int nearer = hops[node] - 1;
            final int last = starts[node + 1];
            int best = -1;
            int widest = 0;
            for (int place = starts[node]; place < last; place++) {
                final int neighbour = ends[place];
                if (hops[neighbour] == nearer) {
                    final int width = Math.min(wide[place], widths[neighbour]);
                    if (width > widest) {
                        widest = width;
                        best = neighbour;
                    }
                }
            }
            widths[node] = widest;
            next[node * nodes + to] = (byte) best;
        }
    }

    /**
     * A flow of which each edge carries one unit at most, with as few edges as possible. It grows
     * by a shortest path of the residual graph at a time: there an edge that is used can only be
     * crossed back, which gains a hop. Owned by one call.
     */
    private final class DisjointPaths {
        // +1 if the flow uses the edge from its lower to its higher node, -1 the other way.
        private final byte[] flow = new byte[edgeCount];
        private final boolean[] isClosed = new boolean[edgeCount];
        private final int[] costs = new int[nodes];
        private final int[] before = new int[nodes];
        private final int[] queue = new int[nodes];
        private final boolean[] isQueued = new boolean[nodes];

        int[][] find(final int from, final int to, final int max, final int[] taken) {
            for (int i = 1; taken != null && i < taken.length; i++) {
                isClosed[edges[place(taken[i - 1], taken[i])]] = true;
            }
            int count = 0;
            while (count < max && search(from, to)) {
                augment(from, to);
                count++;
            }
            final int[][] found = new int[count][];
            for (int i = 0; i < count; i++) {
                found[i] = collect(from, to);
            }
            // Stable: of paths with as many hops, that with the lowest first node comes first.
            Arrays.sort(found, (one, other) -> Integer.compare(one.length, other.length));
            return preferred(found, path(from, to));
        }

        // The default path goes before others of its length.
        private int[][] preferred(final int[][] found, final int... first) {
            for (int i = 1; i < found.length && found[i].length == first.length; i++) {
                if (Arrays.equals(found[i], first)) {
                    System.arraycopy(found, 0, found, 1, i);
                    found[0] = first;
                }
            }
            return found;
        }

        private int used(final int node, final int place) {
            final int sign = node < neighbours[place] ? 1 : -1;
            return sign * flow[edges[place]];
        }

        // Costs can be -1, so a node may be reached again at less cost; no cycle has less than 0,
        // as the flow has as few edges as possible.
        private boolean search(final int from, final int to) {
            Arrays.fill(costs, Integer.MAX_VALUE);
            costs[from] = 0;
            queue[0] = from;
            int head = 0;
            int waiting = 1;
            while (waiting > 0) {
                final int node = queue[head];
                head = (head + 1) % nodes;
                waiting--;
                isQueued[node] = false;
                for (int place = starts[node]; place < starts[node + 1]; place++) {
                    final int used = used(node, place);
                    final int neighbour = neighbours[place];
                    final int cost = costs[node] + (used < 0 ? -1 : 1);
                    if (used > 0 || isClosed[edges[place]] || cost >= costs[neighbour]) {
                        continue;
                    }
                    costs[neighbour] = cost;
                    before[neighbour] = node;
                    if (!isQueued[neighbour]) {
                        isQueued[neighbour] = true;
                        queue[(head + waiting) % nodes] = neighbour;
                        waiting++;
                    }
                }
            }
            return costs[to] < Integer.MAX_VALUE;
        }

        private void augment(final int from, final int to) {
            for (int node = to; node != from; node = before[node]) {
                final int edge = edges[place(before[node], node)];
                flow[edge] += (byte) (before[node] < node ? 1 : -1);
            }
        }

        // Follows the flow and takes it away. It has no cycle, as that would be edges for nothing.
        private int[] collect(final int from, final int to) {
            final int[] path = new int[nodes];
            int count = 1;
            path[0] = from;
            int node = from;
            while (node != to) {
                int place = starts[node];
                while (used(node, place) <= 0) {
                    place++;
                }
                flow[edges[place]] = 0;
                node = neighbours[place];
                path[count] = node;
                count++;
            }
            return Arrays.copyOf(path, count);
        }
    }
}
