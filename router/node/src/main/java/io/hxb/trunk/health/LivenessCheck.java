package io.hxb.trunk.health;

/**
 * Judges whether the neighbour itself is still there on one link. Frames are counted by their link
 * address before anything else of them is checked, and most are not for this node, so an attacker
 * who forges that address could make a dead link look alive. Hello and status frames state over
 * which link they were sent and, with a key, only the neighbour can have sealed them: a link in use
 * on which neither arrives is doubted, the neighbour is asked, and the link has failed if it still
 * shows nothing. Guarded by the lock of {@link TrunkHealth}.
 */
final class LivenessCheck {
    private final long doubtAfterNs;
    private final long failAfterNs;
    private long provenNs;
    private long doubtedNs;
    private boolean isDoubted;

    /**
     * Makes the judge of one link.
     *
     * @param limitNs time without proof after which the link has failed, if it is looked at all the
     *     time; a node that stood still asks first.
     */
    LivenessCheck(final long limitNs) {
        doubtAfterNs = limitNs / 5 * 3;
        failAfterNs = limitNs - doubtAfterNs;
    }

    /** A hello or status frame of the neighbour arrived on the link. */
    void onProof(final long nowNs) {
        provenNs = nowNs;
        isDoubted = false;
    }

    /** Takes in one look at a link in use. */
    void look(final long nowNs) {
        if (!isDoubted && nowNs - provenNs > doubtAfterNs) {
            isDoubted = true;
            doubtedNs = nowNs;
        }
    }

    /** The link is not used: nothing is asked of it. */
    void rest() {
        isDoubted = false;
    }

    /** True if the neighbour should be asked for a sign of life on the link. */
    boolean isDoubted() {
        return isDoubted;
    }

    /** True if the link has been doubted for so long that it has failed. */
    boolean isLost(final long nowNs) {
        return isDoubted && nowNs - doubtedNs > failAfterNs;
    }
}
