package io.hxb.sim.ethernet;

import java.util.Arrays;

/** Events by time; of equal times the one that was added first. Owned by a run. */
final class EventHeap {
    private long[] times = new long[1024];
    private long[] order = new long[1024];
    private long[] events = new long[1024];
    private int size;
    private long added;

    boolean isEmpty() {
        return size == 0;
    }

    long time() {
        return times[0];
    }

    void add(final long time, final long event) {
        if (size == times.length) {
            times = Arrays.copyOf(times, 2 * size);
            order = Arrays.copyOf(order, 2 * size);
            events = Arrays.copyOf(events, 2 * size);
        }
        int at = size++;
        final long number = added++;
        while (at > 0) {
            final int parent = (at - 1) >>> 1;
            if (times[parent] <= time) {
                break;
            }
            move(parent, at);
            at = parent;
        }
        times[at] = time;
        order[at] = number;
        events[at] = event;
    }

    long remove() {
        final long event = events[0];
        final int last = --size;
        final long time = times[last];
        final long number = order[last];
        final long moved = events[last];
        int at = 0;
        while (2 * at + 1 < last) {
            int child = 2 * at + 1;
            child += child + 1 < last && isBefore(child + 1, child) ? 1 : 0;
            if (times[child] > time || (times[child] == time && order[child] > number)) {
                break;
            }
            move(child, at);
            at = child;
        }
        times[at] = time;
        order[at] = number;
        events[at] = moved;
        return event;
    }

    private boolean isBefore(final int a, final int b) {
        return times[a] < times[b] || (times[a] == times[b] && order[a] < order[b]);
    }

    private void move(final int from, final int to) {
        times[to] = times[from];
        order[to] = order[from];
        events[to] = events[from];
    }
}
