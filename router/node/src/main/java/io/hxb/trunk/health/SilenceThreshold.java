package io.hxb.trunk.health;

/**
 * How long a node waits for the frames of a link that is silent while others are not. Frames that
 * arrive right after a link was given up were late, not lost. Where that happens, CPUs are busy
 * elsewhere for that long, whatever the link, so the next silence may last twice as long. Where a
 * loop of this node had to wait for its CPU, others wait as well, such as the kernel with frames
 * that are on their way. Guarded by the lock of {@link TrunkHealth}.
 */
final class SilenceThreshold {
    private static final long MIN_NS = SilenceDetector.SILENT_CHECKS * TrunkHealth.CHECK_NS;
    private static final long MAX_NS = 8 * MIN_NS;
    private static final long RASH_NS = 10_000_000;
    private static final long MEMORY_NS = 10_000_000_000L;

    private static final long MAX_AWAY_NS = 50_000_000;
    private static final long LONG_AWAY_NS = 10_000_000;
    private static final long AWAY_MEMORY_NS = 100_000_000;
    private static final int AWAY_FACTOR = 2;

    private static final long LONGEST_MEMORY_NS = 15_000_000_000L;

    private long ns = MIN_NS;
    private long learnedNs;
    private long awayNs;
    private long wasAwayNs;
    // The longest wait of this part of the time, and of the part before.
    private long longestNs;
    private long formerNs;
    private long partNs;

    /** Time in ns for which a link may be silent. */
    long ns() {
        return ns + AWAY_FACTOR * awayNs;
    }

    /** True if loops have lately waited for long: what is on its way may be as late. */
    boolean isAway() {
        return awayNs >= LONG_AWAY_NS;
    }

    /** The longest time for which a loop has waited for its CPU in the last 15 to 30 s. */
    long longestAwayNs() {
        return Math.max(longestNs, formerNs);
    }

    /** A loop has waited that long for its CPU since the last look. */
    void onAway(final long waitedNs, final long nowNs) {
        longestNs = Math.max(longestNs, waitedNs);
        if (waitedNs >= awayNs) {
            awayNs = Math.min(MAX_AWAY_NS, waitedNs);
            wasAwayNs = nowNs;
        }
    }

    /** Forgets with time what was learned. */
    void look(final long nowNs) {
        if (ns > MIN_NS && nowNs - learnedNs > MEMORY_NS) {
            ns /= 2;
            learnedNs = nowNs;
        }
        if (nowNs - partNs > LONGEST_MEMORY_NS) {
            formerNs = longestNs;
            longestNs = 0;
            partNs = nowNs;
        }
        if (nowNs - wasAwayNs > AWAY_MEMORY_NS) {
            awayNs /= 2;
            wasAwayNs = nowNs;
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
