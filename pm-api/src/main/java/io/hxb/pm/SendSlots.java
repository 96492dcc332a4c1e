package io.hxb.pm;

import org.agrona.MutableDirectBuffer;

/**
 * The send slots of a context, each with one send buffer: free, claimed for a destination, or in
 * flight. Owned by the context's thread.
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
    private static final int FACTS = 4;

    private final long poolAddress;
    private final int bufferBytes;
    private final int[] free;
    private final byte[] state;

    /** Of each slot, in one cache line: destination, longest payload, next of its run. */
    private final int[] facts;

    private final MappedBuffer[] buffers;
    private int freeCount;
    private int inFlightCount;

    /**
     * Makes slots that are all free.
     *
     * @param poolAddress first byte of the send buffers, which lie one after the other.
     * @param slots their number.
     * @param bufferBytes bytes of each.
     */
    SendSlots(final long poolAddress, final int slots, final int bufferBytes) {
        this.poolAddress = poolAddress;
        this.bufferBytes = bufferBytes;
        free = new int[slots];
        state = new byte[slots];
        facts = new int[slots * FACTS];
        buffers = new MappedBuffer[slots];
        for (int slot = slots - 1; slot >= 0; slot--) {
            free[freeCount++] = slot;
        }
    }

    /** Number of slots. */
    int count() {
        return state.length;
    }

    /** True if a slot can be claimed. */
    public boolean hasFree() {
        return freeCount > 0;
    }

    /**
     * Claims a slot for a destination.
     *
     * @param lengthBytes longest payload that will be sent.
     * @return the slot, or {@link #NONE}.
     */
    public int claim(
            final int destinationNode, final int destinationContext, final int lengthBytes) {
        if (freeCount == 0) {
            return NONE;
        }
        final int slot = free[--freeCount];
        assert state[slot] == FREE : "a free slot is in use: " + slot;
        state[slot] = CLAIMED;
        final int first = slot * FACTS;
        facts[first + NODE] = destinationNode;
        facts[first + CONTEXT] = destinationContext;
        facts[first + LENGTH] = lengthBytes;
        return slot;
    }

    /** Gives a claimed slot back. */
    public void release(final int slot) {
        assert state[slot] != FREE : "released twice: slot " + slot;
        state[slot] = FREE;
        free[freeCount++] = slot;
    }

    /** Lets nothing be claimed any more. */
    public void close() {
        freeCount = 0;
    }

    /** Notes that a claimed slot is handed to the node. */
    void start(final int slot) {
        assert state[slot] == CLAIMED : "handed over without a claim: slot " + slot;
        state[slot] = IN_FLIGHT;
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

    /** Notes that {@code slot} is the next of a run behind {@code before}. */
    void link(final int before, final int slot) {
        facts[before * FACTS + FOLLOWING] = slot;
    }

    /** The next slot of a run, while both are in flight. */
    int following(final int slot) {
        return facts[slot * FACTS + FOLLOWING];
    }

    /** Longest payload that the slot was claimed for. */
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

    /** Bytes of a slot's own buffer. */
    int bufferBytes() {
        return bufferBytes;
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
