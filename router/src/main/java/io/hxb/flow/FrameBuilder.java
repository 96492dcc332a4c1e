package io.hxb.flow;

import io.hxb.config.FlowConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.MessageRecordFlyweight;
import io.hxb.linux.Memory;
import io.hxb.pm.shm.ShortRing;

/** Makes data frames of the messages that wait for a flow. Owned by one loop. */
final class FrameBuilder {
    /** Messages up to this length share frames when several wait for one flow. */
    private static final int INLINE_BYTES = 4_096;

    /** Frames that a flow may have in flight, and bytes of one, for it to count as sparse. */
    private static final int SPARSE_FRAMES = 8;

    private static final int SPARSE_BYTES = FrameHeaderFlyweight.LENGTH + 256;

    /** Frames that may wait staged for a flow; what comes then waits as messages. */
    private static final int MAX_STAGED_FRAMES = 16;

    /** Of a short message's record in its ring. */
    private static final long SLOT_BITS = 0xFFFF_0000L;

    private final FlowTable table;
    private final FlowConfig config;
    private final TxPool pool;
    private final int mtuBytes;
    private final int stagedRoomBytes;
    private final FlowCounters counters;
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();

    FrameBuilder(final FlowTable table, final TxPool pool, final FlowCounters counters) {
        this.table = table;
        config = table.config();
        this.pool = pool;
        this.counters = counters;
        mtuBytes = table.sizes().mtuBytes();
        stagedRoomBytes = (mtuBytes - FrameHeaderFlyweight.LENGTH) & -Long.BYTES;
    }

    /**
     * Copies short messages from the front of a run straight into frames that wait to be sent: one
     * pass, and nothing to remember of the single message.
     *
     * @param address of the first record, as in {@link ShortRing}, in memory that may change
     *     meanwhile.
     * @param lengthBytes of the records.
     * @param most messages at most.
     * @param isNewRun true if the first record begins a run.
     * @return see {@link Staged}.
     */
    long stage(
            final SendFlow flow,
            final long address,
            final int lengthBytes,
            final int most,
            final boolean isNewRun) {
        // What waits as messages goes first; where frames are tiny all of them do.
        if (flow.state != SendFlow.OPEN
                || flow.pendingHead != FlowContext.NO_SLOT
                || stagedRoomBytes < ShortRing.recordBytes(ShortRing.MAX_LENGTH)) {
            return Staged.NONE;
        }
        if (isNewRun && flow.stagedTail != null) {
            // What is done is told by a frame's first slot, which the others of its run follow.
            flow.stagedTail.isFull = true;
        }
        int offset = 0;
        int messages = 0;
        boolean isRight = true;
        while (isRight && offset < lengthBytes && messages < most) {
            final TxFrame frame = stagedFrame(flow);
            if (frame == null) {
                break;
            }
            final int bytesBefore = frame.bodyBytes;
            final int messagesBefore = frame.messageCount;
            isRight = fill(frame, address + offset, lengthBytes - offset, most - messages);
            offset += frame.bodyBytes - bytesBefore;
            messages += frame.messageCount - messagesBefore;
            if (frame.messageCount == 0) {
                pool.release(frame);
            } else if (messagesBefore == 0) {
                flow.stage(frame);
            }
        }
        flow.pendingCount += messages;
        return isRight ? Staged.of(messages, offset) : Staged.MALFORMED;
    }

    /**
     * Copies what fits into a frame, then walks the records there, where the application cannot
     * reach them; they are those of the ring without the slot. Sets whether the frame is full.
     *
     * @return false if a record cannot be.
     */
    private boolean fill(
            final TxFrame frame, final long address, final int lengthBytes, final int most) {
        final int copied = Math.min(lengthBytes, stagedRoomBytes - frame.bodyBytes);
        final long body = frame.headerAddress + FrameHeaderFlyweight.LENGTH + frame.bodyBytes;
        Memory.copy(address, body, copied);
        if (frame.messageCount == 0) {
            frame.firstSlot = ShortRing.slot(Memory.getLong(body));
        }
        int offset = 0;
        int messages = 0;
        boolean isRight = true;
        while (offset < copied && messages < most) {
            final long header = Memory.getLong(body + offset);
            final int payloadBytes = ShortRing.lengthBytes(header);
            final int recordBytes = ShortRing.recordBytes(payloadBytes);
            isRight = payloadBytes <= ShortRing.MAX_LENGTH && recordBytes <= lengthBytes - offset;
            if (!isRight || recordBytes > copied - offset) {
                break;
            }
            Memory.putLong(body + offset, header & ~SLOT_BITS);
            frame.paddingBytes = recordBytes - ShortRing.HEADER_BYTES - payloadBytes;
            offset += recordBytes;
            messages++;
        }
        frame.isFull = offset < lengthBytes && messages < most;
        frame.bodyBytes += offset;
        frame.messageCount += messages;
        return isRight;
    }

    /** The frame that takes the next records; null if they have to wait as messages. */
    private TxFrame stagedFrame(final SendFlow flow) {
        final TxFrame last = flow.stagedTail;
        return last != null && !last.isFull ? last : newStagedFrame(flow);
    }

    private TxFrame newStagedFrame(final SendFlow flow) {
        if (flow.stagedFrames == MAX_STAGED_FRAMES || !flow.hasWindow(flow.stagedFrames)) {
            return null;
        }
        final TxFrame frame = pool.acquire(flow.inFlight + flow.stagedFrames);
        if (frame == null) {
            return null;
        }
        frame.sharedIndex = pool.acquireShared(flow.sharedInFlight);
        if (frame.sharedIndex == TxFrame.NOT_SHARED) {
            pool.release(frame);
            return null;
        }
        frame.beginRun(pool.sharedHeaderAddress(frame.sharedIndex));
        return frame;
    }

    /**
     * True if the messages that wait are small, leave room for another one in their frame, and more
     * are coming.
     */
    boolean isWorthWaiting(final SendFlow flow) {
        final FlowContext context = flow.context;
        if (!context.isMoreComing) {
            return false;
        }
        if (flow.stagedFrames > 0) {
            final TxFrame last = flow.stagedTail;
            return flow.stagedFrames == 1
                    && flow.pendingHead == FlowContext.NO_SLOT
                    && !last.isFull
                    && last.bodyBytes + last.bodyBytes / last.messageCount <= stagedRoomBytes;
        }
        if (context.slotLength[flow.pendingHead] > INLINE_BYTES) {
            return false;
        }
        final int another =
                MessageRecordFlyweight.paddedLength(context.slotLength[flow.pendingTail]);
        return flow.pendingBytes + another <= mtuBytes - FrameHeaderFlyweight.LENGTH;
    }

    /**
     * The next frame of a flow that has something to send and window for it: one that is staged, or
     * one made of the message that waits longest or of several small ones.
     *
     * @return null when there is no memory for it.
     */
    TxFrame next(final SendFlow flow) {
        final TxFrame staged = flow.pollStaged();
        if (staged != null) {
            staged.headerLengthBytes =
                    FrameHeaderFlyweight.LENGTH + staged.bodyBytes - staged.paddingBytes;
            writeHeader(flow, staged);
            return staged;
        }
        final TxFrame frame = pool.acquire(flow.inFlight);
        if (frame != null) {
            build(flow, frame);
            writeHeader(flow, frame);
        }
        return frame;
    }

    private void build(final SendFlow flow, final TxFrame frame) {
        final FlowContext context = flow.context;
        final int first = flow.pendingHead;
        final int second = context.slotNext[first];
        frame.begin();
        frame.firstSlot = first;
        if (second != FlowContext.NO_SLOT
                && share(context.slotLength[first], context.slotLength[second])) {
            frame.sharedIndex = pool.acquireShared(flow.sharedInFlight);
        }
        if (frame.sharedIndex != TxFrame.NOT_SHARED) {
            buildShared(flow, frame);
        } else {
            buildSingle(flow, frame);
        }
    }

    private void writeHeader(final SendFlow flow, final TxFrame frame) {
        flow.add(frame);
        final int bodyBytes =
                frame.headerLengthBytes - FrameHeaderFlyweight.LENGTH + frame.payloadLengthBytes;
        counters.onFrameMade(frame.messageCount, bodyBytes);
        header.wrap(frame.headerAddress)
                .clear()
                .type(FrameType.DATA)
                .destination(flow.peerCoordinates)
                .sourceIncarnation(flow.context.incarnation)
                .destinationIncarnation(flow.peerIncarnation)
                .sourceContext(flow.context.id)
                .destinationContext(flow.peerContext)
                .sequence(frame.sequence)
                .epoch(flow.epoch)
                .bodyLength(bodyBytes)
                .messageCount(frame.messageCount);
    }

    /** True if two messages are short enough to be copied into one frame, where they fit. */
    private boolean share(final int firstBytes, final int secondBytes) {
        return firstBytes <= INLINE_BYTES
                && secondBytes <= INLINE_BYTES
                && MessageRecordFlyweight.paddedLength(firstBytes)
                                + MessageRecordFlyweight.LENGTH
                                + secondBytes
                        <= mtuBytes - FrameHeaderFlyweight.LENGTH;
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
        final int roomBytes = mtuBytes - FrameHeaderFlyweight.LENGTH;
        frame.headerAddress = pool.sharedHeaderAddress(frame.sharedIndex);
        final long body = frame.headerAddress + FrameHeaderFlyweight.LENGTH;
        int offset = 0;
        int endBytes = 0;
        int count = 0;
        int slot = flow.pendingHead;
        while (slot != FlowContext.NO_SLOT) {
            final int lengthBytes = context.slotLength[slot];
            final int neededBytes = offset + MessageRecordFlyweight.LENGTH + lengthBytes;
            if (lengthBytes > INLINE_BYTES || neededBytes > roomBytes) {
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
