package io.hxb.pm.rpc;

import java.util.concurrent.CompletableFuture;

/** A request of this endpoint that has not ended. Owned by the endpoint's thread. */
final class RpcCall implements Comparable<RpcCall> {
    final RpcPeer peer;
    final byte[] request;
    final long deadlineNs;
    final CompletableFuture<byte[]> reply;

    /** Order in which they were asked for, which distinguishes calls of one deadline. */
    final long order;

    private long number;
    private long sentTo;
    private boolean isInFlight;
    private volatile boolean hasEnded;

    RpcCall(
            final RpcPeer peer,
            final byte[] request,
            final long deadlineNs,
            final CompletableFuture<byte[]> reply,
            final long order) {
        this.peer = peer;
        this.request = request;
        this.deadlineNs = deadlineNs;
        this.reply = reply;
        this.order = order;
    }

    /** Its number among the requests to the peer; 0 until it is sent for the first time. */
    long number() {
        return number;
    }

    boolean isSent() {
        return number != 0;
    }

    /** The peer's endpoint when it was sent for the first time. */
    long sentTo() {
        return sentTo;
    }

    void onFirstSent(final long newNumber, final long to) {
        number = newNumber;
        sentTo = to;
    }

    /** True if the node has a message of it, and has not reported its outcome. */
    boolean isInFlight() {
        return isInFlight;
    }

    void onSent() {
        isInFlight = true;
    }

    void onSendDone() {
        isInFlight = false;
    }

    /** True if it has a result, or nobody waits for one; for any thread. */
    boolean hasEnded() {
        return hasEnded;
    }

    void onEnded() {
        hasEnded = true;
    }

    @Override
    public int compareTo(final RpcCall other) {
        final long first = deadlineNs - other.deadlineNs;
        return first == 0 ? Long.compare(order, other.order) : Long.signum(first);
    }
}
