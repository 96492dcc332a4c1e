package io.hxb.os.nic;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Errno;
import io.hxb.linux.Linux;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.Sockets;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** What a NIC is called now; names change, numbers do not. Stateless. Source: netdevice(7). */
public final class NicName {
    private static final int SIOCGIFNAME = 0x8910;
    private static final int IFREQ_LENGTH = 40;
    private static final int IFINDEX_OFFSET = 16;

    private NicName() {}

    /**
     * The name of a NIC of this thread's network namespace.
     *
     * @param ifindex its number, from 1.
     * @return null if there is none of that number.
     */
    public static String of(final int ifindex) throws LinuxException {
        final int fd = Sockets.open(Sockets.AF_INET, Sockets.SOCK_DGRAM, 0);
        try {
            return of(fd, ifindex);
        } finally {
            Descriptors.close(fd);
        }
    }

    /** The same in the network namespace that a socket belongs to. */
    public static String of(final int fd, final int ifindex) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment request = arena.allocate(IFREQ_LENGTH, 8);
            Memory.putInt(request.address() + IFINDEX_OFFSET, ifindex);
            final int result =
                    Sockets.ioctl(Linux.errnoSegment(), fd, SIOCGIFNAME, request.address());
            if (result == -Errno.ENODEV || result == -Errno.ENXIO) {
                return null;
            }
            if (result < 0) {
                throw new LinuxException("ioctl(SIOCGIFNAME, " + ifindex + ")", -result);
            }
            return request.getString(0);
        }
    }
}
