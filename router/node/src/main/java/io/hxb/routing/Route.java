package io.hxb.routing;

/**
 * The route of a frame as its header carries it, in the lower 48 bits of a long: either a dimension
 * order, or a detour, a list of hops after which the default order goes on. Stateless.
 *
 * <pre>
 * bits    meaning
 *  0..30  a {@link DimensionOrder} when bit 31 is 0; bits 32..47 are 0 then
 *     31  1 = detour
 *  0..26  detour: lower bits of the hops
 * 27..30  detour: number of the hop that is next
 * 32..47  detour: upper bits of the hops
 * </pre>
 *
 * No valid order has bit 31 set, because its last place would name a dimension beyond 7, so one
 * comparison distinguishes the two. How a hop is written depends on the shape, see {@link
 * RouteCodec}.
 */
public final class Route {
    /** No route. */
    public static final long NONE = -1;

    /** Bits of all hops together. */
    static final int HOP_BITS = 43;

    /** Largest number of the next hop. */
    public static final int MAX_POSITION = 15;

    /** Bits of the order field below the number of the next hop. */
    public static final int POSITION_SHIFT = 27;

    /** Largest value of {@link #upperHops}. */
    public static final int MAX_UPPER_HOPS = (1 << (HOP_BITS - 31)) - 1;

    private static final long DETOUR = 1L << 31;
    private static final int LOW_BITS = POSITION_SHIFT;
    private static final long LOW_MASK = (1L << LOW_BITS) - 1;

    private Route() {}

    /** The route that follows a dimension order. */
    public static long ofOrder(final int order) {
        return order & 0xFFFF_FFFFL;
    }

    /**
     * The route in a header.
     *
     * @param order its order field.
     * @param rest its field for the upper bits of a detour, 0 to 65,535.
     */
    public static long of(final int order, final int rest) {
        return (order & 0xFFFF_FFFFL) | (long) (rest & 0xFFFF) << 32;
    }

    /** The part of it that the order field of a header carries. */
    public static int order(final long route) {
        return (int) route;
    }

    /** The part of it that the other field of a header carries, 0 to 65,535; 0 for orders. */
    public static int rest(final long route) {
        return (int) (route >>> 32) & 0xFFFF;
    }

    /** True for detours. */
    public static boolean isDetour(final long route) {
        return (route & DETOUR) != 0;
    }

    /** The route as its source wrote it: relays only change the number of the next hop. */
    public static long start(final long route) {
        return isDetour(route) ? withPosition(route, 0) : route;
    }

    /**
     * What identifies, with {@link #upperHops}, the route as its source wrote it in 43 bits: an
     * order, or with bit 31 the lower 31 bits of a detour's hops.
     */
    public static int orderOrLowerHops(final long route) {
        return isDetour(route) ? (int) (DETOUR | hops(route)) : order(route);
    }

    /** The upper bits of a detour's hops, 0 to {@link #MAX_UPPER_HOPS}; 0 for orders. */
    public static int upperHops(final long route) {
        return isDetour(route) ? (int) (hops(route) >>> 31) : 0;
    }

    /**
     * The route as its source wrote it.
     *
     * @param orderOrLowerHops as {@link #orderOrLowerHops}.
     * @param upperHops as {@link #upperHops}.
     */
    public static long ofStart(final int orderOrLowerHops, final int upperHops) {
        return orderOrLowerHops < 0
                ? ofHops((orderOrLowerHops & DETOUR - 1) | (long) upperHops << 31)
                : ofOrder(orderOrLowerHops);
    }

    static long ofHops(final long hops) {
        return DETOUR | (hops & LOW_MASK) | hops >>> LOW_BITS << 32;
    }

    static long hops(final long route) {
        return (route & LOW_MASK) | (route >>> 32 & 0xFFFF) << LOW_BITS;
    }

    static int position(final long route) {
        return (int) (route >>> LOW_BITS) & MAX_POSITION;
    }

    static long withPosition(final long route, final int position) {
        return (route & ~((long) MAX_POSITION << LOW_BITS)) | (long) position << LOW_BITS;
    }
}
