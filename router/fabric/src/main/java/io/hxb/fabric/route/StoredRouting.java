package io.hxb.fabric.route;

import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SwitchGraph;

/** Deterministic routing on stored paths: every packet of a pair takes the same one. Immutable. */
public final class StoredRouting implements Routing {
    private final String name;
    private final RouteSet routes;
    private final int[] roots;

    /**
     * Routes on these paths.
     *
     * @param roots of the spanning trees that they were made by, none or more.
     */
    public StoredRouting(final String name, final RouteSet routes, final int... roots) {
        this.name = name;
        this.routes = routes;
        this.roots = roots.clone();
    }

    @Override
    public int[] roots() {
        return roots.clone();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public SwitchGraph graph() {
        return routes.graph();
    }

    @Override
    public int virtualChannels() {
        return routes.virtualChannels();
    }

    @Override
    public int next(final int source, final int at, final int destination, final int[] out) {
        final int length = routes.length(source, destination);
        int index = 0;
        if (at != INJECTED) {
            while (index < length && routes.step(source, destination, index) != at) {
                index++;
            }
            index++;
        }
        if (index >= length) {
            return 0;
        }
        out[0] = routes.step(source, destination, index);
        return 1;
    }

    @Override
    public boolean isAdaptive() {
        return false;
    }

    /** The stored paths; both arguments are ignored. */
    @Override
    public RouteSet routes(final PathSelection selection, final long seed) {
        return routes;
    }
}
