package io.hxb.flow;

import io.hxb.config.FlowConfig;
import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.counter.TimeBuckets;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.MessageRecordFlyweight;
import io.hxb.link.LoopClock;
import io.hxb.linux.Memory;
import io.hxb.pm.shm.ShortRing;

/** Makes data frames of the messages that wait for a flow. Owned by one loop. */
final class FrameBuilder {
    /** Messages up to this length share frames when several wait for one flow. */
    private static final int INLINE_BYTES = 4_096;

    /** Frames that may wait staged for a flow; further messages wait as messages. */
    private static final int MAX_STAGED_FRAMES = 16;

    /** Of a short message's record in its ring. */
    private static final long SLOT_BITS = 0xFFFF_0000L;

    private final FlowConfig config;
    private final long piggybackDelayNs;
    private final TxPool pool;
    private final int frameBytes;
    private final int sharedRoomBytes;
    private final int stagedRoomBytes;
    private final CounterBlock counters;
    private final LoopClock clock;
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();

    FrameBuilder(final LoopParts parts) {
        config = parts.config();
        piggybackDelayNs = config.piggybackDelayNs();
        pool = parts.pool();
        counters = parts.counters();
        clock = parts.clock();
        frameBytes = parts.table().sizes().frameBytes();
        sharedRoomBytes = parts.table().sizes().sharedFrameBytes() - FrameHeaderFlyweight.LENGTH;
        stagedRoomBytes = sharedRoomBytes & -Long.BYTES;
    }

    /**
     * Copies short messages from the front of a run straight into frames that wait to be sent: one
     * pass, and nothing to remember about single messages.
     *
     * @param address of the first record, as in {@link ShortRing}, in memory that may change
     *     meanwhile.
     * @param lengthBytes of the records.
     * @param max messages at most.
     * @param isNewRun true if the first record begins a run.
     * @return see {@link StageResult}.
     */
    long stage(
            final SendFlow flow,
            final long address,
            final int lengthBytes,
            final int max,
            final boolean isNewRun) {
        // What waits as messages goes first; where frames are tiny all messages wait that way.
        final SendBacklog backlog = flow.backlog;
        if (!flow.isOpen()
                || backlog.hasMessages()
                || stagedRoomBytes < ShortRing.recordBytes(ShortRing.MAX_LENGTH)) {
            return StageResult.NONE;
        }
        if (isNewRun && backlog.lastStaged() != null) {
            // A frame's completion names its first slot; the other slots of its run follow it.
            backlog.lastStaged().fill();
        }
        int offset = 0;
        int messages = 0;
        boolean isValid = true;
        while (isValid && offset < lengthBytes && messages < max) {
            final TxFrame frame = stagedFrame(flow);
            if (frame == null) {
                break;
            }
            final int bytesBefore = frame.bodyBytes();
            final int messagesBefore = frame.messageCount();
            isValid = copyRun(frame, address + offset, lengthBytes - offset, max - messages);
            offset += frame.bodyBytes() - bytesBefore;
            messages += frame.messageCount() - messagesBefore;
            if (frame.messageCount() == 0) {
                pool.release(frame);
            } else if (messagesBefore == 0) {
                frame.assign(flow);
                flow.onShared();
                backlog.stage(frame);
            }
        }
        backlog.onStaged(messages);
        return isValid ? StageResult.of(messages, offset) : StageResult.MALFORMED;
    }

    /**
     * Copies what fits into a frame, then walks the records there, where the application cannot
     * reach them; they are those of the ring without the slot. The frame is full if they do not all
     * fit.
     *
     * @return false if a record is impossible.
     */
    private boolean copyRun(
            final TxFrame frame, final long address, final int lengthBytes, final int max) {
        final int copied = Math.min(lengthBytes, stagedRoomBytes - frame.bodyBytes());
        final long body = frame.headerAddress() + FrameHeaderFlyweight.LENGTH + frame.bodyBytes();
        Memory.copy(address, body, copied);
        final int firstSlot = ShortRing.slot(Memory.getLong(body));
        int offset = 0;
        int messages = 0;
        int paddingBytes = 0;
        boolean isValid = true;
        while (offset < copied && messages < max) {
            final long header = Memory.getLong(body + offset);
            final int payloadBytes = ShortRing.lengthBytes(header);
            final int recordBytes = ShortRing.recordBytes(payloadBytes);
            isValid = payloadBytes <= ShortRing.MAX_LENGTH && recordBytes <= lengthBytes - offset;
            if (!isValid || recordBytes > copied - offset) {
                break;
            }
            Memory.putLong(body + offset, header & ~SLOT_BITS);
            paddingBytes = recordBytes - ShortRing.HEADER_BYTES - payloadBytes;
            offset += recordBytes;
            messages++;
        }
        frame.append(firstSlot, messages, offset, paddingBytes);
        if (offset < lengthBytes && messages < max) {
            frame.fill();
        }
        return isValid;
    }

    /** The frame that takes the next records; null if they have to wait as messages. */
    private TxFrame stagedFrame(final SendFlow flow) {
        final TxFrame last = flow.backlog.lastStaged();
        return last != null && !last.isFull() ? last : newStagedFrame(flow);
    }

    private TxFrame newStagedFrame(final SendFlow flow) {
        final int staged = flow.backlog.stagedFrames();
        if (staged >= MAX_STAGED_FRAMES || !flow.window.hasRoom(staged)) {
            return null;
        }
        final TxFrame frame = pool.acquire(flow.window.inFlight() + staged);
        if (frame == null) {
            return null;
        }
        final int shared = pool.acquireShared(flow.sharedFrames());
        if (shared == TxFrame.NOT_SHARED) {
            pool.release(frame);
            return null;
        }
        frame.beginRun(shared, pool.sharedHeaderAddress(shared));
        return frame;
    }

    /**
     * True if the messages that wait are small, leave room for another one in their frame, and more
     * are coming.
     */
    boolean isWorthWaiting(final SendFlow flow) {
        if (!flow.context.isMoreComing()) {
            return false;
        }
        final SendBacklog backlog = flow.backlog;
        if (backlog.stagedFrames() > 0) {
            final TxFrame last = backlog.lastStaged();
            if (last.isFull()) {
                return false;
            }
            final int bytes = last.bodyBytes();
            return backlog.stagedFrames() == 1
                    && !backlog.hasMessages()
                    && bytes + bytes / last.messageCount() <= stagedRoomBytes;
        }
        final MessageSlots slots = flow.context.slots;
        if (slots.lengthBytes(backlog.firstSlot()) > INLINE_BYTES) {
            return false;
        }
        final int another =
                MessageRecordFlyweight.paddedLength(slots.lengthBytes(backlog.lastSlot()));
        return backlog.recordBytes() + another <= sharedRoomBytes;
    }

    /**
     * Bytes of the frames that a flow can send now, up to {@code maxFrames} of them, about: those
     * that are staged may still be shorter.
     */
    int waitingBytes(final SendFlow flow, final int maxFrames) {
        final int frames = Math.min(maxFrames, flow.window.roomFrames());
        final SendBacklog backlog = flow.backlog;
        final long stagedBytes =
                (long) backlog.stagedFrames() * (FrameHeaderFlyweight.LENGTH + sharedRoomBytes);
        return (int) Math.min((long) frames * frameBytes, stagedBytes + backlog.recordBytes());
    }

    /**
     * The next frame of a flow that has something to send and window for it: one that is staged, or
     * one made of the message that waits longest or of several small ones.
     *
     * @return null when there is no memory for it.
     */
    TxFrame next(final SendFlow flow, final long nowNs) {
        TxFrame frame = flow.backlog.pollStaged();
        if (frame != null) {
            if (frame.isRun()) {
                frame.closeRun();
            }
        } else {
            frame = pool.acquire(flow.window.inFlight());
            if (frame == null) {
                return null;
            }
            build(flow, frame);
        }
        flow.window.add(flow, frame, nowNs);
        final long waitNs = flow.backlog.onLeft(frame.messageCount(), nowNs);
        if (waitNs != SendBacklog.NOT_MEASURED) {
            counters.increment(CounterType.FLOW_QUEUE_WAIT_EVENTS, TimeBuckets.of(waitNs));
            counters.add(CounterType.FLOW_QUEUE_WAIT_NS, waitNs);
        }
        counters.add(CounterType.FLOW_SENT_MESSAGES, frame.messageCount());
        counters.add(CounterType.FLOW_SENT_BYTES, frame.lengthBytes());
        if (frame.messageCount() > 1) {
            counters.increment(CounterType.FLOW_SHARED_FRAMES);
        }
        writeHeader(flow, frame);
        return frame;
    }

    private void build(final SendFlow flow, final TxFrame frame) {
        final MessageSlots slots = flow.context.slots;
        final int first = flow.backlog.firstSlot();
        final int second = slots.next(first);
        final boolean isShared =
                second != MessageSlots.NONE
                        && fitTogether(slots.lengthBytes(first), slots.lengthBytes(second));
        final int shared = isShared ? pool.acquireShared(flow.sharedFrames()) : TxFrame.NOT_SHARED;
        if (shared == TxFrame.NOT_SHARED) {
            buildSingle(flow.backlog, slots, frame);
        } else {
            frame.beginShared(first, shared, pool.sharedHeaderAddress(shared));
            flow.onShared();
            buildShared(flow.backlog, slots, frame);
        }
    }

    private void writeHeader(final SendFlow flow, final TxFrame frame) {
        header.wrap(frame.headerAddress())
                .clear()
                .type(FrameType.DATA)
                .destination(flow.peerCoordinates)
                .sourceIncarnation(flow.context.incarnation)
                .destinationIncarnation(flow.peerIncarnation())
                .sourceContext(flow.context.id)
                .destinationContext(flow.peerContext)
                .sequence(frame.sequence())
                .epoch(flow.epoch())
                .body(frame.lengthBytes(), frame.messageCount());
    }

    /** True if two messages are short enough to be copied into one frame, where they fit. */
    private boolean fitTogether(final int firstBytes, final int secondBytes) {
        return firstBytes <= INLINE_BYTES
                && secondBytes <= INLINE_BYTES
                && MessageRecordFlyweight.paddedLength(firstBytes)
                                + MessageRecordFlyweight.LENGTH
                                + secondBytes
                        <= sharedRoomBytes;
    }

    private void buildSingle(
            final SendBacklog backlog, final MessageSlots slots, final TxFrame frame) {
        final int slot = backlog.firstSlot();
        final int lengthBytes = slots.lengthBytes(slot);
        frame.beginSingle(slot, slots.address(slot), lengthBytes);
        final long record = frame.headerAddress() + FrameHeaderFlyweight.LENGTH;
        Memory.putInt(record, lengthBytes);
        Memory.putInt(record + 4, slots.tag(slot));
        backlog.onTaken(1, MessageRecordFlyweight.paddedLength(lengthBytes), slots.next(slot));
    }

    private void buildShared(
            final SendBacklog backlog, final MessageSlots slots, final TxFrame frame) {
        final long body = frame.headerAddress() + FrameHeaderFlyweight.LENGTH;
        int offset = 0;
        int endBytes = 0;
        int count = 0;
        int slot = backlog.firstSlot();
        while (slot != MessageSlots.NONE) {
            final int lengthBytes = slots.lengthBytes(slot);
            final int neededBytes = offset + MessageRecordFlyweight.LENGTH + lengthBytes;
            if (lengthBytes > INLINE_BYTES || neededBytes > sharedRoomBytes) {
                break;
            }
            Memory.putInt(body + offset, lengthBytes);
            Memory.putInt(body + offset + 4, slots.tag(slot));
            Memory.copyShort(
                    slots.address(slot),
                    body + offset + MessageRecordFlyweight.LENGTH,
                    lengthBytes);
            endBytes = neededBytes;
            offset += MessageRecordFlyweight.paddedLength(lengthBytes);
            count++;
            slot = slots.next(slot);
        }
        frame.close(count, endBytes);
        backlog.onTaken(count, offset, slot);
    }

    /** Writes what changes from one transmission of a frame to the next. */
    void writeFlags(final SendFlow flow, final TxFrame frame) {
        header.wrap(frame.headerAddress());
        final boolean isAgain = frame.attempts() > 0;
        final boolean isUrgent = isAgain || flow.endsBurst(frame, config.ackEveryFrames() / 2);
        header.flags(
                (isAgain ? FrameHeaderFlyweight.FLAG_AGAIN : 0)
                        | (isUrgent ? FrameHeaderFlyweight.FLAG_ACK_NOW : 0)
                        | (isSparse(flow, frame) ? FrameHeaderFlyweight.FLAG_SPARSE : 0));
        final ReceiveFlow back = flow.opposite();
        if (back != null && !back.array.isEnded()) {
            back.grant();
            ControlWriter.acknowledge(header, back, back.array.next());
            back.onAcknowledged(false);
            back.piggyback.onPiggyback(piggybackDelayNs, clock.nowNs());
        }
    }

    private static boolean isSparse(final SendFlow flow, final TxFrame frame) {
        return frame.attempts() == 0
                && flow.window.inFlight() <= SendFlow.SPARSE_FRAMES
                && frame.lengthBytes() + FrameHeaderFlyweight.LENGTH <= SendFlow.SPARSE_FRAME_BYTES
                && !(flow.isOfShortPackets() && isPatient(frame));
    }

    /** True if nothing waits for any of its messages. */
    private static boolean isPatient(final TxFrame frame) {
        long record = frame.headerAddress() + FrameHeaderFlyweight.LENGTH;
        for (int left = frame.messageCount(); left > 0; left--) {
            if (Memory.getInt(record + MessageRecordFlyweight.TAG_OFFSET)
                    != ContextKind.PATIENT_PACKET) {
                return false;
            }
            record += MessageRecordFlyweight.paddedLength(Memory.getInt(record));
        }
        return true;
    }
}
