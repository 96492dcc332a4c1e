package io.hxb.pm.shm;

import io.hxb.linux.Memory;

/**
 * Messages from one context to another of the same node, which reads them where they were written:
 * no node, no frame. One object serves one side, which owns it and its position; the sender
 * appends, the receiver takes. The records are in memory that the sender lends and the receiver
 * maps read-only, twice, one copy after the other: so no record is ever cut by the ring's end.
 *
 * <pre>
 * a record, 8-byte aligned; positions count bytes from the beginning of time (little-endian)
 * offset length meaning
 *      0      4 payload length in bytes + 1; {@link #LEAVE}; minus the bytes of the record, if it
 *               has no message; 0: nothing is there yet; written last
 *      4      4 tag
 *      8        payload, padding to a multiple of 8
 * </pre>
 *
 * <p>The sender clears the header after a record before it publishes the record, so that the
 * receiver never takes what is left of an earlier message for a header. A LEAVE announces that the
 * messages that follow go through the node, until the sender begins with the ring again.
 */
public final class DirectRing {
    /** Bytes of a record before the payload. */
    public static final int HEADER_BYTES = 8;

    /** Header of a record that ends the use of the ring for the moment. */
    public static final int LEAVE = -1;

    /** Room for a LEAVE and for the cleared header after it, which messages leave free. */
    static final int RESERVED_BYTES = 2 * HEADER_BYTES;

    private final long address;
    private final int capacityBytes;
    private long position;

    /**
     * Applies the layout to memory that stays mapped.
     *
     * @param address of the first of two adjacent mappings of the records.
     * @param capacityBytes length of one of them, a power of two.
     */
    public DirectRing(final long address, final int capacityBytes) {
        assert Integer.bitCount(capacityBytes) == 1 : "no power of two: " + capacityBytes;
        this.address = address;
        this.capacityBytes = capacityBytes;
    }

    /** Position after the last record that this side has appended or taken. */
    public long position() {
        return position;
    }

    /** Bytes of a record with its padding. */
    public static int recordBytes(final int lengthBytes) {
        return (HEADER_BYTES + lengthBytes + Long.BYTES - 1) & -Long.BYTES;
    }

    /**
     * True if a ring has room for two of the longest messages, so that no record that the receiver
     * takes for one reaches beyond the second mapping.
     */
    public static boolean isLongEnough(final int capacityBytes, final int maxLengthBytes) {
        return capacityBytes >= 2L * recordBytes(maxLengthBytes);
    }

    /**
     * True if a message fits; the sender.
     *
     * @param released position up to which the receiver no longer needs the records.
     */
    public boolean hasRoom(final int lengthBytes, final long released) {
        return position + recordBytes(lengthBytes) + RESERVED_BYTES - released <= capacityBytes;
    }

    /** Where the payload of the next record is: the sender writes it, or the receiver reads it. */
    public long payloadAddress() {
        return address + (position & (capacityBytes - 1)) + HEADER_BYTES;
    }

    /** Appends a message whose payload is in its place and has room; the sender. */
    public void append(final int lengthBytes, final int tag) {
        publish(recordBytes(lengthBytes), lengthBytes + 1, tag);
    }

    /** Appends a {@link #LEAVE}, for which there is always room; the sender. */
    public void leave() {
        publish(HEADER_BYTES, LEAVE, 0);
    }

    /**
     * Appends a record without a message around what is written in place and is not to be sent
     * next; the sender.
     */
    public void skip(final int lengthBytes) {
        final int recordBytes = recordBytes(lengthBytes);
        publish(recordBytes, -recordBytes, 0);
    }

    private void publish(final int recordBytes, final int head, final int tag) {
        final long next = position + recordBytes;
        Memory.putLong(headerAddress(next), 0);
        Memory.putLongRelease(headerAddress(position), (long) tag << 32 | (head & 0xFFFF_FFFFL));
        position = next;
    }

    /** Header of the next record, 0 if there is none; the receiver, which checks it. */
    public long header() {
        return Memory.getLongAcquire(headerAddress(position));
    }

    /** True if there is a message in a record with this header, as far as the header shows. */
    public static boolean isMessage(final long header) {
        return (int) header > 0;
    }

    /** True for a {@link #LEAVE}. */
    public static boolean isLeave(final long header) {
        return (int) header == LEAVE;
    }

    /** Payload length in the header of a message, 0 or more. */
    public static int lengthBytes(final long header) {
        return (int) header - 1;
    }

    /** Bytes of a record without a message, which may be any number. */
    public static int skippedBytes(final long header) {
        return isLeave(header) ? HEADER_BYTES : -(int) header;
    }

    /** Tag in a header. */
    public static int tag(final long header) {
        return (int) (header >>> 32);
    }

    /** Passes the next record; the receiver. */
    public void take(final int recordBytes) {
        position += recordBytes;
    }

    private long headerAddress(final long at) {
        return address + (at & (capacityBytes - 1));
    }
}
