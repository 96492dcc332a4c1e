package io.hxb.link.pcap;

import io.hxb.linux.AddressRange;
import io.hxb.linux.Descriptors;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Memory;
import io.hxb.os.PacketSocket;

/**
 * A socket of its own on the NIC of a link, beside those of the node: sees what arrives before the
 * kernel relays it, and what leaves. The kernel copies what a {@link CaptureFilter} lets through
 * into a ring, and counts what finds no room there. Owned by one thread.
 *
 * <pre>
 * offset length meaning of a slot (tpacket2_hdr, then sockaddr_ll)
 *      0      4 status: 0 the kernel's, bit 0 ours, bit 4 there was a tag
 *      4      4 bytes of the frame
 *      8      4 bytes captured, from the Ethernet header
 *     12      2 offset of the Ethernet header
 *     16      8 time: seconds, nanoseconds
 *     24      2 tag control information
 *     42      1 4 = sent by this machine
 * </pre>
 *
 * Source: Documentation/networking/packet_mmap.rst, linux/if_packet.h.
 */
public final class CaptureSocket implements AutoCloseable {
    /** Longest frame that a NIC hands over in one piece: 65,535 bytes of IP, and a tag. */
    public static final int MAX_SNAP_BYTES = 65_535 + 14 + 4;

    private static final int RING_BYTES = 16 << 20;
    private static final int MAX_SLOTS = 1 << 14;
    private static final int SLOT_HEADER_LENGTH = 80 + 14;
    private static final int ALIGNMENT = 64;
    private static final int MIN_BLOCK_BYTES = 1 << 16;
    private static final int STATUS_USER = 1;
    private static final int STATUS_TAG = 0x10;
    private static final int LENGTH_OFFSET = 4;
    private static final int CAPTURED_OFFSET = 8;
    private static final int MAC_OFFSET = 12;
    private static final int SECONDS_OFFSET = 16;
    private static final int NANOSECONDS_OFFSET = 20;
    private static final int TAG_OFFSET = 24;
    private static final int PACKET_TYPE_OFFSET = 42;
    private static final int OUTGOING = 4;

    private final int descriptor;
    private final long ring;
    private final long ringBytes;
    private final int blockBytes;
    private final int slotBytes;
    private final int perBlock;
    private final int slots;
    private int head;
    private long address;
    private long drops;

    private CaptureSocket(final int descriptor, final int snapBytes) throws LinuxException {
        this.descriptor = descriptor;
        slotBytes = SLOT_HEADER_LENGTH + snapBytes + ALIGNMENT - 1 & -ALIGNMENT;
        blockBytes = (int) Math.max(MIN_BLOCK_BYTES, AddressRange.pages(slotBytes));
        perBlock = blockBytes / slotBytes;
        final int blocks = Math.max(1, Math.min(RING_BYTES / blockBytes, MAX_SLOTS / perBlock));
        slots = perBlock * blocks;
        ringBytes = (long) blockBytes * blocks;
        ring = PacketSocket.mapRing(descriptor, blockBytes, blocks, slotBytes);
        address = slotAddress(0);
    }

    /**
     * Opens one, in the network namespace of the calling thread.
     *
     * @param ifindex number of the NIC.
     * @param nic its name, for messages.
     * @param filter of {@link CaptureFilter}.
     * @param snapBytes of a frame that are captured at most, 1 to {@link #MAX_SNAP_BYTES}.
     * @throws LinuxException with EPERM without CAP_NET_RAW.
     */
    public static CaptureSocket open(
            final int ifindex, final String nic, final long[] filter, final int snapBytes)
            throws LinuxException {
        final int descriptor = PacketSocket.openTap();
        CaptureSocket socket = null;
        try {
            PacketSocket.attachFilter(descriptor, filter);
            socket = new CaptureSocket(descriptor, snapBytes);
            PacketSocket.bind(descriptor, PacketSocket.ALL_ETHER_TYPES, ifindex, nic);
            return socket;
        } catch (final LinuxException e) {
            if (socket == null) {
                Descriptors.close(descriptor);
            } else {
                socket.close();
            }
            throw e;
        }
    }

    private long slotAddress(final int slot) {
        return ring + (long) (slot / perBlock) * blockBytes + (long) (slot % perBlock) * slotBytes;
    }

    /** True if a frame waits; what follows is about that one. */
    public boolean hasFrame() {
        return (Memory.getIntAcquire(address) & STATUS_USER) != 0;
    }

    /** When the kernel saw it, since 1970. */
    public long timeNs() {
        return (Memory.getInt(address + SECONDS_OFFSET) & 0xFFFF_FFFFL) * 1_000_000_000L
                + Memory.getInt(address + NANOSECONDS_OFFSET);
    }

    /** True if this machine sent it. */
    public boolean isSent() {
        return Memory.getUnsignedByte(address + PACKET_TYPE_OFFSET) == OUTGOING;
    }

    /** The tag that the kernel has taken away, or {@link PcapWriter#UNTAGGED}. */
    public int tci() {
        return (Memory.getInt(address) & STATUS_TAG) == 0
                ? PcapWriter.UNTAGGED
                : Memory.getUnsignedShort(address + TAG_OFFSET);
    }

    /** Address of its Ethernet header. */
    public long frameAddress() {
        return address + Memory.getUnsignedShort(address + MAC_OFFSET);
    }

    /** Bytes of it that are there. */
    public int capturedBytes() {
        return Memory.getInt(address + CAPTURED_OFFSET);
    }

    /** Bytes that it had. */
    public int originalBytes() {
        return Memory.getInt(address + LENGTH_OFFSET);
    }

    /** Gives the frame's memory back to the kernel, and goes on to the next. */
    public void next() {
        Memory.putIntRelease(address, 0);
        head = head + 1 == slots ? 0 : head + 1;
        address = slotAddress(head);
    }

    /** Frames that the kernel has dropped so far because the ring was full. */
    public long drops() throws LinuxException {
        drops += PacketSocket.takeDrops(descriptor);
        return drops;
    }

    @Override
    public void close() {
        PacketSocket.unmapRing(ring, ringBytes);
        Descriptors.close(descriptor);
    }
}
