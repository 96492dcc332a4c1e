package io.hxb.flow;

import io.hxb.flow.route.RouteTable;
import io.hxb.link.OutgoingFrame;

/** Where flows send their frames: the forwarding path of one loop. Called by that loop only. */
public interface FlowOutput {
    /** The links to the next hop are full; try again after {@link #flush} or later. */
    int BLOCKED = -1;

    /** No link leads to the next hop, or no neighbour is known there. */
    int NO_ROUTE = -2;

    /**
     * Routes one complete frame by its destination coordinates and queues it. Sets cluster, source
     * coordinates, hop limit and route in the header, and the CRC when the cluster uses it;
     * everything else is the caller's. A frame to this node itself is looped back.
     *
     * @param frame {@link #outgoing}, filled; its owner is called when the memory is no longer
     *     read, possibly within this call.
     * @return number of the link that took it (0 or more; {@code Integer.MAX_VALUE} for loopback),
     *     {@link #BLOCKED} or {@link #NO_ROUTE}, when nothing was taken.
     */
    int send(OutgoingFrame frame);

    /**
     * Queues a range of a frame that {@link #send} has sent before and whose header has not changed
     * since, on the link that took it then. Where payload is encrypted none is sent again.
     *
     * @param frame {@link #outgoing}, filled, with its range.
     * @param link what {@link #send} returned.
     * @return as {@link #send}.
     */
    default int sendRange(final OutgoingFrame frame, final int link) {
        return NO_ROUTE;
    }

    /** The loop's frame, to be filled for {@link #send}. */
    OutgoingFrame outgoing();

    /**
     * Announces that long frames to one neighbour follow, for which that hop is the last: several
     * of them may go over one link in a row.
     *
     * @param bytes of them; 0 if other frames follow.
     */
    default void announceBulk(final int bytes) {}

    /** Hands everything queued to the kernel. */
    void flush();

    /** Chooses the routes of the frames, and learns what becomes of them. */
    default RouteTable routes() {
        return RouteTable.NONE;
    }
}
