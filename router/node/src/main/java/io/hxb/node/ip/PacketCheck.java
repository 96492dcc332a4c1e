package io.hxb.node.ip;

import io.hxb.linux.Memory;
import io.hxb.tap.VirtioHeader;

/**
 * Checks a packet from another node before this machine's kernel gets it: what its virtio header
 * asks for lies within the packet and fits its headers. Stateless; any thread. Source:
 * linux/virtio_net.h.
 */
final class PacketCheck {
    private static final int KIND_NONE = 0;
    private static final int KIND_TCP4 = 1;
    private static final int KIND_TCP6 = 4;
    private static final int KIND_ECN = 0x80;
    private static final int UDP_BYTES = 8;
    private static final int MIN_TCP_BYTES = 20;

    /** Of one super-packet: what 65,535 bytes give with the smallest segments that Linux sends. */
    private static final int MAX_SEGMENTS = 2_048;

    private PacketCheck() {}

    /**
     * Checks a packet and writes the fields of its virtio header that the kernel must not take from
     * others.
     *
     * @param packet address of the virtio header.
     * @param lengthBytes of it and the frame.
     * @param mtuBytes of the device.
     * @return false if the packet must not reach the kernel.
     */
    static boolean accept(final long packet, final int lengthBytes, final int mtuBytes) {
        final long frame = packet + VirtioHeader.LENGTH;
        final int bytes = lengthBytes - VirtioHeader.LENGTH;
        if (bytes <= PacketHeaders.ETHERNET_BYTES) {
            return false;
        }
        final int type = PacketHeaders.type(frame);
        if (type != PacketHeaders.IPV4 && type != PacketHeaders.IPV6) {
            return false;
        }
        final int flags =
                Memory.getUnsignedByte(packet + VirtioHeader.FLAGS_OFFSET)
                        & VirtioHeader.NEEDS_CHECKSUM;
        // That a checksum was verified is nothing that another node can say.
        Memory.putByte(packet + VirtioHeader.FLAGS_OFFSET, flags);
        final int start = Memory.getUnsignedShort(packet + VirtioHeader.CHECKSUM_START_OFFSET);
        final int end = start + Memory.getUnsignedShort(packet + VirtioHeader.CHECKSUM_OFFSET) + 2;
        if (flags != 0 && (start < PacketHeaders.ETHERNET_BYTES + 20 || end > bytes)) {
            return false;
        }
        final int kind = Memory.getUnsignedByte(packet + VirtioHeader.KIND_OFFSET);
        if (kind == KIND_NONE) {
            Memory.putShort(packet + VirtioHeader.HEADERS_OFFSET, 0);
            Memory.putShort(packet + VirtioHeader.SEGMENT_OFFSET, 0);
            return bytes <= PacketHeaders.ETHERNET_BYTES + mtuBytes;
        }
        return flags != 0 && acceptSuperPacket(packet, frame, bytes, kind, start, mtuBytes);
    }

    private static boolean acceptSuperPacket(
            final long packet,
            final long frame,
            final int bytes,
            final int kind,
            final int start,
            final int mtuBytes) {
        final int protocol = protocol(frame, bytes, start);
        final int headerBytes =
                switch (kind & ~KIND_ECN) {
                    case KIND_TCP4, KIND_TCP6 -> tcpHeaders(frame, bytes, kind, start, protocol);
                    case VirtioHeader.KIND_UDP ->
                            protocol == PacketHeaders.UDP ? start + UDP_BYTES : 0;
                    default -> 0;
                };
        final int segment = Memory.getUnsignedShort(packet + VirtioHeader.SEGMENT_OFFSET);
        if (headerBytes == 0
                || headerBytes >= bytes
                || segment == 0
                || (bytes - headerBytes - 1) / segment >= MAX_SEGMENTS
                || headerBytes + segment > PacketHeaders.ETHERNET_BYTES + mtuBytes) {
            return false;
        }
        Memory.putShort(packet + VirtioHeader.HEADERS_OFFSET, headerBytes);
        return true;
    }

    private static int tcpHeaders(
            final long frame,
            final int bytes,
            final int kind,
            final int start,
            final int protocol) {
        final boolean isIpv4 = PacketHeaders.type(frame) == PacketHeaders.IPV4;
        if (protocol != PacketHeaders.TCP
                || isIpv4 != ((kind & ~KIND_ECN) == KIND_TCP4)
                || start + MIN_TCP_BYTES > bytes) {
            return 0;
        }
        final int tcpBytes = Memory.getUnsignedByte(frame + start + 12) >>> 4 << 2;
        return tcpBytes < MIN_TCP_BYTES ? 0 : start + tcpBytes;
    }

    /** The protocol whose header begins at {@code start}; 0 if that cannot be. */
    private static int protocol(final long frame, final int bytes, final int start) {
        final long ip = frame + PacketHeaders.ETHERNET_BYTES;
        if (PacketHeaders.type(frame) == PacketHeaders.IPV4) {
            final int headerBytes = (Memory.getUnsignedByte(ip) & 15) << 2;
            return start == PacketHeaders.ETHERNET_BYTES + headerBytes && start < bytes
                    ? Memory.getUnsignedByte(ip + 9)
                    : 0;
        }
        // The kernel itself does not make super-packets with extension headers.
        return start == PacketHeaders.ETHERNET_BYTES + 40 && start < bytes
                ? Memory.getUnsignedByte(ip + 6)
                : 0;
    }
}
