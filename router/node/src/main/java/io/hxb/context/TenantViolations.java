package io.hxb.context;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Flows of one user that were refused because the tenants of their ends may not talk to each other.
 * Loops note them; the attach thread reads. What it reads about the last one may be a mixture of
 * two, which is good enough for a log.
 */
final class TenantViolations {
    private final AtomicLong refused = new AtomicLong();
    private volatile boolean isOutward;
    private volatile int peerTenant;
    private volatile int peerNode;
    private volatile int peerContext;

    /** A flow was refused: by a context of ours, to or from a peer of that tenant. */
    void onRefused(final boolean isSending, final int tenant, final int node, final int context) {
        isOutward = isSending;
        peerTenant = tenant;
        peerNode = node;
        peerContext = context;
        refused.incrementAndGet();
    }

    /** How many there have been. */
    long refused() {
        return refused.get();
    }

    /** True if the last one was to send, false if it was to receive. */
    boolean isOutward() {
        return isOutward;
    }

    /** Tenant of the peer of the last one, as its frame claimed. */
    int peerTenant() {
        return peerTenant;
    }

    /** Node of the peer of the last one. */
    int peerNode() {
        return peerNode;
    }

    /** Context of the peer of the last one. */
    int peerContext() {
        return peerContext;
    }
}
