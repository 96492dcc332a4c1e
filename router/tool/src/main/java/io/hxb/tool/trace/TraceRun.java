package io.hxb.tool.trace;

import io.hxb.flow.FlowOutput;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.TracedFlyweight;
import io.hxb.linux.Memory;
import io.hxb.node.service.ServiceProtocol;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;
import io.hxb.tool.measure.RunMeasurement;
import io.hxb.tool.measure.StopRequest;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.Set;

/** Lets a node send traced frames, and collects what is reported. Owned by one thread. */
final class TraceRun implements AutoCloseable {
    private static final long LOOK_NS = 50_000_000;

    private final PmContext context;
    private final int node;
    private final TracePlan plan;
    private final PmMessage message = new PmMessage();
    private final SecureRandom random = new SecureRandom();
    private final TracedFrames frames = new TracedFrames();
    private final Set<Long> unconfirmed = new HashSet<>();
    private long arrived;
    private String problem = "the node has not answered; it may be of an earlier build";

    private TraceRun(final PmContext context, final int node, final TracePlan plan) {
        this.context = context;
        this.node = node;
        this.plan = plan;
    }

    /**
     * Opens a context for it: the one of measurements, or another that is free.
     *
     * @throws ToolException if none is free.
     */
    static TraceRun open(final PmDevice device, final TracePlan plan) {
        IOException refused = null;
        for (int id = RunMeasurement.CONTEXT; id < device.contextCount(); id++) {
            try {
                return new TraceRun(
                        device.openContext(id, PmContextOptions.DEFAULT), device.nodeId(), plan);
            } catch (final IOException e) {
                refused = e;
            }
        }
        throw new ToolException(
                "no context is free: " + (refused == null ? "" : refused.getMessage()), refused);
    }

    /**
     * Sends all frames of the plan and waits for what is reported. Blocks until every frame has
     * arrived, or the time is over.
     *
     * @throws ToolException if no frame could be sent; the message says why.
     */
    TracedFrames send(final StopRequest stop) {
        final long startNs = System.nanoTime();
        for (int i = 0; i < plan.frames() && !stop.isStopped(); i++) {
            takeUntil(startNs + i * plan.intervalNs(), stop);
            request(plan.orders().get(i % plan.orders().size()));
        }
        final long endNs = System.nanoTime() + plan.timeoutNs();
        while (!isComplete() && endNs - System.nanoTime() > 0 && !stop.isStopped()) {
            take(Math.min(LOOK_NS, endNs - System.nanoTime()));
        }
        if (frames.all().isEmpty()) {
            throw new ToolException("no frame was sent: " + problem);
        }
        return frames;
    }

    // Reports of relays may come after that of the destination, so there is one more look.
    private boolean isComplete() {
        if (!unconfirmed.isEmpty() || arrived < frames.all().size()) {
            return false;
        }
        take(LOOK_NS);
        return true;
    }

    private void request(final int order) {
        final int slot = context.claim(node, ServiceProtocol.CONTEXT, ServiceProtocol.TRACE_BYTES);
        if (slot < 0) {
            problem = "no send buffer: " + PmStatus.name(slot);
            return;
        }
        final long number = random.nextLong();
        final long address = context.sendAddress(slot);
        Memory.fill(address, ServiceProtocol.TRACE_BYTES, 0);
        Memory.putLong(address, number);
        Memory.putInt(address + 8, plan.to());
        Memory.putInt(address + 12, order);
        Memory.putInt(address + 16, plan.frameBytes() - FrameHeaderFlyweight.LENGTH);
        unconfirmed.add(number);
        context.send(slot, ServiceProtocol.TRACE_BYTES, ServiceProtocol.TRACE);
    }

    private void takeUntil(final long deadlineNs, final StopRequest stop) {
        long restNs = deadlineNs - System.nanoTime();
        while (restNs > 0 && !stop.isStopped()) {
            take(Math.min(LOOK_NS, restNs));
            restNs = deadlineNs - System.nanoTime();
        }
    }

    private void take(final long timeoutNs) {
        final long deadlineNs = System.nanoTime() + timeoutNs;
        do {
            while (context.receive(message) == PmStatus.OK) {
                if (message.sourceNode() == node
                        && message.sourceContext() == ServiceProtocol.CONTEXT
                        && message.lengthBytes() == ServiceProtocol.TRACE_REPLY_BYTES) {
                    read(message.tag(), message.address());
                }
                context.release(message);
            }
            context.await(Math.max(0, deadlineNs - System.nanoTime()));
        } while (deadlineNs - System.nanoTime() > 0);
    }

    private void read(final int tag, final long address) {
        final long number = Memory.getLong(address);
        if (tag == ServiceProtocol.TRACE_SENT) {
            unconfirmed.remove(number);
            onSent(number, address);
        } else if (tag == ServiceProtocol.TRACE_REPORT && frames.sentNs(number) >= 0) {
            final int kind = Memory.getUnsignedByte(address + 12);
            frames.reported(
                    number,
                    new TracedFrames.Hop(
                            Memory.getInt(address + 8),
                            kind,
                            Memory.getUnsignedByte(address + 13),
                            Memory.getUnsignedShort(address + 14),
                            Memory.getUnsignedShort(address + 16),
                            Memory.getInt(address + 20),
                            Memory.getLong(address + 24) - frames.sentNs(number)));
            arrived += kind == TracedFlyweight.ARRIVED ? 1 : 0;
        }
    }

    private void onSent(final long number, final long address) {
        final int link = Memory.getInt(address + 8);
        final int maxBytes = FrameHeaderFlyweight.LENGTH + Memory.getInt(address + 12);
        if (link >= 0) {
            frames.sent(number, link, Memory.getLong(address + 16));
        } else if (plan.frameBytes() > maxBytes) {
            throw new ToolException(
                    "--size must be at most "
                            + maxBytes
                            + ", which every link of the node takes in one piece: "
                            + plan.frameBytes());
        } else if (link == FlowOutput.NO_ROUTE) {
            problem = "no link leads there; see hxb stat --per-link and hxb doctor";
        } else {
            problem = "the links are full, or no session with that node has been made yet";
        }
    }

    @Override
    public void close() {
        context.close();
    }
}
