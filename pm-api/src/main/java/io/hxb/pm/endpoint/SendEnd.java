package io.hxb.pm.endpoint;

import io.hxb.pm.PmStatus;
import io.hxb.pm.shm.CompletionRing;
import io.hxb.pm.shm.ControlMemory;
import io.hxb.pm.shm.SubmissionRing;

/**
 * The sending end of a context: hands messages in slots to the node and takes back the slots that
 * are done. Owned by the context's thread.
 */
public final class SendEnd {
    private final SendSlots slots;
    private final SubmissionRing submissions;
    private final CompletionRing completions;
    private final FailedSends failed;
    private final NodeBell bell;

    /**
     * Makes the sending end over the rings of {@code control}, with as many slots.
     *
     * @param poolAddress first byte of the send buffers, which lie one after the other.
     * @param bufferBytes bytes of each.
     */
    public SendEnd(
            final ControlMemory control,
            final long poolAddress,
            final int slots,
            final int bufferBytes,
            final NodeBell bell) {
        this.slots = new SendSlots(poolAddress, slots, bufferBytes);
        this.bell = bell;
        submissions = control.submissionRing();
        completions = control.completionRing();
        failed = new FailedSends(slots);
    }

    /** The slots. */
    public SendSlots slots() {
        return slots;
    }

    /** Sends that failed and were not told of. */
    public FailedSends failed() {
        return failed;
    }

    /**
     * Hands the message of a claimed slot to the node.
     *
     * @param region where its payload lies, 0 for the slot's buffer.
     * @param regionOffset first byte there.
     */
    public void submit(
            final int slot,
            final int lengthBytes,
            final int tag,
            final int region,
            final long regionOffset) {
        slots.start(slot);
        submissions.put(
                slot,
                lengthBytes,
                slots.node(slot),
                slots.context(slot),
                tag,
                region,
                regionOffset);
        bell.onSubmitted();
    }

    /** True if {@link #takeDone} has something to take. */
    public boolean hasDone() {
        return completions.isReady();
    }

    /**
     * Takes back a slot that is done, and notes it when its message has failed.
     *
     * @return an entry of the completion ring, or {@link CompletionRing#NONE}.
     */
    public long takeDone() {
        final long entry = completions.take();
        if (entry != CompletionRing.NONE) {
            final int slot = CompletionRing.slot(entry);
            final int status = CompletionRing.status(entry);
            slots.finish(slot);
            if (status != PmStatus.OK) {
                failed.add(slot, status, slots.node(slot), slots.context(slot));
            }
            slots.release(slot);
        }
        return entry;
    }
}
