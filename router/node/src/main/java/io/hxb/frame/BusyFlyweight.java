package io.hxb.frame;

import io.hxb.linux.Memory;
import io.hxb.routing.Route;

/**
 * What a BUSY frame carries, with any cabling: the route of a frame that its relay could send on
 * only over a link that is full of frames whose shortest way it is. Owned by the thread that
 * wrapped it.
 *
 * <pre>
 * offset length meaning (little-endian)
 *     64      8 coordinates of that frame's destination
 *     72      8 its route, as its source wrote it
 * </pre>
 */
public final class BusyFlyweight {
    /** Bytes of the body. */
    public static final int BODY_BYTES = 16;

    private static final int ROUTE_OFFSET = 8;
    private static final int ROUTE_BITS = 48;

    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();

    /** Lays the flyweight over the header at {@code headerAddress}. */
    public BusyFlyweight wrap(final long headerAddress) {
        header.wrap(headerAddress);
        return this;
    }

    static boolean isValid(final long bodyAddress, final int bodyBytes) {
        return bodyBytes == BODY_BYTES
                && Memory.getLong(bodyAddress + ROUTE_OFFSET) >>> ROUTE_BITS == 0;
    }

    /**
     * Writes the frame; its own route and seal are still to be written.
     *
     * @param source coordinates of the source of the other frame, which gets this one.
     * @param destination coordinates of that frame's destination.
     * @param route of that frame, as it carries it.
     */
    public BusyFlyweight write(final long source, final long destination, final long route) {
        header.clear().type(FrameType.BUSY).destination(source).bodyLength(BODY_BYTES);
        Memory.putLong(header.bodyAddress(), destination);
        Memory.putLong(header.bodyAddress() + ROUTE_OFFSET, Route.start(route));
        return this;
    }

    /** Destination of the frame that took the route; any number. */
    public long destination() {
        return Memory.getLong(header.bodyAddress());
    }

    /** That route, valid or not. */
    public long route() {
        return Memory.getLong(header.bodyAddress() + ROUTE_OFFSET);
    }
}
