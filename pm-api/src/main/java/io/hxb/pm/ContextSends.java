package io.hxb.pm;

import io.hxb.linux.Memory;
import io.hxb.pm.share.DestinationShares;
import io.hxb.pm.shm.ControlMemory;

import org.agrona.MutableDirectBuffer;

import java.lang.foreign.MemorySegment;

/**
 * The messages in claimed slots of a context: checks what the program asks for, hands them over and
 * reports when they are done. Owned by the context's thread.
 */
final class ContextSends {
    private final PmDevice device;
    private final ContextState state;
    private final SendEnd end;
    private final SendSlots slots;
    private final ContextWaiter waiter;
    private final DirectReceives directs;
    private final int mtuBytes;
    private final int maxLengthBytes;

    /**
     * Makes the sends of a context.
     *
     * @param device whose regions messages may lie in.
     * @param maxLengthBytes longest message that is written in send buffers.
     * @param directs notes that a message was sent, to which an answer may come.
     */
    ContextSends(
            final PmDevice device,
            final ContextState state,
            final SendEnd end,
            final int maxLengthBytes,
            final ContextWaiter waiter,
            final DirectReceives directs) {
        this.device = device;
        this.state = state;
        this.end = end;
        this.waiter = waiter;
        this.directs = directs;
        slots = end.slots();
        mtuBytes = device.mtuBytes();
        this.maxLengthBytes = maxLengthBytes;
    }

    /** Longest message that is written in send buffers. */
    int maxLengthBytes() {
        return maxLengthBytes;
    }

    /** Checks the length of a message that a send buffer is claimed for. */
    void checkLength(final int lengthBytes) {
        checkLength(lengthBytes, maxLengthBytes);
    }

    private static void checkLength(final int lengthBytes, final int maxBytes) {
        if (lengthBytes < 0 || lengthBytes > maxBytes) {
            throw new IllegalArgumentException(
                    "lengthBytes must be 0.." + maxBytes + ": " + lengthBytes);
        }
    }

    private void checkClaimed(final int slot) {
        state.checkOpen();
        slots.checkClaimed(slot);
    }

    /** Where the message of a claimed slot is written. */
    long address(final int slot) {
        checkClaimed(slot);
        return end.address(slot);
    }

    /** View of that, always the same object for a slot. */
    MutableDirectBuffer buffer(final int slot) {
        checkClaimed(slot);
        return end.buffer(slot);
    }

    /** The same as a new segment. */
    MemorySegment segment(final int slot) {
        checkClaimed(slot);
        return Memory.ALL.asSlice(end.address(slot), end.roomBytes(slot));
    }

    /** Hands over the message that was written in a claimed slot. */
    int send(final int slot, final int lengthBytes, final int tag) {
        checkClaimed(slot);
        checkLength(lengthBytes, slots.lengthBytes(slot));
        return submit(slot, lengthBytes, tag, null, 0);
    }

    /** Hands over a copy of {@code payload} in a slot that was claimed for its length. */
    int sendCopy(final int slot, final byte[] payload, final int tag) {
        end.buffer(slot).putBytes(0, payload);
        return submit(slot, payload.length, tag, null, 0);
    }

    /** Hands over a message that lies in a region. */
    int sendFrom(
            final int slot,
            final PmRegion region,
            final long offset,
            final int lengthBytes,
            final int tag) {
        checkClaimed(slot);
        region.checkRange(offset, lengthBytes);
        if (region.device() != device) {
            throw new IllegalArgumentException("the region is of another device");
        }
        checkLength(lengthBytes, mtuBytes);
        return submit(slot, lengthBytes, tag, region, offset);
    }

    private int submit(
            final int slot,
            final int lengthBytes,
            final int tag,
            final PmRegion region,
            final long regionOffset) {
        final int closed = state.status();
        if (closed != PmStatus.OK) {
            end.abandon(slot);
            return closed;
        }
        directs.onSend();
        end.submit(slot, lengthBytes, tag, region, regionOffset);
        return PmStatus.OK;
    }

    /** Gives a claimed slot back unsent. */
    void abandon(final int slot) {
        checkClaimed(slot);
        end.abandon(slot);
    }

    /** True if nothing of {@code slot} is under way. */
    boolean isDone(final int slot) {
        state.checkOpen();
        slots.check(slot);
        if (slots.isInFlight(slot)) {
            takeDone();
        }
        return !slots.isInFlight(slot);
    }

    /** Number of messages handed over and not done. */
    int unfinished() {
        takeDone();
        if (!state.isClosed()) {
            end.notifyRoom();
        }
        return slots.inFlightCount();
    }

    /** Takes back the slots that are done. */
    void takeDone() {
        if (!state.isClosed()) {
            end.takeAllDone();
        }
    }

    /** Waits until all are done; as {@link PmContext#awaitAllSends}. */
    int awaitAll(final long timeoutNs) {
        final long startNs = System.nanoTime();
        int status = PmStatus.OK;
        while (status == PmStatus.OK && unfinished() > 0) {
            status = waiter.await(ControlMemory.SENDS, SendClaims.leftNs(startNs, timeoutNs));
        }
        return status == PmStatus.OK && !end.failed().isEmpty() ? PmStatus.EVENT : status;
    }

    /** Shares of the destinations in the slots. */
    DestinationShares shares() {
        return slots.shares();
    }

    /** True if a slot can be claimed, by a destination that may have another one. */
    boolean hasFree() {
        return slots.hasFree();
    }

    /** Sets the listener that is called for every slot that comes back. */
    void listener(final PmContext.SendDoneListener listener) {
        end.listener(listener);
    }

    /** Lets nothing be claimed or written any more. */
    void close() {
        end.close();
    }
}
