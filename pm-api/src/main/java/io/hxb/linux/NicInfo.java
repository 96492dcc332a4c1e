package io.hxb.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

/**
 * What the kernel says about a NIC now. Immutable.
 *
 * @param name its name.
 * @param exists false when there is none of this name; then the rest is 0.
 * @param isUp somebody set it up (IFF_UP).
 * @param hasCarrier it is up and its cable works (IFF_RUNNING, and what the driver says, because
 *     the kernel takes up to a second to clear the flag).
 * @param mtuBytes bytes an Ethernet frame carries after its header.
 * @param mac its address, first byte highest, 48 bits.
 * @param ifindex its number in its network namespace, from 1.
 */
public record NicInfo(
        String name,
        boolean exists,
        boolean isUp,
        boolean hasCarrier,
        int mtuBytes,
        long mac,
        int ifindex) {
    /** Longest name of a NIC (IFNAMSIZ - 1). */
    public static final int NAME_LENGTH = 15;

    private static final int SIOCGIFFLAGS = 0x8913;
    private static final int SIOCGIFMTU = 0x8921;
    private static final int SIOCGIFHWADDR = 0x8927;
    private static final int SIOCGIFINDEX = 0x8933;
    private static final int SIOCETHTOOL = 0x8946;
    private static final int ETHTOOL_GLINK = 0xA;
    private static final int IFREQ_LENGTH = 40;
    private static final int VALUE_OFFSET = 16;
    private static final int IFF_UP = 1;
    private static final int IFF_RUNNING = 0x40;

    /** Reads about a NIC in the network namespace of this thread. */
    public static NicInfo read(final String name) throws LinuxException {
        final int fd = Sockets.open(Sockets.AF_INET, Sockets.SOCK_DGRAM, 0);
        try {
            return read(fd, name);
        } finally {
            Sockets.close(fd);
        }
    }

    /** Reads about a NIC in the network namespace that a socket belongs to. */
    public static NicInfo read(final int fd, final String name) throws LinuxException {
        final byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        if (bytes.length == 0 || bytes.length > NAME_LENGTH) {
            return none(name);
        }
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment request = arena.allocate(IFREQ_LENGTH, 8);
            MemorySegment.copy(bytes, 0, request, ValueLayout.JAVA_BYTE, 0, bytes.length);
            final long value = request.address() + VALUE_OFFSET;
            ask(fd, SIOCGIFINDEX, request, name);
            final int ifindex = Memory.getInt(value);
            ask(fd, SIOCGIFHWADDR, request, name);
            final long mac = Long.reverseBytes(Memory.getLong(value + 2)) >>> 16;
            ask(fd, SIOCGIFMTU, request, name);
            final int mtu = Memory.getInt(value);
            ask(fd, SIOCGIFFLAGS, request, name);
            final int flags = Memory.getUnsignedShort(value);
            final boolean isRunning = (flags & (IFF_UP | IFF_RUNNING)) == (IFF_UP | IFF_RUNNING);
            return new NicInfo(
                    name,
                    true,
                    (flags & IFF_UP) != 0,
                    isRunning && hasLink(fd, request, name),
                    mtu,
                    mac,
                    ifindex);
        } catch (final LinuxException e) {
            if (e.errno() == Errno.ENODEV || e.errno() == Errno.ENXIO) {
                return none(name);
            }
            throw e;
        }
    }

    private static boolean hasLink(final int fd, final MemorySegment request, final String name)
            throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final long query = arena.allocate(8, 4).address();
            Memory.putInt(query, ETHTOOL_GLINK);
            Memory.putLong(request.address() + VALUE_OFFSET, query);
            ask(fd, SIOCETHTOOL, request, name);
            return Memory.getInt(query + 4) != 0;
        } catch (final LinuxException e) {
            if (e.errno() == Errno.EOPNOTSUPP) {
                return true;
            }
            throw e;
        }
    }

    private static NicInfo none(final String name) {
        return new NicInfo(name, false, false, false, 0, 0, 0);
    }

    private static void ask(
            final int fd, final int code, final MemorySegment request, final String name)
            throws LinuxException {
        final MemorySegment errno = Linux.errnoSegment();
        final int result;
        try {
            result = (int) Calls.IOCTL.invokeExact(errno, fd, (long) code, request.address());
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
        Sockets.check(result, "ioctl(" + name + ", 0x" + Integer.toHexString(code) + ")", errno);
    }

    private static final class Calls {
        static final MethodHandle IOCTL =
                Linux.bindVariadic(
                        "ioctl",
                        FunctionDescriptor.of(
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_INT,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_LONG),
                        2);
    }
}
