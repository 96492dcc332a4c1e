package io.hxb.flow;

/**
 * The lines in which flows with something to send wait for their turn, each at most once, and the
 * flows that are held up by the output or for lack of memory. Owned by one loop.
 *
 * <p>Sparse flows ({@link SendFlow#isSparse}) go before others, but no more than a few in a row, so
 * that they cannot keep others from sending together. Source: RFC 8290, 4.1 and 4.2, new flows.
 *
 * <p>Of the others those of packets have a line of their own, and the two lines share by weight
 * ({@link KindShares}). In a line flows take turns. One that is held up keeps its place and what is
 * left of its turn: a link that takes a few frames at a time would otherwise serve the first only.
 */
final class SendQueue {
    private static final long BLOCKED_RETRY_NS = 100_000;

    /** Turns of sparse flows in a row while others wait: less than a turn of one of these sends. */
    private static final int SPARSE_TURNS = 16;

    private final KindShares shares;
    private final Line sparse = new Line();
    private final Line programs = new Line();
    private final Line packets = new Line();
    private int sparseTurns;
    private long blockedRetryNs;
    private boolean isUnblocked;

    /**
     * Makes empty lines.
     *
     * @param packetWeight of flows of packets, see {@link KindShares}.
     */
    SendQueue(final int packetWeight) {
        shares = new KindShares(packetWeight);
    }

    private Line line(final SendFlow flow) {
        if (flow.isSparse()) {
            return sparse;
        }
        return flow.isOfPackets ? packets : programs;
    }

    /** Puts a flow at the end of its line, unless it waits already. */
    void makeReady(final SendFlow flow) {
        if (!flow.readyPlace.isWaiting()) {
            line(flow).ready.add(flow.readyPlace);
        }
    }

    /** Sets a flow aside that is held up. */
    void block(final SendFlow flow) {
        line(flow).blocked.add(flow.readyPlace);
    }

    /** A flow, whose turn it was, has sent frames of {@code bytes}. */
    void onSent(final SendFlow flow, final long bytes) {
        shares.onSent(flow.isOfPackets, bytes);
    }

    /** A turn of the loop begins, before which flows of packets got more to send. */
    void begin() {
        shares.onRefilled();
    }

    /**
     * True if messages of programs wait until the next turn of the loop, which follows at once:
     * flows of packets have sent all they had, get more then, and have not had their share. They
     * have little waiting, and a link may take more than that at once.
     */
    boolean awaitsPackets() {
        return shares.arePacketsComing()
                && sparse.ready.isEmpty()
                && packets.ready.isEmpty()
                && packets.blocked.isEmpty();
    }

    /** The flow whose turn it is; there is one. */
    SendFlow poll() {
        while (!sparse.ready.isEmpty() && (sparseTurns < SPARSE_TURNS || isOthersEmpty())) {
            final SendFlow flow = sparse.ready.poll();
            if (flow.isSparse()) {
                sparseTurns++;
                return flow;
            }
            // More has come since it was put there.
            line(flow).ready.add(flow.readyPlace);
        }
        sparseTurns = 0;
        final boolean isOfPackets =
                !packets.ready.isEmpty() && (programs.ready.isEmpty() || shares.arePacketsNext());
        return (isOfPackets ? packets : programs).ready.poll();
    }

    private boolean isOthersEmpty() {
        return programs.ready.isEmpty() && packets.ready.isEmpty();
    }

    /** True if no other flow than the one that was polled has something to send. */
    boolean isAlone() {
        return readyCount() == 0 && !hasBlocked();
    }

    int readyCount() {
        return programs.ready.length() + packets.ready.length() + sparse.ready.length();
    }

    boolean hasBlocked() {
        return !programs.blocked.isEmpty()
                || !packets.blocked.isEmpty()
                || !sparse.blocked.isEmpty();
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
        sparse.unblock();
        programs.unblock();
        packets.unblock();
    }

    /** Sets the time when flows that are still held up try again. */
    void setRetry(final long nowNs) {
        if (hasBlocked()) {
            blockedRetryNs = nowNs + BLOCKED_RETRY_NS;
        }
    }

    /** True if a flow may have its turn now. */
    boolean hasReady() {
        return readyCount() > 0 || (isUnblocked && hasBlocked());
    }

    /** When flows that are held up try again; Long.MAX_VALUE for never. */
    long nextDeadlineNs() {
        return hasBlocked() ? blockedRetryNs : Long.MAX_VALUE;
    }

    /** Flows of one kind: those that may have their turn, and those that are held up. */
    private static final class Line {
        private final WaitQueue<SendFlow> ready = new WaitQueue<>();
        private final WaitQueue<SendFlow> blocked = new WaitQueue<>();

        // Their turn had come before that of any other.
        private void unblock() {
            ready.takeAllFirst(blocked);
        }
    }
}
