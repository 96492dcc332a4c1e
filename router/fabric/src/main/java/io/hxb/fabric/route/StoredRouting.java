package io.hxb.fabric.route;

import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SwitchGraph;

/**
 * Deterministic routing on stored paths: every packet from a switch to a destination takes the same
 * one. Immutable.
 */
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
        if (!routes.isPerHost()) {
            return append(source, at, destination, out, 0);
        }
        int count = 0;
        for (int host = 0; host < routes.destinationCount(); host++) {
            if (routes.destinationSwitch(host) == destination) {
                count = append(source, at, host, out, count);
            }
        }
        return count;
    }

    /** Adds the step of one path after {@code at}, unless it has none or it is there already. */
    private int append(
            final int source, final int at, final int to, final int[] out, final int count) {
        final int length = routes.length(source, to);
        int index = 0;
        if (at != INJECTED) {
            while (index < length && routes.step(source, to, index) != at) {
                index++;
            }
            index++;
        }
        if (index >= length) {
            return count;
        }
        final int step = routes.step(source, to, index);
        for (int i = 0; i < count; i++) {
            if (out[i] == step) {
                return count;
            }
        }
        out[count] = step;
        return count + 1;
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
