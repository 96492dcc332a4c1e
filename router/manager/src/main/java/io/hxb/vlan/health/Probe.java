package io.hxb.vlan.health;

import io.hxb.linux.Memory;

/**
 * A frame by which a host shows another that a VID carries frames, laid over native memory. Owned
 * by the thread that wrapped it.
 *
 * <pre>
 * offset length meaning (big-endian), from the EtherType on, after addresses and tag
 *      0      2 EtherType 88-B7: OUI extended
 *      2      5 protocol identifier 02-48-58-00-01, of a locally administered OUI
 *      7      1 version, {@value #VERSION}
 *      8      8 fingerprint of the table
 *     16      8 incarnation of the sender: random, another one after each start
 *     24      8 incarnation of the receiver as the sender knows it; 0: not at all
 *     32      8 number among the frames to this receiver, from 1; 0 in a greeting
 *     40      4 fingerprint of the key that the frame is sealed with, 0: not sealed
 *     44      2 host that sends
 *     46      2 host that receives
 *     48      2 VID that the frame is sent in
 *     50      2 VID in which the sender's traffic goes to the receiver
 *     52      2 VID in which it would go if no path was dead
 *     54      2 time until the next such frame in the VID in use, in 0.1 ms; 0: none follows
 *     56      4 frames sent to the receiver in this VID so far, this one included
 *     60      1 flags: 1 request, 2 reply, 4 the sender has traffic for the receiver,
 *               8 look: a request without suspicion
 *     61      1 round of the request, or of the request that is replied to
 *     62      1 number of states that follow, at most {@value #MAX_STATES}
 *     63      1 0
 *     64     2n states of paths from the receiver to the sender: VID, and 4096 times 0 unknown,
 *               1 heard, 2 dead
 *      .     16 seal, see {@link ProbeSeals}
 * </pre>
 *
 * Source of the EtherType: IEEE 802-2014, 9.2.4.
 */
final class Probe {
    static final int ETHER_TYPE = io.hxb.vlan.ProbeType.ETHER_TYPE;
    static final int VERSION = 1;

    /** Maximum number of states. */
    static final int MAX_STATES = 16;

    /** Bytes before the states. */
    static final int HEAD_LENGTH = 64;

    static final int SEAL_LENGTH = 16;

    /** Maximum number of bytes from the EtherType on. */
    static final int MAX_LENGTH = HEAD_LENGTH + 2 * MAX_STATES + SEAL_LENGTH;

    static final int REQUEST = 1;
    static final int REPLY = 2;
    static final int IN_USE = 4;
    static final int LOOK = 8;

    /** The round of a look, which no validation has. */
    static final int NO_ROUND = 0xFF;

    private static final long PROTOCOL = 0x88B7_0248_5800_0100L | VERSION;
    private static final int TABLE_OFFSET = 8;
    private static final int SENDER_INCARNATION_OFFSET = 16;
    private static final int RECEIVER_INCARNATION_OFFSET = 24;
    private static final int NUMBER_OFFSET = 32;
    private static final int KEY_OFFSET = 40;
    private static final int SENDER_OFFSET = 44;
    private static final int RECEIVER_OFFSET = 46;
    private static final int VID_OFFSET = 48;
    private static final int USED_OFFSET = 50;
    private static final int WANTED_OFFSET = 52;
    private static final int INTERVAL_OFFSET = 54;
    private static final int SENT_OFFSET = 56;
    private static final int FLAGS_OFFSET = 60;
    private static final int ROUND_OFFSET = 61;
    private static final int COUNT_OFFSET = 62;
    private static final int STATE_SHIFT = 12;
    private static final int VID_MASK = 0xFFF;
    private static final long INTERVAL_UNIT_NS = 100_000;
    private static final int MAX_SHORT = 0xFFFF;

    private long address;
    private int length;

    /** Lays it over the bytes from an EtherType on. */
    Probe wrap(final long start, final int lengthBytes) {
        address = start;
        length = lengthBytes;
        return this;
    }

    /** Begins a frame: everything but its protocol is 0, and there are no states. */
    Probe clear() {
        Memory.fill(address, MAX_LENGTH, 0);
        putLong(0, PROTOCOL);
        length = HEAD_LENGTH;
        return this;
    }

    /** True if it is one of this version, whole as far as its seal. */
    boolean isWellFormed() {
        return length >= HEAD_LENGTH
                && getLong(0) == PROTOCOL
                && count() <= MAX_STATES
                && length >= sealOffset() + (key() == 0 ? 0 : SEAL_LENGTH);
    }

    long address() {
        return address;
    }

    /** Bytes with the seal. */
    int length() {
        return sealOffset() + (key() == 0 ? 0 : SEAL_LENGTH);
    }

    int sealOffset() {
        return HEAD_LENGTH + Short.BYTES * count();
    }

    private long getLong(final int offset) {
        return Long.reverseBytes(Memory.getLong(address + offset));
    }

    private Probe putLong(final int offset, final long value) {
        Memory.putLong(address + offset, Long.reverseBytes(value));
        return this;
    }

    private int getShort(final int offset) {
        return Memory.getUnsignedShortBigEndian(address + offset);
    }

    private Probe putShort(final int offset, final int value) {
        Memory.putShortBigEndian(address + offset, value);
        return this;
    }

    long table() {
        return getLong(TABLE_OFFSET);
    }

    Probe table(final long fingerprint) {
        return putLong(TABLE_OFFSET, fingerprint);
    }

    long senderIncarnation() {
        return getLong(SENDER_INCARNATION_OFFSET);
    }

    long receiverIncarnation() {
        return getLong(RECEIVER_INCARNATION_OFFSET);
    }

    Probe incarnations(final long sender, final long receiver) {
        return putLong(SENDER_INCARNATION_OFFSET, sender)
                .putLong(RECEIVER_INCARNATION_OFFSET, receiver);
    }

    long number() {
        return getLong(NUMBER_OFFSET);
    }

    Probe number(final long value) {
        return putLong(NUMBER_OFFSET, value);
    }

    int key() {
        return Memory.getIntBigEndian(address + KEY_OFFSET);
    }

    Probe key(final int id) {
        Memory.putIntBigEndian(address + KEY_OFFSET, id);
        return this;
    }

    int sender() {
        return getShort(SENDER_OFFSET);
    }

    int receiver() {
        return getShort(RECEIVER_OFFSET);
    }

    Probe hosts(final int sender, final int receiver) {
        return putShort(SENDER_OFFSET, sender).putShort(RECEIVER_OFFSET, receiver);
    }

    int vid() {
        return getShort(VID_OFFSET);
    }

    int used() {
        return getShort(USED_OFFSET);
    }

    int wanted() {
        return getShort(WANTED_OFFSET);
    }

    Probe vids(final int vid, final int used, final int wanted) {
        return putShort(VID_OFFSET, vid)
                .putShort(USED_OFFSET, used)
                .putShort(WANTED_OFFSET, wanted);
    }

    long intervalNs() {
        return getShort(INTERVAL_OFFSET) * INTERVAL_UNIT_NS;
    }

    Probe intervalNs(final long value) {
        return putShort(INTERVAL_OFFSET, (int) Math.min(MAX_SHORT, value / INTERVAL_UNIT_NS));
    }

    int sent() {
        return Memory.getIntBigEndian(address + SENT_OFFSET);
    }

    Probe sent(final int value) {
        Memory.putIntBigEndian(address + SENT_OFFSET, value);
        return this;
    }

    boolean has(final int flag) {
        return (Memory.getUnsignedByte(address + FLAGS_OFFSET) & flag) != 0;
    }

    int round() {
        return Memory.getUnsignedByte(address + ROUND_OFFSET);
    }

    Probe flags(final int flags, final int round) {
        Memory.putByte(address + FLAGS_OFFSET, flags);
        Memory.putByte(address + ROUND_OFFSET, round);
        return this;
    }

    int count() {
        return Memory.getUnsignedByte(address + COUNT_OFFSET);
    }

    /** Adds the state of one path. */
    Probe add(final int vid, final PathState state) {
        final int count = count();
        putShort(HEAD_LENGTH + Short.BYTES * count, state.code() << STATE_SHIFT | vid);
        Memory.putByte(address + COUNT_OFFSET, count + 1);
        return this;
    }

    int stateVid(final int index) {
        return getShort(HEAD_LENGTH + Short.BYTES * index) & VID_MASK;
    }

    PathState state(final int index) {
        return PathState.of(getShort(HEAD_LENGTH + Short.BYTES * index) >>> STATE_SHIFT);
    }
}
