package io.hxb.os.nic;

import io.hxb.linux.Linux;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.Sockets;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * Requests to the kernel about one NIC: a struct ifreq, netdevice(7). Used by one thread, while its
 * arena and socket are open.
 */
public final class NicRequest {
    /** IFNAMSIZ - 1. */
    private static final int NAME_LENGTH = 15;

    private static final int SIOCETHTOOL = 0x8946;
    private static final int IFREQ_LENGTH = 40;
    private static final int VALUE_OFFSET = 16;

    private final int fd;
    private final String nic;
    private final long request;
    private final long ethtool;

    /**
     * Prepares requests.
     *
     * @param fd any socket of the network namespace of the NIC.
     * @param nic name of 1 to 15 bytes, see {@link #isName}.
     */
    public NicRequest(final Arena arena, final int fd, final String nic) {
        if (!isName(nic)) {
            throw new IllegalArgumentException("nic must have 1..15 bytes: '" + nic + "'");
        }
        this.fd = fd;
        this.nic = nic;
        final byte[] name = nic.getBytes(StandardCharsets.UTF_8);
        final MemorySegment memory = arena.allocate(IFREQ_LENGTH + 8, 8);
        MemorySegment.copy(name, 0, memory, ValueLayout.JAVA_BYTE, 0, name.length);
        request = memory.address();
        ethtool = request + IFREQ_LENGTH;
    }

    /** True if a NIC may have this name. */
    public static boolean isName(final String nic) {
        final int length = nic.getBytes(StandardCharsets.UTF_8).length;
        return length > 0 && length <= NAME_LENGTH;
    }

    /**
     * Asks with one of the SIOCGIF codes.
     *
     * @return address of the reply, which the next request overwrites.
     */
    public long ask(final int code) throws LinuxException {
        final int result = Sockets.ioctl(Linux.errnoSegment(), fd, code, request);
        if (result < 0) {
            throw new LinuxException(
                    "ioctl(" + nic + ", 0x" + Integer.toHexString(code) + ")", -result);
        }
        return request + VALUE_OFFSET;
    }

    /**
     * Asks with one of the ETHTOOL_G codes whose answer is a struct ethtool_value.
     *
     * @throws LinuxException with EOPNOTSUPP if the driver has no answer.
     */
    public int askEthtool(final int command) throws LinuxException {
        Memory.putInt(ethtool, command);
        Memory.putInt(ethtool + 4, 0);
        askEthtool(ethtool);
        return Memory.getInt(ethtool + 4);
    }

    /** Asks with a structure of linux/ethtool.h, which begins with its code. */
    void askEthtool(final long address) throws LinuxException {
        Memory.putLong(request + VALUE_OFFSET, address);
        ask(SIOCETHTOOL);
    }
}
