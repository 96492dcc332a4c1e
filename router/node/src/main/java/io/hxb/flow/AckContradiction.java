package io.hxb.flow;

/**
 * Notices that the receiver of one sending flow says persistently what contradicts what it has
 * acknowledged: less than that, or more than was sent. A damaged or forged acknowledgement does
 * this where frames are not sealed. Neither end can mend it, because the sender no longer has the
 * frames that the receiver waits for. Owned by the loop of the flow.
 *
 * <p>An acknowledgement that was overtaken by later ones says less, too. But the later ones have
 * been believed, and a flow that goes on gets more of them, which end the suspicion. So only what
 * is never contradicted itself for {@value #MIN_NS} ns counts.
 */
final class AckContradiction {
    /** Acknowledgements that are needed. */
    static final int MIN_ACKS = 4;

    /** Time that lies between the first and the last of them, in ns. */
    static final long MIN_NS = 200_000_000L;

    private static final int MIN_RETRIES = 4;

    private int acks;
    private long sinceNs;

    /** An acknowledgement fits what is known, or the flow begins. */
    void onAgreement() {
        acks = 0;
    }

    /**
     * An acknowledgement contradicts what is known.
     *
     * @param retryNs time after which a question is repeated first: about two round trips.
     * @return true if the flow cannot go on.
     */
    boolean onContradiction(final long nowNs, final long retryNs) {
        if (acks++ == 0) {
            sinceNs = nowNs;
        }
        final long neededNs = Math.max(MIN_NS, MIN_RETRIES * retryNs);
        return acks >= MIN_ACKS && nowNs - sinceNs >= neededNs;
    }
}
