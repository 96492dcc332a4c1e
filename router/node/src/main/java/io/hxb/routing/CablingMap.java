package io.hxb.routing;

/**
 * The map of a cluster whose nodes are cabled in any way, as the routes of this node follow it.
 * Whoever keeps the map replaces its routes as a whole; any thread may read them.
 */
public final class CablingMap {
    private volatile Snapshot newest;

    private record Snapshot(GraphRoutes routes, int version) {}

    /** Knows no cable. */
    public CablingMap(final int nodes) {
        final int[] none = {};
        newest = new Snapshot(GraphRoutes.of(nodes, none, none, none), 0);
    }

    /** The routes of the newest map. */
    public GraphRoutes routes() {
        return newest.routes;
    }

    /** True if a cable joins two nodes: it is a shortest path. */
    public boolean isLinked(final int from, final int to) {
        return newest.routes.next(from, to) == to;
    }

    /** Grows with every change. */
    public int version() {
        return newest.version;
    }

    /** Takes the routes of a newer map. Called by one thread. */
    public void replace(final GraphRoutes newer) {
        newest = new Snapshot(newer, newest.version + 1);
    }
}
