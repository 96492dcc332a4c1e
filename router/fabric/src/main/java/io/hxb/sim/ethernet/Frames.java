package io.hxb.sim.ethernet;

import java.util.Arrays;

/** The frames that exist, as columns of a table. Owned by a run. */
final class Frames {
    int[] source = new int[256];
    int[] destination = new int[256];
    int[] vlan = new int[256];
    int[] bytes = new int[256];
    int[] tag = new int[256];

    /** Channel by which it came into the switch that stores it, or -1. */
    int[] input = new int[256];

    /** The frame after it in its queue. */
    int[] next = new int[256];

    private int[] free = new int[256];
    private int freeCount;
    private int used;

    int add(
            final int from,
            final int to,
            final int vlanNumber,
            final int length,
            final int number) {
        final int frame = freeCount > 0 ? free[--freeCount] : used++;
        if (frame == source.length) {
            grow(2 * frame);
        }
        source[frame] = from;
        destination[frame] = to;
        vlan[frame] = vlanNumber;
        bytes[frame] = length;
        tag[frame] = number;
        input[frame] = -1;
        next[frame] = -1;
        return frame;
    }

    int copy(final int frame) {
        return add(source[frame], destination[frame], vlan[frame], bytes[frame], tag[frame]);
    }

    void remove(final int frame) {
        free[freeCount++] = frame;
    }

    /** Frames that exist. */
    int count() {
        return used - freeCount;
    }

    private void grow(final int capacity) {
        source = Arrays.copyOf(source, capacity);
        destination = Arrays.copyOf(destination, capacity);
        vlan = Arrays.copyOf(vlan, capacity);
        bytes = Arrays.copyOf(bytes, capacity);
        tag = Arrays.copyOf(tag, capacity);
        input = Arrays.copyOf(input, capacity);
        next = Arrays.copyOf(next, capacity);
        free = Arrays.copyOf(free, capacity);
    }
}
