package io.hxb.remote;

import io.hxb.flow.ContextKind;
import io.hxb.flow.FlowEndpoints;
import io.hxb.frame.MessageRecordFlyweight;
import io.hxb.frame.RemoteRecordFlyweight;
import io.hxb.linux.Memory;
import io.hxb.pm.shm.OperationRing;

/** What the entries of an {@link ArrivalQueue} mean, and how a frame is read. Stateless. */
final class ArrivalEntry {
    /** Entries that mean nothing. */
    static final int NOTHING = 0;

    /** Entry after those of a frame: its tag is the handle of the flow. */
    static final int FRAME = 255;

    private static final int CONTEXT_BITS = 14;
    private static final long CONTEXT_MASK = ContextKind.MAX_CONTEXTS - 1;

    private ArrivalEntry() {}

    /** Packs kind, status and whether it is the last part. */
    static long what(final int kind, final boolean isLast, final int status) {
        return (long) status << 32 | (isLast ? 256 : 0) | kind;
    }

    static int kind(final long what) {
        return (int) what & 255;
    }

    static boolean isLast(final long what) {
        return (what & 256) != 0;
    }

    static int status(final long what) {
        return (int) (what >> 32);
    }

    /** Packs a node and a context of it. */
    static long peer(final int node, final int context) {
        return (long) node << CONTEXT_BITS | context;
    }

    static int node(final long peer) {
        return (int) (peer >> CONTEXT_BITS);
    }

    static int context(final long peer) {
        return (int) (peer & CONTEXT_MASK);
    }

    /** Where a frame comes from; -1 if not from an end of {@code kind}. */
    static long source(final FlowEndpoints ends, final int kind) {
        return ContextKind.of(ends.sourceContext()) == kind
                ? peer(ends.sourceNode(), ContextKind.number(ends.sourceContext()))
                : -1;
    }

    /**
     * True if a message can be a record of remote memory: it is not too short, and its data has the
     * length in its header.
     *
     * @param message where the message begins.
     */
    static boolean isRecord(final long message) {
        final int lengthBytes = Memory.getInt(message);
        if (lengthBytes < RemoteRecordFlyweight.LENGTH) {
            return false;
        }
        final long record = record(message);
        final int dataBytes = lengthBytes - RemoteRecordFlyweight.LENGTH;
        return switch (RemoteRecordFlyweight.kind(record)) {
            case OperationRing.PUT, OperationRing.PUT_NOTIFY, RemoteRecordFlyweight.DATA ->
                    RemoteRecordFlyweight.lengthBytes(record) == dataBytes;
            case OperationRing.GET,
                    OperationRing.ADD,
                    OperationRing.SWAP,
                    RemoteRecordFlyweight.PING,
                    RemoteRecordFlyweight.DONE ->
                    dataBytes == 0;
            default -> false;
        };
    }

    /** Where the record in a message begins. */
    static long record(final long message) {
        return message + MessageRecordFlyweight.LENGTH;
    }

    /** Where the message after {@code message} begins. */
    static long following(final long message) {
        return message + MessageRecordFlyweight.paddedLength(Memory.getInt(message));
    }
}
