package io.hxb.os.nic;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Errno;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.Sockets;

import java.lang.foreign.Arena;

/**
 * What the kernel reports of a NIC now. Immutable.
 *
 * @param name its name.
 * @param exists false when there is none of this name; then the rest is 0.
 * @param isUp somebody set it up (IFF_UP).
 * @param hasCarrier it is up and its cable works (IFF_RUNNING, and the driver's state, because the
 *     kernel takes up to a second to clear the flag).
 * @param mtuBytes bytes an Ethernet frame carries after its header.
 * @param mac its address, first byte highest, 48 bits.
 * @param ifindex its number in its network namespace, from 1.
 * @param kind what its frames are.
 */
public record NicInfo(
        String name,
        boolean exists,
        boolean isUp,
        boolean hasCarrier,
        int mtuBytes,
        long mac,
        int ifindex,
        Kind kind) {
    private static final int SIOCGIWNAME = 0x8B01;
    private static final int ARPHRD_ETHER = 1;
    private static final int ARPHRD_LOOPBACK = 772;
    private static final int SIOCGIFFLAGS = 0x8913;
    private static final int SIOCGIFMTU = 0x8921;
    private static final int SIOCGIFHWADDR = 0x8927;
    private static final int SIOCGIFINDEX = 0x8933;
    private static final int ETHTOOL_GLINK = 0xA;
    private static final int IFF_UP = 1;
    private static final int IFF_RUNNING = 0x40;

    /** What the frames of a NIC are. */
    public enum Kind {
        /** Those of Ethernet. */
        ETHERNET,
        /** Those of Ethernet, over the air. */
        WIRELESS,
        /** They stay on this machine. */
        LOOPBACK,
        /** IP packets without a header before them, or others that are not of Ethernet. */
        OTHER
    }

    /** Reads about a NIC in the network namespace of this thread. */
    public static NicInfo read(final String name) throws LinuxException {
        final int fd = Sockets.open(Sockets.AF_INET, Sockets.SOCK_DGRAM, 0);
        try {
            return read(fd, name);
        } finally {
            Descriptors.close(fd);
        }
    }

    /** Reads about a NIC in the network namespace that a socket belongs to. */
    public static NicInfo read(final int fd, final String name) throws LinuxException {
        if (!NicRequest.isName(name)) {
            return none(name);
        }
        try (Arena arena = Arena.ofConfined()) {
            final NicRequest request = new NicRequest(arena, fd, name);
            final int ifindex = Memory.getInt(request.ask(SIOCGIFINDEX));
            final long address = request.ask(SIOCGIFHWADDR);
            final int type = Memory.getUnsignedShort(address);
            final long mac = Long.reverseBytes(Memory.getLong(address + 2)) >>> 16;
            final int mtu = Memory.getInt(request.ask(SIOCGIFMTU));
            final int flags = Memory.getUnsignedShort(request.ask(SIOCGIFFLAGS));
            final boolean isRunning = (flags & (IFF_UP | IFF_RUNNING)) == (IFF_UP | IFF_RUNNING);
            return new NicInfo(
                    name,
                    true,
                    (flags & IFF_UP) != 0,
                    isRunning && hasLink(request),
                    mtu,
                    mac,
                    ifindex,
                    kind(request, type));
        } catch (final LinuxException e) {
            if (e.errno() == Errno.ENODEV || e.errno() == Errno.ENXIO) {
                return none(name);
            }
            throw e;
        }
    }

    private static boolean hasLink(final NicRequest request) throws LinuxException {
        try {
            return request.askEthtool(ETHTOOL_GLINK) != 0;
        } catch (final LinuxException e) {
            if (e.errno() == Errno.EOPNOTSUPP) {
                return true;
            }
            throw e;
        }
    }

    private static Kind kind(final NicRequest request, final int type) {
        return switch (type) {
            case ARPHRD_ETHER -> isWireless(request) ? Kind.WIRELESS : Kind.ETHERNET;
            case ARPHRD_LOOPBACK -> Kind.LOOPBACK;
            default -> Kind.OTHER;
        };
    }

    private static boolean isWireless(final NicRequest request) {
        try {
            return request.ask(SIOCGIWNAME) != 0;
        } catch (final LinuxException e) {
            return false;
        }
    }

    private static NicInfo none(final String name) {
        return new NicInfo(name, false, false, false, 0, 0, 0, Kind.OTHER);
    }
}
