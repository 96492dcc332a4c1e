package io.hxb.link.udp;

import io.hxb.link.Link;
import io.hxb.link.NeighbourAddresses;
import io.hxb.link.OutgoingFrame;
import io.hxb.link.socket.SocketSender;
import io.hxb.link.socket.Trains;
import io.hxb.os.Sockets;

import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * Sends frames on a UDP link from one loop, which owns it, through a descriptor of its own for the
 * link's socket. A broadcast is one datagram to each neighbour.
 */
final class UdpLinkSender extends SocketSender {
    private final NeighbourAddresses addresses;
    private final Supplier<long[]> audience;
    private final int queueFrames;
    private final IntSupplier mtuBytes;

    UdpLinkSender(
            final int descriptor,
            final int queueFrames,
            final IntSupplier mtuBytes,
            final int sendBufferBytes,
            final Trains trains,
            final NeighbourAddresses addresses,
            final Supplier<long[]> audience) {
        super(descriptor, queueFrames, 0, Sockets.SOCKADDR_IN_LENGTH, sendBufferBytes, trains);
        this.addresses = addresses;
        this.audience = audience;
        this.queueFrames = queueFrames;
        this.mtuBytes = mtuBytes;
    }

    @Override
    protected int mtuBytes() {
        return mtuBytes.getAsInt();
    }

    @Override
    public boolean offer(final int neighbour, final OutgoingFrame frame) {
        if (neighbour == Link.BROADCAST) {
            return broadcast(frame);
        }
        final long address = addresses.get(neighbour);
        if (address == 0 || !hasRoomFor(frame)) {
            return false;
        }
        UdpAddress.write(nextNameAddress(), address);
        enqueue(frame, frame.owner(), address);
        return true;
    }

    // Senders of several loops share the socket: none knows what it sends in all.
    @Override
    public int maxUnsentBytes() {
        return 0;
    }

    @Override
    public boolean sendAhead(final int neighbour, final OutgoingFrame frame) {
        final long address = addresses.get(neighbour);
        if (address == 0 || frame.lengthBytes() > mtuBytes()) {
            return false;
        }
        UdpAddress.write(aheadNameAddress(), address);
        return sendNow(frame);
    }

    // Sent in order, so the memory goes back with the last copy.
    private boolean broadcast(final OutgoingFrame frame) {
        final long[] targets = audience.get();
        final int copies = Math.min(targets.length, queueFrames);
        if (copies == 0
                || frame.lengthBytes() > mtuBytes()
                || !hasRoomFor(frame)
                || !hasRoom(copies)) {
            return false;
        }
        for (int i = 0; i < copies; i++) {
            UdpAddress.write(nextNameAddress(), targets[i]);
            enqueue(frame, i == copies - 1 ? frame.owner() : null, targets[i]);
        }
        return true;
    }
}
