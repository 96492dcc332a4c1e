package io.hxb.sim.flit;

import java.util.Arrays;

/** The packets that exist, as columns of a table; numbers of delivered ones are used again. */
final class Packets {
    /** Source and destination hosts. */
    int[] source = new int[64];

    int[] destination = new int[64];

    /** Flits. */
    int[] length = new int[64];

    /** Links between switches passed, also the index of the next step on a stored path. */
    int[] hops = new int[64];

    /** Which copy of the routing's virtual channels it keeps to. */
    int[] copy = new int[64];

    /** Cycle at which it entered the host's queue. */
    long[] created = new long[64];

    /** Message that it is a part of, or {@link Messages#NONE}. */
    int[] message = new int[64];

    private int[] free = new int[64];
    private int freeCount;
    private int used;

    int add(final int from, final int to, final int flits, final long now) {
        final int packet = freeCount > 0 ? free[--freeCount] : used++;
        if (packet == length.length) {
            grow(2 * packet);
        }
        source[packet] = from;
        destination[packet] = to;
        length[packet] = flits;
        hops[packet] = 0;
        copy[packet] = 0;
        message[packet] = Messages.NONE;
        created[packet] = now;
        return packet;
    }

    void remove(final int packet) {
        free[freeCount++] = packet;
    }

    int count() {
        return used - freeCount;
    }

    private void grow(final int capacity) {
        source = Arrays.copyOf(source, capacity);
        destination = Arrays.copyOf(destination, capacity);
        length = Arrays.copyOf(length, capacity);
        hops = Arrays.copyOf(hops, capacity);
        copy = Arrays.copyOf(copy, capacity);
        created = Arrays.copyOf(created, capacity);
        message = Arrays.copyOf(message, capacity);
        free = Arrays.copyOf(free, capacity);
    }
}
