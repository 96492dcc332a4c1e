package io.hxb.node.service;

import io.hxb.flow.FlowOutput;
import io.hxb.forward.TraceReport;
import io.hxb.forward.Tracer;
import io.hxb.frame.TraceFlyweight;
import io.hxb.linux.Memory;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmStatus;
import io.hxb.time.Deadline;
import io.hxb.time.TokenBucket;

/**
 * Traces frames for the programs of the node: sends them, and passes on what other nodes report.
 * Owned by the loop whose {@link Tracer} it has.
 */
final class TraceService {
    private static final int BURST = 64;
    private static final long INTERVAL_NS = 1_000_000;

    /** Frames whose reports are passed on: of half a second. */
    private static final int FRAMES = 512;

    private static final int NOBODY = -1;

    /** Reports that come later than this after the last request are not passed on. */
    private static final long WAIT_NS = 3_000_000_000L;

    /** Between two looks for reports. */
    private static final long LOOK_NS = 1_000_000;

    private final PmContext context;
    private final Tracer tracer;
    private final int node;
    private final int nodes;
    private final TokenBucket pace = new TokenBucket(BURST, INTERVAL_NS);
    private final TraceReport report = new TraceReport();

    // The last frames sent: their numbers, and who wants the reports.
    private final long[] numbers = new long[FRAMES];
    private final int[] askers = new int[FRAMES];
    private long sent;

    // Who gets the report that waits for a send buffer.
    private int asker;
    private boolean hasReport;
    private boolean isWaiting;
    private long untilNs;

    /**
     * Makes one.
     *
     * @param context the node's own.
     * @param tracer of this loop.
     * @param node id of this node.
     * @param nodes of the cluster.
     */
    TraceService(final PmContext context, final Tracer tracer, final int node, final int nodes) {
        this.context = context;
        this.tracer = tracer;
        this.node = node;
        this.nodes = nodes;
    }

    /**
     * Sends the frame that a request of a context of this node describes, and confirms it; see
     * {@link ServiceProtocol}.
     *
     * @return false if no send buffer is free for the confirmation; nothing was done then.
     */
    boolean onRequest(
            final int sourceContext, final long address, final int lengthBytes, final long nowNs) {
        if (lengthBytes != ServiceProtocol.TRACE_BYTES) {
            return true;
        }
        final int slot = context.claim(node, sourceContext, ServiceProtocol.TRACE_REPLY_BYTES);
        if (slot < 0) {
            return slot != PmStatus.NO_BUFFERS;
        }
        final long number = Memory.getLong(address);
        final int link = send(sourceContext, number, address, nowNs);
        final long reply = context.sendAddress(slot);
        Memory.fill(reply, ServiceProtocol.TRACE_REPLY_BYTES, 0);
        Memory.putLong(reply, number);
        Memory.putInt(reply + Long.BYTES, link);
        Memory.putInt(reply + Long.BYTES + Integer.BYTES, tracer.maxBodyBytes());
        Memory.putLong(reply + 2 * Long.BYTES, System.nanoTime());
        context.send(slot, ServiceProtocol.TRACE_REPLY_BYTES, ServiceProtocol.TRACE_SENT);
        return true;
    }

    private int send(
            final int sourceContext, final long number, final long request, final long nowNs) {
        final int destination = Memory.getInt(request + Long.BYTES);
        final int order = Memory.getInt(request + Long.BYTES + Integer.BYTES);
        final int bodyBytes = Memory.getInt(request + 2 * Long.BYTES);
        if (destination < 0
                || destination >= nodes
                || destination == node
                || bodyBytes < TraceFlyweight.MIN_BODY_BYTES
                || bodyBytes > tracer.maxBodyBytes()) {
            return ServiceProtocol.TRACE_REFUSED;
        }
        if (!pace.take(nowNs)) {
            return FlowOutput.BLOCKED;
        }
        isWaiting = true;
        untilNs = nowNs + WAIT_NS;
        tracer.log().want(true);
        numbers[(int) (sent % FRAMES)] = number;
        askers[(int) (sent % FRAMES)] = sourceContext;
        sent++;
        return tracer.send(destination, number, order, bodyBytes);
    }

    /** Passes reports on; returns how many. */
    int doWork(final long nowNs) {
        if (!isWaiting) {
            return 0;
        }
        int count = 0;
        while ((hasReport || tracer.log().take(report)) && passOn()) {
            count++;
        }
        if (nowNs - untilNs >= 0) {
            isWaiting = false;
            hasReport = false;
            tracer.log().want(false);
        }
        return count;
    }

    // Whoever forges a report has to know a number.
    private int asker(final long number) {
        for (int i = 0; i < Math.min(sent, FRAMES); i++) {
            if (numbers[i] == number) {
                return askers[i];
            }
        }
        return NOBODY;
    }

    private boolean passOn() {
        if (!hasReport) {
            asker = asker(report.number());
            if (asker == NOBODY) {
                return true;
            }
        }
        hasReport = true;
        final int slot = context.claim(node, asker, ServiceProtocol.TRACE_REPLY_BYTES);
        if (slot == PmStatus.NO_BUFFERS) {
            return false;
        }
        hasReport = false;
        if (slot >= 0) {
            final long reply = context.sendAddress(slot);
            Memory.putLong(reply, report.number());
            Memory.putInt(reply + 8, report.node());
            Memory.putByte(reply + 12, report.kind());
            Memory.putByte(reply + 13, report.hopLimit());
            Memory.putShort(reply + 14, report.arrivedOn());
            Memory.putShort(reply + 16, report.leftOn());
            Memory.putShort(reply + 18, 0);
            Memory.putInt(reply + 20, (int) Math.min(report.stayNs(), Integer.MAX_VALUE));
            Memory.putLong(reply + 24, report.arrivedNs());
            context.send(slot, ServiceProtocol.TRACE_REPLY_BYTES, ServiceProtocol.TRACE_REPORT);
        }
        return true;
    }

    /** When {@link #doWork} has to be called again; Deadline.NEVER if not at all. */
    long nextDeadlineNs(final long nowNs) {
        return isWaiting ? nowNs + LOOK_NS : Deadline.NEVER;
    }

    /** True if a report waits for a send buffer. */
    boolean isWaitingForSends() {
        return hasReport;
    }
}
