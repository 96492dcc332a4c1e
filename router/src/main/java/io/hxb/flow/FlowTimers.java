package io.hxb.flow;

import java.util.Arrays;

/** The sending flows of one loop by the time they want to be looked at: a binary heap. */
final class FlowTimers {
    private SendFlow[] heap = new SendFlow[64];
    private int count;

    /** Time of the first one, or Long.MAX_VALUE. */
    long firstNs() {
        return count == 0 ? Long.MAX_VALUE : heap[0].wakeNs;
    }

    /** Takes the first one out if its time has come; else null. */
    SendFlow poll(final long nowNs) {
        if (count == 0 || heap[0].wakeNs - nowNs > 0) {
            return null;
        }
        final SendFlow first = heap[0];
        remove(first);
        return first;
    }

    /** Looks at {@code flow} at {@code timeNs} or earlier; an earlier time set before stays. */
    void atLatest(final SendFlow flow, final long timeNs) {
        if (timeNs == Long.MAX_VALUE) {
            return;
        }
        if (flow.heapIndex < 0) {
            if (count == heap.length) {
                heap = Arrays.copyOf(heap, 2 * count);
            }
            flow.wakeNs = timeNs;
            up(count++, flow);
        } else if (timeNs - flow.wakeNs < 0) {
            flow.wakeNs = timeNs;
            up(flow.heapIndex, flow);
        }
    }

    void remove(final SendFlow flow) {
        final int index = flow.heapIndex;
        if (index < 0) {
            return;
        }
        flow.heapIndex = -1;
        final SendFlow last = heap[--count];
        heap[count] = null;
        if (last != flow) {
            down(index, last);
            if (heap[index] == last) {
                up(index, last);
            }
        }
    }

    private void up(final int from, final SendFlow flow) {
        int index = from;
        while (index > 0) {
            final int parent = (index - 1) >>> 1;
            if (flow.wakeNs - heap[parent].wakeNs >= 0) {
                break;
            }
            set(index, heap[parent]);
            index = parent;
        }
        set(index, flow);
    }

    private void down(final int from, final SendFlow flow) {
        int index = from;
        while (2 * index + 1 < count) {
            int child = 2 * index + 1;
            if (child + 1 < count && heap[child + 1].wakeNs - heap[child].wakeNs < 0) {
                child++;
            }
            if (flow.wakeNs - heap[child].wakeNs <= 0) {
                break;
            }
            set(index, heap[child]);
            index = child;
        }
        set(index, flow);
    }

    private void set(final int index, final SendFlow flow) {
        heap[index] = flow;
        flow.heapIndex = index;
    }
}
