package io.hxb.trunk;

import io.hxb.link.FrameOwner;
import io.hxb.link.LinkSender;

/**
 * Sends one loop's frames over the trunk of one dimension, round robin over the links that reach
 * the neighbour and take frames. Owned by that loop.
 *
 * <p>Source: RI2N/UDP, link choice by round robin per frame; PM/Ethernet-HXB, frames are spread
 * over all NICs of a dimension.
 */
public final class TrunkSender {
    /** All links that reach the neighbour are full. */
    public static final int BLOCKED = -1;

    /** No link reaches the neighbour. */
    public static final int NO_ROUTE = -2;

    private static final int FLUSH_FRAMES = 64;

    private final Port[] ports;
    private final LinkSender[] senders;
    private int next;

    /**
     * Makes the sender of one trunk.
     *
     * @param ports the trunk's ports, {@code [links]}.
     * @param senders this loop's senders on the same links, {@code [links]}.
     */
    public TrunkSender(final Port[] ports, final LinkSender[] senders) {
        this.ports = ports.clone();
        this.senders = senders.clone();
    }

    /**
     * Queues one frame on the next link that takes it; see {@link LinkSender#offer}.
     *
     * @param neighbour coordinate of the next hop in this dimension, 0 to 255.
     * @param backlogFrames frames that may wait on a link whose socket is full; with 0, blocked
     *     links are passed over.
     * @return number of the link that took it, {@link #BLOCKED} or {@link #NO_ROUTE}.
     */
    public int offer(
            final int neighbour,
            final int backlogFrames,
            final long headerAddress,
            final int headerLengthBytes,
            final long payloadAddress,
            final int payloadLengthBytes,
            final FrameOwner owner,
            final long token) {
        final int count = ports.length;
        int index = next;
        boolean isKnown = false;
        for (int tried = 0; tried < count; tried++) {
            final Port port = ports[index];
            final LinkSender sender = senders[index];
            index = index + 1 == count ? 0 : index + 1;
            if (!port.isUsable(neighbour)) {
                continue;
            }
            isKnown = true;
            if (hasRoom(sender, backlogFrames)
                    && sender.offer(
                            neighbour,
                            headerAddress,
                            headerLengthBytes,
                            payloadAddress,
                            payloadLengthBytes,
                            owner,
                            token)) {
                next = index;
                return port.link().index();
            }
        }
        return isKnown ? BLOCKED : NO_ROUTE;
    }

    /**
     * True if at least one link reaches the neighbour.
     *
     * @param neighbour its coordinate in this dimension, 0 to 255.
     */
    public boolean isReached(final int neighbour) {
        for (final Port port : ports) {
            if (port.isUsable(neighbour)) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasRoom(final LinkSender sender, final int backlogFrames) {
        if (sender.queuedFrames() >= FLUSH_FRAMES && !sender.isBlocked()) {
            sender.flush();
        }
        return !sender.isBlocked() || sender.queuedFrames() < backlogFrames;
    }
}
