package io.hxb.pm;

import io.hxb.linux.Memory;
import io.hxb.pm.shm.DirectPage;

import java.util.BitSet;

/**
 * Messages of a context to other contexts of its node that go directly, through a ring to each. A
 * message is written where the receiver reads it if no other is being written there, else copied
 * when it is sent. It is done as soon as it is in the ring. Owned by the context's thread.
 */
final class LocalSends {
    private final SendSlots slots;
    private final DirectRings introductions;
    private final DirectSends rings;
    private final int ownNode;

    /** Slots whose messages are done, in their order, for a listener; a place for each slot. */
    private int[] done = {};

    private int doneFirst;
    private int doneCount;

    /** True if messages are done of which nobody was notified. */
    private boolean hasUntold;

    /** Slots with the message that begins a ring. */
    private final BitSet begins = new BitSet();

    /** Slot whose message is written in the ring {@link #writtenRing}, if any. */
    private int writtenSlot = SendSlots.NONE;

    private DirectSend writtenRing;
    private boolean isWrittenRingRemoved;

    LocalSends(final SendSlots slots, final DirectRings rings, final int ownNode) {
        this.slots = slots;
        introductions = rings;
        this.rings = rings.sends();
        this.ownNode = ownNode;
    }

    /** From now on each slot is to be reported, before it can be claimed again. */
    void listen() {
        if (done.length == 0) {
            done = new int[slots.count()];
        }
    }

    /** True if messages to a node are for contexts beside this one. */
    boolean isLocal(final int node) {
        return node == ownNode;
    }

    /** True, once, if a message that found no room in a ring would find it now. */
    boolean takeRoomAgain() {
        return hasRoomAgain() && rings.takeRoomAgain();
    }

    /** The same, as often as it is asked until it was taken. */
    boolean hasRoomAgain() {
        if (!rings.hasBeenFull()) {
            return false;
        }
        introductions.poll();
        return rings.hasRoomAgain();
    }

    /** True if messages to a context go through a ring. */
    boolean isOpen(final int context) {
        introductions.poll();
        final DirectSend ring = rings.ring(context);
        if (ring == null) {
            return false;
        }
        if (ring.isBroken()) {
            remove(context);
            return false;
        }
        if (ring.isOpen() && introductions.isInDoubt()) {
            leave(ring);
        }
        return ring.isOpen();
    }

    /** Sends through the node, after what is in the ring. */
    private void leave(final DirectSend ring) {
        if (writtenSlot != SendSlots.NONE && ring == writtenRing) {
            passWritten();
        }
        ring.leave();
    }

    /** True if there is a ring to a context, whatever its state. */
    boolean hasRing(final int context) {
        return rings.ring(context) != null;
    }

    /** A message to a context that had no ring is about to go through the node. */
    void onThroughNode(final int context) {
        if (!hasRing(context)) {
            rings.count(context);
        }
    }

    /**
     * Begins to use the ring to a context, if it can be.
     *
     * @return the slot of a message that has to go through the node first, or {@link
     *     SendSlots#NONE}.
     */
    int begin(final int context) {
        final DirectSend ring = rings.ring(context);
        if (ring == null || rings.isOffered(context) || introductions.isInDoubt()) {
            return SendSlots.NONE;
        }
        if (!ring.mayBegin()) {
            return SendSlots.NONE;
        }
        final int slot = slots.claim(ownNode, context, 0);
        if (slot == SendSlots.NONE) {
            return SendSlots.NONE;
        }
        ring.writeBegin(slots.address(slot));
        slots.start(slot, DirectPage.BEGIN_BYTES);
        begins.set(slot);
        ring.open();
        return slot;
    }

    /** True if a slot has the message that begins a ring. */
    boolean isBegin(final int slot) {
        return !begins.isEmpty() && begins.get(slot);
    }

    /** As {@link #isBegin}; the message is done. */
    boolean takeBegin(final int slot) {
        final boolean isBegin = isBegin(slot);
        if (isBegin) {
            begins.clear(slot);
        }
        return isBegin;
    }

    /**
     * Claims a slot for a message to a context whose ring is open.
     *
     * @return the slot, or {@link SendSlots#NONE} if there is none or the ring has no room.
     */
    int claim(final int context, final int lengthBytes) {
        final DirectSend ring = rings.ring(context);
        if (!ring.hasRoom(lengthBytes)) {
            rings.onFull(ring, lengthBytes);
            return SendSlots.NONE;
        }
        final int slot = slots.claim(ownNode, context, lengthBytes);
        if (slot != SendSlots.NONE && writtenSlot == SendSlots.NONE) {
            writtenSlot = slot;
            writtenRing = ring;
        }
        return slot;
    }

    /** True if the message of a slot is written in a ring. */
    boolean isInPlace(final int slot) {
        return slot == writtenSlot;
    }

    /** Where the message of a slot is written. */
    long address(final int slot) {
        if (slot != writtenSlot) {
            return slots.address(slot);
        }
        return writtenRing.isStranded()
                ? writtenRing.strandedAddress()
                : writtenRing.payloadAddress();
    }

    /**
     * Sends a message through the ring to its context.
     *
     * @param payload where it lies; 0 for where the slot's messages are written.
     * @return false if it has to go through the node; its payload is in the slot's own buffer then,
     *     unless it lies elsewhere.
     */
    boolean submit(final int slot, final int lengthBytes, final int tag, final long payload) {
        introductions.poll();
        final DirectSend ring = rings.ring(slots.context(slot));
        final boolean isOpen =
                ring != null
                        && ring.isOpen()
                        && !ring.isReceiverGone()
                        && !introductions.isInDoubt();
        final boolean isWritten = slot == writtenSlot;
        if (isOpen && isWritten && ring == writtenRing && payload == 0 && !ring.isStranded()) {
            writtenSlot = SendSlots.NONE;
            ring.append(lengthBytes, tag);
            onDone(slot);
            return true;
        }
        final long source = payload == 0 ? address(slot) : payload;
        if (isOpen && !isWritten && writtenSlot != SendSlots.NONE && ring == writtenRing) {
            passWritten();
        }
        final boolean isSent = isOpen && append(ring, source, lengthBytes, tag);
        if (isSent) {
            onDone(slot);
        } else if (isWritten && payload == 0) {
            Memory.copy(source, slots.address(slot), lengthBytes);
        }
        if (isWritten) {
            endWriting();
        }
        if (!isSent && ring != null && ring.isOpen() && !ring.isBroken()) {
            // In doubt about a receiver, which may be another one: this one learns that the order
            // goes on with the node.
            if (writtenSlot != SendSlots.NONE && ring == writtenRing) {
                passWritten();
            }
            ring.leave();
        }
        return isSent;
    }

    /** Something is sent before the message that is being written. */
    private void passWritten() {
        if (!writtenRing.isStranded()) {
            writtenRing.strand(slots.lengthBytes(writtenSlot));
        }
    }

    private static boolean append(
            final DirectSend ring, final long source, final int lengthBytes, final int tag) {
        if (!ring.hasRoomNow(lengthBytes)) {
            ring.leave();
            return false;
        }
        Memory.copyShort(source, ring.payloadAddress(), lengthBytes);
        ring.append(lengthBytes, tag);
        return true;
    }

    /** A claimed slot is given back unsent. */
    void abandon(final int slot) {
        if (slot == writtenSlot) {
            endWriting();
        }
    }

    private void endWriting() {
        writtenSlot = SendSlots.NONE;
        writtenRing.unstrand();
        if (isWrittenRingRemoved) {
            isWrittenRingRemoved = false;
            writtenRing.close();
        }
    }

    /** Ends the use of the ring to a context; what is being written there can still be. */
    void remove(final int context) {
        if (rings.ring(context) == null) {
            return;
        }
        final DirectSend ring = rings.remove(context);
        if (writtenSlot != SendSlots.NONE && ring == writtenRing) {
            isWrittenRingRemoved = true;
        } else {
            ring.close();
        }
    }

    /** Nothing is written any more: unmaps what was kept for that. */
    void close() {
        if (isWrittenRingRemoved) {
            endWriting();
        }
    }

    private void onDone(final int slot) {
        if (done.length == 0) {
            hasUntold = true;
            slots.finish(slot);
            slots.release(slot);
        } else {
            final int index = doneFirst + doneCount++;
            done[index < done.length ? index : index - done.length] = slot;
        }
    }

    /** True if messages are done, and {@link #takeDone} was not called since. */
    boolean hasDone() {
        return hasUntold || doneCount > 0;
    }

    /**
     * Takes the slot of the next message that is done and has to be reported.
     *
     * @return the slot, which is free again, or {@link SendSlots#NONE}.
     */
    int takeDone() {
        hasUntold = false;
        if (doneCount == 0) {
            return SendSlots.NONE;
        }
        final int slot = done[doneFirst];
        doneFirst = doneFirst + 1 < done.length ? doneFirst + 1 : 0;
        doneCount--;
        slots.finish(slot);
        slots.release(slot);
        return slot;
    }
}
