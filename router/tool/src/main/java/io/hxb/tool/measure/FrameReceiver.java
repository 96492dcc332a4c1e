package io.hxb.tool.measure;

import io.hxb.node.service.ServiceProtocol;
import io.hxb.node.service.StreamCounts;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmEvent;
import io.hxb.pm.PmMessage;
import io.hxb.pm.PmStatus;

/**
 * Takes measured messages that came as one, checks and counts them, and replies those who ask, as a
 * node's own context does ({@link ServiceProtocol}). Owned by one thread.
 */
final class FrameReceiver implements PerfReceiver.Half {
    private static final int LIMIT_MESSAGES = 64;

    /** A peer that does not take its replies gets none: the others must not wait for it. */
    private static final long ANSWER_NS = 100_000_000L;

    private final PmContext context;
    private final StreamCounts streams;
    private final PmMessage message = new PmMessage();
    private final PmEvent event = new PmEvent();

    FrameReceiver(final PmContext context, final StreamCounts streams) {
        this.context = context;
        this.streams = streams;
    }

    @Override
    public PmContext context() {
        return context;
    }

    @Override
    public int poll() {
        int work = 0;
        while (work < LIMIT_MESSAGES) {
            final int status = context.receive(message);
            if (status != PmStatus.OK) {
                return work == 0 && status != PmStatus.EMPTY ? status : work;
            }
            handle();
            context.release(message);
            work++;
        }
        return work;
    }

    @Override
    public void await(final long timeoutNs) {
        // Those who measured here have gone: nothing is lost with them.
        int status = context.pollEvent(event);
        while (status == PmStatus.OK) {
            status = context.pollEvent(event);
        }
        context.await(timeoutNs);
    }

    private void handle() {
        switch (message.tag()) {
            case ServiceProtocol.COUNT -> count(true);
            case ServiceProtocol.COUNT_NUMBER -> count(false);
            case ServiceProtocol.COUNT_REPORT -> report();
            case ServiceProtocol.COUNT_RESET -> {
                streams.reset(message.sourceNode(), message.sourceContext());
                report();
            }
            default -> {
                // Nothing that belongs here.
            }
        }
    }

    private void count(final boolean isWhole) {
        streams.onMessage(
                message.sourceNode(),
                message.sourceContext(),
                message.address(),
                message.lengthBytes(),
                isWhole);
    }

    private void report() {
        final long startNs = System.nanoTime();
        int slot = claim();
        while (slot == PmStatus.NO_BUFFERS && System.nanoTime() - startNs < ANSWER_NS) {
            context.awaitSends(ANSWER_NS);
            slot = claim();
        }
        if (slot >= 0) {
            streams.write(
                    context.sendAddress(slot),
                    message.sourceNode(),
                    message.sourceContext(),
                    System.nanoTime());
            context.send(slot, ServiceProtocol.REPLY_BYTES, ServiceProtocol.COUNT_REPLY);
        }
    }

    private int claim() {
        return context.claim(
                message.sourceNode(), message.sourceContext(), ServiceProtocol.REPLY_BYTES);
    }
}
