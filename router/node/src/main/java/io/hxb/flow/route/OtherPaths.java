package io.hxb.flow.route;

import io.hxb.routing.CablingMap;
import io.hxb.routing.DimensionOrder;
import io.hxb.routing.GraphRoutes;
import io.hxb.routing.Route;
import io.hxb.routing.RouteCodec;
import io.hxb.topology.Shape;

import java.util.Arrays;

/**
 * The paths to each destination beside the default route, with any cabling: no two of them share a
 * cable, shorter ones come first. Frames take them while the links of the default route are full,
 * so that longer ways are used as far as they add throughput. Owned by one loop; allocates only
 * after the map has changed.
 */
public final class OtherPaths {
    private static final int MAX_PATHS = 6;
    private static final long DEFAULT = Route.ofOrder(DimensionOrder.DEFAULT);

    private final CablingMap map;
    private final RouteCodec codec;
    private final Shape shape;
    private final int here;
    // By destination; null where they have not been looked for.
    private final Paths[] paths;
    private final long[] nodes;
    private int version;

    /** Those to one destination, shorter ones first. */
    private static final class Paths {
        static final Paths NONE = new Paths(new long[0]);

        final long[] routes;
        final PathWindow[] windows;

        Paths(final long[] routes) {
            this.routes = routes;
            windows = new PathWindow[routes.length];
            Arrays.setAll(windows, i -> new PathWindow());
        }
    }

    OtherPaths(final CablingMap map, final RouteCodec codec, final Shape shape, final long here) {
        this.map = map;
        this.codec = codec;
        this.shape = shape;
        this.here = shape.node(here);
        paths = new Paths[shape.nodeCount()];
        nodes = new long[shape.nodeCount()];
        version = map.version();
    }

    /** True if a route is not the default one. */
    public static boolean isOther(final long route) {
        return route != DEFAULT;
    }

    /** Paths to a destination, of which {@link #route} has the routes. */
    public int count(final long destination) {
        return to(destination).routes.length;
    }

    /** The route of one of these paths. */
    public long route(final long destination, final int path) {
        return to(destination).routes[path];
    }

    /** True if a path may get another frame. */
    public boolean mayTake(final long destination, final int path, final long nowNs) {
        return to(destination).windows[path].mayTake(nowNs);
    }

    /** A path has got a frame. */
    public void onSent(final long destination, final int path, final long nowNs) {
        to(destination).windows[path].onSent(nowNs);
    }

    /** The window of the path with that route; null if it is none of these. */
    PathWindow window(final long destination, final long route) {
        final Paths known = to(destination);
        for (int i = 0; i < known.routes.length; i++) {
            if (known.routes[i] == route) {
                return known.windows[i];
            }
        }
        return null;
    }

    private Paths to(final long destination) {
        final int newest = map.version();
        if (version != newest) {
            version = newest;
            Arrays.fill(paths, null);
        }
        final int node = shape.node(destination);
        if (node < 0 || node == here) {
            return Paths.NONE;
        }
        if (paths[node] == null) {
            paths[node] = find(node);
        }
        return paths[node];
    }

    private Paths find(final int destination) {
        final GraphRoutes graph = map.routes();
        final long[] found = new long[MAX_PATHS];
        int count = 0;
        for (final int[] path : graph.paths(here, destination, MAX_PATHS)) {
            for (int i = 0; i < path.length; i++) {
                nodes[i] = shape.coordinates(path[i]);
            }
            final long route = codec.encode(nodes, path.length);
            if (route != Route.NONE && isOther(route)) {
                found[count++] = route;
            }
        }
        return new Paths(Arrays.copyOf(found, count));
    }
}
