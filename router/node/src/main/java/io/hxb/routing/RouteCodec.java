package io.hxb.routing;

import io.hxb.topology.Shape;

/**
 * Follows and writes the routes of one shape. Immutable, but for the map of cables that it reads.
 *
 * <p>A hop of a detour is a number from 1 that names a dimension and a coordinate in it: the
 * coordinates of dimension 0 come first. It takes as many bits as the largest such number; 43 bits
 * hold 10 hops of 3x3x3, 7 of 16x16x10, 4 of the largest shapes.
 *
 * <p>With any cabling a hop is the number of the next node and 1. What goes on after the last one
 * of a list, or has none, follows the routes of the map. A list of one hop is written as an order:
 * the lowest byte differs from that of the default order by the hop. Only its source looks at that,
 * as for all others the frame follows the map.
 */
public final class RouteCodec {
    /** Returned by {@link #nextHop} at the destination. */
    public static final int HERE = DimensionOrder.HERE;

    /** Returned by {@link #nextHop} where the map has no way to the destination. */
    public static final int NO_HOP = -2;

    private final Shape shape;
    private final CablingMap map;
    private final int dimensions;
    private final int[] bases;
    private final int bits;
    private final int maxHops;

    /** Makes the codec of a hyper-crossbar. */
    public RouteCodec(final Shape shape) {
        this(shape, null);
    }

    /**
     * Makes the codec of a shape.
     *
     * @param map the cables, with any cabling; null for a hyper-crossbar.
     */
    public RouteCodec(final Shape shape, final CablingMap map) {
        assert shape.isAnyCabling() == (map != null) : "with any cabling there is a map";
        this.shape = shape;
        this.map = map;
        dimensions = shape.dimensions();
        bases = new int[dimensions + 1];
        bases[0] = 1;
        for (int dimension = 0; dimension < dimensions; dimension++) {
            bases[dimension + 1] = bases[dimension] + shape.extent(dimension);
        }
        bits = hopBits(shape);
        maxHops = maxHops(bits);
    }

    /** Bits that a hop of a list takes. */
    public static int hopBits(final Shape shape) {
        int end = 1;
        for (int dimension = 0; dimension < shape.dimensions(); dimension++) {
            end += shape.extent(dimension);
        }
        return bits(end);
    }

    /** Hops that a list has room for. */
    public static int maxHops(final Shape shape) {
        return maxHops(hopBits(shape));
    }

    /** Hops that a detour can list; after them it follows the default order. */
    public int maxHops() {
        return maxHops;
    }

    /**
     * The next hop of a frame.
     *
     * @param route any value, even a malformed one.
     * @return dimension * 256 + coordinate, within the shape for detours; for orders the dimension
     *     may lie outside it; {@link #HERE} at the destination, {@link #NO_HOP} where the map has
     *     no way to it.
     */
    public int nextHop(final long route, final long here, final long destination) {
        if (here == destination) {
            return HERE;
        }
        int order = Route.order(route);
        if (Route.isDetour(route)) {
            final int hop = listed(route, position(route, here));
            if (hop >= 0) {
                return hop;
            }
            order = DimensionOrder.DEFAULT;
        }
        return afterList(order, here, destination);
    }

    private int afterList(final int order, final long here, final long destination) {
        if (map != null) {
            final int next = map.routes().next(shape.node(here), shape.node(destination));
            return next < 0 ? NO_HOP : next;
        }
        final int dimension = DimensionOrder.nextDimension(order, here, destination);
        return dimension < 0 ? HERE : dimension << 8 | Shape.coordinate(destination, dimension);
    }

    /**
     * The first hop of a frame from its source.
     *
     * @return as {@link #nextHop}.
     */
    public int firstHop(final long route, final long here, final long destination) {
        final int only = Route.order(route) ^ DimensionOrder.DEFAULT;
        return map != null && here != destination && !Route.isDetour(route) && only != 0
                ? only - 1
                : nextHop(route, here, destination);
    }

    /** The route as a frame carries it on from {@code here}: hops already taken are skipped. */
    public long passed(final long route, final long here) {
        return Route.isDetour(route) ? Route.withPosition(route, position(route, here)) : route;
    }

    /** True for a valid order, and for a detour all of whose hops lie in {@code shape}. */
    public static boolean isValid(final long route, final Shape shape) {
        if (shape.isAnyCabling() && !Route.isDetour(route)) {
            final int only = Route.order(route) ^ DimensionOrder.DEFAULT;
            return Route.rest(route) == 0 && only >= 0 && only <= shape.nodeCount();
        }
        if (!Route.isDetour(route)) {
            return Route.rest(route) == 0
                    && (route == Route.ofOrder(DimensionOrder.DEFAULT)
                            || DimensionOrder.isValid(Route.order(route)));
        }
        int end = 1;
        for (int dimension = 0; dimension < shape.dimensions(); dimension++) {
            end += shape.extent(dimension);
        }
        final int bits = bits(end);
        long rest = Route.hops(route);
        int count = 0;
        while (rest != 0) {
            final int number = (int) rest & (1 << bits) - 1;
            if (number == 0 || number >= end || ++count > maxHops(bits)) {
                return false;
            }
            rest >>>= bits;
        }
        return Route.position(route) <= count;
    }

    private static int bits(final int end) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(end - 1);
    }

    private static int maxHops(final int bits) {
        return Math.min(Route.MAX_POSITION, Route.HOP_BITS / bits);
    }

    /**
     * The nodes that a route passes.
     *
     * @param nodes filled with coordinate vectors, {@code from} first, {@code to} last.
     * @return the number of nodes; -1 if the route does not lead there, or not within the length of
     *     the array.
     */
    public int trace(final long route, final long from, final long to, final long[] nodes) {
        long here = from;
        long rest = Route.start(route);
        int count = 0;
        while (count < nodes.length) {
            nodes[count++] = here;
            final int hop = count == 1 ? firstHop(rest, here, to) : nextHop(rest, here, to);
            if (hop < 0) {
                return here == to ? count : -1;
            }
            if (hop >> 8 >= dimensions) {
                return -1;
            }
            rest = passed(rest, here);
            here = Shape.withCoordinate(here, hop >> 8, hop & 0xFF);
        }
        return -1;
    }

    /**
     * The route that passes the nodes given: an order if there is one, or with any cabling the
     * route of the map, otherwise a detour.
     *
     * @param nodes coordinate vectors, each one hop from the one before.
     * @param count how many, 1 or more.
     * @return {@link Route#NONE} if it has too many hops.
     */
    public long encode(final long[] nodes, final int count) {
        if (map != null) {
            return encodeDetour(nodes, count);
        }
        int order = 0;
        int used = 0;
        int places = 0;
        for (int i = 1; i < count; i++) {
            final int dimension = dimensionBetween(nodes[i - 1], nodes[i]);
            if ((used & 1 << dimension) != 0) {
                return encodeDetour(nodes, count);
            }
            used |= 1 << dimension;
            order |= dimension << (4 * places++);
        }
        for (int dimension = 0; dimension < Shape.MAX_DIMENSIONS; dimension++) {
            order |= (used & 1 << dimension) == 0 ? dimension << (4 * places++) : 0;
        }
        return Route.ofOrder(order);
    }

    /**
     * The route by which a frame can go back the way it came.
     *
     * @param route as the frame carries it.
     * @param from its source.
     * @param at where it is now, on the way to {@code to} or there.
     * @param nodes room for the nodes of the route.
     * @return {@link Route#NONE} if the frame cannot have come by that route, or the route is too
     *     long.
     */
    public long reverse(
            final long route, final long from, final long at, final long to, final long[] nodes) {
        final int count = trace(route, from, to, nodes);
        int hops = 0;
        while (hops < count && nodes[hops] != at) {
            hops++;
        }
        if (hops >= count) {
            return Route.NONE;
        }
        for (int low = 0, high = hops; low < high; low++, high--) {
            final long node = nodes[low];
            nodes[low] = nodes[high];
            nodes[high] = node;
        }
        return encode(nodes, hops + 1);
    }

    private long encodeDetour(final long[] nodes, final int count) {
        final long to = nodes[count - 1];
        int listed = count - 1;
        while (listed > 0 && isDefaultHop(nodes[listed - 1], nodes[listed], to)) {
            listed--;
        }
        if (listed > maxHops) {
            return Route.NONE;
        }
        if (map != null && listed <= 1) {
            final int only = listed == 0 ? 0 : shape.node(nodes[1]) + 1;
            return Route.ofOrder(DimensionOrder.DEFAULT ^ only);
        }
        long hops = 0;
        for (int i = 0; i < listed; i++) {
            final int dimension = dimensionBetween(nodes[i], nodes[i + 1]);
            final long number = (long) bases[dimension] + Shape.coordinate(nodes[i + 1], dimension);
            hops |= number << (i * bits);
        }
        return Route.ofHops(hops);
    }

    private boolean isDefaultHop(final long from, final long next, final long to) {
        final int hop = afterList(DimensionOrder.DEFAULT, from, to);
        return hop >= 0 && next == Shape.withCoordinate(from, hop >> 8, hop & 0xFF);
    }

    private static int dimensionBetween(final long one, final long other) {
        return Long.numberOfTrailingZeros(one ^ other) >> 3;
    }

    private int number(final long route, final int position) {
        return (int) (Route.hops(route) >>> (position * bits)) & (1 << bits) - 1;
    }

    /** The first hop, from the route's position on, that leads away from {@code here}. */
    private int position(final long route, final long here) {
        int position = Route.position(route);
        int hop = listed(route, position);
        while (hop >= 0 && Shape.coordinate(here, hop >> 8) == (hop & 0xFF)) {
            hop = listed(route, ++position);
        }
        return Math.min(position, Route.MAX_POSITION);
    }

    /** Dimension * 256 + coordinate of one hop of a detour, -1 after the last. */
    private int listed(final long route, final int position) {
        if (position >= maxHops) {
            return -1;
        }
        final int number = number(route, position);
        if (number == 0 || number >= bases[dimensions]) {
            return -1;
        }
        int dimension = 0;
        while (number >= bases[dimension + 1]) {
            dimension++;
        }
        return dimension << 8 | number - bases[dimension];
    }
}
