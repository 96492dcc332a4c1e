package io.hxb.node.ip;

import io.hxb.tap.TapDevice;

import java.lang.foreign.Arena;

/**
 * The memory in which packets wait and are sent from: large places for super-packets and small ones
 * for packets of up to {@link #SMALL_BYTES}. Free places are used again in reverse order, so that
 * few are touched. Owned by one loop.
 */
final class PacketSlots {
    /** No slot. */
    static final int NONE = -1;

    /** Longest packet of a small slot: one of an ordinary MTU with its headers. */
    static final int SMALL_BYTES = 2_048;

    /** An odd number of cache lines, so that headers do not share a few sets of the cache. */
    private static final int LARGE_STRIDE = (TapDevice.MAX_FRAME_LENGTH + 63) / 64 * 64 | 64;

    private static final int SMALL_STRIDE = SMALL_BYTES + 64;

    private final int largeCount;
    private final long large;
    private final long small;
    private final int[] freeLarge;
    private final int[] freeSmall;
    private int freeLargeCount;
    private int freeSmallCount;

    /** By slot: length of the packet, when it was put where it is, its connection, its list. */
    private final int[] lengths;

    private final long[] times;
    private final int[] nodes;
    private final int[] queues;
    private final int[] tags;
    private final long[] positions;
    private final int[] next;
    private final int[] previous;

    /** Memory from {@code arena}; the numbers of both kinds together up to 65,536. */
    PacketSlots(final Arena arena, final int largeCount, final int smallCount) {
        this.largeCount = largeCount;
        large = arena.allocate((long) largeCount * LARGE_STRIDE, 64).address();
        small = arena.allocate((long) smallCount * SMALL_STRIDE, 64).address();
        freeLarge = new int[largeCount];
        freeSmall = new int[smallCount];
        final int count = largeCount + smallCount;
        lengths = new int[count];
        times = new long[count];
        nodes = new int[count];
        queues = new int[count];
        tags = new int[count];
        positions = new long[count];
        next = new int[count];
        previous = new int[count];
        for (int slot = count - 1; slot >= 0; slot--) {
            free(slot);
        }
    }

    /** A free large slot, or {@link #NONE}. */
    int takeLarge() {
        return freeLargeCount == 0 ? NONE : freeLarge[--freeLargeCount];
    }

    /** A free small slot, or {@link #NONE}. */
    int takeSmall() {
        return freeSmallCount == 0 ? NONE : freeSmall[--freeSmallCount];
    }

    void free(final int slot) {
        if (isLarge(slot)) {
            freeLarge[freeLargeCount++] = slot;
        } else {
            freeSmall[freeSmallCount++] = slot;
        }
    }

    int freeLarge() {
        return freeLargeCount;
    }

    int freeSmall() {
        return freeSmallCount;
    }

    /** Slots that are in use. */
    int used() {
        return lengths.length - freeLargeCount - freeSmallCount;
    }

    boolean isLarge(final int slot) {
        return slot < largeCount;
    }

    long address(final int slot) {
        return isLarge(slot)
                ? large + (long) slot * LARGE_STRIDE
                : small + (long) (slot - largeCount) * SMALL_STRIDE;
    }

    /** Notes a packet of a connection to a node, and what its message is tagged with. */
    void put(
            final int slot, final int lengthBytes, final int node, final int queue, final int tag) {
        tags[slot] = tag;
        lengths[slot] = lengthBytes;
        nodes[slot] = node;
        queues[slot] = queue;
    }

    int lengthBytes(final int slot) {
        return lengths[slot];
    }

    int node(final int slot) {
        return nodes[slot];
    }

    int tag(final int slot) {
        return tags[slot];
    }

    int queue(final int slot) {
        return queues[slot];
    }

    /** Place of the packet in its flow. */
    long position(final int slot) {
        return positions[slot];
    }

    void position(final int slot, final long position) {
        positions[slot] = position;
    }

    /** When the packet began to be where it is. */
    long timeNs(final int slot) {
        return times[slot];
    }

    void timeNs(final int slot, final long nowNs) {
        times[slot] = nowNs;
    }

    int next(final int slot) {
        return next[slot];
    }

    void next(final int slot, final int following) {
        next[slot] = following;
    }

    int previous(final int slot) {
        return previous[slot];
    }

    void previous(final int slot, final int before) {
        previous[slot] = before;
    }
}
