package io.hxb.pm.collective;

import io.hxb.linux.Memory;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.pm.collective.wire.GroupProtocol;

import org.agrona.MutableDirectBuffer;

import java.lang.foreign.MemorySegment;

/**
 * An operation of a group as one member takes part in it: what the member contributes and how much
 * of that was sent, and how much of the result has come. Used again for each operation; owned by
 * the member's thread.
 */
final class GroupOperation {
    private int kind;
    private int type;
    private int function;
    private int count;
    private int root;

    /** The data, in one of two forms; both null if it has none. */
    private MutableDirectBuffer buffer;

    private MemorySegment segment;
    private int bufferOffset;
    private int contributedBytes;
    private int sentBytes;
    private int receivedBytes;

    /** Makes it a barrier. */
    void barrier() {
        set(GroupProtocol.BARRIER, 0, 0, 0, 0);
        contributedBytes = 0;
    }

    /**
     * Makes it a broadcast.
     *
     * @param rootRank of the member whose bytes all get.
     * @param lengthBytes as many.
     * @param isRoot true at that member.
     */
    void broadcast(final int rootRank, final int lengthBytes, final boolean isRoot) {
        set(
                GroupProtocol.BROADCAST,
                GroupProtocol.BYTE,
                GroupProtocol.NO_FUNCTION,
                lengthBytes,
                rootRank);
        contributedBytes = isRoot ? lengthBytes : 0;
    }

    /** Makes it an allreduce of {@code elements} elements. */
    void allreduce(final PmFunction how, final PmElement element, final int elements) {
        set(GroupProtocol.ALLREDUCE, element.code(), how.code(), elements, 0);
        contributedBytes = elements * element.lengthBytes();
    }

    private void set(
            final int newKind,
            final int newType,
            final int newFunction,
            final int newCount,
            final int newRoot) {
        kind = newKind;
        type = newType;
        function = newFunction;
        count = newCount;
        root = newRoot;
        sentBytes = -1;
        receivedBytes = 0;
    }

    /** Sets where its data is: from {@code offset} on in {@code data}. */
    void data(final MutableDirectBuffer data, final int offset) {
        buffer = data;
        bufferOffset = offset;
    }

    /** Sets where its data is: in all of {@code data}. */
    void data(final MemorySegment data) {
        segment = data;
    }

    /** Forgets the data. */
    void clear() {
        buffer = null;
        segment = null;
    }

    /** True once all that the member contributes has been sent. */
    boolean isSent() {
        return sentBytes >= contributedBytes;
    }

    /** Bytes of the next piece to be sent, of which a message holds {@code maxBytes}. */
    int nextPieceBytes(final int maxBytes) {
        return Math.min(contributedBytes - Math.max(0, sentBytes), maxBytes);
    }

    /**
     * Writes the next piece as a message, after its common header.
     *
     * @param slot claimed for the message.
     * @param pieceBytes as {@link #nextPieceBytes} has returned.
     */
    void putPiece(final PmContext context, final int slot, final int pieceBytes) {
        final long address = context.sendAddress(slot);
        final int offset = Math.max(0, sentBytes);
        GroupProtocol.putOperation(
                address, kind, type, function, count, root, contributedBytes, offset);
        if (segment != null) {
            MemorySegment.copy(
                    segment, offset, Memory.ALL, address + GroupProtocol.HEADER_BYTES, pieceBytes);
        } else if (pieceBytes > 0) {
            context.sendBuffer(slot)
                    .putBytes(
                            GroupProtocol.HEADER_BYTES, buffer, bufferOffset + offset, pieceBytes);
        }
        sentBytes = offset + pieceBytes;
    }

    /**
     * Takes a piece of the result.
     *
     * @return {@link PmStatus#EMPTY} while more is to come, {@link PmStatus#OK} if it was the last,
     *     or why there is no result.
     */
    int onResult(final PmMessage message) {
        final long address = message.address();
        final int failed = Memory.getInt(address + GroupProtocol.STATUS);
        if (failed != PmStatus.OK) {
            return failed;
        }
        final int total = Memory.getInt(address + GroupProtocol.TOTAL_BYTES);
        final int offset = Memory.getInt(address + GroupProtocol.PIECE_OFFSET);
        final int piece = message.lengthBytes() - GroupProtocol.HEADER_BYTES;
        if (offset != receivedBytes
                || piece > total - offset
                || total > GroupProtocol.MAX_BYTES
                || (piece > 0 && buffer == null && segment == null)) {
            return PmStatus.DISAGREEMENT;
        }
        if (segment != null) {
            MemorySegment.copy(
                    Memory.ALL, address + GroupProtocol.HEADER_BYTES, segment, offset, piece);
        } else if (piece > 0) {
            buffer.putBytes(
                    bufferOffset + offset, message.buffer(), GroupProtocol.HEADER_BYTES, piece);
        }
        receivedBytes += piece;
        return receivedBytes == total ? PmStatus.OK : PmStatus.EMPTY;
    }
}
