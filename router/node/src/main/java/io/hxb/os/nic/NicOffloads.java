package io.hxb.os.nic;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.os.Sockets;

import java.lang.foreign.Arena;

/**
 * Work that a NIC or its driver takes off the kernel. Immutable. Source: linux/ethtool.h,
 * ETHTOOL_GRXCSUM and its siblings.
 *
 * @param rxChecksums checks sums of received IP frames.
 * @param txChecksums makes sums of sent IP frames.
 * @param tso cuts large TCP segments.
 * @param gso the kernel cuts large segments late.
 * @param gro the kernel joins received segments.
 * @param lro the NIC joins received TCP segments, so that nobody can tell them apart any more.
 * @param rxVlan strips 802.1Q tags from received frames and passes them beside the frame.
 * @param txVlan puts tags into sent frames.
 */
public record NicOffloads(
        boolean rxChecksums,
        boolean txChecksums,
        boolean tso,
        boolean gso,
        boolean gro,
        boolean lro,
        boolean rxVlan,
        boolean txVlan) {
    private static final int ETHTOOL_GRXCSUM = 0x14;
    private static final int ETHTOOL_GTXCSUM = 0x16;
    private static final int ETHTOOL_GTSO = 0x1e;
    private static final int ETHTOOL_GGSO = 0x23;
    private static final int ETHTOOL_GFLAGS = 0x25;
    private static final int ETHTOOL_GGRO = 0x2b;
    private static final int ETH_FLAG_TXVLAN = 1 << 7;
    private static final int ETH_FLAG_RXVLAN = 1 << 8;
    private static final int ETH_FLAG_LRO = 1 << 15;

    /**
     * Asks about a NIC in the network namespace of this thread. What the driver does not answer
     * counts as off.
     *
     * @throws LinuxException if there is no such NIC.
     */
    public static NicOffloads read(final String nic) throws LinuxException {
        final int fd = Sockets.open(Sockets.AF_INET, Sockets.SOCK_DGRAM, 0);
        try (Arena arena = Arena.ofConfined()) {
            final NicRequest request = new NicRequest(arena, fd, nic);
            final int flags = ask(request, ETHTOOL_GFLAGS);
            return new NicOffloads(
                    ask(request, ETHTOOL_GRXCSUM) != 0,
                    ask(request, ETHTOOL_GTXCSUM) != 0,
                    ask(request, ETHTOOL_GTSO) != 0,
                    ask(request, ETHTOOL_GGSO) != 0,
                    ask(request, ETHTOOL_GGRO) != 0,
                    (flags & ETH_FLAG_LRO) != 0,
                    (flags & ETH_FLAG_RXVLAN) != 0,
                    (flags & ETH_FLAG_TXVLAN) != 0);
        } finally {
            Descriptors.close(fd);
        }
    }

    private static int ask(final NicRequest request, final int command) throws LinuxException {
        try {
            return request.askEthtool(command);
        } catch (final LinuxException e) {
            if (e.errno() == Errno.EOPNOTSUPP) {
                return 0;
            }
            throw e;
        }
    }
}
