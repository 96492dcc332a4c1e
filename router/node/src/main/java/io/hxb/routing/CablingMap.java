package io.hxb.routing;

/**
 * The map of a cluster whose nodes are cabled in any way, as the routes of this node follow it.
 * Whoever keeps the map replaces its routes as a whole; any thread may read them.
 */
public final class CablingMap {
    private volatile GraphRoutes routes;
    private volatile int version;

    /** Knows no cable. */
    public CablingMap(final int nodes) {
        routes = GraphRoutes.of(nodes, new int[0], new int[0], new int[0]);
    }

    /** The routes of the newest map. */
    public GraphRoutes routes() {
        return routes;
    }

    /** True if a cable joins two nodes: it is a shortest path. */
    public boolean isLinked(final int from, final int to) {
        return routes.next(from, to) == to;
    }

    /** Grows with every change; one thread makes them. */
    public int version() {
        return version;
    }

    /** Takes the routes of a newer map. Called by one thread. */
    @SuppressWarnings("NonAtomicOperationOnVolatileField")
    public void replace(final GraphRoutes newer) {
        routes = newer;
        version = version + 1;
    }
}
