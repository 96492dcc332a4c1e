package io.hxb.pm.endpoint;

import io.hxb.linux.Memory;

import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.lang.foreign.MemorySegment;

/**
 * The send slots of a context, each with one send buffer: free, claimed for a destination, or in
 * flight. Owned by the context's thread.
 */
public final class SendSlots {
    /** Returned by {@link #claim} when no slot is free. */
    public static final int NONE = -1;

    private static final byte FREE = 0;
    private static final byte CLAIMED = 1;
    private static final byte IN_FLIGHT = 2;

    private final long poolAddress;
    private final int bufferBytes;
    private final int[] free;
    private final byte[] state;
    private final int[] node;
    private final int[] context;
    private final int[] length;
    private final MemorySegment[] segments;
    private final UnsafeBuffer[] buffers;
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
        node = new int[slots];
        context = new int[slots];
        length = new int[slots];
        segments = new MemorySegment[slots];
        buffers = new UnsafeBuffer[slots];
        for (int slot = slots - 1; slot >= 0; slot--) {
            free[freeCount++] = slot;
        }
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
        state[slot] = CLAIMED;
        node[slot] = destinationNode;
        context[slot] = destinationContext;
        length[slot] = lengthBytes;
        return slot;
    }

    /** Gives a claimed slot back. */
    public void release(final int slot) {
        state[slot] = FREE;
        free[freeCount++] = slot;
    }

    /** Lets nothing be claimed any more. */
    public void close() {
        freeCount = 0;
    }

    /** Notes that a claimed slot is handed to the node. */
    void start(final int slot) {
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
        return node[slot];
    }

    /** Destination context of a slot that was claimed last. */
    public int context(final int slot) {
        return context[slot];
    }

    /** Longest payload that the slot was claimed for. */
    public int lengthBytes(final int slot) {
        return length[slot];
    }

    /** Address of a slot's buffer. */
    public long address(final int slot) {
        return poolAddress + (long) slot * bufferBytes;
    }

    /** View of a slot's buffer, always the same object for a slot. */
    public MutableDirectBuffer buffer(final int slot) {
        UnsafeBuffer buffer = buffers[slot];
        if (buffer == null) {
            buffer = new UnsafeBuffer(address(slot), bufferBytes);
            buffers[slot] = buffer;
        }
        return buffer;
    }

    /** A slot's buffer as a segment, always the same object for a slot. */
    public MemorySegment segment(final int slot) {
        MemorySegment segment = segments[slot];
        if (segment == null) {
            segment = Memory.ALL.asSlice(address(slot), bufferBytes);
            segments[slot] = segment;
        }
        return segment;
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
