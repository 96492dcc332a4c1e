package io.hxb.flow;

/**
 * The line in which flows with something to send wait for their turn, each at most once, and beside
 * it those that the output or the memory holds up. Owned by one loop.
 */
final class SendQueue {
    private static final long BLOCKED_RETRY_NS = 100_000;

    private final FlowQueue ready = new FlowQueue();
    private final FlowQueue blocked = new FlowQueue();
    private long blockedRetryNs;
    private boolean isUnblocked;

    /** Puts a flow at the end of the line, unless it is in it. */
    void makeReady(final SendFlow flow) {
        if (!flow.isReady) {
            flow.isReady = true;
            ready.add(flow);
        }
    }

    /** Puts a flow that is held up aside. */
    void block(final SendFlow flow) {
        flow.isReady = true;
        blocked.add(flow);
    }

    /** The flow whose turn it is; there is one. */
    SendFlow poll() {
        final SendFlow flow = ready.poll();
        flow.isReady = false;
        return flow;
    }

    int readyCount() {
        return ready.count();
    }

    boolean hasBlocked() {
        return !blocked.isEmpty();
    }

    /** The output, which took no more, takes frames again. */
    void onWritable() {
        isUnblocked = true;
    }

    /** Memory for frames has come back. */
    void onMemory() {
        isUnblocked |= !blocked.isEmpty();
    }

    /** Lets those held up try again, if something has changed or their time has come. */
    void retryBlockedWhenDue(final long nowNs) {
        if (isUnblocked || blockedRetryNs - nowNs <= 0) {
            retryBlocked();
        }
        isUnblocked = false;
    }

    /** Lets those held up try again. */
    void retryBlocked() {
        ready.takeAll(blocked);
    }

    /** Sets when those still held up try again. */
    void setRetry(final long nowNs) {
        if (!blocked.isEmpty()) {
            blockedRetryNs = nowNs + BLOCKED_RETRY_NS;
        }
    }

    /** True if a flow may have its turn now. */
    boolean hasReady() {
        return !ready.isEmpty() || (isUnblocked && !blocked.isEmpty());
    }

    /** When those held up try again; Long.MAX_VALUE for never. */
    long nextDeadlineNs() {
        return blocked.isEmpty() ? Long.MAX_VALUE : blockedRetryNs;
    }

    /** A line of flows; a flow stands in one line at a time. */
    private static final class FlowQueue {
        private SendFlow head;
        private SendFlow tail;
        private int count;

        private void add(final SendFlow flow) {
            flow.nextReady = null;
            if (tail == null) {
                head = flow;
            } else {
                tail.nextReady = flow;
            }
            tail = flow;
            count++;
        }

        private SendFlow poll() {
            final SendFlow flow = head;
            head = flow.nextReady;
            if (head == null) {
                tail = null;
            }
            flow.nextReady = null;
            count--;
            return flow;
        }

        private void takeAll(final FlowQueue other) {
            while (!other.isEmpty()) {
                add(other.poll());
            }
        }

        private boolean isEmpty() {
            return count == 0;
        }

        private int count() {
            return count;
        }
    }
}
