package io.hxb.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.linux.Descriptors;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.PacketSocket;
import io.hxb.os.Sockets;
import io.hxb.os.nic.NicFeature;

import java.io.IOException;

/** NICs in namespaces of a test. Stateless. */
public final class TestNics {
    private TestNics() {}

    /** Switches a feature on or off. */
    public static void set(
            final String namespace, final String nic, final NicFeature feature, final boolean value)
            throws IOException {
        NetworkNamespace.run(
                namespace,
                () -> {
                    final int fd = Sockets.open(Sockets.AF_INET, Sockets.SOCK_DGRAM, 0);
                    try {
                        feature.set(fd, nic, value);
                        assertEquals(value, feature.isOn(nic), feature.kernelName());
                        return null;
                    } finally {
                        Descriptors.close(fd);
                    }
                });
    }

    /**
     * Opens a packet socket of a stranger, who sends what is after a struct virtio_net_hdr.
     *
     * @return the descriptor, which the caller closes.
     */
    public static int openStranger(final String namespace, final String nic) throws IOException {
        return NetworkNamespace.run(
                namespace,
                () -> {
                    final int socket = PacketSocket.open();
                    PacketSocket.enableSuperPackets(socket);
                    PacketSocket.bind(socket, 0, TestNamespaces.info(null, nic).ifindex(), nic);
                    return socket;
                });
    }
}
