package io.hxb.link.raw;

import io.hxb.link.socket.SocketBuffers;
import io.hxb.linux.Descriptors;
import io.hxb.linux.LinuxException;
import io.hxb.os.PacketSocket;
import io.hxb.os.nic.NicInfo;

/**
 * The packet socket by which a raw link receives what travels by IP, as UDP or as segments of TCP:
 * to a MAC address that the kernel's protocols do not use, in one piece where the kernel has joined
 * it, which it waits for under bulk. Owned by the loop that owns the link.
 */
final class IpSocket {
    private final int descriptor;
    private final GroTimeout timer;

    private IpSocket(final RawLinkConfig config, final int descriptor) throws LinuxException {
        this.descriptor = descriptor;
        PacketSocket.enableSuperPackets(descriptor);
        SocketBuffers.setReceive(descriptor, config.socket().receiveBufferBytes(), config.nic());
        timer = new GroTimeout(config);
    }

    /** Opens it; it receives nothing before {@link #bind}. */
    static IpSocket open(final RawLinkConfig config) throws LinuxException {
        final int descriptor = PacketSocket.open();
        try {
            return new IpSocket(config, descriptor);
        } catch (final LinuxException e) {
            Descriptors.close(descriptor);
            throw e;
        }
    }

    /**
     * Receives from a NIC, or from another one of the same name, from now on.
     *
     * @param filter accepts what comes to {@link IpHeaders#other} of its address.
     */
    void bind(final NicInfo nic, final long[] filter) throws LinuxException {
        PacketSocket.attachFilter(descriptor, filter);
        PacketSocket.bind(descriptor, IpHeaders.ETHER_TYPE, nic.ifindex(), nic.name());
        PacketSocket.addAddress(descriptor, nic.ifindex(), IpHeaders.other(nic.mac()));
        timer.open(nic.name());
    }

    int descriptor() {
        return descriptor;
    }

    /** Counts all that arrives. */
    GroTimeout timer() {
        return timer;
    }

    /** Puts the NIC's time back. */
    void leave() {
        timer.close();
    }

    long takeDrops() throws LinuxException {
        return PacketSocket.takeDrops(descriptor);
    }

    void close() {
        leave();
        Descriptors.close(descriptor);
    }
}
