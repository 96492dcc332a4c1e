package io.hxb.link.raw;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.link.socket.Trains;
import io.hxb.os.MessageVector;
import io.hxb.os.TrainVector;
import io.hxb.tap.VirtioHeader;

/**
 * Trains of a packet socket with PACKET_VNET_HDR: frames to one neighbour become the payload of one
 * UDP datagram, which is cut later. A group is a neighbour, plus 1; frames that go alone keep their
 * Ethernet header. Owned by the sender's loop.
 */
final class RawTrains extends Trains {
    private static final int ETHERNET_LENGTH = 14;

    private final IpPath path;
    private final int here;
    private final int port;
    private long source;
    // Of the group asked for last, which may no longer be reached when its train is added.
    private long destination;

    RawTrains(final IpPath path, final String link, final int queueFrames) {
        super(link, queueFrames, true);
        this.path = path;
        here = path.address();
        port = path.port();
    }

    /** The NIC has this address now. */
    void onAddress(final long mac) {
        source = Long.reverseBytes(IpHeaders.other(mac) << 16 | IpHeaders.ETHER_TYPE);
    }

    @Override
    protected boolean isNeeded() {
        return true;
    }

    @Override
    protected boolean isJoinable(final long group) {
        destination = path.destination((int) group - 1);
        return destination != 0;
    }

    @Override
    protected boolean isSparse(final MessageVector queue, final int index) {
        return FrameHeaderFlyweight.isSparse(queue.firstAddress(index) + ETHERNET_LENGTH);
    }

    @Override
    protected void add(
            final TrainVector vector,
            final MessageVector queue,
            final int index,
            final int frames,
            final int totalBytes,
            final int segmentBytes,
            final long group) {
        if (group == ALONE) {
            VirtioHeader.clear(vector.add(queue, index, 1, VirtioHeader.LENGTH, 0));
            return;
        }
        IpHeaders.write(
                vector.add(queue, index, frames, IpHeaders.LENGTH, ETHERNET_LENGTH),
                destination,
                source,
                here,
                path.address((int) group - 1),
                port,
                totalBytes,
                frames == 1 ? 0 : segmentBytes);
    }

    @Override
    protected String advice() {
        return "let the NIC compute checksums (ethtool -K NIC tx on), or set frame.encapsulation:"
                + " ethernet";
    }
}
