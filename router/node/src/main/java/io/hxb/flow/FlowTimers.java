package io.hxb.flow;

import java.util.Arrays;

/**
 * The sending flows of one loop, ordered by the time at which they have to be looked at: a binary
 * heap. Owned by the loop.
 */
final class FlowTimers {
    private final long soonNs;
    private Timer[] heap = new Timer[64];
    private int count;

    /** No timers; {@link #putOff} looks at times that are less than {@code soonNs} away. */
    FlowTimers(final long soonNs) {
        this.soonNs = soonNs;
    }

    /** Time of the first one, or Long.MAX_VALUE. */
    long firstNs() {
        return count == 0 ? Long.MAX_VALUE : heap[0].wakeNs;
    }

    /** Takes the first one out if its time has come; else null. */
    SendFlow poll(final long nowNs) {
        if (count == 0 || heap[0].wakeNs - nowNs > 0) {
            return null;
        }
        final Timer first = heap[0];
        remove(first);
        return first.flow;
    }

    /**
     * Postpones the first ones, if their time is near only because it was set long ago: a sender
     * whose frames are acknowledged in time need not be woken to find that out.
     */
    void putOff(final long nowNs) {
        boolean isNear = isFirstNear(nowNs);
        while (isNear) {
            final Timer first = heap[0];
            final long wasNs = first.wakeNs;
            remove(first);
            arm(first.flow, nowNs);
            final boolean isPutOff = first.index < 0 || first.wakeNs - wasNs > 0;
            isNear = isPutOff && isFirstNear(nowNs);
        }
    }

    private boolean isFirstNear(final long nowNs) {
        return count > 0 && heap[0].wakeNs - nowNs < soonNs;
    }

    /**
     * Sets the time at which the flow has to be looked at again; an earlier one set before stays.
     */
    void arm(final SendFlow flow, final long nowNs) {
        if (flow.isClosed()) {
            return;
        }
        final long wakeNs = flow.wakeNs(nowNs);
        if (wakeNs != Long.MAX_VALUE) {
            atLatest(flow.timer, wakeNs);
        }
    }

    private void atLatest(final Timer timer, final long timeNs) {
        if (timer.index < 0) {
            if (count == heap.length) {
                heap = Arrays.copyOf(heap, 2 * count);
            }
            timer.wakeNs = timeNs;
            up(count++, timer);
        } else if (timeNs - timer.wakeNs < 0) {
            timer.wakeNs = timeNs;
            up(timer.index, timer);
        }
    }

    /** The flow need not be looked at. */
    void remove(final SendFlow flow) {
        if (flow.timer.index >= 0) {
            remove(flow.timer);
        }
    }

    private void remove(final Timer timer) {
        final int index = timer.index;
        assert heap[index] == timer : "not at its place in the heap";
        timer.index = -1;
        final Timer last = heap[--count];
        heap[count] = null;
        if (index < count) {
            down(index, last);
            if (last.index == index) {
                up(index, last);
            }
        }
    }

    private void up(final int from, final Timer timer) {
        int index = from;
        while (index > 0) {
            final int parent = (index - 1) >>> 1;
            if (timer.wakeNs - heap[parent].wakeNs >= 0) {
                break;
            }
            set(index, heap[parent]);
            index = parent;
        }
        set(index, timer);
    }

    private void down(final int from, final Timer timer) {
        int index = from;
        while (2 * index + 1 < count) {
            int child = 2 * index + 1;
            if (child + 1 < count && heap[child + 1].wakeNs - heap[child].wakeNs < 0) {
                child++;
            }
            if (timer.wakeNs - heap[child].wakeNs <= 0) {
                break;
            }
            set(index, heap[child]);
            index = child;
        }
        set(index, timer);
    }

    private void set(final int index, final Timer timer) {
        heap[index] = timer;
        timer.index = index;
    }

    /** A flow's place in the heap. */
    static final class Timer {
        private final SendFlow flow;
        private long wakeNs;
        private int index = -1;

        /** Not set. */
        Timer(final SendFlow flow) {
            this.flow = flow;
        }
    }
}
