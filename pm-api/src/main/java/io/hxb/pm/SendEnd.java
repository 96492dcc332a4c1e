package io.hxb.pm;

import io.hxb.linux.Memory;
import io.hxb.pm.attach.Attachment;
import io.hxb.pm.shm.CompletionRing;
import io.hxb.pm.shm.ControlMemory;
import io.hxb.pm.shm.DirectPage;
import io.hxb.pm.shm.ShortRing;
import io.hxb.pm.shm.SubmissionRing;

import org.agrona.MutableDirectBuffer;

/**
 * The sending end of a context: hands messages in slots to the node and takes back the slots that
 * are done. Short messages that follow each other to one destination lie in a ring of their own,
 * almost in the layout in which a frame carries them. Messages to other contexts of the node go
 * directly, where there is a ring to them ({@link LocalSends}). Owned by the context's thread.
 */
final class SendEnd {
    private final SendSlots slots;
    private final SubmissionRing submissions;
    private final ShortRing shorts;
    private final CompletionRing completions;
    private final FailedSends failed;
    private final NodeWaker bell;
    private final LocalSends locals;
    private PmContext.SendDoneListener listener = (slot, status) -> {};
    private int lastNode = -1;
    private int lastContext = -1;

    /** Last slot of the current run, if any. */
    private int runSlot = SendSlots.NONE;

    /** Slot whose message is being written in the ring, if any, and where. */
    private int writtenSlot = SendSlots.NONE;

    private long writtenBegin;

    /** What is left of the last completion: its next slot, and how many. */
    private int doneSlot;

    private int doneLeft;
    private int doneStatus;

    /**
     * Makes the sending end over the rings of {@code control}, with a slot for each buffer.
     *
     * @param buffers send buffers of the context.
     * @param maxLengthBytes longest message that is written in them.
     * @param ownNode id of its node.
     * @param rings to other contexts there.
     */
    public SendEnd(
            final ControlMemory control,
            final Attachment.Buffers buffers,
            final int maxLengthBytes,
            final NodeWaker bell,
            final int ownNode,
            final DirectRings rings) {
        slots =
                new SendSlots(
                        buffers.address(), buffers.count(), buffers.bufferBytes(), maxLengthBytes);
        this.bell = bell;
        submissions = control.submissionRing();
        shorts = control.shortRing();
        completions = control.completionRing();
        failed = new FailedSends(buffers.count());
        locals = new LocalSends(slots, rings, ownNode);
        // Messages in a ring are done; those that were not released are lost all the same.
        final FailedSends lost = failed;
        rings.sends()
                .onLost(peer -> lost.add(PmEvent.NO_SLOT, PmStatus.NO_SUCH_CONTEXT, ownNode, peer));
    }

    /** The slots. */
    public SendSlots slots() {
        return slots;
    }

    /** Sends that failed and were not reported. */
    public FailedSends failed() {
        return failed;
    }

    /**
     * Claims a slot for a destination, and room in the ring of short messages if it suits.
     *
     * @param lengthBytes longest payload that will be sent.
     * @return the slot, or {@link SendSlots#NONE}.
     */
    public int claim(final int node, final int context, final int lengthBytes) {
        final boolean isLocal = locals.isLocal(node);
        final boolean isCounted = isLocal && !locals.hasRing(context);
        if (isLocal && isToRing(context)) {
            return locals.claim(context, lengthBytes);
        }
        final int slot = slots.claim(node, context, lengthBytes);
        if (isCounted && slot != SendSlots.NONE) {
            locals.onThroughNode(context);
        }
        if (slot != SendSlots.NONE
                && writtenSlot == SendSlots.NONE
                && isNextShort(node, context, lengthBytes)) {
            writtenBegin = shorts.room(lengthBytes);
            writtenSlot = writtenBegin < 0 ? SendSlots.NONE : slot;
        }
        return slot;
    }

    /** True if messages to a context of this node go through a ring, which may begin with this. */
    private boolean isToRing(final int context) {
        if (locals.isOpen(context)) {
            return true;
        }
        final int begin = locals.begin(context);
        if (begin == SendSlots.NONE) {
            return false;
        }
        submitToNode(begin, DirectPage.BEGIN_BYTES, DirectPage.BEGIN_TAG, 0, 0);
        return true;
    }

    /** Where the message of a claimed slot is written. */
    public long address(final int slot) {
        return slot == writtenSlot ? shorts.payloadAddress(writtenBegin) : locals.address(slot);
    }

    /** View of that, always the same object for a slot. */
    public MutableDirectBuffer buffer(final int slot) {
        return slots.buffer(slot, address(slot), roomBytes(slot));
    }

    /** Bytes that may be written there. */
    public int roomBytes(final int slot) {
        return slot == writtenSlot || locals.isInPlace(slot)
                ? slots.lengthBytes(slot)
                : slots.roomBytes(slot);
    }

    /** Gives a claimed slot back unsent. */
    public void abandon(final int slot) {
        if (slot == writtenSlot) {
            writtenSlot = SendSlots.NONE;
        }
        locals.abandon(slot);
        slots.release(slot);
    }

    private boolean isNextShort(final int node, final int context, final int lengthBytes) {
        return lengthBytes <= ShortRing.MAX_LENGTH && node == lastNode && context == lastContext;
    }

    /**
     * Hands the message of a claimed slot to the node.
     *
     * @param region where its payload lies; null for where the slot's messages are written.
     * @param regionOffset first byte there.
     */
    public void submit(
            final int slot,
            final int lengthBytes,
            final int tag,
            final PmRegion region,
            final long regionOffset) {
        slots.start(slot, lengthBytes);
        if (locals.isLocal(slots.node(slot))) {
            if (locals.submit(slot, lengthBytes, tag, payload(slot, region, regionOffset))) {
                if (slot == writtenSlot) {
                    writtenSlot = SendSlots.NONE;
                }
                return;
            }
        }
        submitToNode(slot, lengthBytes, tag, region == null ? 0 : region.id(), regionOffset);
    }

    /** Where a message is that neither lies in its slot's buffer nor in a direct ring; else 0. */
    private long payload(final int slot, final PmRegion region, final long regionOffset) {
        if (region != null) {
            return region.address() + regionOffset;
        }
        return slot == writtenSlot ? shorts.payloadAddress(writtenBegin) : 0;
    }

    private void submitToNode(
            final int slot,
            final int lengthBytes,
            final int tag,
            final int region,
            final long regionOffset) {
        final int node = slots.node(slot);
        final int context = slots.context(slot);
        if (region == 0 && isInRing(slot, node, context, lengthBytes)) {
            append(slot, node, context, lengthBytes, tag);
        } else {
            submissions.put(
                    slot, lengthBytes, node, context, tag, region, regionOffset, shorts.position());
            runSlot = SendSlots.NONE;
        }
        lastNode = node;
        lastContext = context;
        if (slot == writtenSlot) {
            writtenSlot = SendSlots.NONE;
        }
        bell.onSubmitted();
    }

    /** True if a message lies in the ring of short messages; it is copied there if it suits. */
    private boolean isInRing(
            final int slot, final int node, final int context, final int lengthBytes) {
        if (slot == writtenSlot) {
            return true;
        }
        if (writtenSlot != SendSlots.NONE || !isNextShort(node, context, lengthBytes)) {
            return false;
        }
        writtenBegin = shorts.room(lengthBytes);
        if (writtenBegin < 0) {
            return false;
        }
        Memory.copyShort(slots.address(slot), shorts.payloadAddress(writtenBegin), lengthBytes);
        return true;
    }

    /** Appends the message that lies in the ring to those of its run, or begins one with it. */
    private void append(
            final int slot,
            final int node,
            final int context,
            final int lengthBytes,
            final int tag) {
        final long end = shorts.position();
        final boolean isSame = node == lastNode && context == lastContext;
        if (isSame && runSlot != SendSlots.NONE && shorts.isNext(writtenBegin)) {
            slots.link(runSlot, slot);
        } else {
            // Before the message itself, so that the node never sees one without the other.
            submissions.putRun(node, context, writtenBegin, end);
        }
        runSlot = slot;
        shorts.append(writtenBegin, slot, lengthBytes, tag);
    }

    /** True if {@link #takeAllDone} has something to take. */
    public boolean hasDone() {
        return doneLeft > 0 || locals.hasDone() || completions.isReady();
    }

    /** Lets nothing be claimed or written any more. */
    void close() {
        slots.close();
        locals.close();
    }

    /** True if a message to a context of this node that found no room would find it now. */
    boolean takeRoomAgain() {
        final boolean hasRoom = locals.takeRoomAgain();
        if (hasRoom) {
            listener.onRoom();
        }
        return hasRoom;
    }

    /** Notifies the listener if such a message would find room now. */
    void notifyRoom() {
        if (locals.hasRoomAgain()) {
            listener.onRoom();
        }
    }

    /** Sets the listener that is called for every slot that comes back. */
    public void listener(final PmContext.SendDoneListener newListener) {
        listener = newListener;
        locals.listen();
    }

    /**
     * Takes back all slots that are done, notifies the listener, and notes messages that failed.
     *
     * @return 0 if none has come back since the last call.
     */
    public int takeAllDone() {
        int taken = 0;
        if (locals.hasDone()) {
            taken = 1;
            for (int slot = locals.takeDone(); slot != SendSlots.NONE; slot = locals.takeDone()) {
                listener.onSendDone(slot, PmStatus.OK);
            }
        }
        while (doneLeft > 0 || nextDone()) {
            final int slot = takeDone();
            if (locals.takeBegin(slot)) {
                onBeginDone(slot);
            } else {
                listener.onSendDone(slot, doneStatus);
                taken++;
            }
        }
        return taken;
    }

    /** What was to begin a ring has arrived, or the ring is of no use. */
    private void onBeginDone(final int slot) {
        if (doneStatus != PmStatus.OK) {
            final int context = slots.context(slot);
            locals.remove(context);
            failed.add(PmEvent.NO_SLOT, doneStatus, slots.node(slot), context);
        }
    }

    private int takeDone() {
        final int slot = doneSlot;
        slots.finish(slot);
        slots.onDone(slot);
        if (--doneLeft > 0) {
            doneSlot = slots.following(slot);
        }
        if (doneStatus != PmStatus.OK && !locals.isBegin(slot)) {
            failed.add(slot, doneStatus, slots.node(slot), slots.context(slot));
        }
        slots.release(slot);
        return slot;
    }

    private boolean nextDone() {
        if (!completions.take()) {
            return false;
        }
        doneSlot = completions.slot();
        doneLeft = completions.messages();
        doneStatus = completions.status();
        return true;
    }
}
