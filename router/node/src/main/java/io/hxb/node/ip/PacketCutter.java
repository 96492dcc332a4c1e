package io.hxb.node.ip;

import io.hxb.linux.Memory;
import io.hxb.tap.InternetChecksum;
import io.hxb.tap.PacketDevice;
import io.hxb.tap.VirtioHeader;

/**
 * Cuts a super-packet whose kind this machine's kernel does not take, as that of a peer with a
 * newer kernel may be: UDP before Linux 6.2. Stateless; any thread. Source: RFC 9293, 3.1 and
 * Linux, tcp_gso_segment and __udp_gso_segment, for the fields of each packet.
 */
final class PacketCutter {
    private static final int IPV4_LENGTH_OFFSET = 2;
    private static final int IPV4_ID_OFFSET = 4;
    private static final int IPV4_CHECKSUM_OFFSET = 10;
    private static final int IPV4_ADDRESSES_OFFSET = 12;
    private static final int IPV6_LENGTH_OFFSET = 4;
    private static final int IPV6_ADDRESSES_OFFSET = 8;

    private static final int UDP_LENGTH_OFFSET = 4;
    private static final int TCP_SEQUENCE_OFFSET = 4;
    private static final int TCP_FLAGS_OFFSET = 13;

    /** FIN and PSH: the last packet alone has them. */
    private static final int LAST_FLAGS = 0x09;

    /** CWR: the first packet alone has it. */
    private static final int FIRST_FLAGS = 0x80;

    private PacketCutter() {}

    /**
     * Writes the packets that a super-packet stands for. Each gets its headers where the payload of
     * the one before it was, so that nothing but headers is copied.
     *
     * @param packet address of the virtio header of one that {@link PacketCheck} has accepted;
     *     overwritten.
     * @param lengthBytes of it and the frame.
     * @return packets that the device took.
     */
    static int write(final PacketDevice device, final long packet, final int lengthBytes) {
        final int headerBytes = Memory.getUnsignedShort(packet + VirtioHeader.HEADERS_OFFSET);
        final int segmentBytes = Memory.getUnsignedShort(packet + VirtioHeader.SEGMENT_OFFSET);
        final int prefixBytes = VirtioHeader.LENGTH + headerBytes;
        final int payloadBytes = lengthBytes - prefixBytes;
        final boolean isTcp = VirtioHeader.kind(packet) != VirtioHeader.KIND_UDP;
        final long transport =
                packet
                        + VirtioHeader.LENGTH
                        + Memory.getUnsignedShort(packet + VirtioHeader.CHECKSUM_START_OFFSET);
        final int flags = isTcp ? Memory.getUnsignedByte(transport + TCP_FLAGS_OFFSET) : 0;
        Memory.putByte(packet + VirtioHeader.KIND_OFFSET, 0);
        Memory.putShort(packet + VirtioHeader.HEADERS_OFFSET, 0);
        Memory.putShort(packet + VirtioHeader.SEGMENT_OFFSET, 0);
        Memory.putShort(
                packet + VirtioHeader.CHECKSUM_OFFSET,
                isTcp ? VirtioHeader.TCP_CHECKSUM_OFFSET : VirtioHeader.UDP_CHECKSUM_OFFSET);
        int written = 0;
        long at = packet;
        for (int cut = 0; cut < payloadBytes; cut += segmentBytes) {
            final int bytes = Math.min(segmentBytes, payloadBytes - cut);
            if (cut > 0) {
                Memory.copy(at, at + segmentBytes, prefixBytes);
                at += segmentBytes;
                advance(at, isTcp ? segmentBytes : 0);
            }
            if (isTcp) {
                final int kept =
                        (cut > 0 ? ~FIRST_FLAGS : -1)
                                & (cut + bytes < payloadBytes ? ~LAST_FLAGS : -1);
                Memory.putByte(transport + TCP_FLAGS_OFFSET + cut, flags & kept);
            }
            complete(at, headerBytes + bytes, isTcp);
            if (device.write(at, prefixBytes + bytes) > 0) {
                written++;
            }
        }
        return written;
    }

    /** From the fields of one packet to those of the next; the sequence number of TCP moves on. */
    private static void advance(final long packet, final int sequenceBytes) {
        final long frame = packet + VirtioHeader.LENGTH;
        final long ip = frame + PacketHeaders.ETHERNET_BYTES;
        if (PacketHeaders.type(frame) == PacketHeaders.IPV4) {
            final int id = Memory.getUnsignedShortBigEndian(ip + IPV4_ID_OFFSET);
            Memory.putShortBigEndian(ip + IPV4_ID_OFFSET, id + 1);
        }
        if (sequenceBytes > 0) {
            final long sequence =
                    frame
                            + Memory.getUnsignedShort(packet + VirtioHeader.CHECKSUM_START_OFFSET)
                            + TCP_SEQUENCE_OFFSET;
            Memory.putIntBigEndian(sequence, Memory.getIntBigEndian(sequence) + sequenceBytes);
        }
    }

    /**
     * Writes lengths and checksums; that of TCP and UDP as the kernel wants it, to be completed.
     */
    private static void complete(final long packet, final int frameBytes, final boolean isTcp) {
        final long frame = packet + VirtioHeader.LENGTH;
        final long ip = frame + PacketHeaders.ETHERNET_BYTES;
        final int start = Memory.getUnsignedShort(packet + VirtioHeader.CHECKSUM_START_OFFSET);
        final int transportBytes = frameBytes - start;
        final boolean isIpv4 = PacketHeaders.type(frame) == PacketHeaders.IPV4;
        if (isIpv4) {
            Memory.putShortBigEndian(
                    ip + IPV4_LENGTH_OFFSET, frameBytes - PacketHeaders.ETHERNET_BYTES);
            Memory.putShortBigEndian(ip + IPV4_CHECKSUM_OFFSET, 0);
            final int ipBytes = start - PacketHeaders.ETHERNET_BYTES;
            Memory.putShortBigEndian(
                    ip + IPV4_CHECKSUM_OFFSET,
                    InternetChecksum.of(InternetChecksum.sum(ip, ipBytes)));
        } else {
            Memory.putShortBigEndian(
                    ip + IPV6_LENGTH_OFFSET,
                    frameBytes - PacketHeaders.ETHERNET_BYTES - PacketHeaders.IPV6_BYTES);
        }
        if (!isTcp) {
            Memory.putShortBigEndian(frame + start + UDP_LENGTH_OFFSET, transportBytes);
        }
        final int addresses =
                isIpv4
                        ? InternetChecksum.sum(ip + IPV4_ADDRESSES_OFFSET, 8)
                        : InternetChecksum.sum(ip + IPV6_ADDRESSES_OFFSET, 32);
        final int protocol = isTcp ? PacketHeaders.TCP : PacketHeaders.UDP;
        Memory.putShortBigEndian(
                frame + start + Memory.getUnsignedShort(packet + VirtioHeader.CHECKSUM_OFFSET),
                InternetChecksum.folded(addresses + protocol + transportBytes));
    }
}
