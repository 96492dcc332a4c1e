package io.hxb.linkstate;

/**
 * When changes go out: the first one at once, those that follow it ever later, so that a link which
 * fails and recovers all the time does not keep every node of the cluster busy. Guarded by the lock
 * of {@link LinkStates}.
 */
final class ChangeDamping {
    /** Shortest time between two changes. */
    static final long MIN_GAP_NS = 5_000_000L;

    /** Longest time between two changes. */
    static final long MAX_GAP_NS = 1_000_000_000L;

    /** A gap doubles if the next change comes within this time after it, and halves for each. */
    static final long CALM_NS = 1_000_000_000L;

    private static final int MAX_HALVINGS = 8;

    private long gapNs = MIN_GAP_NS;
    private long sentNs;
    private boolean isUsed;

    /** When a change that there is now may go out: {@code nowNs} or later. */
    long earliestNs(final long nowNs) {
        final long nextNs = sentNs + gapNs;
        return isUsed && nextNs - nowNs > 0 ? nextNs : nowNs;
    }

    /** A change goes out. */
    void onSent(final long nowNs) {
        if (isUsed) {
            final long calmNs = nowNs - sentNs - gapNs;
            gapNs =
                    calmNs < CALM_NS
                            ? Math.min(MAX_GAP_NS, 2 * gapNs)
                            : Math.max(
                                    MIN_GAP_NS, gapNs >> Math.min(MAX_HALVINGS, calmNs / CALM_NS));
        }
        isUsed = true;
        sentNs = nowNs;
    }
}
