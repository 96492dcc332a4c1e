package io.hxb.link.udp;

import io.hxb.link.FrameOwner;
import io.hxb.link.Link;
import io.hxb.link.socket.SocketSender;

/**
 * Sends frames on a UDP link from one loop, which owns it, through a descriptor of its own for the
 * link's socket. A broadcast is one datagram to each neighbour.
 */
final class UdpLinkSender extends SocketSender {
    private final long[] addresses;
    private final long localAddress;

    UdpLinkSender(
            final int descriptor,
            final int queueFrames,
            final int nameBytes,
            final long[] addresses,
            final long localAddress) {
        super(descriptor, queueFrames, 0, nameBytes);
        this.addresses = addresses;
        this.localAddress = localAddress;
    }

    @Override
    public boolean offer(
            final int neighbour,
            final long headerAddress,
            final int headerLengthBytes,
            final long payloadAddress,
            final int payloadLengthBytes,
            final FrameOwner owner,
            final long token) {
        if (neighbour == Link.BROADCAST) {
            return broadcast(
                    headerAddress,
                    headerLengthBytes,
                    payloadAddress,
                    payloadLengthBytes,
                    owner,
                    token);
        }
        final long address = addresses[neighbour];
        if (address == 0 || !hasRoom(1)) {
            return false;
        }
        UdpAddress.write(nextNameAddress(), address);
        enqueue(headerAddress, headerLengthBytes, payloadAddress, payloadLengthBytes, owner, token);
        return true;
    }

    // Sent in order, so the memory goes back with the last copy.
    private boolean broadcast(
            final long headerAddress,
            final int headerLengthBytes,
            final long payloadAddress,
            final int payloadLengthBytes,
            final FrameOwner owner,
            final long token) {
        int copies = 0;
        for (final long address : addresses) {
            copies += isTarget(address) ? 1 : 0;
        }
        if (copies == 0 || !hasRoom(copies)) {
            return false;
        }
        for (final long address : addresses) {
            if (isTarget(address)) {
                copies--;
                UdpAddress.write(nextNameAddress(), address);
                enqueue(
                        headerAddress,
                        headerLengthBytes,
                        payloadAddress,
                        payloadLengthBytes,
                        copies == 0 ? owner : null,
                        token);
            }
        }
        return true;
    }

    private boolean isTarget(final long address) {
        return address != 0 && address != localAddress;
    }
}
