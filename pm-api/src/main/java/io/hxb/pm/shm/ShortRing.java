package io.hxb.pm.shm;

import io.hxb.linux.Memory;

/**
 * Short messages that the application hands to the node, one after the other almost as frames carry
 * them, so that many cost little more than their bytes. One object serves one side, which owns it
 * and its position; the application appends, the node takes.
 *
 * <p>Applications write messages in place here, before they are appended. Messages for one
 * destination that follow each other are a run, which an entry of {@link SubmissionRing} begins.
 * Neither a record nor a run wraps at the ring's end. Positions count bytes from the beginning of
 * time.
 *
 * <pre>
 * offset length writer      meaning (little-endian)
 *      0      8 application position after the last record
 *    128      8 node        position up to which the node no longer needs the records
 *    256        application records: 2 bytes payload length, 2 send slot, 4 tag, payload, padding
 *                           to a multiple of 8
 * </pre>
 */
public final class ShortRing {
    /** Longest payload of a short message in bytes. */
    public static final int MAX_LENGTH = 256;

    /** Bytes of a record before the payload. */
    public static final int HEADER_BYTES = 8;

    static final int DATA = 256;

    private static final int TAKEN = 128;
    private static final int BYTES_PER_SLOT = 64;
    private static final int MAX_BYTES = 1 << 20;

    private final long address;
    private final int capacityBytes;
    private long position;
    private long takenSeen;

    ShortRing(final long address, final int capacityBytes) {
        this.address = address;
        this.capacityBytes = capacityBytes;
    }

    /** Bytes of records that suit a context: 64 for each slot, at most 1 MiB. */
    static int capacityBytes(final int slots) {
        return Math.min(slots * BYTES_PER_SLOT, MAX_BYTES);
    }

    /** Bytes of records that the ring holds, a power of two. */
    public int capacityBytes() {
        return capacityBytes;
    }

    /** Position after the last record that this side has appended or taken. */
    public long position() {
        return position;
    }

    /**
     * Where a record would begin: {@link #position()}, or the ring's start if it does not fit
     * before the end; the application.
     *
     * @return the position, or -1 if the node still needs that memory.
     */
    public long room(final int lengthBytes) {
        final int recordBytes = recordBytes(lengthBytes);
        final int left = capacityBytes - ((int) position & (capacityBytes - 1));
        final long begin = recordBytes <= left ? position : position + left;
        if (begin + recordBytes - takenSeen > capacityBytes) {
            takenSeen = Memory.getLongAcquire(address + TAKEN);
            if (begin + recordBytes - takenSeen > capacityBytes) {
                return -1;
            }
        }
        return begin;
    }

    /** True if a record at {@code begin} follows the last one in memory. */
    public boolean isNext(final long begin) {
        return begin == position && (begin & (capacityBytes - 1)) != 0;
    }

    /** Where the payload of the record at {@code begin} is written. */
    public long payloadAddress(final long begin) {
        return address(begin) + HEADER_BYTES;
    }

    /**
     * Appends a message whose payload is in its place; the application.
     *
     * @param begin from {@link #room}.
     */
    public void append(final long begin, final int slot, final int lengthBytes, final int tag) {
        Memory.putLong(
                address(begin),
                (long) tag << 32 | ((slot << Short.SIZE) & 0xFFFF_0000L) | lengthBytes);
        position = begin + recordBytes(lengthBytes);
        Memory.putLongRelease(address, position);
    }

    /** Position after the last record appended, as published by the application; the node. */
    public long end() {
        return Memory.getLongAcquire(address);
    }

    /** Notes that everything before {@code end} has been taken; the node. */
    public void take(final long end) {
        position = end;
        Memory.putLongRelease(address + TAKEN, end);
    }

    /** Address of the record at a position. */
    public long address(final long at) {
        return address + DATA + (at & (capacityBytes - 1));
    }

    /** Bytes of a record with its padding. */
    public static int recordBytes(final int lengthBytes) {
        return (HEADER_BYTES + lengthBytes + Long.BYTES - 1) & -Long.BYTES;
    }

    /** Payload length in bytes of a record with this header, 0 to 65,535. */
    public static int lengthBytes(final long header) {
        return (int) header & 0xFFFF;
    }

    /** Send slot of a record with this header, 0 to 65,535. */
    public static int slot(final long header) {
        return (int) header >>> 16;
    }

    /** Tag of a record with this header. */
    public static int tag(final long header) {
        return (int) (header >>> 32);
    }
}
