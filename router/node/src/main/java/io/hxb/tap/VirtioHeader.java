package io.hxb.tap;

import io.hxb.linux.Memory;

/**
 * What a TAP device and a packet socket report of the frame that follows: whether its checksum is
 * still to be made, and whether it is a super-packet that is cut later. Stateless.
 *
 * <pre>
 * offset length meaning (native order)
 *      0      1 flags: 1 the checksum is to be made, 2 it was checked
 *      1      1 kind of super-packet: 0 none, 1 TCP over IPv4, 4 TCP over IPv6, 5 UDP; 0x80: ECN
 *      2      2 bytes of headers, as a hint
 *      4      2 bytes of payload of each frame that the super-packet is cut into
 *      6      2 where the checksum begins, from the start of the frame
 *      8      2 where the checksum is written, from there
 * </pre>
 *
 * Source: linux/virtio_net.h, struct virtio_net_hdr.
 */
public final class VirtioHeader {
    /** Bytes of the header. */
    public static final int LENGTH = 10;

    /** Bytes of the Ethernet header of a frame without a tag. */
    public static final int ETHERNET_LENGTH = 14;

    /** Bytes of an 802.1Q tag. */
    public static final int TAG_LENGTH = 4;

    /** Kind of a super-packet of UDP, over IPv4 or IPv6. */
    public static final int KIND_UDP = 5;

    /** Offset of the flags, one byte. */
    public static final int FLAGS_OFFSET = 0;

    /** Offset of the kind of super-packet, one byte. */
    public static final int KIND_OFFSET = 1;

    /** Offset of the bytes of headers. */
    public static final int HEADERS_OFFSET = 2;

    /** Offset of the bytes of payload of each frame. */
    public static final int SEGMENT_OFFSET = 4;

    /** Offset of where the checksum begins. */
    public static final int CHECKSUM_START_OFFSET = 6;

    /** Offset of where the checksum is written. */
    public static final int CHECKSUM_OFFSET = 8;

    /** Flag: the checksum is to be made. */
    public static final int NEEDS_CHECKSUM = 1;

    /** Where the checksum of UDP is, from the start of its header. */
    public static final int UDP_CHECKSUM_OFFSET = 6;

    /** Where the checksum of TCP is, likewise. */
    public static final int TCP_CHECKSUM_OFFSET = 16;

    private static final int KIND_NONE = 0;
    private static final int KIND_TCP = 1;
    private static final int KIND_MASK = 0x7F;
    private static final int TCP_DATA_OFFSET = 12;
    private static final int UDP_HEADER_LENGTH = 8;

    private static final int TCP_HEADER_LENGTH = 20;

    private VirtioHeader() {}

    /** Marks the frame as complete. */
    public static void clear(final long header) {
        Memory.putLong(header, 0);
        Memory.putShort(header + CHECKSUM_OFFSET, 0);
    }

    /**
     * Marks the frame as UDP over IPv4 whose checksum is to be computed.
     *
     * @param headerBytes bytes of its headers, Ethernet header included.
     * @param segmentBytes bytes of payload of each frame that it is to be cut into; 0 to leave it
     *     as it is.
     */
    public static void writeUdp(final long header, final int headerBytes, final int segmentBytes) {
        Memory.putByte(header + FLAGS_OFFSET, NEEDS_CHECKSUM);
        Memory.putByte(header + KIND_OFFSET, segmentBytes == 0 ? KIND_NONE : KIND_UDP);
        Memory.putShort(header + HEADERS_OFFSET, headerBytes);
        Memory.putShort(header + SEGMENT_OFFSET, segmentBytes);
        Memory.putShort(header + CHECKSUM_START_OFFSET, headerBytes - UDP_HEADER_LENGTH);
        Memory.putShort(header + CHECKSUM_OFFSET, UDP_CHECKSUM_OFFSET);
    }

    /**
     * Marks the frame as TCP over IPv4 without options, whose checksum is to be computed.
     *
     * @param headerBytes bytes of its headers, Ethernet header included.
     * @param segmentBytes bytes of payload of each frame that it is to be cut into; 0 to leave it
     *     as it is.
     */
    public static void writeTcp(final long header, final int headerBytes, final int segmentBytes) {
        Memory.putByte(header + FLAGS_OFFSET, NEEDS_CHECKSUM);
        Memory.putByte(header + KIND_OFFSET, segmentBytes == 0 ? KIND_NONE : KIND_TCP);
        Memory.putShort(header + HEADERS_OFFSET, headerBytes);
        Memory.putShort(header + SEGMENT_OFFSET, segmentBytes);
        Memory.putShort(header + CHECKSUM_START_OFFSET, headerBytes - TCP_HEADER_LENGTH);
        Memory.putShort(header + CHECKSUM_OFFSET, TCP_CHECKSUM_OFFSET);
    }

    /** Kind of super-packet, without the bit for ECN; 0 if it is none. */
    public static int kind(final long header) {
        return Memory.getUnsignedByte(header + KIND_OFFSET) & KIND_MASK;
    }

    /** Bytes of payload of each frame of a super-packet as it was received; 0 if it is not one. */
    public static int segmentBytes(final long header) {
        return kind(header) == KIND_NONE ? 0 : Memory.getUnsignedShort(header + SEGMENT_OFFSET);
    }

    /** Adapts the mark to a tag that is inserted after the addresses. */
    public static void insertTag(final long header) {
        if ((Memory.getUnsignedByte(header + FLAGS_OFFSET) & NEEDS_CHECKSUM) != 0) {
            add(header + CHECKSUM_START_OFFSET);
        }
        if (Memory.getUnsignedShort(header + HEADERS_OFFSET) != 0) {
            add(header + HEADERS_OFFSET);
        }
    }

    private static void add(final long field) {
        Memory.putShort(field, Memory.getUnsignedShort(field) + TAG_LENGTH);
    }

    /**
     * Bytes of headers of each frame that a super-packet is cut into, Ethernet header included; 0
     * if it is not one.
     *
     * @param frame its frame, of which {@code lengthBytes} are there.
     */
    public static int headerBytes(final long header, final long frame, final int lengthBytes) {
        final int kind = kind(header);
        if (kind == KIND_NONE || Memory.getUnsignedShort(header + SEGMENT_OFFSET) == 0) {
            return 0;
        }
        final int transport = Memory.getUnsignedShort(header + CHECKSUM_START_OFFSET);
        if ((Memory.getUnsignedByte(header + FLAGS_OFFSET) & NEEDS_CHECKSUM) == 0
                || transport + TCP_DATA_OFFSET >= lengthBytes) {
            return Math.min(Memory.getUnsignedShort(header + HEADERS_OFFSET), lengthBytes);
        }
        return transport
                + (kind == KIND_UDP
                        ? UDP_HEADER_LENGTH
                        : Memory.getUnsignedByte(frame + transport + TCP_DATA_OFFSET) >>> 4 << 2);
    }

    /**
     * The frames that are cut of what follows: 1 unless it is a super-packet.
     *
     * @param headerBytes as {@link #headerBytes} describes.
     * @param lengthBytes bytes of the frame before it is cut.
     */
    public static int frames(final long header, final int headerBytes, final int lengthBytes) {
        if (headerBytes == 0 || lengthBytes <= headerBytes) {
            return 1;
        }
        final int segment = Memory.getUnsignedShort(header + SEGMENT_OFFSET);
        return (lengthBytes - headerBytes + segment - 1) / segment;
    }
}
