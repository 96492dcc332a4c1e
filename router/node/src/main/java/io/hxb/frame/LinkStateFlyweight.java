package io.hxb.frame;

import io.hxb.linux.Memory;

import java.nio.charset.StandardCharsets;

/**
 * One entry of a LINK_STATE frame: a record, which tells the neighbours of a node, or the
 * acknowledgement of one. Entries follow one another from the beginning of the body; each is a
 * multiple of four bytes. Owned by the thread that wrapped it.
 *
 * <pre>
 * offset length meaning (little-endian)
 *      0      2 bytes of this entry
 *      2      1 1 = record, 2 = acknowledgement
 *      3      1 node number, 0 to 254
 *      4      8 identity of the node, the same after each start
 *     12      4 generation of the record: larger after each start, usually
 *     16      4 number of the record in its generation
 *     20      4 incarnation of the node, another one after each start
 *     24        an acknowledgement ends here; with identity -1 and otherwise 0, no record is known
 *     24      4 age of the record in ms, 0 to 100,000
 *     28      1 flags: 1 = the node has stopped in order
 *     29      1 number of adjacencies, 0 to 64
 *     30      1 bytes of the host name, 0 to 32
 *     31      1 0
 *     32        adjacencies, 8 bytes each, with growing node numbers
 *                 0 1 node number of the neighbour, 0 to 254, another one than the node's own
 *                 1 1 number of good links to it, 1 or more; 255 = or more
 *                 2 2 smallest MTU of these links, bytes; 65,535 = or more
 *                 4 4 what they carry together, Mbit/s, unsigned
 *               host name, UTF-8, and up to three bytes 0
 * </pre>
 */
public final class LinkStateFlyweight {
    /** Kind of an entry that tells the neighbours of a node. */
    public static final int RECORD = 1;

    /** Kind of an entry that acknowledges a record. */
    public static final int ACKNOWLEDGEMENT = 2;

    /** Bytes of an acknowledgement. */
    public static final int ACKNOWLEDGEMENT_BYTES = 24;

    /** Bytes of a record before its adjacencies. */
    public static final int FIXED_BYTES = 32;

    /** Bytes of an adjacency. */
    public static final int ADJACENCY_BYTES = 8;

    /** Adjacencies of a record. */
    public static final int MAX_ADJACENCIES = 64;

    /** Bytes of a host name. */
    public static final int MAX_NAME_BYTES = 32;

    /** Bytes of the longest record. */
    public static final int MAX_BYTES =
            FIXED_BYTES + MAX_ADJACENCIES * ADJACENCY_BYTES + MAX_NAME_BYTES;

    /** Largest node number. */
    public static final int MAX_NODE = 254;

    /** Greatest age, ms; a record that is as old is forgotten. */
    public static final int MAX_AGE_MS = 100_000;

    private static final int KIND_OFFSET = 2;
    private static final int NODE_OFFSET = 3;
    private static final int IDENTITY_OFFSET = 4;
    private static final int GENERATION_OFFSET = 12;
    private static final int SEQUENCE_OFFSET = 16;
    private static final int INCARNATION_OFFSET = 20;
    private static final int AGE_OFFSET = 24;
    private static final int FLAGS_OFFSET = 28;
    private static final int ADJACENCIES_OFFSET = 29;
    private static final int NAME_LENGTH_OFFSET = 30;
    private static final int RESERVED_OFFSET = 31;

    private static final int LINKS_OFFSET = 1;
    private static final int MTU_OFFSET = 2;
    private static final int CAPACITY_OFFSET = 4;
    private static final int MAX_LINKS = 0xFF;
    private static final int MAX_MTU = 0xFFFF;
    private static final long MAX_CAPACITY = 0xFFFF_FFFFL;
    private static final int UNIT = 4;

    private long address;

    /** Lays the flyweight over an entry. */
    public LinkStateFlyweight wrap(final long entryAddress) {
        address = entryAddress;
        return this;
    }

    /** Bytes of a record with that many adjacencies, and a host name of so many bytes. */
    public static int length(final int adjacencies, final int nameBytes) {
        return FIXED_BYTES + adjacencies * ADJACENCY_BYTES + padded(nameBytes);
    }

    private static int padded(final int nameBytes) {
        return (nameBytes + UNIT - 1) & -UNIT;
    }

    /** True if a body of that length is a row of valid entries; who they are of is not judged. */
    public static boolean isValid(final long bodyAddress, final int lengthBytes) {
        int offset = 0;
        while (offset < lengthBytes) {
            final int entry = validBytes(bodyAddress + offset, lengthBytes - offset);
            if (entry == 0) {
                return false;
            }
            offset += entry;
        }
        return lengthBytes > 0;
    }

    // Bytes of a valid entry of at most that many; 0 if it is not valid.
    private static int validBytes(final long entry, final int rest) {
        if (rest < ACKNOWLEDGEMENT_BYTES) {
            return 0;
        }
        final int length = Memory.getUnsignedShort(entry);
        final int kind = Memory.getUnsignedByte(entry + KIND_OFFSET);
        if (length > rest || Memory.getUnsignedByte(entry + NODE_OFFSET) > MAX_NODE) {
            return 0;
        }
        if (kind == ACKNOWLEDGEMENT) {
            return length == ACKNOWLEDGEMENT_BYTES ? length : 0;
        }
        return kind == RECORD && length >= FIXED_BYTES && isRecordValid(entry, length) ? length : 0;
    }

    private static boolean isRecordValid(final long record, final int length) {
        final int age = Memory.getInt(record + AGE_OFFSET);
        final int adjacencies = Memory.getUnsignedByte(record + ADJACENCIES_OFFSET);
        final int name = Memory.getUnsignedByte(record + NAME_LENGTH_OFFSET);
        return age >= 0
                && age <= MAX_AGE_MS
                && Memory.getUnsignedByte(record + FLAGS_OFFSET) <= 1
                && adjacencies <= MAX_ADJACENCIES
                && name <= MAX_NAME_BYTES
                && Memory.getUnsignedByte(record + RESERVED_OFFSET) == 0
                && length == length(adjacencies, name)
                && arePartsValid(record, adjacencies, name);
    }

    private static boolean arePartsValid(
            final long record, final int adjacencies, final int nameBytes) {
        final int node = Memory.getUnsignedByte(record + NODE_OFFSET);
        long at = record + FIXED_BYTES;
        int last = -1;
        for (int i = 0; i < adjacencies; i++, at += ADJACENCY_BYTES) {
            final int neighbour = Memory.getUnsignedByte(at);
            if (neighbour <= last
                    || neighbour > MAX_NODE
                    || neighbour == node
                    || Memory.getUnsignedByte(at + LINKS_OFFSET) == 0) {
                return false;
            }
            last = neighbour;
        }
        for (int i = nameBytes; i < padded(nameBytes); i++) {
            if (Memory.getUnsignedByte(at + i) != 0) {
                return false;
            }
        }
        return true;
    }

    /** Bytes of this entry. */
    public int length() {
        return Memory.getUnsignedShort(address);
    }

    /** {@link #RECORD} or {@link #ACKNOWLEDGEMENT}. */
    public int kind() {
        return Memory.getUnsignedByte(address + KIND_OFFSET);
    }

    /** Number of the node that it is about, 0 to {@link #MAX_NODE}. */
    public int node() {
        return Memory.getUnsignedByte(address + NODE_OFFSET);
    }

    /** Identity of the node. */
    public long identity() {
        return Memory.getLong(address + IDENTITY_OFFSET);
    }

    /** Generation of the record. */
    public int generation() {
        return Memory.getInt(address + GENERATION_OFFSET);
    }

    /** Number of the record in its generation. */
    public int sequence() {
        return Memory.getInt(address + SEQUENCE_OFFSET);
    }

    /** Incarnation of the node. */
    public int incarnation() {
        return Memory.getInt(address + INCARNATION_OFFSET);
    }

    /** Sets which record of which node it is or acknowledges. */
    public LinkStateFlyweight origin(
            final int node,
            final long identity,
            final int generation,
            final int sequence,
            final int incarnation) {
        Memory.putByte(address + NODE_OFFSET, node);
        Memory.putLong(address + IDENTITY_OFFSET, identity);
        Memory.putInt(address + GENERATION_OFFSET, generation);
        Memory.putInt(address + SEQUENCE_OFFSET, sequence);
        Memory.putInt(address + INCARNATION_OFFSET, incarnation);
        return this;
    }

    /** Sets that it is or acknowledges the same record as another entry. */
    public LinkStateFlyweight sameOrigin(final LinkStateFlyweight other) {
        return origin(
                other.node(),
                other.identity(),
                other.generation(),
                other.sequence(),
                other.incarnation());
    }

    /** Sets that it acknowledges no record of a node: one that is older than any other. */
    public LinkStateFlyweight ofNone(final int node) {
        return origin(node, -1, 0, 0, 0);
    }

    /** True if it acknowledges no record. */
    public boolean isOfNone() {
        return identity() == -1 && generation() == 0 && sequence() == 0 && incarnation() == 0;
    }

    /** Makes it an acknowledgement. */
    public LinkStateFlyweight acknowledgement() {
        Memory.putShort(address, ACKNOWLEDGEMENT_BYTES);
        Memory.putByte(address + KIND_OFFSET, ACKNOWLEDGEMENT);
        return this;
    }

    /**
     * Makes it a record of age 0; its parts are 0.
     *
     * @param adjacencies 0 to {@link #MAX_ADJACENCIES}.
     * @param name of the host, at most {@link #MAX_NAME_BYTES} bytes.
     */
    public LinkStateFlyweight record(final int adjacencies, final byte[] name) {
        final int bytes = length(adjacencies, name.length);
        Memory.fill(address + AGE_OFFSET, bytes - AGE_OFFSET, 0);
        Memory.putShort(address, bytes);
        Memory.putByte(address + KIND_OFFSET, RECORD);
        Memory.putByte(address + ADJACENCIES_OFFSET, adjacencies);
        Memory.putByte(address + NAME_LENGTH_OFFSET, name.length);
        final long at = address + length(adjacencies, 0);
        for (int i = 0; i < name.length; i++) {
            Memory.putByte(at + i, name[i]);
        }
        return this;
    }

    /** Age of a record in ms, 0 to {@link #MAX_AGE_MS}. */
    public int ageMs() {
        return Memory.getInt(address + AGE_OFFSET);
    }

    /** Sets the age of a record. */
    public LinkStateFlyweight ageMs(final int value) {
        Memory.putInt(address + AGE_OFFSET, Math.clamp(value, 0, MAX_AGE_MS));
        return this;
    }

    /** Whether the node of a record has stopped in order. */
    public boolean isStopped() {
        return Memory.getUnsignedByte(address + FLAGS_OFFSET) == 1;
    }

    /** Makes it the record of a node that has stopped in order. */
    public LinkStateFlyweight stopped() {
        Memory.putByte(address + FLAGS_OFFSET, 1);
        return this;
    }

    /** Number of adjacencies of a record, 0 to {@link #MAX_ADJACENCIES}. */
    public int adjacencies() {
        return Memory.getUnsignedByte(address + ADJACENCIES_OFFSET);
    }

    /** Host name of a record. Allocates. */
    public String name() {
        final byte[] bytes = new byte[Memory.getUnsignedByte(address + NAME_LENGTH_OFFSET)];
        final long at = address + length(adjacencies(), 0);
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = Memory.getByte(at + i);
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private long adjacency(final int index) {
        return address + FIXED_BYTES + (long) index * ADJACENCY_BYTES;
    }

    /**
     * Sets an adjacency; they are set in the order of their node numbers.
     *
     * @param links 1 or more.
     */
    public LinkStateFlyweight adjacency(
            final int index,
            final int neighbour,
            final int links,
            final int mtuBytes,
            final long capacityMbps) {
        final long at = adjacency(index);
        Memory.putByte(at, neighbour);
        Memory.putByte(at + LINKS_OFFSET, Math.clamp(links, 1, MAX_LINKS));
        Memory.putShort(at + MTU_OFFSET, Math.clamp(mtuBytes, 0, MAX_MTU));
        Memory.putInt(at + CAPACITY_OFFSET, (int) Math.clamp(capacityMbps, 0, MAX_CAPACITY));
        return this;
    }

    /** Node number of the neighbour of an adjacency, 0 to {@link #MAX_NODE}. */
    public int neighbour(final int index) {
        return Memory.getUnsignedByte(adjacency(index));
    }

    /** Good links of an adjacency, 1 to 255. */
    public int linkCount(final int index) {
        return Memory.getUnsignedByte(adjacency(index) + LINKS_OFFSET);
    }

    /** Smallest MTU of the links of an adjacency, 0 to 65,535. */
    public int mtuBytes(final int index) {
        return Memory.getUnsignedShort(adjacency(index) + MTU_OFFSET);
    }

    /** What the links of an adjacency carry together, Mbit/s, 0 to 2^32 - 1. */
    public long capacityMbps(final int index) {
        return Memory.getInt(adjacency(index) + CAPACITY_OFFSET) & MAX_CAPACITY;
    }

    /** The index of the adjacency to a neighbour; -1 if there is none. */
    public int find(final int neighbour) {
        int low = 0;
        int high = adjacencies() - 1;
        while (low <= high) {
            final int middle = (low + high) >>> 1;
            final int found = neighbour(middle);
            if (found == neighbour) {
                return middle;
            }
            if (found < neighbour) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1;
    }

    /**
     * Which of two records of a node number counts: that of the smaller identity; of one identity,
     * that of the larger generation, number and incarnation in this order, all unsigned. Every node
     * decides alike, whatever it heard first.
     *
     * @return more than 0 if this one counts, less if the other one does, 0 if it is the same one.
     */
    public int orderAgainst(final LinkStateFlyweight other) {
        int order = Long.compareUnsigned(other.identity(), identity());
        if (order == 0) {
            order = Integer.compareUnsigned(generation(), other.generation());
        }
        if (order == 0) {
            order = Integer.compareUnsigned(sequence(), other.sequence());
        }
        return order == 0 ? Integer.compareUnsigned(incarnation(), other.incarnation()) : order;
    }

    /** True if another record tells the same: all but which record it is, and its age. */
    public boolean hasSameContent(final LinkStateFlyweight other) {
        if (length() != other.length()) {
            return false;
        }
        for (int at = FLAGS_OFFSET; at < length(); at += UNIT) {
            if (Memory.getInt(address + at) != Memory.getInt(other.address + at)) {
                return false;
            }
        }
        return true;
    }
}
