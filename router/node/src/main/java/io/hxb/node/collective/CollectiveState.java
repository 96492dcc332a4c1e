package io.hxb.node.collective;

import io.hxb.linux.Memory;
import io.hxb.pm.PmStatus;
import io.hxb.pm.collective.wire.GroupProtocol;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * What one member, or the nodes of a group up to some step, have of an operation: what is to be
 * done, and data that arrives in pieces. Owned by the thread of the node's own context.
 */
final class CollectiveState {
    private final byte[] data = new byte[GroupProtocol.MAX_BYTES];
    private int operation;
    private int kind;
    private int type;
    private int function;
    private int count;
    private int root;
    private int status;
    private int totalBytes;
    private int receivedBytes;

    /** Operation that it is of, 0 for none. */
    int operation() {
        return operation;
    }

    int status() {
        return status;
    }

    /** Bytes of data, 0 if there are none. */
    int totalBytes() {
        return totalBytes;
    }

    /** True if a member of that rank may give it: of a broadcast, only the root gives data. */
    boolean mayBeOf(final int rank) {
        return kind != GroupProtocol.BROADCAST || totalBytes == 0 || root == rank;
    }

    /** True if all pieces of an operation's part have come. */
    boolean isComplete(final int ofOperation) {
        return operation == ofOperation && receivedBytes == totalBytes;
    }

    /** Becomes empty. */
    void clear() {
        operation = 0;
        totalBytes = 0;
        receivedBytes = 0;
    }

    /**
     * Takes a piece.
     *
     * @param address of a message of at least a header.
     * @param lengthBytes of the whole message.
     * @return false if the message is not valid here; nothing has changed then.
     */
    boolean accept(final long address, final int lengthBytes) {
        final int offset = Memory.getInt(address + GroupProtocol.PIECE_OFFSET);
        final int number = Memory.getInt(address + GroupProtocol.OPERATION);
        final int pieceBytes = lengthBytes - GroupProtocol.HEADER_BYTES;
        final int total = Memory.getInt(address + GroupProtocol.TOTAL_BYTES);
        if (offset == 0 && operation == 0) {
            if (!isValid(address) || pieceBytes > total || (pieceBytes == 0 && total > 0)) {
                return false;
            }
            begin(address, number);
        } else if (operation != number
                || offset != receivedBytes
                || pieceBytes < 1
                || pieceBytes > totalBytes - offset) {
            return false;
        }
        MemorySegment.copy(
                Memory.ALL,
                ValueLayout.JAVA_BYTE,
                address + GroupProtocol.HEADER_BYTES,
                data,
                offset,
                pieceBytes);
        receivedBytes = offset + pieceBytes;
        return true;
    }

    private void begin(final long address, final int number) {
        operation = number;
        kind = Memory.getByte(address + GroupProtocol.KIND);
        type = Memory.getByte(address + GroupProtocol.TYPE);
        function = Memory.getByte(address + GroupProtocol.FUNCTION);
        count = Memory.getInt(address + GroupProtocol.COUNT);
        root = Memory.getInt(address + GroupProtocol.ROOT);
        status = Memory.getInt(address + GroupProtocol.STATUS);
        totalBytes = Memory.getInt(address + GroupProtocol.TOTAL_BYTES);
        receivedBytes = 0;
    }

    private static boolean isValid(final long address) {
        final int kind = Memory.getByte(address + GroupProtocol.KIND);
        final int type = Memory.getByte(address + GroupProtocol.TYPE);
        final int function = Memory.getByte(address + GroupProtocol.FUNCTION);
        final int count = Memory.getInt(address + GroupProtocol.COUNT);
        final int root = Memory.getInt(address + GroupProtocol.ROOT);
        final int total = Memory.getInt(address + GroupProtocol.TOTAL_BYTES);
        final int elementBytes = GroupProtocol.elementBytes(type);
        final boolean isFailure = Memory.getInt(address + GroupProtocol.STATUS) != PmStatus.OK;
        if (count < 0 || count > GroupProtocol.MAX_BYTES || root < 0) {
            return false;
        }
        final int bytes = count * elementBytes;
        final boolean isWhole = total == bytes && bytes <= GroupProtocol.MAX_BYTES;
        return switch (kind) {
            case GroupProtocol.BARRIER ->
                    type == 0 && function == 0 && count == 0 && root == 0 && total == 0;
            case GroupProtocol.BROADCAST ->
                    elementBytes > 0
                            && function == GroupProtocol.NO_FUNCTION
                            && bytes <= GroupProtocol.MAX_BYTES
                            && (total == 0 || isWhole);
            case GroupProtocol.ALLREDUCE ->
                    elementBytes > 1
                            && function >= GroupProtocol.SUM
                            && function <= GroupProtocol.MAX
                            && root == 0
                            && (isWhole || (isFailure && total == 0));
            default -> false;
        };
    }

    /** Becomes a copy of another one. */
    void set(final CollectiveState other) {
        operation = other.operation;
        kind = other.kind;
        type = other.type;
        function = other.function;
        count = other.count;
        root = other.root;
        status = other.status;
        setData(other);
    }

    private void setData(final CollectiveState other) {
        totalBytes = other.totalBytes;
        receivedBytes = totalBytes;
        System.arraycopy(other.data, 0, data, 0, totalBytes);
    }

    /** Combines it with another one of the same operation: both are complete. */
    void combine(final CollectiveState other) {
        if (status != PmStatus.OK) {
            return;
        }
        if (other.status != PmStatus.OK) {
            fail(other.status);
        } else if (kind != other.kind
                || type != other.type
                || function != other.function
                || count != other.count
                || root != other.root) {
            fail(PmStatus.DISAGREEMENT);
        } else if (kind == GroupProtocol.ALLREDUCE) {
            ReductionOperator.combine(data, other.data, function, type, count);
        } else if (other.totalBytes > 0) {
            setData(other);
        }
    }

    /** The operation has no result. */
    void fail(final int reason) {
        status = reason;
        totalBytes = 0;
        receivedBytes = 0;
    }

    /** True if it is a broadcast, of something, of which there is nothing. */
    boolean isRootMissing() {
        return kind == GroupProtocol.BROADCAST
                && status == PmStatus.OK
                && count > 0
                && totalBytes == 0;
    }

    /** Writes a message with a piece of it. */
    void write(final long address, final int offset, final int pieceBytes) {
        GroupProtocol.putOperation(address, kind, type, function, count, root, totalBytes, offset);
        MemorySegment.copy(
                data,
                offset,
                Memory.ALL,
                ValueLayout.JAVA_BYTE,
                address + GroupProtocol.HEADER_BYTES,
                pieceBytes);
    }
}
