package io.hxb.node.ip;

import io.hxb.pm.PmStatus;

/**
 * Whether a node takes packets, by what has become of those for it. Owned by one loop.
 *
 * <p>A node counts as gone when nothing has arrived for {@link #GONE_NS}, although something was
 * sent. A route that fails over and a node that is restarted take less.
 */
final class PeerPresence {
    /** How long packets are in vain before programs are told. */
    static final long GONE_NS = 5_000_000_000L;

    /** Packets that failed longer ago say nothing of now. */
    private static final long FORGET_NS = 30_000_000_000L;

    private boolean isFailing;
    private boolean isMissing;
    private long missingSinceNs;
    private long failedNs;

    /** A packet has arrived there. */
    void onArrived() {
        isFailing = false;
        isMissing = false;
    }

    /**
     * A packet was given up.
     *
     * @param sentNs when it was handed to its flow, or began to wait.
     */
    void onFailed(final int status, final long sentNs, final long nowNs) {
        isFailing = true;
        // Others are there, and have no room or do not want packets of this node.
        if (status == PmStatus.PEER_UNREACHABLE || status == PmStatus.NO_SUCH_CONTEXT) {
            if (!isMissing || nowNs - failedNs >= FORGET_NS) {
                isMissing = true;
                missingSinceNs = sentNs;
            }
            failedNs = nowNs;
        }
    }

    /** True if the last packet did not arrive: the node passes nothing on. */
    boolean isFailing() {
        return isFailing;
    }

    /** True if the node is gone or has no virtual NIC, for long enough. */
    boolean isGone(final long nowNs) {
        return isMissing && nowNs - missingSinceNs >= GONE_NS && nowNs - failedNs < FORGET_NS;
    }
}
