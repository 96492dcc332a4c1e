package io.hxb.frame;

import io.hxb.linux.Memory;
import io.hxb.routing.Route;

/**
 * The header every HXB frame starts with, laid over native memory. Owned by the thread that wrapped
 * it. Over Ethernet it follows the Ethernet header, over UDP it is the datagram's start.
 *
 * <pre>
 * offset length meaning (all little-endian)
 *      0      1 version, {@value #VERSION}
 *      1      1 type, see {@link FrameType}
 *      2      1 flags
 *      3      1 hop limit: links it may still cross
 *      4      4 dimension order: 4 bits for each of 8 places, first place lowest; or, with bit 31,
 *               the lower part of a detour, see {@link Route}
 *      8      4 cluster id
 *     12      4 incarnation of the source (of its context; of its node in link-local frames)
 *     16      8 source coordinates, one byte a dimension, dimension 0 lowest
 *     24      8 destination coordinates; all ones = all that hear it (link-local)
 *     32      4 incarnation of the destination context, 0 = not known
 *     36      2 source context
 *     38      2 destination context
 *     40      4 sequence of this frame in its flow; in OPEN a number of 16 bits that
 *               nobody can guess; in ACCEPT a {@link TenantField}
 *     44      4 acknowledgement: next sequence wanted of the opposite flow; in OPEN a
 *               {@link TenantField}
 *     48      2 window: frames beyond the acknowledgement that the sender of this frame takes
 *     50      2 epoch of the flow; a flow that ended and starts again has the next; in ACCEPT the
 *               sequence of OPEN
 *     52      4 length of the body in bytes (bits 0 to 17) and messages in the body (bits 18 to 31)
 *     56      4 CRC-32C over the end-to-end part of header and body, 0 when FLAG_CRC is not set
 *     60      2 epoch of the opposite flow that the acknowledgement is about
 *     62      2 upper part of a detour, 0 when the order is one
 * </pre>
 *
 * In UNREACHABLE some fields mean something else, see {@link UnreachableFlyweight}. With {@link
 * #FLAG_SEALED} a trailer follows the body, see {@link SealFlyweight}. The end-to-end part is
 * everything but hop limit and route (offsets 4 and 62), which relays change. See {@code
 * ARCHITECTURE.md}, The way of a frame.
 */
public final class FrameHeaderFlyweight {
    /** Version of the layout. */
    public static final int VERSION = 5;

    /** Bytes of the header. */
    public static final int LENGTH = 64;

    /** Destination coordinates of a frame for all that hear it. */
    public static final long ANY_DESTINATION = -1L;

    /** The CRC field is set and must be valid. */
    public static final int FLAG_CRC = 1;

    /** Acknowledgement, window and opposite epoch are set. */
    public static final int FLAG_ACK = 2;

    /** The receiver should acknowledge without delay. */
    public static final int FLAG_ACK_NOW = 4;

    /**
     * The frame or request was sent before; in an ACK: the frame {@code sequence} arrived once
     * more.
     */
    public static final int FLAG_AGAIN = 8;

    /** A short frame of a flow that has few in flight: its latency matters, its memory does not. */
    public static final int FLAG_SPARSE = 16;

    /** A trailer follows the body: {@link SealFlyweight}. */
    public static final int FLAG_SEALED = 32;

    /** In an ACK: the receiver has few flows left, so this one should be closed if it is idle. */
    public static final int FLAG_CLOSE = 64;

    /** All flags that mean something. */
    public static final int FLAGS =
            FLAG_CRC
                    | FLAG_ACK
                    | FLAG_ACK_NOW
                    | FLAG_AGAIN
                    | FLAG_SPARSE
                    | FLAG_SEALED
                    | FLAG_CLOSE;

    /** Offsets of the fields in bytes. */
    public static final int VERSION_OFFSET = 0,
            TYPE_OFFSET = 1,
            FLAGS_OFFSET = 2,
            HOP_LIMIT_OFFSET = 3,
            ORDER_OFFSET = 4,
            CLUSTER_OFFSET = 8,
            SOURCE_INCARNATION_OFFSET = 12,
            SOURCE_OFFSET = 16,
            DESTINATION_OFFSET = 24,
            DESTINATION_INCARNATION_OFFSET = 32,
            SOURCE_CONTEXT_OFFSET = 36,
            DESTINATION_CONTEXT_OFFSET = 38,
            SEQUENCE_OFFSET = 40,
            ACKNOWLEDGEMENT_OFFSET = 44,
            WINDOW_OFFSET = 48,
            EPOCH_OFFSET = 50,
            BODY_OFFSET = 52,
            CRC_OFFSET = 56,
            ACKNOWLEDGED_EPOCH_OFFSET = 60,
            DETOUR_OFFSET = 62;

    /** Most bytes that a body can have, and the bits of its length in the word at BODY_OFFSET. */
    public static final int MAX_BODY_LENGTH = (1 << 18) - 1;

    /** Most messages that a body can have. */
    public static final int MAX_MESSAGE_COUNT = (1 << 14) - 1;

    private static final int MESSAGE_COUNT_SHIFT = 18;

    private long address;

    /**
     * Lays the flyweight over the header at {@code headerAddress}; nothing is checked or changed.
     */
    public FrameHeaderFlyweight wrap(final long headerAddress) {
        address = headerAddress;
        return this;
    }

    /** Address of the header. */
    public long address() {
        return address;
    }

    /** Address of the body. */
    public long bodyAddress() {
        return address + LENGTH;
    }

    /** True if the frame at {@code headerAddress} has a trailer. */
    public static boolean isSealed(final long headerAddress) {
        return (Memory.getUnsignedByte(headerAddress + FLAGS_OFFSET) & FLAG_SEALED) != 0;
    }

    /** True if the frame at {@code headerAddress} is a short one of a flow that is nearly idle. */
    public static boolean isSparse(final long headerAddress) {
        return (Memory.getUnsignedByte(headerAddress + FLAGS_OFFSET) & FLAG_SPARSE) != 0;
    }

    /** Bytes of header, body and trailer of the frame at {@code headerAddress}. */
    public static int frameLength(final long headerAddress) {
        return LENGTH
                + bodyLength(headerAddress)
                + (isSealed(headerAddress) ? SealFlyweight.LENGTH : 0);
    }

    /** Bytes of the body of the frame at {@code headerAddress}. */
    public static int bodyLength(final long headerAddress) {
        return Memory.getInt(headerAddress + BODY_OFFSET) & MAX_BODY_LENGTH;
    }

    /** Messages in the body of the frame at {@code headerAddress}. */
    public static int messageCount(final long headerAddress) {
        return Memory.getInt(headerAddress + BODY_OFFSET) >>> MESSAGE_COUNT_SHIFT;
    }

    /** Sets every byte of the header to 0 and then the version. */
    public FrameHeaderFlyweight clear() {
        for (int offset = 0; offset < LENGTH; offset += Long.BYTES) {
            Memory.putLong(address + offset, 0);
        }
        return version(VERSION);
    }

    /** True if all of {@code flag} is set. */
    public boolean hasFlag(final int flag) {
        return (flags() & flag) == flag;
    }

    /** The layout version. */
    public int version() {
        return Memory.getUnsignedByte(address + VERSION_OFFSET);
    }

    /** Sets the layout version. */
    public FrameHeaderFlyweight version(final int value) {
        Memory.putByte(address + VERSION_OFFSET, value);
        return this;
    }

    /** The type, see {@link FrameType}. */
    public int type() {
        return Memory.getUnsignedByte(address + TYPE_OFFSET);
    }

    /** Sets the type, see {@link FrameType}. */
    public FrameHeaderFlyweight type(final int value) {
        Memory.putByte(address + TYPE_OFFSET, value);
        return this;
    }

    /** The flags. */
    public int flags() {
        return Memory.getUnsignedByte(address + FLAGS_OFFSET);
    }

    /** Sets the flags. */
    public FrameHeaderFlyweight flags(final int value) {
        Memory.putByte(address + FLAGS_OFFSET, value);
        return this;
    }

    /** The links the frame may still cross, 0 to 255. */
    public int hopLimit() {
        return Memory.getUnsignedByte(address + HOP_LIMIT_OFFSET);
    }

    /** Sets the links the frame may still cross, 0 to 255. */
    public FrameHeaderFlyweight hopLimit(final int value) {
        Memory.putByte(address + HOP_LIMIT_OFFSET, value);
        return this;
    }

    /** The dimension order, 4 bits a place. */
    public int order() {
        return Memory.getInt(address + ORDER_OFFSET);
    }

    /** Sets the dimension order, 4 bits a place. */
    public FrameHeaderFlyweight order(final int value) {
        Memory.putInt(address + ORDER_OFFSET, value);
        return this;
    }

    /** The cluster id. */
    public int clusterId() {
        return Memory.getInt(address + CLUSTER_OFFSET);
    }

    /** Sets the cluster id. */
    public FrameHeaderFlyweight clusterId(final int value) {
        Memory.putInt(address + CLUSTER_OFFSET, value);
        return this;
    }

    /** The incarnation of the source. */
    public int sourceIncarnation() {
        return Memory.getInt(address + SOURCE_INCARNATION_OFFSET);
    }

    /** Sets the incarnation of the source. */
    public FrameHeaderFlyweight sourceIncarnation(final int value) {
        Memory.putInt(address + SOURCE_INCARNATION_OFFSET, value);
        return this;
    }

    /** The source coordinates. */
    public long source() {
        return Memory.getLong(address + SOURCE_OFFSET);
    }

    /** Sets the source coordinates. */
    public FrameHeaderFlyweight source(final long value) {
        Memory.putLong(address + SOURCE_OFFSET, value);
        return this;
    }

    /** The destination coordinates. */
    public long destination() {
        return Memory.getLong(address + DESTINATION_OFFSET);
    }

    /** Sets the destination coordinates. */
    public FrameHeaderFlyweight destination(final long value) {
        Memory.putLong(address + DESTINATION_OFFSET, value);
        return this;
    }

    /** The incarnation of the destination context, 0 = not known. */
    public int destinationIncarnation() {
        return Memory.getInt(address + DESTINATION_INCARNATION_OFFSET);
    }

    /** Sets the incarnation of the destination context, 0 = not known. */
    public FrameHeaderFlyweight destinationIncarnation(final int value) {
        Memory.putInt(address + DESTINATION_INCARNATION_OFFSET, value);
        return this;
    }

    /** The source context, 0 to 65,535. */
    public int sourceContext() {
        return Memory.getUnsignedShort(address + SOURCE_CONTEXT_OFFSET);
    }

    /** Sets the source context, 0 to 65,535. */
    public FrameHeaderFlyweight sourceContext(final int value) {
        Memory.putShort(address + SOURCE_CONTEXT_OFFSET, value);
        return this;
    }

    /** The destination context, 0 to 65,535. */
    public int destinationContext() {
        return Memory.getUnsignedShort(address + DESTINATION_CONTEXT_OFFSET);
    }

    /** Sets the destination context, 0 to 65,535. */
    public FrameHeaderFlyweight destinationContext(final int value) {
        Memory.putShort(address + DESTINATION_CONTEXT_OFFSET, value);
        return this;
    }

    /** The sequence in the flow. */
    public int sequence() {
        return Memory.getInt(address + SEQUENCE_OFFSET);
    }

    /** Sets the sequence in the flow. */
    public FrameHeaderFlyweight sequence(final int value) {
        Memory.putInt(address + SEQUENCE_OFFSET, value);
        return this;
    }

    /** The next sequence wanted of the opposite flow. */
    public int acknowledgement() {
        return Memory.getInt(address + ACKNOWLEDGEMENT_OFFSET);
    }

    /** Sets the next sequence wanted of the opposite flow. */
    public FrameHeaderFlyweight acknowledgement(final int value) {
        Memory.putInt(address + ACKNOWLEDGEMENT_OFFSET, value);
        return this;
    }

    /** The frames beyond the acknowledgement that are taken, 0 to 65,535. */
    public int windowFrames() {
        return Memory.getUnsignedShort(address + WINDOW_OFFSET);
    }

    /** Sets the frames beyond the acknowledgement that are taken, 0 to 65,535. */
    public FrameHeaderFlyweight windowFrames(final int value) {
        Memory.putShort(address + WINDOW_OFFSET, value);
        return this;
    }

    /** The epoch of the flow, 0 to 65,535. */
    public int epoch() {
        return Memory.getUnsignedShort(address + EPOCH_OFFSET);
    }

    /** Sets the epoch of the flow, 0 to 65,535. */
    public FrameHeaderFlyweight epoch(final int value) {
        Memory.putShort(address + EPOCH_OFFSET, value);
        return this;
    }

    /** The bytes of the body, 0 to {@link #MAX_BODY_LENGTH}. */
    public int bodyLength() {
        return bodyLength(address);
    }

    /** Sets the bytes of the body, 0 to {@link #MAX_BODY_LENGTH}. */
    public FrameHeaderFlyweight bodyLength(final int value) {
        return body(value, messageCount());
    }

    /** The messages in the body, 0 to {@link #MAX_MESSAGE_COUNT}. */
    public int messageCount() {
        return messageCount(address);
    }

    /** Sets the messages in the body, 0 to {@link #MAX_MESSAGE_COUNT}. */
    public FrameHeaderFlyweight messageCount(final int value) {
        return body(bodyLength(), value);
    }

    /** Sets the bytes of the body and the messages in it by one store. */
    public FrameHeaderFlyweight body(final int lengthBytes, final int messages) {
        Memory.putInt(
                address + BODY_OFFSET,
                messages << MESSAGE_COUNT_SHIFT | (lengthBytes & MAX_BODY_LENGTH));
        return this;
    }

    /** The CRC-32C, 0 when not set. */
    public int crc() {
        return Memory.getInt(address + CRC_OFFSET);
    }

    /** Sets the CRC-32C, 0 when not set. */
    public FrameHeaderFlyweight crc(final int value) {
        Memory.putInt(address + CRC_OFFSET, value);
        return this;
    }

    /** The epoch of the opposite flow that the acknowledgement is about. */
    public int acknowledgedEpoch() {
        return Memory.getUnsignedShort(address + ACKNOWLEDGED_EPOCH_OFFSET);
    }

    /** Sets the epoch of the opposite flow that the acknowledgement is about. */
    public FrameHeaderFlyweight acknowledgedEpoch(final int value) {
        Memory.putShort(address + ACKNOWLEDGED_EPOCH_OFFSET, value);
        return this;
    }

    /** The route: dimension order or detour, as {@link Route} has it. */
    public long route() {
        return routeAt(address);
    }

    /** The route of the header at {@code headerAddress}. */
    public static long routeAt(final long headerAddress) {
        return Route.of(
                Memory.getInt(headerAddress + ORDER_OFFSET),
                Memory.getUnsignedShort(headerAddress + DETOUR_OFFSET));
    }

    /** Sets the route: dimension order or detour, as {@link Route} has it. */
    public FrameHeaderFlyweight route(final long value) {
        Memory.putInt(address + ORDER_OFFSET, Route.order(value));
        Memory.putShort(address + DETOUR_OFFSET, Route.rest(value));
        return this;
    }
}
