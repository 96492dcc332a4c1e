package io.hxb.pm;

import io.hxb.pm.attach.ContextRequest;
import io.hxb.pm.share.DestinationShares;
import io.hxb.pm.share.FreeSlots;

import org.agrona.MutableDirectBuffer;

/**
 * The send slots of a context, each with one send buffer: free, claimed for a destination, or in
 * flight. A message that is longer than a buffer has those of a whole group of adjacent slots, and
 * is known by the first of them. Messages of one buffer keep out of the upper half of the groups
 * while there are others, so that long ones find whole groups. Owned by the context's thread.
 */
final class SendSlots {
    /** Returned by {@link #claim} when no slot is free. */
    public static final int NONE = -1;

    private static final byte FREE = 0;
    private static final byte CLAIMED = 1;
    private static final byte IN_FLIGHT = 2;

    private static final int NODE = 0;
    private static final int CONTEXT = 1;
    private static final int LENGTH = 2;
    private static final int FOLLOWING = 3;
    private static final int SHARE = 4;
    private static final int SLOTS = 5;
    private static final int FACTS = 8;

    private final long poolAddress;
    private final int bufferBytes;
    private final FreeSlots free;
    private final byte[] state;

    /** Of each slot, in one cache line: destination, payload, next of its run, whose share. */
    private final int[] facts;

    private final MappedBuffer[] buffers;
    private final DestinationShares shares;
    private int inFlightCount;

    /**
     * Makes slots that are all free.
     *
     * @param poolAddress first byte of the send buffers, which lie one after the other.
     * @param slots their number.
     * @param bufferBytes bytes of each.
     * @param maxLengthBytes longest message.
     */
    SendSlots(
            final long poolAddress,
            final int slots,
            final int bufferBytes,
            final int maxLengthBytes) {
        this.poolAddress = poolAddress;
        this.bufferBytes = bufferBytes;
        free = new FreeSlots(slots, ContextRequest.groupSlots(bufferBytes, maxLengthBytes));
        state = new byte[slots];
        facts = new int[slots * FACTS];
        buffers = new MappedBuffer[slots];
        shares = new DestinationShares(slots);
    }

    /** Number of slots. */
    int count() {
        return state.length;
    }

    /** Shares of the destinations in the slots. */
    DestinationShares shares() {
        return shares;
    }

    /** True if a slot can be claimed, by a destination that may have another one. */
    public boolean hasFree() {
        return !free.isEmpty();
    }

    /**
     * Claims a slot for a destination.
     *
     * @param lengthBytes longest payload that will be sent.
     * @return the slot, or {@link #NONE} if none is free or the destination has its share.
     */
    public int claim(
            final int destinationNode, final int destinationContext, final int lengthBytes) {
        if (free.isEmpty()) {
            return NONE;
        }
        final int share = shares.of(destinationNode, destinationContext);
        if (!shares.mayTake(share)) {
            return NONE;
        }
        final boolean isLong = lengthBytes > bufferBytes;
        final int slot = isLong ? free.takeGroup() : free.take();
        if (slot == NONE) {
            return NONE;
        }
        final int count = isLong ? free.groupSlots() : 1;
        shares.onTaken(share, count);
        assert state[slot] == FREE : "a free slot is in use: " + slot;
        state[slot] = CLAIMED;
        final int first = slot * FACTS;
        facts[first + NODE] = destinationNode;
        facts[first + CONTEXT] = destinationContext;
        facts[first + LENGTH] = lengthBytes;
        facts[first + SHARE] = share;
        facts[first + SLOTS] = count;
        return slot;
    }

    /** Gives a claimed slot back. */
    public void release(final int slot) {
        assert state[slot] != FREE : "released twice: slot " + slot;
        final int first = slot * FACTS;
        final int count = facts[first + SLOTS];
        final int bytes = state[slot] == IN_FLIGHT ? facts[first + LENGTH] : 0;
        shares.onFree(facts[first + SHARE], bytes, count);
        state[slot] = FREE;
        if (count == 1) {
            free.release(slot);
        } else {
            free.releaseGroup(slot);
        }
    }

    /** Lets nothing be claimed any more. */
    public void close() {
        free.close();
    }

    /** Notes that a claimed slot is handed to the node, with a message of {@code lengthBytes}. */
    void start(final int slot, final int lengthBytes) {
        assert state[slot] == CLAIMED : "handed over without a claim: slot " + slot;
        state[slot] = IN_FLIGHT;
        final int first = slot * FACTS;
        facts[first + LENGTH] = lengthBytes;
        shares.onFilled(facts[first + SHARE], lengthBytes);
        inFlightCount++;
    }

    /**
     * Notes that the node has done with a slot, which {@link #release} has to follow.
     *
     * @throws IllegalStateException if it is not in flight.
     */
    void finish(final int slot) {
        if (state[slot] != IN_FLIGHT) {
            throw new IllegalStateException("the completion ring was overwritten: slot " + slot);
        }
        inFlightCount--;
    }

    /** Notes that a message in such a slot is acknowledged, or has failed. */
    void onDone(final int slot) {
        shares.onDone(facts[slot * FACTS + SHARE]);
    }

    /** True if the node has the slot. */
    public boolean isInFlight(final int slot) {
        return state[slot] == IN_FLIGHT;
    }

    /** Number of slots that the node has. */
    public int inFlightCount() {
        return inFlightCount;
    }

    /** Destination node of a slot that was claimed last. */
    public int node(final int slot) {
        return facts[slot * FACTS + NODE];
    }

    /** Destination context of a slot that was claimed last. */
    public int context(final int slot) {
        return facts[slot * FACTS + CONTEXT];
    }

    /** Notes that {@code slot} is the next of a run after {@code before}. */
    void link(final int before, final int slot) {
        facts[before * FACTS + FOLLOWING] = slot;
    }

    /** The next slot of a run, while both are in flight. */
    int following(final int slot) {
        return facts[slot * FACTS + FOLLOWING];
    }

    /** Longest payload that the slot was claimed for, or what was handed over. */
    public int lengthBytes(final int slot) {
        return facts[slot * FACTS + LENGTH];
    }

    /** Address of a slot's buffer. */
    public long address(final int slot) {
        return poolAddress + (long) slot * bufferBytes;
    }

    /** View of a slot's message at {@code address}, always the same object for a slot. */
    MutableDirectBuffer buffer(final int slot, final long address, final int lengthBytes) {
        MappedBuffer buffer = buffers[slot];
        if (buffer == null) {
            buffer = new MappedBuffer(address, lengthBytes);
            buffers[slot] = buffer;
        } else if (buffer.addressOffset() != address || buffer.capacity() != lengthBytes) {
            buffer.wrap(address, lengthBytes);
        }
        return buffer;
    }

    /** Bytes that a claimed slot has room for. */
    int roomBytes(final int slot) {
        return bufferBytes * facts[slot * FACTS + SLOTS];
    }

    /**
     * Checks a slot number.
     *
     * @throws IllegalArgumentException if there is no such slot.
     */
    public void check(final int slot) {
        if (slot < 0 || slot >= state.length) {
            throw new IllegalArgumentException(
                    "slot must be 0.." + (state.length - 1) + ": " + slot);
        }
    }

    /**
     * Checks that a slot is claimed.
     *
     * @throws IllegalArgumentException if there is no such slot.
     * @throws IllegalStateException if it is not claimed.
     */
    public void checkClaimed(final int slot) {
        check(slot);
        if (state[slot] != CLAIMED) {
            throw new IllegalStateException("slot is not claimed: " + slot);
        }
    }
}
