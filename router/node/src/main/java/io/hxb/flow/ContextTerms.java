package io.hxb.flow;

/**
 * The terms on which a context is opened. Immutable.
 *
 * @param receiveQuotaFrames frames, 1 or more, that its sources may have on the way to it or the
 *     application may hold; its sources share them. How many these are at any time also depends on
 *     what other contexts have.
 * @param isCopied true if it takes copies: then a frame occupies a buffer of the pool only until it
 *     is delivered.
 * @param peerWaitNs how long its messages wait for a destination that nobody has opened, 0 or more.
 * @param rights what its flows may do.
 */
public record ContextTerms(
        int receiveQuotaFrames, boolean isCopied, long peerWaitNs, FlowRights rights) {

    /** All rights, no copies, and no wait for destinations that nobody has opened. */
    public static ContextTerms of(final int receiveQuotaFrames) {
        return new ContextTerms(receiveQuotaFrames, false, 0, FlowRights.ALL);
    }

    /** Checks the quota. */
    public ContextTerms {
        if (receiveQuotaFrames < 1) {
            throw new IllegalArgumentException(
                    "the quota must be 1 or more: " + receiveQuotaFrames);
        }
    }
}
