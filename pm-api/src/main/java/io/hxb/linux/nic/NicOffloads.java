package io.hxb.linux.nic;

import io.hxb.linux.Errno;
import io.hxb.linux.Linux;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.linux.NicInfo;
import io.hxb.linux.Sockets;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;

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
 * @param rxVlan takes 802.1Q tags out of received frames and tells them beside the frame.
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
    private static final int SIOCETHTOOL = 0x8946;
    private static final int ETHTOOL_GRXCSUM = 0x14;
    private static final int ETHTOOL_GTXCSUM = 0x16;
    private static final int ETHTOOL_GTSO = 0x1e;
    private static final int ETHTOOL_GGSO = 0x23;
    private static final int ETHTOOL_GFLAGS = 0x25;
    private static final int ETHTOOL_GGRO = 0x2b;
    private static final int ETH_FLAG_TXVLAN = 1 << 7;
    private static final int ETH_FLAG_RXVLAN = 1 << 8;
    private static final int ETH_FLAG_LRO = 1 << 15;
    private static final int IFREQ_LENGTH = 40;
    private static final int VALUE_OFFSET = 16;

    /**
     * Asks about a NIC in the network namespace of this thread. What the driver does not answer
     * counts as off.
     *
     * @throws LinuxException if there is no such NIC.
     */
    public static NicOffloads read(final String nic) throws LinuxException {
        final byte[] name = nic.getBytes(StandardCharsets.UTF_8);
        if (name.length == 0 || name.length > NicInfo.NAME_LENGTH) {
            throw new IllegalArgumentException("nic must have 1..15 bytes: '" + nic + "'");
        }
        final int fd = Sockets.open(Sockets.AF_INET, Sockets.SOCK_DGRAM, 0);
        try (Arena arena = Arena.ofConfined()) {
            final MemorySegment request = arena.allocate(IFREQ_LENGTH, 8);
            MemorySegment.copy(name, 0, request, ValueLayout.JAVA_BYTE, 0, name.length);
            final long value = arena.allocate(8, 8).address();
            Memory.putLong(request.address() + VALUE_OFFSET, value);
            final Question question = new Question(fd, nic, request.address(), value);
            final int flags = question.ask(ETHTOOL_GFLAGS);
            return new NicOffloads(
                    question.ask(ETHTOOL_GRXCSUM) != 0,
                    question.ask(ETHTOOL_GTXCSUM) != 0,
                    question.ask(ETHTOOL_GTSO) != 0,
                    question.ask(ETHTOOL_GGSO) != 0,
                    question.ask(ETHTOOL_GGRO) != 0,
                    (flags & ETH_FLAG_LRO) != 0,
                    (flags & ETH_FLAG_RXVLAN) != 0,
                    (flags & ETH_FLAG_TXVLAN) != 0);
        } finally {
            Sockets.close(fd);
        }
    }

    /** One ethtool_value of one NIC. */
    private record Question(int fd, String nic, long request, long value) {
        private int ask(final int command) throws LinuxException {
            Memory.putInt(value, command);
            Memory.putInt(value + 4, 0);
            final MemorySegment errno = Linux.errnoSegment();
            final int result;
            try {
                result = (int) Calls.IOCTL.invokeExact(errno, fd, (long) SIOCETHTOOL, request);
            } catch (final Throwable t) {
                throw Linux.unexpected(t);
            }
            if (result >= 0) {
                return Memory.getInt(value + 4);
            }
            final int code = Linux.errno(errno);
            if (code == Errno.EOPNOTSUPP) {
                return 0;
            }
            throw new LinuxException("ioctl(" + nic + ", SIOCETHTOOL)", code);
        }
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
