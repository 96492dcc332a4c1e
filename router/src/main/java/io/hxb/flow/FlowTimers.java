package io.hxb.flow;

import io.hxb.config.FlowConfig;

import java.util.Arrays;

/** The sending flows of one loop by the time they want to be looked at: a binary heap. */
final class FlowTimers {
    private final FlowConfig config;
    private final long soonNs;
    private SendFlow[] heap = new SendFlow[64];
    private int count;

    FlowTimers(final FlowConfig config) {
        this.config = config;
        soonNs = config.minRetransmitNs() / 2;
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
        final SendFlow first = heap[0];
        remove(first);
        return first;
    }

    /**
     * Puts off the first ones, if their time is near only because it was set long ago: a sender
     * whose frames are acknowledged in time need not be woken to find that out.
     */
    void putOff(final long nowNs) {
        boolean isNear = isFirstNear(nowNs);
        while (isNear) {
            final SendFlow first = heap[0];
            final long wasNs = first.wakeNs;
            remove(first);
            arm(first, nowNs);
            final boolean isPutOff = first.heapIndex < 0 || first.wakeNs - wasNs > 0;
            isNear = isPutOff && isFirstNear(nowNs);
        }
    }

    private boolean isFirstNear(final long nowNs) {
        return count > 0 && heap[0].wakeNs - nowNs < soonNs;
    }

    /** Looks at {@code flow} at {@code timeNs} or earlier; an earlier time set before stays. */
    private void atLatest(final SendFlow flow, final long timeNs) {
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

    /** Sets the time at which the flow has to be looked at again. */
    void arm(final SendFlow flow, final long nowNs) {
        if (flow.state == SendFlow.CLOSED) {
            return;
        }
        long wakeNs = flow.isOutstanding ? silenceEndsNs(flow) : Long.MAX_VALUE;
        if (flow.cutOff.isCounting()) {
            wakeNs = earlier(wakeNs, cutOffWakeNs(flow, nowNs));
        }
        if (flow.state == SendFlow.OPENING) {
            final boolean isIdle = flow.isReady || flow.cutOff.isWaiting();
            wakeNs = isIdle ? wakeNs : earlier(wakeNs, flow.retryNs);
        } else {
            if (flow.inFlight > flow.lost) {
                wakeNs = earlier(wakeNs, flow.progressNs + flow.roundTrip.timeoutNs());
                wakeNs = earlier(wakeNs, flow.overtakenNs);
            }
            if (flow.lost > 0 && !flow.isReady) {
                wakeNs = earlier(wakeNs, flow.resendNs);
            }
            armProbe(flow, nowNs);
            if (flow.isProbing) {
                wakeNs = earlier(wakeNs, flow.retryNs);
            }
        }
        atLatest(flow, wakeNs);
    }

    private static void armProbe(final SendFlow flow, final long nowNs) {
        final boolean isShut = flow.inFlight == 0 && flow.hasPending() && !flow.hasWindow();
        if (isShut && !flow.isProbing) {
            flow.retries = 0;
            flow.retryNs = flow.isWindowReturned ? nowNs : nowNs + flow.roundTrip.retryNs(0);
        }
        flow.isProbing = isShut;
    }

    /** When the peer has been silent for too long about what is outstanding. */
    long silenceEndsNs(final SendFlow flow) {
        return silentSinceNs(flow) + config.peerTimeoutNs();
    }

    /**
     * True if no way has led to the peer for too long. One that never answered may not be up yet:
     * it gets the whole peer timeout.
     */
    boolean isCutOff(final SendFlow flow, final long nowNs) {
        return flow.wasOpen
                && flow.cutOff.isOver(
                        silentSinceNs(flow), config.routes().partitionTimeoutNs(), nowNs);
    }

    // Also while a frame is out to try a route: what becomes of it may be known too late.
    private long cutOffWakeNs(final SendFlow flow, final long nowNs) {
        final long retryNs = flow.cutOff.isWaiting() ? flow.cutOff.retryNs : Long.MAX_VALUE;
        final long endsNs =
                flow.cutOff.endsNs(silentSinceNs(flow), config.routes().partitionTimeoutNs());
        return endsNs - nowNs > 0 ? earlier(retryNs, endsNs) : retryNs;
    }

    private static long silentSinceNs(final SendFlow flow) {
        final long heardNs = flow.lastHeardNs;
        final long sinceNs = flow.outstandingSinceNs;
        return heardNs - sinceNs > 0 ? heardNs : sinceNs;
    }

    /** The earlier of two times, of which either may be Long.MAX_VALUE for never. */
    static long earlier(final long oneNs, final long otherNs) {
        if (oneNs == Long.MAX_VALUE || otherNs == Long.MAX_VALUE) {
            return oneNs == Long.MAX_VALUE ? otherNs : oneNs;
        }
        return oneNs - otherNs <= 0 ? oneNs : otherNs;
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
