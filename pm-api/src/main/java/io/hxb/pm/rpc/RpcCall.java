package io.hxb.pm.rpc;

import java.util.concurrent.CompletableFuture;

/** A request of this end that has not ended. Owned by the end's thread. */
final class RpcCall implements Comparable<RpcCall> {
    final RpcPeer peer;
    final byte[] request;
    final long deadlineNs;
    final CompletableFuture<byte[]> reply;

    /** Order in which they were asked for, which tells calls of one deadline apart. */
    final long order;

    /** Among the requests to the peer; 0 until it is sent for the first time. */
    long number;

    /** The peer's end when it was sent last. */
    long sentTo;

    /** A message of it is with the node, which has not said what has become of it. */
    boolean isInFlight;

    /** It has a result, or nobody waits for one; read by other threads, too. */
    volatile boolean hasEnded;

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

    boolean isSent() {
        return number != 0;
    }

    @Override
    public int compareTo(final RpcCall other) {
        final long first = deadlineNs - other.deadlineNs;
        return first == 0 ? Long.compare(order, other.order) : Long.signum(first);
    }
}
