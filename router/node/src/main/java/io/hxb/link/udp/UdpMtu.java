package io.hxb.link.udp;

import io.hxb.linux.Descriptors;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.linux.SocketOptions;
import io.hxb.os.Sockets;

import java.lang.foreign.Arena;
import java.util.Arrays;

/**
 * The longest frame that one IP packet carries to every neighbour of a UDP link: what the kernel
 * knows of the routes to them, the MTU of their NICs or less. A longer one would leave as fragments
 * of IP, of which many networks let none pass. Owned by the link's loop; asks for one address each
 * time, so that many neighbours do not hold up a turn. Source: ip(7), IP_MTU, which connected
 * sockets alone can ask for.
 */
final class UdpMtu {
    /** Of IP and UDP. */
    private static final int HEADERS_BYTES = 28;

    /** Of NICs with jumbo frames; loopback would take 65,507. */
    private static final int MAX_BYTES = 9_000 - HEADERS_BYTES;

    /** A route of IPv4 carries 68 bytes at least; frames need more: socket.mtu's minimum. */
    private static final int MIN_BYTES = 256;

    private static final int IPPROTO_IP = 0;
    private static final int IP_MTU = 14;
    private static final long HOST_BITS = ~0xFFFFL;

    private final Arena arena = Arena.ofAuto();
    private final long name = arena.allocate(Sockets.SOCKADDR_IN_LENGTH, 8).address();
    private final long value = arena.allocate(Integer.BYTES, 4).address();
    private final long localHost;
    private long[] hosts = {};
    private int[] bytes = {};
    private int next;

    /**
     * For a link without neighbours.
     *
     * @param localAddress the link's own, as from {@link UdpAddress#parse}.
     */
    UdpMtu(final long localAddress) {
        localHost = localAddress & HOST_BITS;
    }

    /** The link has neighbours at these addresses now; asks for all of them. */
    void expect(final long... addresses) {
        final long[] given =
                Arrays.stream(addresses).map(address -> address & HOST_BITS).distinct().toArray();
        bytes = new int[given.length];
        hosts = given;
        for (next = 0; next < given.length; next++) {
            ask(next);
        }
    }

    /** Asks again for one of them, each in turn. */
    void refresh() {
        if (hosts.length > 0) {
            next = next + 1 < hosts.length ? next + 1 : 0;
            ask(next);
        }
    }

    /** Bytes of the longest frame that no route cuts. */
    int frameBytes() {
        int least = MAX_BYTES;
        for (final int one : bytes) {
            least = Math.min(least, one);
        }
        return least;
    }

    // Any port does: routes depend on hosts alone. Without a route there is nothing to cut.
    private void ask(final int index) {
        int routeBytes = MAX_BYTES;
        try {
            final int fd = Sockets.open(Sockets.AF_INET, Sockets.SOCK_DGRAM, 0);
            try {
                UdpAddress.write(name, localHost);
                Sockets.bind(fd, name, Sockets.SOCKADDR_IN_LENGTH, "UDP, to ask for an MTU");
                UdpAddress.write(name, hosts[index] | 1);
                if (Sockets.connect(fd, name, Sockets.SOCKADDR_IN_LENGTH) == 0) {
                    SocketOptions.get(fd, IPPROTO_IP, IP_MTU, value, Integer.BYTES);
                    routeBytes = Memory.getInt(value) - HEADERS_BYTES;
                }
            } finally {
                Descriptors.close(fd);
            }
        } catch (final LinuxException e) {
            // Its socket will tell when frames cannot be sent.
            routeBytes = bytes[index] == 0 ? MAX_BYTES : bytes[index];
        }
        bytes[index] = Math.max(MIN_BYTES, Math.min(MAX_BYTES, routeBytes));
    }
}
