package io.hxb.frame;

import io.hxb.linux.Memory;

import java.nio.charset.StandardCharsets;

/**
 * The body of a HELLO frame, which announces a node to its segment. Owned by the thread that
 * wrapped it. The sender's coordinates and node incarnation are in the header.
 *
 * <pre>
 * offset length meaning (little-endian)
 *      0      2 protocol version, {@value FrameHeaderFlyweight#VERSION}
 *      2      1 dimension of the sender's port
 *      3      1 link number of the sender's port
 *      4      4 fingerprint of the cluster file
 *      8      4 node id
 *     12      4 incarnation of the node
 *     16      8 shape: extent - 1 of each dimension, one byte each; unused ones 0
 *     24      1 number of dimensions
 *     25      1 length of the name
 *     26      2 reserved, 0
 *     28      4 MTU of the port: largest header + body in bytes
 *     32      8 coordinates of the neighbour it is for; all ones = everybody
 *     40      4 id of the sender's first key, 0 = none
 *     44      4 id of its second key, 0 = none
 *     48        host name, UTF-8, up to {@value #MAX_NAME_LENGTH} bytes
 * </pre>
 */
public final class HelloFlyweight {
    /** Bytes before the name. */
    public static final int FIXED_LENGTH = 48;

    /** Maximum length of the name in bytes. */
    public static final int MAX_NAME_LENGTH = 64;

    private static final int DIMENSION_OFFSET = 2;
    private static final int LINK_NUMBER_OFFSET = 3;
    private static final int FINGERPRINT_OFFSET = 4;
    private static final int NODE_OFFSET = 8;
    private static final int INCARNATION_OFFSET = 12;
    private static final int SHAPE_OFFSET = 16;
    private static final int DIMENSIONS_OFFSET = 24;
    private static final int NAME_LENGTH_OFFSET = 25;
    private static final int MTU_OFFSET = 28;
    private static final int RECEIVER_OFFSET = 32;
    private static final int KEY_OFFSET = 40;
    private static final int OTHER_KEY_OFFSET = 44;

    private long address;

    /** Lays the flyweight over a body. */
    public HelloFlyweight wrap(final long bodyAddress) {
        address = bodyAddress;
        return this;
    }

    /** Sets all bytes before the name to 0, then the version, and everybody as the receiver. */
    public HelloFlyweight clear() {
        for (int offset = 0; offset < FIXED_LENGTH; offset += Long.BYTES) {
            Memory.putLong(address + offset, 0);
        }
        return protocolVersion(FrameHeaderFlyweight.VERSION)
                .receiver(FrameHeaderFlyweight.ANY_DESTINATION);
    }

    /** True if a body of that length is complete, with its name; values are not judged. */
    public static boolean isValid(final long bodyAddress, final int lengthBytes) {
        if (lengthBytes < FIXED_LENGTH) {
            return false;
        }
        final int nameLength = Memory.getUnsignedByte(bodyAddress + NAME_LENGTH_OFFSET);
        return nameLength <= MAX_NAME_LENGTH && FIXED_LENGTH + nameLength <= lengthBytes;
    }

    /** Bytes of this body, the name included. */
    public int length() {
        return FIXED_LENGTH + Memory.getUnsignedByte(address + NAME_LENGTH_OFFSET);
    }

    /** Version that the sender speaks. */
    public int protocolVersion() {
        return Memory.getUnsignedShort(address);
    }

    /** Sets the version that the sender speaks. */
    public HelloFlyweight protocolVersion(final int value) {
        Memory.putShort(address, value);
        return this;
    }

    /** Dimension of the sender's port, 0 to 255. */
    public int dimension() {
        return Memory.getUnsignedByte(address + DIMENSION_OFFSET);
    }

    /** Sets the dimension of the sender's port. */
    public HelloFlyweight dimension(final int value) {
        Memory.putByte(address + DIMENSION_OFFSET, value);
        return this;
    }

    /** Number of the sender's port in its trunk, 0 to 255. */
    public int linkNumber() {
        return Memory.getUnsignedByte(address + LINK_NUMBER_OFFSET);
    }

    /** Sets the number of the sender's port in its trunk. */
    public HelloFlyweight linkNumber(final int value) {
        Memory.putByte(address + LINK_NUMBER_OFFSET, value);
        return this;
    }

    /** Fingerprint of the sender's cluster file. */
    public int fingerprint() {
        return Memory.getInt(address + FINGERPRINT_OFFSET);
    }

    /** Sets the fingerprint of the sender's cluster file. */
    public HelloFlyweight fingerprint(final int value) {
        Memory.putInt(address + FINGERPRINT_OFFSET, value);
        return this;
    }

    /** Node id of the sender. */
    public int node() {
        return Memory.getInt(address + NODE_OFFSET);
    }

    /** Sets the node id of the sender. */
    public HelloFlyweight node(final int value) {
        Memory.putInt(address + NODE_OFFSET, value);
        return this;
    }

    /** Incarnation of the sender's node. */
    public int incarnation() {
        return Memory.getInt(address + INCARNATION_OFFSET);
    }

    /** Sets the incarnation of the sender's node. */
    public HelloFlyweight incarnation(final int value) {
        Memory.putInt(address + INCARNATION_OFFSET, value);
        return this;
    }

    /** Extent - 1 of each dimension, one byte each, dimension 0 lowest. */
    public long shape() {
        return Memory.getLong(address + SHAPE_OFFSET);
    }

    /** Sets the extent - 1 of each dimension. */
    public HelloFlyweight shape(final long value) {
        Memory.putLong(address + SHAPE_OFFSET, value);
        return this;
    }

    /** Number of dimensions. */
    public int dimensions() {
        return Memory.getUnsignedByte(address + DIMENSIONS_OFFSET);
    }

    /** Sets the number of dimensions. */
    public HelloFlyweight dimensions(final int value) {
        Memory.putByte(address + DIMENSIONS_OFFSET, value);
        return this;
    }

    /** MTU of the sender's port in bytes of header and body. */
    public int mtuBytes() {
        return Memory.getInt(address + MTU_OFFSET);
    }

    /** Sets the MTU of the sender's port in bytes of header and body. */
    public HelloFlyweight mtuBytes(final int value) {
        Memory.putInt(address + MTU_OFFSET, value);
        return this;
    }

    /** Coordinates of the neighbour it is for; all ones = everybody. */
    public long receiver() {
        return receiverAt(address);
    }

    /** The same for the body at an address. */
    public static long receiverAt(final long bodyAddress) {
        return Memory.getLong(bodyAddress + RECEIVER_OFFSET);
    }

    /** Sets the coordinates of the neighbour it is for; all ones = everybody. */
    public HelloFlyweight receiver(final long value) {
        Memory.putLong(address + RECEIVER_OFFSET, value);
        return this;
    }

    /** Id of the sender's first key, 0 = none. */
    public int keyId() {
        return Memory.getInt(address + KEY_OFFSET);
    }

    /** Id of the sender's second key, 0 = none. */
    public int otherKeyId() {
        return Memory.getInt(address + OTHER_KEY_OFFSET);
    }

    /** Sets the ids of the sender's keys, 0 = none. */
    public HelloFlyweight keyIds(final int first, final int second) {
        Memory.putInt(address + KEY_OFFSET, first);
        Memory.putInt(address + OTHER_KEY_OFFSET, second);
        return this;
    }

    /** Host name of the sender. Allocates. */
    public String name() {
        final byte[] bytes = new byte[Memory.getUnsignedByte(address + NAME_LENGTH_OFFSET)];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = Memory.getByte(address + FIXED_LENGTH + i);
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Sets the host name of the sender, cut to {@link #MAX_NAME_LENGTH} bytes. */
    public HelloFlyweight name(final String value) {
        final byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
        final int length = Math.min(bytes.length, MAX_NAME_LENGTH);
        for (int i = 0; i < length; i++) {
            Memory.putByte(address + FIXED_LENGTH + i, bytes[i]);
        }
        Memory.putByte(address + NAME_LENGTH_OFFSET, length);
        return this;
    }
}
