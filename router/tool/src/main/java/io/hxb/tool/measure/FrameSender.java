package io.hxb.tool.measure;

import io.hxb.linux.Memory;
import io.hxb.node.service.MessagePattern;
import io.hxb.node.service.ServiceProtocol;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmStatus;
import io.hxb.tool.report.ToolException;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;

/** Sends messages that the node takes as one. It allocates nothing while it sends. */
final class FrameSender extends PerfSender {
    private static final int BURST = 32;
    private static final long CHECK_TIME_EVERY = 256;
    private static final long IDLE_NS = 200_000;

    private final MeasurementExchange exchange;
    private final int lengthBytes;
    private final long checkEvery;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment reply = arena.allocate(ServiceProtocol.REPLY_BYTES, Long.BYTES);

    /**
     * Makes one.
     *
     * @param context sends all streams; closed with it.
     * @param lengthBytes payload of each message, 1 to the context's maximum.
     * @param checkEvery of how many messages one is written and compared whole, 1 or more.
     */
    FrameSender(final PmContext context, final int lengthBytes, final long checkEvery) {
        exchange = new MeasurementExchange(context);
        this.lengthBytes = lengthBytes;
        this.checkEvery = checkEvery;
    }

    @Override
    void send(final long deadlineNs, final long limitMessages, final BooleanSupplier isStopped) {
        long rounds = 0;
        boolean isTimeLeft = true;
        while (isTimeLeft) {
            long sent = 0;
            boolean isDone = true;
            for (int i = 0; i < streams().size(); i++) {
                final PerfStream stream = streams().get(i);
                sent += burst(stream, limitMessages);
                isDone &= stream.sent() >= limitMessages;
            }
            if (isDone) {
                return;
            }
            if (sent == 0) {
                exchange.checkEvents();
                exchange.context().awaitSends(IDLE_NS);
            }
            if (sent == 0 || ++rounds % (CHECK_TIME_EVERY / BURST) == 0) {
                // A message that failed is finished, too.
                exchange.checkEvents();
                onAcknowledged(sent() - exchange.context().unfinishedSends());
                isTimeLeft = deadlineNs - System.nanoTime() > 0 && !isStopped.getAsBoolean();
            }
        }
    }

    private long burst(final PerfStream stream, final long limitMessages) {
        final PmContext context = exchange.context();
        int sent = 0;
        while (sent < BURST && stream.sent() < limitMessages) {
            final int slot = context.claim(stream.target(), stream.context(), lengthBytes);
            if (slot == PmStatus.NO_BUFFERS) {
                break;
            }
            if (slot < 0) {
                throw new ToolException(
                        "cannot send: " + PmStatus.name(slot) + " " + context.closeReason());
            }
            if (stream.sent() % checkEvery == 0) {
                MessagePattern.write(context.sendAddress(slot), lengthBytes, stream.sent());
                exchange.send(slot, lengthBytes, ServiceProtocol.COUNT);
            } else {
                MessagePattern.number(context.sendAddress(slot), lengthBytes, stream.sent());
                exchange.send(slot, lengthBytes, ServiceProtocol.COUNT_NUMBER);
            }
            stream.onSent();
            sent++;
        }
        return sent;
    }

    @Override
    void drain() {
        if (!exchange.drain(ANSWER_NS)) {
            throw unacknowledged(streams().getFirst().target());
        }
        onAcknowledged(sent());
    }

    @Override
    long ask(final PerfStream stream, final int tag) {
        final int slot = exchange.claim(stream.target(), stream.context(), 0, ANSWER_NS);
        exchange.send(slot, 0, tag);
        while (exchange.receive(ANSWER_NS)) {
            final var message = exchange.message();
            final boolean isReply =
                    message.tag() == ServiceProtocol.COUNT_REPLY
                            && message.sourceNode() == stream.target()
                            && message.lengthBytes() == ServiceProtocol.REPLY_BYTES;
            if (isReply) {
                Memory.copy(message.address(), reply.address(), ServiceProtocol.REPLY_BYTES);
            }
            exchange.release();
            if (isReply) {
                return reply.address();
            }
        }
        throw silent(stream);
    }

    @Override
    public void close() {
        exchange.close();
        arena.close();
    }
}
