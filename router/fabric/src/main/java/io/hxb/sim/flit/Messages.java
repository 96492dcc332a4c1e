package io.hxb.sim.flit;

import java.util.Arrays;

/** Messages of which packets are on their way, as columns of a table. Owned by a run. */
final class Messages {
    /** The packet is of no message. */
    static final int NONE = -1;

    private int[] left = new int[64];
    private boolean[] isBroken = new boolean[64];
    private int[] free = new int[64];
    private int freeCount;
    private int used;

    /** Starts a message of that many packets, at least 1. */
    int begin(final int packets) {
        final int message = freeCount > 0 ? free[--freeCount] : used++;
        if (message == left.length) {
            left = Arrays.copyOf(left, 2 * message);
            isBroken = Arrays.copyOf(isBroken, 2 * message);
            free = Arrays.copyOf(free, 2 * message);
        }
        left[message] = packets;
        isBroken[message] = false;
        return message;
    }

    /** A packet of it was refused: the message never arrives as a whole. */
    void refuse(final int message) {
        isBroken[message] = true;
        end(message);
    }

    /**
     * A packet of it arrived.
     *
     * @return whether this completes the message.
     */
    boolean end(final int message) {
        if (--left[message] > 0) {
            return false;
        }
        free[freeCount++] = message;
        return !isBroken[message];
    }

    /** Messages that are not complete. */
    int count() {
        return used - freeCount;
    }
}
