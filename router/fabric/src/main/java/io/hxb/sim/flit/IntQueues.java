package io.hxb.sim.flit;

import java.util.Arrays;

/** Queues of numbers, one for each host, that grow as needed. Owned by a run. */
final class IntQueues {
    private final int[][] rings;
    private final int[] firsts;
    private final int[] counts;

    IntQueues(final int queues) {
        rings = new int[queues][];
        firsts = new int[queues];
        counts = new int[queues];
    }

    int count(final int queue) {
        return counts[queue];
    }

    int peek(final int queue) {
        return rings[queue][firsts[queue]];
    }

    void add(final int queue, final int number) {
        int[] ring = rings[queue];
        final int count = counts[queue];
        if (ring == null || count == ring.length) {
            ring = grown(queue);
        }
        ring[(firsts[queue] + count) & (ring.length - 1)] = number;
        counts[queue] = count + 1;
    }

    private int[] grown(final int queue) {
        final int[] old = rings[queue];
        final int[] ring = old == null ? new int[4] : Arrays.copyOf(old, 2 * old.length);
        for (int i = 0; old != null && i < old.length; i++) {
            ring[i] = old[(firsts[queue] + i) & (old.length - 1)];
        }
        firsts[queue] = 0;
        rings[queue] = ring;
        return ring;
    }

    int remove(final int queue) {
        final int number = peek(queue);
        firsts[queue] = (firsts[queue] + 1) & (rings[queue].length - 1);
        counts[queue]--;
        return number;
    }
}
