package io.hxb.tool.measure;

import io.hxb.node.service.MessagePattern;
import io.hxb.node.service.ServiceProtocol;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmLargeHandler;
import io.hxb.pm.PmLargeMessages;
import io.hxb.pm.PmRegion;
import io.hxb.pm.PmStatus;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Sends messages longer than the node takes as one, from a region without a copy. While one is on
 * its way the next one is written, piece by piece.
 */
final class LongSender extends PerfSender implements PmLargeHandler {
    /** Bytes of all streams that are under way or being written; more of long messages. */
    private static final long AT_ONCE_BYTES = 8 << 20;

    private static final int MAX_AT_ONCE = 32;
    private static final int MIN_AT_ONCE = 4;
    private static final int MIN_AT_ONCE_IF_HUGE = 2;
    private static final int HUGE_BYTES = 64 << 20;
    private static final int WRITTEN_AT_ONCE = 1 << 20;
    private static final int NONE = -1;
    private static final long PAGE_BYTES = 4096;
    private static final long IDLE_NS = 200_000;

    private final PmDevice device;
    private final PmContext context;
    private final PmLargeMessages messages;
    private final int lengthBytes;
    private final long checkEvery;
    private final List<Outbox> outboxes = new ArrayList<>();
    private final Arena arena = Arena.ofShared();
    private final MemorySegment reply = arena.allocate(ServiceProtocol.REPLY_BYTES, Long.BYTES);
    private boolean isReplied;
    private long done;
    private long lastNs;

    /** The memory from which a stream is sent. */
    private static final class Outbox {
        private final PerfStream stream;
        private final PmRegion region;
        private final long[] transfers;

        /** The message that is being written, or NONE. */
        private int next = NONE;

        private int writtenBytes;

        Outbox(final PerfStream stream, final PmRegion region, final int slots) {
            this.stream = stream;
            this.region = region;
            transfers = new long[slots];
            Arrays.fill(transfers, -1);
        }
    }

    /**
     * Makes one.
     *
     * @param context sends all streams; closed with it.
     * @param lengthBytes payload of each message.
     * @param checkEvery of how many messages one is written and compared whole, 1 or more.
     */
    LongSender(
            final PmDevice device,
            final PmContext context,
            final int lengthBytes,
            final long checkEvery) {
        this.device = device;
        this.context = context;
        this.lengthBytes = lengthBytes;
        this.checkEvery = checkEvery;
        messages = new PmLargeMessages(context, this, PmLargeMessages.Limits.DEFAULT);
    }

    private long slotBytes() {
        return (lengthBytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    }

    /** Makes the memory of all streams, once all have been added. */
    void open() throws IOException {
        final int min = lengthBytes > HUGE_BYTES ? MIN_AT_ONCE_IF_HUGE : MIN_AT_ONCE;
        final long fitting = AT_ONCE_BYTES / slotBytes() / streams().size();
        final int slots = Math.clamp(fitting, min, MAX_AT_ONCE);
        for (final PerfStream stream : streams()) {
            outboxes.add(new Outbox(stream, device.openRegion(slots * slotBytes()), slots));
        }
    }

    @Override
    void prepare() {
        done = 0;
        for (final Outbox outbox : outboxes) {
            outbox.writtenBytes = 0;
            outbox.next = NONE;
            if (choose(outbox)) {
                write(outbox, lengthBytes);
            }
        }
    }

    @Override
    void send(final long deadlineNs, final long limitMessages, final BooleanSupplier isStopped) {
        lastNs = System.nanoTime();
        while (!isStopped.getAsBoolean()) {
            final boolean isTimeLeft = deadlineNs - System.nanoTime() > 0;
            int work = 0;
            boolean isDone = true;
            for (final Outbox outbox : outboxes) {
                // However long one takes: one is sent.
                final boolean isOpen =
                        outbox.stream.sent() < limitMessages
                                && (isTimeLeft || outbox.stream.sent() == 0);
                work += isOpen ? fill(outbox) : 0;
                isDone &= !isOpen;
            }
            if (isDone) {
                return;
            }
            work += poll();
            if (work == 0) {
                messages.await(IDLE_NS);
            }
        }
    }

    private int fill(final Outbox outbox) {
        if (!choose(outbox)) {
            return 0;
        }
        if (outbox.writtenBytes < lengthBytes) {
            write(outbox, WRITTEN_AT_ONCE);
        }
        if (outbox.writtenBytes == lengthBytes) {
            submit(outbox);
        }
        return 1;
    }

    /** The first that is free, so that no more memory is used than messages are under way. */
    private boolean choose(final Outbox outbox) {
        for (int i = 0; i < outbox.transfers.length && outbox.next == NONE; i++) {
            final long transfer = outbox.transfers[i];
            if (transfer < 0 || messages.isSent(transfer)) {
                outbox.next = i;
            }
        }
        return outbox.next != NONE;
    }

    private boolean isWhole(final Outbox outbox) {
        return outbox.stream.sent() % checkEvery == 0;
    }

    private void write(final Outbox outbox, final int limitBytes) {
        final long address = outbox.region.address() + outbox.next * slotBytes();
        final long number = outbox.stream.sent();
        if (isWhole(outbox)) {
            final int at = outbox.writtenBytes;
            final int piece = Math.min(limitBytes, lengthBytes - at);
            MessagePattern.write(address + at, at, piece, number);
            outbox.writtenBytes += piece;
        } else {
            MessagePattern.number(address, lengthBytes, number);
            outbox.writtenBytes = lengthBytes;
        }
    }

    private void submit(final Outbox outbox) {
        final long transfer =
                messages.send(
                        outbox.stream.target(),
                        outbox.stream.context(),
                        outbox.region,
                        outbox.next * slotBytes(),
                        lengthBytes,
                        isWhole(outbox) ? ServiceProtocol.COUNT : ServiceProtocol.COUNT_NUMBER);
        if (transfer >= 0) {
            outbox.transfers[outbox.next] = transfer;
            outbox.next = NONE;
            outbox.writtenBytes = 0;
            outbox.stream.onSent();
        }
    }

    private int poll() {
        final int work = messages.poll();
        if (work < 0) {
            throw new ToolException(
                    "cannot continue: " + PmStatus.name(work) + " " + context.closeReason());
        }
        if (work > 0) {
            lastNs = System.nanoTime();
        }
        return work;
    }

    @Override
    void drain() {
        lastNs = System.nanoTime();
        while (messages.unfinishedTransfers() > 0) {
            if (poll() == 0) {
                messages.await(IDLE_NS);
            }
            if (System.nanoTime() - lastNs > ANSWER_NS) {
                throw unacknowledged(streams().getFirst().target());
            }
        }
    }

    @Override
    long ask(final PerfStream stream, final int tag) {
        isReplied = false;
        messages.send(stream.target(), stream.context(), MemorySegment.NULL, tag);
        final long startNs = System.nanoTime();
        while (!isReplied || messages.unfinishedTransfers() > 0) {
            if (poll() == 0) {
                messages.await(IDLE_NS);
            }
            if (System.nanoTime() - startNs > ANSWER_NS) {
                throw silent(stream);
            }
        }
        return reply.address();
    }

    @Override
    public MemorySegment onStart(
            final int sourceNode, final int sourceContext, final long length, final int tag) {
        return tag == ServiceProtocol.COUNT_REPLY && length == ServiceProtocol.REPLY_BYTES
                ? reply
                : PmLargeMessages.REJECT;
    }

    @Override
    public void onEnd(
            final int sourceNode,
            final int sourceContext,
            final long length,
            final int tag,
            final MemorySegment target,
            final int status) {
        isReplied |= status == PmStatus.OK;
    }

    @Override
    public void onSent(final long transfer, final int status) {
        if (status != PmStatus.OK) {
            throw new ToolException(
                    "a message was not delivered: " + MeasurementExchange.explain(status));
        }
        // The request at the end counts as one, too, and is not in the sum of those sent.
        done++;
        onAcknowledged(Math.min(done, sent()));
    }

    @Override
    public void close() {
        outboxes.forEach(outbox -> outbox.region.close());
        context.close();
        arena.close();
    }
}
