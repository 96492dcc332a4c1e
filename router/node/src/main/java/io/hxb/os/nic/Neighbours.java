package io.hxb.os.nic;

import io.hxb.linux.Descriptors;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.Sockets;

import java.lang.foreign.Arena;

/**
 * The MAC addresses that the kernel knows for IP addresses (ARP, neighbour discovery). Stateless.
 * Source: rtnetlink(7), RTM_GETNEIGH; nlmsghdr is {length@0, type@4, flags@6, sequence@8, port@12},
 * ndmsg {family@16, ifindex@20, state@24}, rtattr {length@0, type@2}.
 */
public final class Neighbours {
    private static final int NETLINK_ROUTE = 0;
    private static final int RTM_NEWNEIGH = 28;
    private static final int RTM_GETNEIGH = 30;
    private static final int REQUEST_AND_DUMP = 1 | 0x300;
    private static final int NLMSG_ERROR = 2;
    private static final int NLMSG_DONE = 3;
    private static final int NDA_DST = 1;
    private static final int NDA_LLADDR = 2;
    private static final int AF_INET6 = 10;
    private static final int HEADER_LENGTH = 16;
    private static final int REQUEST_LENGTH = HEADER_LENGTH + 12;
    private static final int ATTRIBUTE_LENGTH = 4;
    private static final int BUFFER_LENGTH = 64 << 10;
    private static final int IPV4_LENGTH = 4;
    private static final int MAC_LENGTH = 6;
    private static final int MAX_PARTS = 10_000;

    private Neighbours() {}

    /**
     * The MAC address of an IP address, in this thread's network namespace.
     *
     * @param address 4 or 16 bytes.
     * @return first byte highest; 0 if the kernel knows none.
     */
    public static long macOf(final byte[] address) throws LinuxException {
        final int fd = Sockets.open(Sockets.AF_NETLINK, Sockets.SOCK_RAW, NETLINK_ROUTE);
        try (Arena arena = Arena.ofConfined()) {
            final long buffer = arena.allocate(BUFFER_LENGTH, 8).address();
            Memory.putInt(buffer, REQUEST_LENGTH);
            Memory.putShort(buffer + 4, RTM_GETNEIGH);
            Memory.putShort(buffer + 6, REQUEST_AND_DUMP);
            Memory.putByte(
                    buffer + HEADER_LENGTH,
                    address.length == IPV4_LENGTH ? Sockets.AF_INET : AF_INET6);
            final int sent = Sockets.send(fd, buffer, REQUEST_LENGTH);
            if (sent < 0) {
                throw new LinuxException("send(RTM_GETNEIGH)", -sent);
            }
            for (int part = 0; part < MAX_PARTS; part++) {
                final int bytes = Sockets.receive(fd, buffer, BUFFER_LENGTH);
                if (bytes < 0) {
                    throw new LinuxException("recv(RTM_GETNEIGH)", -bytes);
                }
                final long mac = find(buffer, bytes, address);
                if (mac >= 0) {
                    return mac;
                }
            }
            return 0;
        } finally {
            Descriptors.close(fd);
        }
    }

    /** The address, 0 if it is not there and nothing follows, -1 if more follows. */
    private static long find(final long buffer, final int bytes, final byte[] address) {
        int offset = 0;
        while (offset + HEADER_LENGTH <= bytes) {
            final int length = Memory.getInt(buffer + offset);
            final int type = Memory.getUnsignedShort(buffer + offset + 4);
            if (type == NLMSG_DONE || type == NLMSG_ERROR || length < HEADER_LENGTH) {
                return 0;
            }
            if (type == RTM_NEWNEIGH && offset + length <= bytes) {
                final long mac = entry(buffer + offset, length, address);
                if (mac != 0) {
                    return mac;
                }
            }
            offset += aligned(length);
        }
        return bytes == 0 ? 0 : -1;
    }

    private static long entry(final long message, final int length, final byte[] address) {
        boolean isWanted = false;
        long mac = 0;
        int offset = REQUEST_LENGTH;
        while (offset + ATTRIBUTE_LENGTH <= length) {
            final int bytes = Memory.getUnsignedShort(message + offset);
            final int type = Memory.getUnsignedShort(message + offset + 2);
            final long value = message + offset + ATTRIBUTE_LENGTH;
            if (bytes < ATTRIBUTE_LENGTH || offset + bytes > length) {
                return 0;
            }
            if (type == NDA_DST && bytes == ATTRIBUTE_LENGTH + address.length) {
                isWanted = isEqual(value, address);
            } else if (type == NDA_LLADDR && bytes == ATTRIBUTE_LENGTH + MAC_LENGTH) {
                mac =
                        (long) Memory.getUnsignedShortBigEndian(value) << Integer.SIZE
                                | Integer.toUnsignedLong(Memory.getIntBigEndian(value + 2));
            }
            offset += aligned(bytes);
        }
        return isWanted ? mac : 0;
    }

    private static boolean isEqual(final long value, final byte[] address) {
        for (int i = 0; i < address.length; i++) {
            if ((byte) Memory.getUnsignedByte(value + i) != address[i]) {
                return false;
            }
        }
        return true;
    }

    private static int aligned(final int length) {
        return length + 3 & ~3;
    }
}
