package io.hxb.os;

import io.hxb.linux.Memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Messages for sendmmsg that are put together from those of a {@link MessageVector}: one message of
 * it, or several of one size, which the kernel cuts apart again: a UDP socket gets the size by
 * control data (UDP_SEGMENT), a packet socket by what comes before the frame. Refilled for each
 * call. Owned by the thread that makes the calls.
 *
 * <pre>
 * cmsghdr (24 bytes)
 *  0  8 length, 18
 *  8  4 level, SOL_UDP
 * 12  4 type, UDP_SEGMENT
 * 16  2 bytes of a segment
 * </pre>
 *
 * Source: udp(7), cmsg(3).
 */
public final class TrainVector {
    /** Options of UDP sockets. Source: linux/udp.h, SOL_UDP. */
    public static final int SOL_UDP = 17;

    /** Bytes of a segment. Source: linux/udp.h, UDP_SEGMENT. */
    public static final int UDP_SEGMENT = 103;

    /** Whether trains are received in one piece. Source: linux/udp.h, UDP_GRO. */
    public static final int UDP_GRO = 104;

    private static final int CONTROL_LENGTH = 24;
    private static final int CONTROL_DATA_OFFSET = 16;
    private static final int CONTROL_USED = CONTROL_DATA_OFFSET + Short.BYTES;
    private static final int IOVEC_LENGTH = 16;

    /** Room for what comes before a message. */
    private static final int PREFIX_LENGTH = 64;

    private final MemorySegment memory;
    private final int count;
    private final int pieces;
    private final long messages;
    private final long vectors;
    private final long controls;
    private final long prefixes;
    private int usedMessages;
    private int usedPieces;

    /**
     * Allocates the arrays.
     *
     * @param count messages at most.
     * @param pieces of all messages together at most.
     */
    public TrainVector(final int count, final int pieces) {
        this.count = count;
        this.pieces = pieces;
        final long bytes =
                (long) count * (MessageVector.MESSAGE_LENGTH + CONTROL_LENGTH + PREFIX_LENGTH)
                        + (long) pieces * IOVEC_LENGTH;
        memory = Arena.ofAuto().allocate(bytes, MessageVector.MESSAGE_LENGTH);
        messages = memory.address();
        vectors = messages + (long) count * MessageVector.MESSAGE_LENGTH;
        prefixes = vectors + (long) pieces * IOVEC_LENGTH;
        controls = prefixes + (long) count * PREFIX_LENGTH;
        for (int i = 0; i < count; i++) {
            final long control = control(i);
            Memory.putLong(control, CONTROL_USED);
            Memory.putInt(control + 8, SOL_UDP);
            Memory.putInt(control + 12, UDP_SEGMENT);
        }
    }

    private long message(final int index) {
        return messages + (long) index * MessageVector.MESSAGE_LENGTH;
    }

    private long control(final int index) {
        return controls + (long) index * CONTROL_LENGTH;
    }

    /** Address of the first message. */
    public long address() {
        return messages;
    }

    /** Starts an empty vector. */
    public void clear() {
        usedMessages = 0;
        usedPieces = 0;
    }

    /**
     * Adds one message of a UDP socket, made of messages of another vector.
     *
     * @param source of the messages, with their socket addresses.
     * @param first index of the first one.
     * @param joined messages from there on.
     * @param segmentBytes bytes of each but the last, which may be shorter; unused for one.
     */
    public void add(
            final MessageVector source, final int first, final int joined, final int segmentBytes) {
        final long message = begin(source, first);
        for (int i = first; i < first + joined; i++) {
            append(message, source, i, 0);
        }
        if (joined > 1) {
            final long control = control(usedMessages - 1);
            Memory.putShort(control + CONTROL_DATA_OFFSET, segmentBytes);
            Memory.putLong(message + 32, control);
            Memory.putLong(message + 40, CONTROL_LENGTH);
        } else {
            Memory.putLong(message + 32, 0);
            Memory.putLong(message + 40, 0);
        }
    }

    /**
     * Adds one message of a packet socket, made of messages of another vector.
     *
     * @param first index of the first one.
     * @param joined messages from there on.
     * @param prefixBytes bytes that come before them, at most 64.
     * @param skippedBytes bytes that are left out at the beginning of each, less than those of its
     *     first piece.
     * @return address of the bytes that come before, which hold anything.
     */
    public long add(
            final MessageVector source,
            final int first,
            final int joined,
            final int prefixBytes,
            final int skippedBytes) {
        assert prefixBytes <= PREFIX_LENGTH : prefixBytes;
        final long message = begin(source, first);
        final long prefix = prefixes + (long) (usedMessages - 1) * PREFIX_LENGTH;
        final long vector = vectors + (long) usedPieces * IOVEC_LENGTH;
        Memory.putLong(vector, prefix);
        Memory.putLong(vector + 8, prefixBytes);
        usedPieces++;
        Memory.putLong(message + 24, 1);
        for (int i = first; i < first + joined; i++) {
            append(message, source, i, skippedBytes);
        }
        return prefix;
    }

    private long begin(final MessageVector source, final int first) {
        assert usedMessages < count : "more messages than there is room for";
        final long message = message(usedMessages++);
        Memory.putLong(message, source.nameBytes() == 0 ? 0 : source.nameAddress(first));
        Memory.putInt(message + 8, source.nameBytes());
        Memory.putLong(message + 16, vectors + (long) usedPieces * IOVEC_LENGTH);
        Memory.putLong(message + 24, 0);
        return message;
    }

    private void append(
            final long message,
            final MessageVector source,
            final int index,
            final int skippedBytes) {
        final int itsPieces = source.pieceCount(index);
        assert usedPieces + itsPieces <= pieces : "more pieces than there is room for";
        final long vector = vectors + (long) usedPieces * IOVEC_LENGTH;
        Memory.copy(source.vectorAddress(index), vector, (long) itsPieces * IOVEC_LENGTH);
        if (skippedBytes != 0) {
            Memory.putLong(vector, Memory.getLong(vector) + skippedBytes);
            Memory.putLong(vector + 8, Memory.getLong(vector + 8) - skippedBytes);
        }
        usedPieces += itsPieces;
        Memory.putLong(message + 24, Memory.getLong(message + 24) + itsPieces);
    }

    @Override
    public String toString() {
        return count + " trains in " + memory.byteSize() + " bytes";
    }
}
