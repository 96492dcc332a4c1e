package io.hxb.frame;

import io.hxb.linux.Memory;

import java.nio.charset.StandardCharsets;

/**
 * One record of a SUMMARY frame: what a node told of itself, or only that it lives. Records follow
 * one another from the beginning of the body; each is a multiple of four bytes. Owned by the thread
 * that wrapped it.
 *
 * <pre>
 * offset length meaning (little-endian)
 *      0      4 node id
 *      4      4 generation of the node: larger after each start
 *      8      4 number of the summary in its generation
 *     12      4 age of the summary in ms
 *     16      2 bytes of this record
 *     18      1 number of links, at least 1; 0 = the node lives, and nothing follows
 *     19      1 1 = the node has stopped in order; 0 where nothing follows
 *     20      1 number of exclusions
 *     21      1 bytes of the host name
 *     22      2 0
 *     24      4 start of the node, seconds since 1970
 *     28      8 a second: messages sent, messages delivered, frames relayed, frames sent again; two
 *               bytes each, see RateCode
 *     36      4 number of the summary that told what follows
 *     40        links, 28 bytes each
 *                 0 1 dimension
 *                 1 1 number in the trunk
 *                 2 1 1 = frames can pass its NIC
 *                 3 1 share of its full load, percent
 *                 4 2 neighbours that are heard
 *                 6 2 neighbours towards which it is left out
 *                 8 4 MTU, bytes
 *                12 2 times it failed, 65,535 = or more
 *                14 2 times it recovered, likewise
 *                16 1 why it failed or recovered last
 *                17 1 0
 *                18 10 a second: bytes in, bytes out, frames in, frames out, frames dropped; RateCode
 *               exclusions, 4 bytes each: index of the link, coordinate of the neighbour, why, 0
 *               host name, UTF-8, and up to three bytes 0
 * </pre>
 */
public final class SummaryFlyweight {
    /** Bytes of a record which says only that a node lives. */
    public static final int ALIVE_BYTES = 20;

    /** Bytes of a record before its links. */
    public static final int FIXED_BYTES = 40;

    /** Bytes of a link. */
    public static final int LINK_BYTES = 28;

    /** Bytes of an exclusion. */
    public static final int EXCLUSION_BYTES = 4;

    /** Exclusions of a record. */
    public static final int MAX_EXCLUSIONS = 32;

    /** Bytes of a host name. */
    public static final int MAX_NAME_BYTES = 32;

    /** Rates of a node. */
    public static final int NODE_RATES = 4;

    /** Rates of a link. */
    public static final int LINK_RATES = 5;

    /** Greatest age, ms: a day. */
    public static final int MAX_AGE_MS = 86_400_000;

    private static final int GENERATION_OFFSET = 4;
    private static final int SEQUENCE_OFFSET = 8;
    private static final int AGE_OFFSET = 12;
    private static final int LENGTH_OFFSET = 16;
    private static final int LINKS_OFFSET = 18;
    private static final int FLAGS_OFFSET = 19;
    private static final int EXCLUSIONS_OFFSET = 20;
    private static final int NAME_LENGTH_OFFSET = 21;
    private static final int OTHER_RESERVED_OFFSET = 22;
    private static final int START_OFFSET = 24;
    private static final int RATES_OFFSET = 28;
    private static final int TOLD_OFFSET = 36;

    private static final int LINK_FLAGS_OFFSET = 2;
    private static final int LINK_WEIGHT_OFFSET = 3;
    private static final int LINK_NEIGHBOURS_OFFSET = 4;
    private static final int LINK_FAILED_OFFSET = 6;
    private static final int LINK_MTU_OFFSET = 8;
    private static final int LINK_FAILURES_OFFSET = 12;
    private static final int LINK_RECOVERIES_OFFSET = 14;
    private static final int LINK_REASON_OFFSET = 16;
    private static final int LINK_RESERVED_OFFSET = 17;
    private static final int LINK_RATES_OFFSET = 18;
    private static final int PERCENT = 100;
    private static final int UNIT = 4;

    private long address;

    /** Lays the flyweight over a record. */
    public SummaryFlyweight wrap(final long recordAddress) {
        address = recordAddress;
        return this;
    }

    /** Bytes of the longest record of a node with that many links. */
    public static int maxBytes(final int links) {
        return FIXED_BYTES + links * LINK_BYTES + MAX_EXCLUSIONS * EXCLUSION_BYTES + MAX_NAME_BYTES;
    }

    /** True if a body of that length is a row of valid records; who they are of is not judged. */
    public static boolean isValid(final long bodyAddress, final int lengthBytes) {
        int offset = 0;
        while (offset < lengthBytes) {
            final int record = validBytes(bodyAddress + offset, lengthBytes - offset);
            if (record == 0) {
                return false;
            }
            offset += record;
        }
        return lengthBytes > 0;
    }

    // Bytes of a valid record of at most that many; 0 if it is not valid.
    private static int validBytes(final long record, final int rest) {
        if (rest < ALIVE_BYTES) {
            return 0;
        }
        final int length = Memory.getUnsignedShort(record + LENGTH_OFFSET);
        final int links = Memory.getUnsignedByte(record + LINKS_OFFSET);
        final int age = Memory.getInt(record + AGE_OFFSET);
        final int flags = Memory.getUnsignedByte(record + FLAGS_OFFSET);
        if (length > rest || age < 0 || age > MAX_AGE_MS) {
            return 0;
        }
        if (links == 0) {
            return length == ALIVE_BYTES && flags == 0 ? length : 0;
        }
        if (length < FIXED_BYTES || flags > 1) {
            return 0;
        }
        final int exclusions = Memory.getUnsignedByte(record + EXCLUSIONS_OFFSET);
        final int name = Memory.getUnsignedByte(record + NAME_LENGTH_OFFSET);
        return exclusions <= MAX_EXCLUSIONS
                        && name <= MAX_NAME_BYTES
                        && Memory.getUnsignedShort(record + OTHER_RESERVED_OFFSET) == 0
                        && length == length(links, exclusions, name)
                        && arePartsValid(record, links, exclusions, name)
                ? length
                : 0;
    }

    private static boolean arePartsValid(
            final long record, final int links, final int exclusions, final int name) {
        long at = record + FIXED_BYTES;
        for (int i = 0; i < links; i++, at += LINK_BYTES) {
            if (Memory.getUnsignedByte(at + LINK_FLAGS_OFFSET) > 1
                    || Memory.getUnsignedByte(at + LINK_WEIGHT_OFFSET) > PERCENT
                    || Memory.getInt(at + LINK_MTU_OFFSET) < 0
                    || Memory.getUnsignedByte(at + LINK_RESERVED_OFFSET) != 0) {
                return false;
            }
        }
        for (int i = 0; i < exclusions; i++, at += EXCLUSION_BYTES) {
            if (Memory.getUnsignedByte(at) >= links || Memory.getUnsignedByte(at + 3) != 0) {
                return false;
            }
        }
        for (int i = name; i < padded(name); i++) {
            if (Memory.getUnsignedByte(at + i) != 0) {
                return false;
            }
        }
        return true;
    }

    private static int length(final int links, final int exclusions, final int name) {
        return FIXED_BYTES + links * LINK_BYTES + exclusions * EXCLUSION_BYTES + padded(name);
    }

    private static int padded(final int nameBytes) {
        return (nameBytes + UNIT - 1) & -UNIT;
    }

    /** Bytes of this record. */
    public int length() {
        return Memory.getUnsignedShort(address + LENGTH_OFFSET);
    }

    /** Node that it is about; any number in a frame. */
    public int node() {
        return Memory.getInt(address);
    }

    /** Generation of the node. */
    public int generation() {
        return Memory.getInt(address + GENERATION_OFFSET);
    }

    /** Number of the summary. */
    public int sequence() {
        return Memory.getInt(address + SEQUENCE_OFFSET);
    }

    /** Age in ms, 0 to {@link #MAX_AGE_MS}. */
    public int ageMs() {
        return Memory.getInt(address + AGE_OFFSET);
    }

    /** Number of links; 0 if it only says that the node lives. */
    public int links() {
        return Memory.getUnsignedByte(address + LINKS_OFFSET);
    }

    /** Sets who tells it, and when. */
    public SummaryFlyweight origin(
            final int node, final int generation, final int sequence, final int ageMs) {
        Memory.putInt(address, node);
        Memory.putInt(address + GENERATION_OFFSET, generation);
        Memory.putInt(address + SEQUENCE_OFFSET, sequence);
        Memory.putInt(address + AGE_OFFSET, Math.clamp(ageMs, 0, MAX_AGE_MS));
        return this;
    }

    /** Makes it one that only says that the node lives. */
    public SummaryFlyweight alive() {
        Memory.putShort(address + LENGTH_OFFSET, ALIVE_BYTES);
        Memory.putShort(address + LINKS_OFFSET, 0);
        return this;
    }

    /**
     * Makes it one that tells all; its parts are 0.
     *
     * @param links 1 to 255.
     * @param exclusions 0 to {@link #MAX_EXCLUSIONS}.
     * @param name of the host, at most {@link #MAX_NAME_BYTES} bytes.
     */
    public SummaryFlyweight all(final int links, final int exclusions, final byte[] name) {
        final int bytes = length(links, exclusions, name.length);
        Memory.fill(address + LENGTH_OFFSET, bytes - LENGTH_OFFSET, 0);
        Memory.putShort(address + LENGTH_OFFSET, bytes);
        Memory.putByte(address + LINKS_OFFSET, links);
        Memory.putByte(address + EXCLUSIONS_OFFSET, exclusions);
        Memory.putByte(address + NAME_LENGTH_OFFSET, name.length);
        final long at = address + length(links, exclusions, 0);
        for (int i = 0; i < name.length; i++) {
            Memory.putByte(at + i, name[i]);
        }
        return this;
    }

    /** Whether the node has stopped in order; never where there are no links. */
    public boolean isStopped() {
        return Memory.getUnsignedByte(address + FLAGS_OFFSET) == 1;
    }

    /** Makes it that of a node that has stopped in order; only where there are links. */
    public SummaryFlyweight stopped() {
        Memory.putByte(address + FLAGS_OFFSET, 1);
        return this;
    }

    /** Number of the summary that told what is in this one; only where there are links. */
    public int toldSequence() {
        return Memory.getInt(address + TOLD_OFFSET);
    }

    /** Sets the number of the summary that told what is in this one. */
    public SummaryFlyweight toldSequence(final int value) {
        Memory.putInt(address + TOLD_OFFSET, value);
        return this;
    }

    /** Start of the node, seconds since 1970. */
    public long startS() {
        return Memory.getInt(address + START_OFFSET) & 0xFFFF_FFFFL;
    }

    /** Sets the start of the node. */
    public SummaryFlyweight startS(final long value) {
        Memory.putInt(address + START_OFFSET, (int) value);
        return this;
    }

    /** Host name. Allocates. */
    public String name() {
        final byte[] bytes = new byte[Memory.getUnsignedByte(address + NAME_LENGTH_OFFSET)];
        final long at = address + length(links(), exclusions(), 0);
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = Memory.getByte(at + i);
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** A rate of the node by its code, {@code index} 0 to 3. */
    public int rate(final int index) {
        return Memory.getUnsignedShort(address + RATES_OFFSET + (long) index * Short.BYTES);
    }

    /** Sets a rate of the node. */
    public SummaryFlyweight rate(final int index, final int code) {
        Memory.putShort(address + RATES_OFFSET + (long) index * Short.BYTES, code);
        return this;
    }

    private long link(final int link) {
        return address + FIXED_BYTES + (long) link * LINK_BYTES;
    }

    /** Sets where a link is. */
    public SummaryFlyweight place(final int link, final int dimension, final int number) {
        Memory.putByte(link(link), dimension);
        Memory.putByte(link(link) + 1, number);
        return this;
    }

    /** Dimension of a link, 0 to 255. */
    public int dimension(final int link) {
        return Memory.getUnsignedByte(link(link));
    }

    /** Number of a link in its trunk, 0 to 255. */
    public int number(final int link) {
        return Memory.getUnsignedByte(link(link) + 1);
    }

    /** Sets whether frames can pass the NIC of a link, its share of full load, and its MTU. */
    public SummaryFlyweight capacity(
            final int link, final boolean isUp, final long weightPercent, final long mtuBytes) {
        Memory.putByte(link(link) + LINK_FLAGS_OFFSET, isUp ? 1 : 0);
        Memory.putByte(link(link) + LINK_WEIGHT_OFFSET, Math.clamp(weightPercent, 0, PERCENT));
        Memory.putInt(link(link) + LINK_MTU_OFFSET, Math.clamp(mtuBytes, 0, Integer.MAX_VALUE));
        return this;
    }

    /** Whether frames can pass the NIC of a link. */
    public boolean isUp(final int link) {
        return Memory.getUnsignedByte(link(link) + LINK_FLAGS_OFFSET) == 1;
    }

    /** Share of full load of a link, 0 to 100. */
    public int weightPercent(final int link) {
        return Memory.getUnsignedByte(link(link) + LINK_WEIGHT_OFFSET);
    }

    /** MTU of a link. */
    public int mtuBytes(final int link) {
        return Memory.getInt(link(link) + LINK_MTU_OFFSET);
    }

    /** Sets how many neighbours a link has, and towards how many it is left out. */
    public SummaryFlyweight neighbours(final int link, final long heard, final long failed) {
        putCount(link(link) + LINK_NEIGHBOURS_OFFSET, heard);
        putCount(link(link) + LINK_FAILED_OFFSET, failed);
        return this;
    }

    private static void putCount(final long at, final long value) {
        Memory.putShort(at, Math.clamp(value, 0, 0xFFFF));
    }

    /** Neighbours that are heard on a link. */
    public int neighbours(final int link) {
        return Memory.getUnsignedShort(link(link) + LINK_NEIGHBOURS_OFFSET);
    }

    /** Neighbours towards which a link is left out. */
    public int failedNeighbours(final int link) {
        return Memory.getUnsignedShort(link(link) + LINK_FAILED_OFFSET);
    }

    /** Sets how often a link failed and recovered, and why it did so last. */
    public SummaryFlyweight events(
            final int link, final long failures, final long recoveries, final long reason) {
        putCount(link(link) + LINK_FAILURES_OFFSET, failures);
        putCount(link(link) + LINK_RECOVERIES_OFFSET, recoveries);
        Memory.putByte(link(link) + LINK_REASON_OFFSET, (int) reason);
        return this;
    }

    /** How often a link failed. */
    public int failures(final int link) {
        return Memory.getUnsignedShort(link(link) + LINK_FAILURES_OFFSET);
    }

    /** How often a link recovered. */
    public int recoveries(final int link) {
        return Memory.getUnsignedShort(link(link) + LINK_RECOVERIES_OFFSET);
    }

    /** Code of why a link failed or recovered last, 0 to 255. */
    public int reason(final int link) {
        return Memory.getUnsignedByte(link(link) + LINK_REASON_OFFSET);
    }

    /** A rate of a link by its code, {@code index} 0 to 4. */
    public int linkRate(final int link, final int index) {
        return Memory.getUnsignedShort(link(link) + LINK_RATES_OFFSET + (long) index * Short.BYTES);
    }

    /** Sets a rate of a link. */
    public SummaryFlyweight linkRate(final int link, final int index, final int code) {
        Memory.putShort(link(link) + LINK_RATES_OFFSET + (long) index * Short.BYTES, code);
        return this;
    }

    /** Number of exclusions. */
    public int exclusions() {
        return Memory.getUnsignedByte(address + EXCLUSIONS_OFFSET);
    }

    private long exclusion(final int index) {
        return link(links()) + (long) index * EXCLUSION_BYTES;
    }

    /** Sets an exclusion: the link at {@code link} is not used towards a neighbour of its line. */
    public SummaryFlyweight exclusion(
            final int index, final int link, final int coordinate, final int reason) {
        Memory.putByte(exclusion(index), link);
        Memory.putByte(exclusion(index) + 1, coordinate);
        Memory.putByte(exclusion(index) + 2, reason);
        return this;
    }

    /** Index of the link of an exclusion. */
    public int excludedLink(final int index) {
        return Memory.getUnsignedByte(exclusion(index));
    }

    /** Coordinate of its neighbour in the dimension of the link. */
    public int excludedCoordinate(final int index) {
        return Memory.getUnsignedByte(exclusion(index) + 1);
    }

    /** Code of the reason for it. */
    public int excludedReason(final int index) {
        return Memory.getUnsignedByte(exclusion(index) + 2);
    }

    /** True if another record of the same node says the same of its state; rates may differ. */
    public boolean hasSameState(final SummaryFlyweight other) {
        if (length() != other.length()
                || links() != other.links()
                || exclusions() != other.exclusions()
                || isStopped() != other.isStopped()
                || startS() != other.startS()) {
            return false;
        }
        for (int i = 0; i < links(); i++) {
            if (Memory.getLong(link(i)) != Memory.getLong(other.link(i))
                    || Memory.getLong(link(i) + LINK_MTU_OFFSET)
                            != Memory.getLong(other.link(i) + LINK_MTU_OFFSET)
                    || reason(i) != other.reason(i)) {
                return false;
            }
        }
        for (long at = exclusion(0), to = address + length(); at < to; at += UNIT) {
            if (Memory.getInt(at) != Memory.getInt(other.address + at - address)) {
                return false;
            }
        }
        return true;
    }

    /** True if rates of two records with as many links differ, see {@link RateCode#differ}. */
    public boolean hasOtherRates(final SummaryFlyweight other) {
        for (int i = 0; i < NODE_RATES; i++) {
            if (RateCode.differ(rate(i), other.rate(i))) {
                return true;
            }
        }
        for (int link = 0; link < links(); link++) {
            for (int i = 0; i < LINK_RATES; i++) {
                if (RateCode.differ(linkRate(link, i), other.linkRate(link, i))) {
                    return true;
                }
            }
        }
        return false;
    }
}
