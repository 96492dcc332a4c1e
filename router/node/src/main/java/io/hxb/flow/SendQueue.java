package io.hxb.flow;

/**
 * The line in which flows with something to send wait for their turn, each at most once, and the
 * flows that are held up by the output or for lack of memory. Owned by one loop.
 */
final class SendQueue {
    private static final long BLOCKED_RETRY_NS = 100_000;

    private final WaitQueue<SendFlow> ready = new WaitQueue<>();
    private final WaitQueue<SendFlow> blocked = new WaitQueue<>();
    private long blockedRetryNs;
    private boolean isUnblocked;

    /** Puts a flow at the end of the line, unless it waits already. */
    void makeReady(final SendFlow flow) {
        ready.add(flow.readyPlace);
    }

    /** Sets a flow aside that is held up. */
    void block(final SendFlow flow) {
        blocked.add(flow.readyPlace);
    }

    /** The flow whose turn it is; there is one. */
    SendFlow poll() {
        return ready.poll();
    }

    int readyCount() {
        return ready.length();
    }

    boolean hasBlocked() {
        return !blocked.isEmpty();
    }

    /** The output, which was full, takes frames again. */
    void onWritable() {
        isUnblocked = true;
    }

    /** Memory for frames has come back. */
    void onMemory() {
        isUnblocked |= !blocked.isEmpty();
    }

    /**
     * Lets the flows that are held up try again, if something has changed or their time has come.
     */
    void retryBlockedWhenDue(final long nowNs) {
        if (isUnblocked || blockedRetryNs - nowNs <= 0) {
            retryBlocked();
        }
        isUnblocked = false;
    }

    /** Lets the flows that are held up try again. */
    void retryBlocked() {
        ready.takeAll(blocked);
    }

    /** Sets the time when flows that are still held up try again. */
    void setRetry(final long nowNs) {
        if (!blocked.isEmpty()) {
            blockedRetryNs = nowNs + BLOCKED_RETRY_NS;
        }
    }

    /** True if a flow may have its turn now. */
    boolean hasReady() {
        return !ready.isEmpty() || (isUnblocked && !blocked.isEmpty());
    }

    /** When flows that are held up try again; Long.MAX_VALUE for never. */
    long nextDeadlineNs() {
        return blocked.isEmpty() ? Long.MAX_VALUE : blockedRetryNs;
    }
}
