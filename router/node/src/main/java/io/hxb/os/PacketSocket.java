package io.hxb.os;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Linux;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.linux.SocketOptions;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The calls that only AF_PACKET sockets have. Stateless; any thread may call it.
 *
 * <p>A socket from {@link #open} receives nothing before {@link #bind}, so that filters and rings
 * are in place when the first frame comes. Source: packet(7), linux/if_packet.h.
 */
public final class PacketSocket {
    /** Every EtherType, before the kernel takes 802.1Q tags away (ETH_P_ALL). */
    public static final int ALL_ETHER_TYPES = 3;

    /** Bytes of control data that {@link #enableTags} adds to a message. */
    public static final int TAG_CONTROL_LENGTH = 40;

    private static final int SOL_PACKET = 263;
    private static final int PACKET_ADD_MEMBERSHIP = 1;
    private static final int PACKET_MR_UNICAST = 3;
    private static final int MAC_LENGTH = 6;
    private static final int PACKET_RX_RING = 5;
    private static final int PACKET_STATISTICS = 6;
    private static final int PACKET_AUXDATA = 8;
    private static final int PACKET_VERSION = 10;
    private static final int PACKET_VNET_HDR = 15;
    private static final int PACKET_IGNORE_OUTGOING = 23;
    private static final int TPACKET_V2 = 1;
    private static final int SO_ATTACH_FILTER = 26;
    private static final int TP_STATUS_VLAN_VALID = 0x10;
    private static final int SOCKADDR_LL_LENGTH = 20;
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_SHARED = 1;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    private PacketSocket() {}

    /** Opens a socket for whole frames that never sees what this machine sends. */
    public static int open() throws LinuxException {
        final int fd = Sockets.open(Sockets.AF_PACKET, Sockets.SOCK_RAW, 0);
        try {
            SocketOptions.set(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1);
        } catch (final LinuxException e) {
            Descriptors.close(fd);
            throw e;
        }
        return fd;
    }

    /** Opens a socket for whole frames that also sees what this machine sends. */
    public static int openTap() throws LinuxException {
        return Sockets.open(Sockets.AF_PACKET, Sockets.SOCK_RAW, 0);
    }

    /**
     * Binds to a NIC, for the first time or after it was deleted and made again.
     *
     * @param etherType what to receive; 0 for nothing.
     * @param ifindex the NIC's number.
     * @param nic its name, for the message.
     */
    public static void bind(final int fd, final int etherType, final int ifindex, final String nic)
            throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final long address = arena.allocate(SOCKADDR_LL_LENGTH, 4).address();
            Memory.putShort(address, Sockets.AF_PACKET);
            Memory.putShortBigEndian(address + 2, etherType);
            Memory.putInt(address + 4, ifindex);
            Sockets.bind(fd, address, SOCKADDR_LL_LENGTH, nic);
        }
    }

    /** The number of the NIC the socket is bound to; 0 or less when that NIC has gone. */
    public static int boundIfindex(final int fd) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final long address = arena.allocate(32, 4).address();
            Sockets.localAddress(fd, address, 32);
            return Memory.getInt(address + 4);
        }
    }

    /**
     * Lets through only frames for which a classic BPF program returns more than 0.
     *
     * @param program instructions as struct sock_filter: code 16 bits lowest, jump true 8, jump
     *     false 8, operand 32.
     */
    public static void attachFilter(final int fd, final long[] program) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final long instructions = arena.allocateFrom(LONG, program).address();
            final long header = arena.allocate(16, 8).address();
            Memory.putShort(header, program.length);
            Memory.putLong(header + 8, instructions);
            SocketOptions.set(fd, SocketOptions.SOL_SOCKET, SO_ATTACH_FILTER, header, 16);
        }
    }

    /** Adds control data with the 802.1Q tag to each received message; see {@link #tag}. */
    public static void enableTags(final int fd) throws LinuxException {
        SocketOptions.set(fd, SOL_PACKET, PACKET_AUXDATA, 1);
    }

    /**
     * Lets super-packets pass whole: a struct virtio_net_hdr comes before each frame, in both
     * directions.
     */
    public static void enableSuperPackets(final int fd) throws LinuxException {
        SocketOptions.set(fd, SOL_PACKET, PACKET_VNET_HDR, 1);
    }

    /**
     * Lets a NIC receive frames to another address than its own, which the kernel's protocols then
     * leave alone, until the socket is closed.
     *
     * @param ifindex the NIC's number.
     * @param mac the address, first byte highest.
     */
    public static void addAddress(final int fd, final int ifindex, final long mac)
            throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            // struct packet_mreq of linux/if_packet.h.
            final long request = arena.allocate(16, 8).address();
            Memory.putInt(request, ifindex);
            Memory.putShort(request + 4, PACKET_MR_UNICAST);
            Memory.putShort(request + 6, MAC_LENGTH);
            Memory.putLong(request + 8, Long.reverseBytes(mac << 16));
            SocketOptions.set(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, request, 16);
        }
    }

    /** Bytes of a frame as it was received; control data as for {@link #tag}. */
    public static int frameBytes(final long controlAddress) {
        return Memory.getInt(controlAddress + 20);
    }

    /**
     * The tag control information in a message's control data, or -1 if there is none.
     *
     * @param controlAddress the control data: cmsghdr, then tpacket_auxdata.
     * @param controlBytes bytes of it that were received.
     */
    public static int tag(final long controlAddress, final int controlBytes) {
        if (controlBytes < TAG_CONTROL_LENGTH - 4
                || (Memory.getInt(controlAddress + 16) & TP_STATUS_VLAN_VALID) == 0) {
            return -1;
        }
        return Memory.getUnsignedShort(controlAddress + 32);
    }

    /** Frames the socket dropped since this was last asked. */
    public static long takeDrops(final int fd) throws LinuxException {
        try (Arena arena = Arena.ofConfined()) {
            final long address = arena.allocate(16, 4).address();
            SocketOptions.get(fd, SOL_PACKET, PACKET_STATISTICS, address, 8);
            return Memory.getInt(address + 4) & 0xFFFF_FFFFL;
        }
    }

    /**
     * Gives the socket a TPACKET_V2 receive ring and maps it.
     *
     * @param blockBytes bytes of a block, a multiple of the page size.
     * @param blockCount blocks.
     * @param slotBytes bytes of a slot, a multiple of 16; slots do not cross blocks.
     * @return address of the ring.
     */
    public static long mapRing(
            final int fd, final int blockBytes, final int blockCount, final int slotBytes)
            throws LinuxException {
        SocketOptions.set(fd, SOL_PACKET, PACKET_VERSION, TPACKET_V2);
        try (Arena arena = Arena.ofConfined()) {
            final long request = arena.allocate(16, 4).address();
            Memory.putInt(request, blockBytes);
            Memory.putInt(request + 4, blockCount);
            Memory.putInt(request + 8, slotBytes);
            Memory.putInt(request + 12, blockBytes / slotBytes * blockCount);
            SocketOptions.set(fd, SOL_PACKET, PACKET_RX_RING, request, 16);
        }
        final MemorySegment errno = Linux.errnoSegment();
        final long bytes = (long) blockBytes * blockCount;
        final long address;
        try {
            address =
                    (long)
                            Map.MMAP.invokeExact(
                                    errno, 0L, bytes, PROT_READ_WRITE, MAP_SHARED, fd, 0L);
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
        Linux.check(address == -1 ? -1 : 0, "mmap(ring of " + bytes + " bytes)", errno);
        return address;
    }

    /** Unmaps a ring of {@code lengthBytes}; nobody may touch it afterwards. */
    public static void unmapRing(final long address, final long lengthBytes) {
        try {
            final int ignored =
                    (int) Map.MUNMAP.invokeExact(Linux.errnoSegment(), address, lengthBytes);
        } catch (final Throwable t) {
            throw Linux.unexpected(t);
        }
    }

    private static final class Map {
        static final MethodHandle MMAP =
                Linux.bind("mmap", FunctionDescriptor.of(LONG, LONG, LONG, INT, INT, INT, LONG));
        static final MethodHandle MUNMAP =
                Linux.bind("munmap", FunctionDescriptor.of(INT, LONG, LONG));
    }
}
