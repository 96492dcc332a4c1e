package io.hxb.link.udp;

import io.hxb.link.socket.Trains;
import io.hxb.os.MessageVector;
import io.hxb.os.TrainVector;

/**
 * Trains of a UDP socket, which the kernel cuts (UDP_SEGMENT); a group is the address of a
 * neighbour. Owned by the sender's loop.
 */
final class UdpTrains extends Trains {
    UdpTrains(final String link, final int queueFrames) {
        super(link, queueFrames, false);
    }

    @Override
    protected boolean isJoinable(final long group) {
        return true;
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
        vector.add(queue, index, frames, segmentBytes);
    }

    @Override
    protected String advice() {
        return "let socket.mtu be at most the MTU of the path less 28, and the NIC compute"
                + " checksums (ethtool -K NIC tx on)";
    }
}
