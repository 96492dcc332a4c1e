package io.hxb.flow;

/**
 * The lines in which flows with something to send wait for their turn, each at most once, and the
 * flows that are held up by the output or for lack of memory. Owned by one loop.
 *
 * <p>Sparse flows ({@link SendFlow#isSparse}) go before others, but no more than a few in a row, so
 * that they cannot keep others from sending together. Source: RFC 8290, 4.1 and 4.2, new flows.
 */
final class SendQueue {
    private static final long BLOCKED_RETRY_NS = 100_000;

    /** Turns of sparse flows in a row while others wait: less than a turn of one of these sends. */
    private static final int SPARSE_TURNS = 16;

    private final WaitQueue<SendFlow> ready = new WaitQueue<>();
    private final WaitQueue<SendFlow> sparse = new WaitQueue<>();
    private final WaitQueue<SendFlow> blocked = new WaitQueue<>();
    private final WaitQueue<SendFlow> blockedSparse = new WaitQueue<>();
    private int sparseTurns;
    private long blockedRetryNs;
    private boolean isUnblocked;

    /** Puts a flow at the end of its line, unless it waits already. */
    void makeReady(final SendFlow flow) {
        if (!flow.readyPlace.isWaiting()) {
            (flow.isSparse() ? sparse : ready).add(flow.readyPlace);
        }
    }

    /** Sets a flow aside that is held up. */
    void block(final SendFlow flow) {
        (flow.isSparse() ? blockedSparse : blocked).add(flow.readyPlace);
    }

    /** The flow whose turn it is; there is one. */
    SendFlow poll() {
        while (!sparse.isEmpty() && (sparseTurns < SPARSE_TURNS || ready.isEmpty())) {
            final SendFlow flow = sparse.poll();
            if (flow.isSparse()) {
                sparseTurns++;
                return flow;
            }
            // More has come since it was put there.
            ready.add(flow.readyPlace);
        }
        sparseTurns = 0;
        return ready.poll();
    }

    int readyCount() {
        return ready.length() + sparse.length();
    }

    boolean hasBlocked() {
        return !blocked.isEmpty() || !blockedSparse.isEmpty();
    }

    /** The output, which was full, takes frames again. */
    void onWritable() {
        isUnblocked = true;
    }

    /** Memory for frames has come back. */
    void onMemory() {
        isUnblocked |= hasBlocked();
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
        sparse.takeAll(blockedSparse);
        ready.takeAll(blocked);
    }

    /** Sets the time when flows that are still held up try again. */
    void setRetry(final long nowNs) {
        if (hasBlocked()) {
            blockedRetryNs = nowNs + BLOCKED_RETRY_NS;
        }
    }

    /** True if a flow may have its turn now. */
    boolean hasReady() {
        return !ready.isEmpty() || !sparse.isEmpty() || (isUnblocked && hasBlocked());
    }

    /** When flows that are held up try again; Long.MAX_VALUE for never. */
    long nextDeadlineNs() {
        return hasBlocked() ? blockedRetryNs : Long.MAX_VALUE;
    }
}
