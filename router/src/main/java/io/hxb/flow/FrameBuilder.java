package io.hxb.flow;

import io.hxb.flow.api.FlowCounters;
import io.hxb.flow.api.FlowSettings;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.MessageRecordFlyweight;
import io.hxb.linux.Memory;

/** Makes data frames of the messages that wait for a flow. Owned by one loop. */
final class FrameBuilder {
    /** Frames that a flow may have in flight, and bytes of one, for it to count as sparse. */
    private static final int SPARSE_FRAMES = 8;

    private static final int SPARSE_BYTES = FrameHeaderFlyweight.LENGTH + 256;

    private final FlowTable table;
    private final FlowSettings config;
    private final TxPool pool;
    private final FlowCounters counters;
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();

    FrameBuilder(final FlowTable table, final TxPool pool, final FlowCounters counters) {
        this.table = table;
        config = table.config();
        this.pool = pool;
        this.counters = counters;
    }

    /**
     * True if the messages that wait are small, leave room for another one in their frame, and more
     * are coming.
     */
    boolean isWorthWaiting(final SendFlow flow) {
        final FlowContext context = flow.context;
        if (!context.isMoreComing || context.slotLength[flow.pendingHead] > config.inlineBytes()) {
            return false;
        }
        final int another =
                MessageRecordFlyweight.paddedLength(context.slotLength[flow.pendingTail]);
        return flow.pendingBytes + another <= config.mtuBytes() - FrameHeaderFlyweight.LENGTH;
    }

    /** Makes a frame of the message that waits longest, or of several small ones. */
    void build(final SendFlow flow, final TxFrame frame) {
        final FlowContext context = flow.context;
        final int first = flow.pendingHead;
        final int second = context.slotNext[first];
        frame.firstSlot = first;
        frame.attempts = 0;
        frame.isLost = false;
        frame.isFinished = false;
        frame.isStranded = false;
        final boolean isShared =
                second != FlowContext.NO_SLOT
                        && context.slotLength[first] <= config.inlineBytes()
                        && context.slotLength[second] <= config.inlineBytes();
        if (isShared) {
            frame.sharedIndex = pool.acquireShared(flow.sharedInFlight);
        }
        if (frame.sharedIndex != TxFrame.NOT_SHARED) {
            buildShared(flow, frame);
        } else {
            buildSingle(flow, frame);
        }
        flow.add(frame);
        counters.messagesSent += frame.messageCount;
        counters.bytesSent +=
                frame.headerLengthBytes - FrameHeaderFlyweight.LENGTH + frame.payloadLengthBytes;
        header.wrap(frame.headerAddress)
                .clear()
                .type(FrameType.DATA)
                .destination(flow.peerCoordinates)
                .sourceIncarnation(context.incarnation)
                .destinationIncarnation(flow.peerIncarnation)
                .sourceContext(context.id)
                .destinationContext(flow.peerContext)
                .sequence(frame.sequence)
                .epoch(flow.epoch)
                .bodyLength(
                        frame.headerLengthBytes
                                - FrameHeaderFlyweight.LENGTH
                                + frame.payloadLengthBytes)
                .messageCount(frame.messageCount);
    }

    private void buildSingle(final SendFlow flow, final TxFrame frame) {
        final FlowContext context = flow.context;
        final int slot = flow.pendingHead;
        final long record = frame.ownHeaderAddress + FrameHeaderFlyweight.LENGTH;
        Memory.putInt(record, context.slotLength[slot]);
        Memory.putInt(record + 4, context.slotTag[slot]);
        frame.headerAddress = frame.ownHeaderAddress;
        frame.headerLengthBytes = FrameHeaderFlyweight.LENGTH + MessageRecordFlyweight.LENGTH;
        frame.payloadAddress = context.slotAddress[slot];
        frame.payloadLengthBytes = context.slotLength[slot];
        frame.messageCount = 1;
        flow.pendingHead = context.slotNext[slot];
        flow.pendingCount--;
        flow.pendingBytes -= MessageRecordFlyweight.paddedLength(context.slotLength[slot]);
    }

    private void buildShared(final SendFlow flow, final TxFrame frame) {
        final FlowContext context = flow.context;
        final int roomBytes = config.mtuBytes() - FrameHeaderFlyweight.LENGTH;
        frame.headerAddress = pool.sharedHeaderAddress(frame.sharedIndex);
        final long body = frame.headerAddress + FrameHeaderFlyweight.LENGTH;
        int offset = 0;
        int endBytes = 0;
        int count = 0;
        int slot = flow.pendingHead;
        while (slot != FlowContext.NO_SLOT) {
            final int lengthBytes = context.slotLength[slot];
            final int neededBytes = offset + MessageRecordFlyweight.LENGTH + lengthBytes;
            if (lengthBytes > config.inlineBytes() || neededBytes > roomBytes) {
                break;
            }
            Memory.putInt(body + offset, lengthBytes);
            Memory.putInt(body + offset + 4, context.slotTag[slot]);
            Memory.copyShort(
                    context.slotAddress[slot],
                    body + offset + MessageRecordFlyweight.LENGTH,
                    lengthBytes);
            endBytes = neededBytes;
            offset += MessageRecordFlyweight.paddedLength(lengthBytes);
            count++;
            slot = context.slotNext[slot];
        }
        frame.headerLengthBytes = FrameHeaderFlyweight.LENGTH + endBytes;
        frame.payloadAddress = 0;
        frame.payloadLengthBytes = 0;
        frame.messageCount = count;
        flow.pendingHead = slot;
        flow.pendingCount -= count;
        flow.pendingBytes -= offset;
        flow.sharedInFlight++;
        counters.framesShared++;
    }

    /** Writes what changes from one transmission of a frame to the next. */
    void writeFlags(final SendFlow flow, final TxFrame frame) {
        header.wrap(frame.headerAddress);
        final boolean isUrgent = isUrgent(flow, frame);
        header.flags(
                (frame.attempts > 0 ? FrameHeaderFlyweight.FLAG_AGAIN : 0)
                        | (isUrgent ? FrameHeaderFlyweight.FLAG_ACK_NOW : 0)
                        | (isSparse(flow, frame) ? FrameHeaderFlyweight.FLAG_SPARSE : 0));
        if (flow.opposite != null && !flow.opposite.array.isEnded()) {
            table.window(flow.opposite);
            ControlWriter.acknowledge(header, flow.opposite, flow.opposite.array.next());
            flow.opposite.onAcknowledged(false);
        }
    }

    private static boolean isSparse(final SendFlow flow, final TxFrame frame) {
        return frame.attempts == 0
                && flow.inFlight <= SPARSE_FRAMES
                && frame.headerLengthBytes + frame.payloadLengthBytes <= SPARSE_BYTES;
    }

    /**
     * True if the acknowledgement should not be delayed: the frame was sent before, it uses up the
     * window, or it ends a burst, after which a sender with few send buffers waits for it.
     */
    private boolean isUrgent(final SendFlow flow, final TxFrame frame) {
        if (frame.attempts > 0) {
            return true;
        }
        flow.burstFrames++;
        final boolean isUrgent =
                flow.hasPending()
                        ? flow.limit - frame.sequence == 1
                        : flow.burstFrames >= config.ackEveryFrames() / 2;
        if (isUrgent) {
            flow.burstFrames = 0;
        }
        return isUrgent;
    }
}
