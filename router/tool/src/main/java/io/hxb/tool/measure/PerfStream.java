package io.hxb.tool.measure;

import io.hxb.linux.Memory;
import io.hxb.node.service.ServiceProtocol;
import io.hxb.node.service.StreamCounts;

import java.util.OptionalLong;

/** One direction of one pair: where it goes, and what was sent. Owned by the sending thread. */
final class PerfStream {
    private final int target;
    private final int context;
    private final long[] reply = new long[ServiceProtocol.REPLY_BYTES / Long.BYTES];
    private long programBeforeNs;
    private long nodeBeforeNs;
    private long sent;

    /**
     * To a receiver.
     *
     * @param target its node id.
     * @param context its context there.
     */
    PerfStream(final int target, final int context) {
        this.target = target;
        this.context = context;
    }

    int target() {
        return target;
    }

    int context() {
        return context;
    }

    /** Messages sent so far; the number of the next one. */
    long sent() {
        return sent;
    }

    void onSent() {
        sent++;
    }

    /** The receiver has forgotten what it had counted. */
    void onReset(final long address) {
        take(address);
        programBeforeNs = reply[6];
        nodeBeforeNs = reply[7];
        sent = 0;
    }

    /** Takes a reply of {@link ServiceProtocol#REPLY_BYTES} bytes. */
    void take(final long address) {
        for (int i = 0; i < reply.length; i++) {
            reply[i] = Memory.getLong(address + (long) i * Long.BYTES);
        }
    }

    long messages() {
        return reply[0];
    }

    long bytes() {
        return reply[1];
    }

    long duplicated() {
        return reply[3];
    }

    long reordered() {
        return reply[4];
    }

    long corrupt() {
        return reply[5];
    }

    /** Messages sent that have not arrived. */
    long lost() {
        return Math.max(0, sent - (messages() - duplicated()));
    }

    /** CPU time of the receiving program since the receiver forgot; empty if it is not known. */
    OptionalLong programNs() {
        return since(programBeforeNs, reply[6]);
    }

    /** CPU time of the receiver's node since then; empty if it is not known. */
    OptionalLong nodeNs() {
        return since(nodeBeforeNs, reply[7]);
    }

    private static OptionalLong since(final long before, final long after) {
        return before == StreamCounts.UNKNOWN || after == StreamCounts.UNKNOWN
                ? OptionalLong.empty()
                : OptionalLong.of(after - before);
    }
}
