package io.hxb.trunk.health;

/**
 * How long a node waits for the frames of a link that is silent while others are not. Frames that
 * arrive right after a link was given up were late, not lost. Where that happens, CPUs are busy
 * elsewhere for that long, whatever the link, so the next silence may last twice as long. Guarded
 * by the lock of {@link TrunkHealth}.
 */
final class Patience {
    private static final long MIN_NS = SilenceJudge.SILENT_CHECKS * TrunkHealth.CHECK_NS;
    private static final long MAX_NS = 8 * MIN_NS;
    private static final long RASH_NS = 10_000_000;
    private static final long MEMORY_NS = 10_000_000_000L;

    private long ns = MIN_NS;
    private long learnedNs;

    /** Time in ns for which a link may be silent. */
    long ns() {
        return ns;
    }

    /** Forgets with time what was learned. */
    void look(final long nowNs) {
        if (ns > MIN_NS && nowNs - learnedNs > MEMORY_NS) {
            ns /= 2;
            learnedNs = nowNs;
        }
    }

    /** Frames have arrived on a link that was given up for its silence at {@code failedNs}. */
    void onHeardAgain(final long failedNs, final long nowNs) {
        // What was learned after the link was given up has the same cause.
        if (nowNs - failedNs < RASH_NS && (ns == MIN_NS || failedNs - learnedNs > 0)) {
            ns = Math.min(MAX_NS, 2 * ns);
            learnedNs = nowNs;
        }
    }
}
