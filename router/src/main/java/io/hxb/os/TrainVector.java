package io.hxb.os;

import io.hxb.linux.Memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Messages for sendmmsg that are put together from those of a {@link MessageVector}: one message of
 * it, or several of one size, which the kernel cuts apart again (UDP_SEGMENT). Filled anew for each
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

    private final MemorySegment memory;
    private final int count;
    private final int pieces;
    private final long messages;
    private final long vectors;
    private final long controls;
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
                (long) count * (MessageVector.MESSAGE_LENGTH + CONTROL_LENGTH)
                        + (long) pieces * IOVEC_LENGTH;
        memory = Arena.ofAuto().allocate(bytes, MessageVector.MESSAGE_LENGTH);
        messages = memory.address();
        vectors = messages + (long) count * MessageVector.MESSAGE_LENGTH;
        controls = vectors + (long) pieces * IOVEC_LENGTH;
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

    /** Starts anew. */
    public void clear() {
        usedMessages = 0;
        usedPieces = 0;
    }

    /**
     * Adds one message made of messages of another vector.
     *
     * @param source of the messages, with their socket addresses.
     * @param first index of the first one.
     * @param joined messages from there on.
     * @param segmentBytes bytes of each but the last, which may be shorter; unused for one.
     */
    public void add(
            final MessageVector source, final int first, final int joined, final int segmentBytes) {
        assert usedMessages < count : "more messages than there is room for";
        final long message = message(usedMessages);
        final long vector = vectors + (long) usedPieces * IOVEC_LENGTH;
        int added = 0;
        for (int i = first; i < first + joined; i++) {
            final int itsPieces = source.pieceCount(i);
            assert usedPieces + added + itsPieces <= pieces : "more pieces than there is room for";
            Memory.copy(
                    source.vectorAddress(i),
                    vector + (long) added * IOVEC_LENGTH,
                    (long) itsPieces * IOVEC_LENGTH);
            added += itsPieces;
        }
        Memory.putLong(message, source.nameAddress(first));
        Memory.putInt(message + 8, source.nameBytes());
        Memory.putLong(message + 16, vector);
        Memory.putLong(message + 24, added);
        if (joined > 1) {
            final long control = control(usedMessages);
            Memory.putShort(control + CONTROL_DATA_OFFSET, segmentBytes);
            Memory.putLong(message + 32, control);
            Memory.putLong(message + 40, CONTROL_LENGTH);
        } else {
            Memory.putLong(message + 32, 0);
            Memory.putLong(message + 40, 0);
        }
        usedMessages++;
        usedPieces += added;
    }

    @Override
    public String toString() {
        return count + " trains in " + memory.byteSize() + " bytes";
    }
}
