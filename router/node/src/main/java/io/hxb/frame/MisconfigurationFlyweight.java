package io.hxb.frame;

import io.hxb.linux.Memory;

/**
 * The body of a MISCONFIGURATION frame: what its sender found wrong with a hello of the node it is
 * sent to. Owned by the thread that wrapped it.
 *
 * <pre>
 * offset length meaning (little-endian)
 *      0      1 kind, see the constants
 *      1      1 dimension of the reporting node's port
 *      2      1 link number of the reporting node's port
 *      3      1 dimension of the port reported, as in its hello
 *      4      1 link number of the port reported
 *      5      3 reserved, 0
 *      8      8 coordinates of the reporting node
 *     16      8 coordinates reported
 *     24      4 the reporting node's value: MTU, version, fingerprint or cluster id
 *     28      4 the value reported
 * </pre>
 */
public final class MisconfigurationFlyweight {
    /** Bytes of the body. */
    public static final int LENGTH = 32;

    /** Another node has the same coordinates. */
    public static final int DUPLICATE_COORDINATE = 1;

    /** The two nodes are not on the same line: more than one coordinate differs. */
    public static final int WRONG_LINE = 2;

    /** The two ports belong to different dimensions. */
    public static final int WRONG_DIMENSION = 3;

    /** The two ports have different numbers in their trunks. */
    public static final int WRONG_LINK_NUMBER = 4;

    /** The two nodes belong to different clusters. */
    public static final int OTHER_CLUSTER = 5;

    /** The two nodes have different cluster files. */
    public static final int OTHER_FINGERPRINT = 6;

    /** The two nodes speak different versions. */
    public static final int OTHER_VERSION = 7;

    /** The two ports have different MTUs. */
    public static final int MTU_DIFFERS = 8;

    /** The two nodes have no key in common. */
    public static final int OTHER_KEY = 9;

    /** A NIC of another node has the MAC address of ours; no node reports it to another. */
    public static final int DUPLICATE_ADDRESS = 10;

    /** Number of kinds: they are 1 to {@value}. */
    public static final int KIND_COUNT = 10;

    private static final int DIMENSION_OFFSET = 1;
    private static final int LINK_NUMBER_OFFSET = 2;
    private static final int OTHER_DIMENSION_OFFSET = 3;
    private static final int OTHER_LINK_NUMBER_OFFSET = 4;
    private static final int COORDINATES_OFFSET = 8;
    private static final int OTHER_COORDINATES_OFFSET = 16;
    private static final int VALUE_OFFSET = 24;
    private static final int OTHER_VALUE_OFFSET = 28;

    private static final String[] NAMES = {
        "",
        "DUPLICATE_COORDINATE",
        "WRONG_LINE",
        "WRONG_DIMENSION",
        "WRONG_LINK_NUMBER",
        "OTHER_CLUSTER",
        "OTHER_FINGERPRINT",
        "OTHER_VERSION",
        "MTU_DIFFERS",
        "OTHER_KEY",
        "DUPLICATE_ADDRESS"
    };

    private long address;

    /** Lays the flyweight over a body of {@link #LENGTH} bytes. */
    public MisconfigurationFlyweight wrap(final long bodyAddress) {
        address = bodyAddress;
        return this;
    }

    /** Sets all bytes of the body to 0. */
    public MisconfigurationFlyweight clear() {
        for (int offset = 0; offset < LENGTH; offset += Long.BYTES) {
            Memory.putLong(address + offset, 0);
        }
        return this;
    }

    /** True if a body of that length is complete and its kind is known. */
    public static boolean isValid(final long bodyAddress, final int lengthBytes) {
        return lengthBytes >= LENGTH
                && Memory.getUnsignedByte(bodyAddress) >= DUPLICATE_COORDINATE
                && Memory.getUnsignedByte(bodyAddress) <= KIND_COUNT;
    }

    /** Name of a kind, 1 to {@link #KIND_COUNT}, as its constant is called. */
    public static String name(final int kind) {
        return NAMES[kind];
    }

    /** What is wrong. */
    public int kind() {
        return Memory.getUnsignedByte(address);
    }

    /** Sets what is wrong. */
    public MisconfigurationFlyweight kind(final int value) {
        Memory.putByte(address, value);
        return this;
    }

    /** Dimension of the reporting port. */
    public int dimension() {
        return Memory.getUnsignedByte(address + DIMENSION_OFFSET);
    }

    /** Sets the dimension of the reporting port, 0 to 7. */
    public MisconfigurationFlyweight dimension(final int value) {
        Memory.putByte(address + DIMENSION_OFFSET, value);
        return this;
    }

    /** Number of the reporting port in its trunk. */
    public int linkNumber() {
        return Memory.getUnsignedByte(address + LINK_NUMBER_OFFSET);
    }

    /** Sets the number of the reporting port in its trunk, 0 to 7. */
    public MisconfigurationFlyweight linkNumber(final int value) {
        Memory.putByte(address + LINK_NUMBER_OFFSET, value);
        return this;
    }

    /** Dimension of the port reported. */
    public int otherDimension() {
        return Memory.getUnsignedByte(address + OTHER_DIMENSION_OFFSET);
    }

    /** Sets the dimension of the port reported. */
    public MisconfigurationFlyweight otherDimension(final int value) {
        Memory.putByte(address + OTHER_DIMENSION_OFFSET, value);
        return this;
    }

    /** Number of the port reported in its trunk. */
    public int otherLinkNumber() {
        return Memory.getUnsignedByte(address + OTHER_LINK_NUMBER_OFFSET);
    }

    /** Sets the number of the port reported in its trunk. */
    public MisconfigurationFlyweight otherLinkNumber(final int value) {
        Memory.putByte(address + OTHER_LINK_NUMBER_OFFSET, value);
        return this;
    }

    /** Coordinates of the reporting node. */
    public long coordinates() {
        return Memory.getLong(address + COORDINATES_OFFSET);
    }

    /** Sets the coordinates of the reporting node. */
    public MisconfigurationFlyweight coordinates(final long value) {
        Memory.putLong(address + COORDINATES_OFFSET, value);
        return this;
    }

    /** Coordinates reported. */
    public long otherCoordinates() {
        return Memory.getLong(address + OTHER_COORDINATES_OFFSET);
    }

    /** Sets the coordinates reported. */
    public MisconfigurationFlyweight otherCoordinates(final long value) {
        Memory.putLong(address + OTHER_COORDINATES_OFFSET, value);
        return this;
    }

    /** The reporting node's MTU, version, fingerprint or cluster id, by kind. */
    public int value() {
        return Memory.getInt(address + VALUE_OFFSET);
    }

    /** Sets the reporting node's MTU, version, fingerprint or cluster id. */
    public MisconfigurationFlyweight value(final int value) {
        Memory.putInt(address + VALUE_OFFSET, value);
        return this;
    }

    /** The MTU, version, fingerprint or cluster id reported. */
    public int otherValue() {
        return Memory.getInt(address + OTHER_VALUE_OFFSET);
    }

    /** Sets the MTU, version, fingerprint or cluster id reported. */
    public MisconfigurationFlyweight otherValue(final int value) {
        Memory.putInt(address + OTHER_VALUE_OFFSET, value);
        return this;
    }
}
