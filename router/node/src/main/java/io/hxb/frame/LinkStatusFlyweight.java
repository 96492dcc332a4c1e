package io.hxb.frame;

import io.hxb.linux.Memory;

/**
 * The body of a LINK_STATUS frame: what a node thinks of its links to one neighbour, and how many
 * frames it has sent there. Also the heartbeat of a link. Owned by the thread that wrapped it. The
 * header has the sender's coordinates and node incarnation, and the neighbour's as destination
 * incarnation.
 *
 * <pre>
 * offset length meaning (little-endian)
 *      0      1 bit 0: {@link #FLAG_ASK}; bits 1 to 7: longest time in units of 2 ms for which a loop
 *               of the sender has lately waited for its CPU, 127 for more
 *      1      1 dimension of the trunk
 *      2      1 number of the link it is sent over
 *      3      1 number of links in the trunk, n: 1 to {@link #LAYOUT_LINKS}
 *      4      4 beat: number of the heartbeat that the frame is, over this link, from any number; 0
 *               if it is none
 *      8      8 coordinates of the neighbour it is for
 *     16      4 sequence: grows with every change of what is reported of the links; from any number
 *               but 0
 *     20      4 acknowledgement: last sequence of the neighbour that was taken, 0 = none
 *     24      8 failed: bit i is set when the sender does not hear the neighbour over link i
 *     32    4 n frames sent to the neighbour over link i, all kinds, modulo 2^32
 *  32+4n      n weight of link i: share of the frames that arrive, 1 to {@value #MAX_WEIGHT}
 * </pre>
 */
public final class LinkStatusFlyweight {
    /** Bytes before the counts. */
    public static final int FIXED_LENGTH = 32;

    /**
     * Links that the layout has room for: one for each bit of {@code failed}. Trunks have fewer.
     */
    public static final int LAYOUT_LINKS = Long.SIZE;

    /** Weight of a link that loses nothing. */
    public static final int MAX_WEIGHT = 64;

    /** The neighbour is to answer on every link. */
    public static final int FLAG_ASK = 1;

    private static final long WAIT_UNIT_NS = 2_000_000;
    private static final int MAX_WAIT_UNITS = 127;
    private static final int DIMENSION_OFFSET = 1;
    private static final int LINK_NUMBER_OFFSET = 2;
    private static final int LINKS_OFFSET = 3;
    private static final int BEAT_OFFSET = 4;
    private static final int NEIGHBOUR_OFFSET = 8;
    private static final int SEQUENCE_OFFSET = 16;
    private static final int ACKNOWLEDGEMENT_OFFSET = 20;
    private static final int FAILED_OFFSET = 24;
    private static final int BYTES_A_LINK = Integer.BYTES + 1;

    private long address;

    /** Lays the flyweight over a body. */
    public LinkStatusFlyweight wrap(final long bodyAddress) {
        address = bodyAddress;
        return this;
    }

    /**
     * Prepares a body about {@code links} links: counts and flags 0, weights full.
     *
     * @param links 1 to {@link #LAYOUT_LINKS}.
     */
    public LinkStatusFlyweight clear(final int links) {
        for (int offset = 0; offset < FIXED_LENGTH + Integer.BYTES * links; offset += 4) {
            Memory.putInt(address + offset, 0);
        }
        Memory.putByte(address + LINKS_OFFSET, links);
        for (int link = 0; link < links; link++) {
            weight(link, MAX_WEIGHT);
        }
        return this;
    }

    /** True if a body of that length is complete and speaks of links that it has. */
    public static boolean isValid(final long bodyAddress, final int lengthBytes) {
        if (lengthBytes < FIXED_LENGTH) {
            return false;
        }
        final int links = Memory.getUnsignedByte(bodyAddress + LINKS_OFFSET);
        if (links < 1 || links > LAYOUT_LINKS || lengthBytes < length(links)) {
            return false;
        }
        final long failed = Memory.getLong(bodyAddress + FAILED_OFFSET);
        if (Memory.getUnsignedByte(bodyAddress + LINK_NUMBER_OFFSET) >= links
                || (links < LAYOUT_LINKS && failed >>> links != 0)) {
            return false;
        }
        for (int link = 0; link < links; link++) {
            final int weight = Memory.getUnsignedByte(weightAddress(bodyAddress, links, link));
            if (weight < 1 || weight > MAX_WEIGHT) {
                return false;
            }
        }
        return true;
    }

    /** Bytes of a body about {@code links} links. */
    public static int length(final int links) {
        return FIXED_LENGTH + BYTES_A_LINK * links;
    }

    /** Bytes of this body. */
    public int length() {
        return length(links());
    }

    /** True if the neighbour is to answer on every link. */
    public boolean isAsking() {
        return (Memory.getUnsignedByte(address) & FLAG_ASK) != 0;
    }

    /** Sets whether the neighbour is to answer on every link. */
    public LinkStatusFlyweight asking(final boolean isAsking) {
        final int others = Memory.getUnsignedByte(address) & ~FLAG_ASK;
        Memory.putByte(address, isAsking ? others | FLAG_ASK : others);
        return this;
    }

    /** Longest time in ns for which a loop of the sender has lately waited for its CPU. */
    public long waitedNs() {
        return (Memory.getUnsignedByte(address) >>> 1) * WAIT_UNIT_NS;
    }

    /** Sets that time, rounded down to 2 ms; more than 254 ms become 254. */
    public LinkStatusFlyweight waitedNs(final long value) {
        final int units = Math.clamp(value / WAIT_UNIT_NS, 0, MAX_WAIT_UNITS);
        Memory.putByte(address, (Memory.getUnsignedByte(address) & FLAG_ASK) | (units << 1));
        return this;
    }

    /** Dimension of the trunk, 0 to 255. */
    public int dimension() {
        return Memory.getUnsignedByte(address + DIMENSION_OFFSET);
    }

    /** Sets the dimension of the trunk. */
    public LinkStatusFlyweight dimension(final int value) {
        Memory.putByte(address + DIMENSION_OFFSET, value);
        return this;
    }

    /** Number of the link that it was sent over, below {@link #links()}. */
    public int linkNumber() {
        return Memory.getUnsignedByte(address + LINK_NUMBER_OFFSET);
    }

    /** Sets the number of the link that it is sent over. */
    public LinkStatusFlyweight linkNumber(final int value) {
        Memory.putByte(address + LINK_NUMBER_OFFSET, value);
        return this;
    }

    /** Number of links in the trunk. */
    public int links() {
        return Memory.getUnsignedByte(address + LINKS_OFFSET);
    }

    /** Status frames sent over this link before, counted from any number. */
    public int beat() {
        return Memory.getInt(address + BEAT_OFFSET);
    }

    /** Sets how many status frames were sent over this link before. */
    public LinkStatusFlyweight beat(final int value) {
        Memory.putInt(address + BEAT_OFFSET, value);
        return this;
    }

    /** Coordinates of the node it is for. */
    public long neighbour() {
        return Memory.getLong(address + NEIGHBOUR_OFFSET);
    }

    /** Sets the coordinates of the node it is for. */
    public LinkStatusFlyweight neighbour(final long value) {
        Memory.putLong(address + NEIGHBOUR_OFFSET, value);
        return this;
    }

    /** Sequence of what is reported of the links. */
    public int sequence() {
        return Memory.getInt(address + SEQUENCE_OFFSET);
    }

    /** Sets the sequence of what is reported of the links. */
    public LinkStatusFlyweight sequence(final int value) {
        Memory.putInt(address + SEQUENCE_OFFSET, value);
        return this;
    }

    /** Last sequence of the neighbour that was taken, 0 = none. */
    public int acknowledgement() {
        return Memory.getInt(address + ACKNOWLEDGEMENT_OFFSET);
    }

    /** Sets the last sequence of the neighbour that was taken. */
    public LinkStatusFlyweight acknowledgement(final int value) {
        Memory.putInt(address + ACKNOWLEDGEMENT_OFFSET, value);
        return this;
    }

    /** Bit i is set when the sender does not hear the neighbour over link i. */
    public long failed() {
        return Memory.getLong(address + FAILED_OFFSET);
    }

    /** Sets the links over which the sender does not hear the neighbour. */
    public LinkStatusFlyweight failed(final long value) {
        Memory.putLong(address + FAILED_OFFSET, value);
        return this;
    }

    /** Frames sent to the neighbour over a link, modulo 2^32. */
    public int sentFrames(final int link) {
        return Memory.getInt(address + FIXED_LENGTH + (long) Integer.BYTES * link);
    }

    /** Sets the frames sent to the neighbour over a link. */
    public LinkStatusFlyweight sentFrames(final int link, final int value) {
        Memory.putInt(address + FIXED_LENGTH + (long) Integer.BYTES * link, value);
        return this;
    }

    /** Weight of a link, 1 to {@link #MAX_WEIGHT}. */
    public int weight(final int link) {
        return Memory.getUnsignedByte(weightAddress(address, links(), link));
    }

    /** Sets the weight of a link. */
    public LinkStatusFlyweight weight(final int link, final int value) {
        Memory.putByte(weightAddress(address, links(), link), value);
        return this;
    }

    private static long weightAddress(final long bodyAddress, final int links, final int link) {
        return bodyAddress + FIXED_LENGTH + (long) Integer.BYTES * links + link;
    }
}
