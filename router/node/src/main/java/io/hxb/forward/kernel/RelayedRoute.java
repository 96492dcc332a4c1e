package io.hxb.forward.kernel;

/** Where a frame came from and went when the kernel relayed it. Owned by the thread that reads it. */
public final class RelayedRoute {
    private long source;
    private long destination;
    private long route;

    void set(final long newSource, final long newDestination, final long newRoute) {
        source = newSource;
        destination = newDestination;
        route = newRoute;
    }

    /** Coordinates of its source. */
    public long source() {
        return source;
    }

    /** Coordinates of its destination. */
    public long destination() {
        return destination;
    }

    /** Its route, as it carried it. */
    public long route() {
        return route;
    }
}
