package io.hxb.os;

import io.hxb.linux.Memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The mmsghdr and iovec arrays of recvmmsg and sendmmsg, laid out once and refilled in place. Owned
 * by the thread that makes the calls.
 *
 * <pre>
 * mmsghdr (64 bytes)                  iovec (16 bytes)
 *  0  8 name address                   0 8 address
 *  8  4 name length                    8 8 length
 * 16  8 iovec address
 * 24  8 iovec count
 * 32  8 control address
 * 40  8 control length
 * 48  4 flags
 * 56  4 bytes received or sent
 * </pre>
 *
 * Source: recvmsg(2), recvmmsg(2).
 */
public final class MessageVector {
    /** Bytes of one mmsghdr. */
    public static final int MESSAGE_LENGTH = 64;

    private static final int IOVEC_LENGTH = 16;

    private final MemorySegment memory;
    private final int count;
    private final int iovecs;
    private final int nameBytes;
    private final int controlBytes;
    private final long messages;
    private final long vectors;
    private final long names;
    private final long controls;

    /**
     * Allocates and links the arrays. Its memory lives as long as this object.
     *
     * @param count messages.
     * @param iovecs maximum number of pieces of a message.
     * @param nameBytes bytes of the socket address of each message, 0 for none.
     * @param controlBytes bytes of control data of each message, 0 for none; a multiple of 8.
     */
    public MessageVector(
            final int count, final int iovecs, final int nameBytes, final int controlBytes) {
        this.count = count;
        this.iovecs = iovecs;
        this.nameBytes = nameBytes;
        this.controlBytes = controlBytes;
        final long bytes =
                (long) count * (MESSAGE_LENGTH + iovecs * IOVEC_LENGTH + nameBytes + controlBytes);
        memory = Arena.ofAuto().allocate(bytes, MESSAGE_LENGTH);
        messages = memory.address();
        vectors = messages + (long) count * MESSAGE_LENGTH;
        controls = vectors + (long) count * iovecs * IOVEC_LENGTH;
        names = controls + (long) count * controlBytes;
        for (int i = 0; i < count; i++) {
            Memory.putLong(message(i) + 16, vectors + (long) i * iovecs * IOVEC_LENGTH);
            Memory.putLong(message(i) + 24, 1);
            Memory.putLong(message(i), nameBytes == 0 ? 0 : nameAddress(i));
            Memory.putLong(message(i) + 32, controlBytes == 0 ? 0 : controlAddress(i));
            rearm(i);
        }
    }

    /** Number of messages. */
    public int count() {
        return count;
    }

    /** Address of mmsghdr {@code index}. */
    public long message(final int index) {
        return messages + (long) index * MESSAGE_LENGTH;
    }

    /** Address of the socket address of message {@code index}. */
    public long nameAddress(final int index) {
        return names + (long) index * nameBytes;
    }

    /** Address of the control data of message {@code index}. */
    public long controlAddress(final int index) {
        return controls + (long) index * controlBytes;
    }

    /** Resets what a receive call has overwritten. */
    public void rearm(final int index) {
        Memory.putInt(message(index) + 8, nameBytes);
        Memory.putLong(message(index) + 40, controlBytes);
    }

    /** Makes message {@code index} one piece. */
    public void setPiece(final int index, final long address, final int lengthBytes) {
        setPiece(index, 0, address, lengthBytes);
    }

    /** Sets piece {@code piece}, counted from 0, of message {@code index}. */
    public void setPiece(
            final int index, final int piece, final long address, final int lengthBytes) {
        final long vector = vectors + ((long) index * iovecs + piece) * IOVEC_LENGTH;
        Memory.putLong(vector, address);
        Memory.putLong(vector + 8, lengthBytes);
    }

    /** Sets how many pieces message {@code index} has. */
    public void setPieceCount(final int index, final int pieces) {
        Memory.putLong(message(index) + 24, pieces);
    }

    /** How many pieces message {@code index} has. */
    int pieceCount(final int index) {
        return (int) Memory.getLong(message(index) + 24);
    }

    /** Address of the iovec of the first piece of message {@code index}. */
    long vectorAddress(final int index) {
        return vectors + (long) index * iovecs * IOVEC_LENGTH;
    }

    /** Address of the first byte of message {@code index}, once it has a piece. */
    public long firstAddress(final int index) {
        return Memory.getLong(vectorAddress(index));
    }

    /** Bytes of the socket address of each message. */
    int nameBytes() {
        return nameBytes;
    }

    /**
     * Sets how many pieces message {@code index} has and, when there are two, the second.
     *
     * @param lengthBytes of the second piece; 0 makes the message one piece.
     */
    public void setSecondPiece(final int index, final long address, final int lengthBytes) {
        if (lengthBytes == 0) {
            setPieceCount(index, 1);
            return;
        }
        setPiece(index, 1, address, lengthBytes);
        setPieceCount(index, 2);
    }

    /** Adds a third piece to message {@code index}, which has two. */
    public void setThirdPiece(final int index, final long address, final int lengthBytes) {
        setPiece(index, 2, address, lengthBytes);
        setPieceCount(index, 3);
    }

    /** Bytes that message {@code index} received. */
    public int receivedBytes(final int index) {
        return Memory.getInt(message(index) + 56);
    }

    /** Bytes of control data that message {@code index} received. */
    public int receivedControlBytes(final int index) {
        return (int) Memory.getLong(message(index) + 40);
    }

    @Override
    public String toString() {
        return count + " messages in " + memory.byteSize() + " bytes";
    }
}
