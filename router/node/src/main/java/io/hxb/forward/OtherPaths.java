package io.hxb.forward;

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
final class OtherPaths {
    private static final int MAX_PATHS = 6;
    private static final long[] NONE = {};

    private final CablingMap map;
    private final RouteCodec codec;
    private final Shape shape;
    private final int here;
    // By destination; null where they have not been looked for.
    private final long[][] routes;
    private final long[] nodes;
    private int version;

    OtherPaths(final CablingMap map, final RouteCodec codec, final Shape shape, final long here) {
        this.map = map;
        this.codec = codec;
        this.shape = shape;
        this.here = shape.node(here);
        routes = new long[shape.nodeCount()][];
        nodes = new long[shape.nodeCount()];
        version = map.version();
    }

    /**
     * Routes of these paths, the shorter ones first; none if all of them have more hops than a
     * frame can list.
     *
     * @param destination coordinate vector of another node.
     */
    long[] to(final long destination) {
        final int newest = map.version();
        if (version != newest) {
            version = newest;
            Arrays.fill(routes, null);
        }
        final int node = shape.node(destination);
        if (node < 0 || node == here) {
            return NONE;
        }
        if (routes[node] == null) {
            routes[node] = find(node);
        }
        return routes[node];
    }

    private long[] find(final int destination) {
        final GraphRoutes graph = map.routes();
        final long[] found = new long[MAX_PATHS];
        int count = 0;
        final long first = Route.ofOrder(DimensionOrder.DEFAULT);
        for (final int[] path : graph.paths(here, destination, MAX_PATHS)) {
            for (int i = 0; i < path.length; i++) {
                nodes[i] = shape.coordinates(path[i]);
            }
            final long route = codec.encode(nodes, path.length);
            if (route != Route.NONE && route != first) {
                found[count++] = route;
            }
        }
        return Arrays.copyOf(found, count);
    }
}
