package io.hxb.forward;

import io.hxb.flow.FlowOutput;
import io.hxb.forward.kernel.KernelRelay;
import io.hxb.forward.kernel.KernelTrace;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.SealFlyweight;
import io.hxb.frame.TraceFlyweight;
import io.hxb.frame.TracedFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.LoopClock;
import io.hxb.routing.Route;
import io.hxb.time.TokenBuckets;
import io.hxb.topology.Shape;

/**
 * Sends traced frames and reports about those that pass. Owned by one loop.
 *
 * <p>A report is never longer than the frame that it is about. A source gets {@value #BURST} at
 * once and 1,000 a second, whoever claims to be it.
 */
public final class Tracer {
    private static final int BURST = 64;
    private static final long INTERVAL_NS = 1_000_000;
    private static final int MAX_SOURCES = 1_024;

    private final Shape shape;
    private final long here;
    private final int maxBodyBytes;
    private final BufferPool pool;
    private final BufferPool.Share share;
    private final FrameSource output;
    private final LoopClock clock;
    private final TraceLog log;
    private final TokenBuckets pace;
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final TracedFlyweight traced = new TracedFlyweight();
    private final TraceReport report = new TraceReport();
    private final KernelTrace ofKernel = new KernelTrace();

    // Of the traced frame that is being relayed.
    private long source;
    private long number;
    private int hopLimit;

    Tracer(
            final ForwardParts parts,
            final BufferPool.Share share,
            final LoopClock clock,
            final FrameSource output) {
        shape = parts.cluster().shape();
        here = parts.here();
        pool = parts.pool();
        log = parts.traces();
        this.share = share;
        this.clock = clock;
        this.output = output;
        maxBodyBytes =
                parts.frameBytes()
                        - FrameHeaderFlyweight.LENGTH
                        - (output.seals().isOn() ? SealFlyweight.LENGTH : 0);
        pace = new TokenBuckets(Math.min(shape.nodeCount(), MAX_SOURCES), BURST, INTERVAL_NS);
    }

    /** Longest body of a traced frame, in bytes. */
    public int maxBodyBytes() {
        return maxBodyBytes;
    }

    /** Where the reports are. */
    public TraceLog log() {
        return log;
    }

    /**
     * Sends a traced frame.
     *
     * @param node it is for, another than this.
     * @param frameNumber that nobody can guess.
     * @param order dimension order of its route; negative for a route as other frames have.
     * @param bodyBytes {@link TraceFlyweight#MIN_BODY_BYTES} to {@link #maxBodyBytes}.
     * @return index of the link that took it; otherwise {@link FlowOutput#BLOCKED} or {@link
     *     FlowOutput#NO_ROUTE}.
     */
    public int send(final int node, final long frameNumber, final int order, final int bodyBytes) {
        final int id = share.acquire();
        if (id == BufferPool.NONE) {
            return FlowOutput.BLOCKED;
        }
        final long address = pool.headerAddress(id);
        TraceFlyweight.write(address, shape.coordinates(node), frameNumber, bodyBytes);
        output.outgoing().wrap(address, FrameHeaderFlyweight.LENGTH + bodyBytes, share, id);
        final int link =
                order < 0
                        ? output.send(output.outgoing())
                        : output.sendBy(Route.ofOrder(order), output.outgoing());
        if (link < 0) {
            share.release(id);
        }
        return link;
    }

    /** Notes a frame to be relayed, before a link has it. */
    void beforeRelay(final long headerAddress) {
        header.wrap(headerAddress);
        source = header.source();
        number = TraceFlyweight.number(headerAddress);
        hopLimit = header.hopLimit() + 1;
    }

    /**
     * Reports that frame.
     *
     * @param arrivedOn index of the link on which it arrived.
     * @param leftOn index of the link that took it; negative if none did.
     */
    void afterRelay(final int arrivedOn, final int leftOn) {
        final boolean isRelayed = leftOn >= 0;
        answer(
                isRelayed ? TracedFlyweight.RELAYED : TracedFlyweight.NOT_RELAYED,
                arrivedOn,
                isRelayed ? leftOn : TracedFlyweight.NO_LINK,
                System.nanoTime() - clock.nowNs());
    }

    /** Reports a frame to this node that passed every check. */
    void onArrived(final long headerAddress, final int arrivedOn) {
        beforeRelay(headerAddress);
        hopLimit--;
        answer(TracedFlyweight.ARRIVED, arrivedOn, TracedFlyweight.NO_LINK, 0);
    }

    /** Reports the frames that the kernel has relayed since the last call. */
    public void reportKernel(final KernelRelay kernel) {
        while (kernel.takeTrace(ofKernel)) {
            source = ofKernel.source();
            number = ofKernel.number();
            hopLimit = ofKernel.hopLimit();
            answer(
                    TracedFlyweight.RELAYED_IN_KERNEL,
                    ofKernel.arrivedOn(),
                    ofKernel.leftOn(),
                    ofKernel.stayNs());
        }
    }

    private void answer(final int kind, final int arrivedOn, final int leftOn, final long stayNs) {
        final int node = shape.node(source);
        if (node < 0 || source == here || !pace.take(node % pace.count(), clock.nowNs())) {
            return;
        }
        final int id = share.acquire();
        if (id == BufferPool.NONE) {
            return;
        }
        final long address = pool.headerAddress(id);
        traced.wrap(address).begin(source, number).stay(kind, hopLimit, arrivedOn, leftOn, stayNs);
        final int bytes = FrameHeaderFlyweight.LENGTH + TracedFlyweight.BODY_BYTES;
        if (output.send(output.outgoing().wrap(address, bytes, share, id)) < 0) {
            share.release(id);
        }
    }

    /** Keeps a report to this node that passed every check, if somebody waits for it. */
    void onReport(final long headerAddress) {
        if (log.isWanted()) {
            header.wrap(headerAddress);
            report.set(
                    header, traced.wrap(headerAddress), shape.node(header.source()), clock.nowNs());
            log.add(report);
        }
    }
}
