package io.hxb.trunk.health;

import io.hxb.config.TrunkConfig;

/**
 * How long one link that has failed is left out: until enough heartbeats in a row have arrived, and
 * for longer if it fails again soon after it was used. Guarded by the lock of {@link TrunkHealth}.
 */
final class HoldDown {
    private static final int LOSSY_FACTOR = 5;
    private static final long LOSSY_HOLD_FACTOR = 10;
    private static final long LOSSY_MEMORY_NS = 30_000_000_000L;

    private final TrunkConfig config;
    private long failedNs;
    private long holdNs;
    private int neededBeats;
    private int beats;
    private int lastBeat;
    private long recoveredNs;
    private boolean hasRecovered;
    private boolean wasLossy;

    HoldDown(final TrunkConfig config) {
        this.config = config;
    }

    /** The neighbour is a new incarnation: nothing is known of it. */
    void forget() {
        beats = 0;
        holdNs = 0;
        hasRecovered = false;
        wasLossy = false;
    }

    /**
     * The link has failed.
     *
     * @param isLossy whether it carries some frames, so that it takes longer to see that it is
     *     sound.
     */
    void onFailed(final boolean isLossy, final long nowNs) {
        final long minNs = config.holdDownNs() * (isLossy ? LOSSY_HOLD_FACTOR : 1);
        final long memoryNs =
                isLossy && wasLossy
                        ? LOSSY_MEMORY_NS
                        : Math.max(LOSSY_FACTOR * config.holdDownNs(), holdNs);
        if (hasRecovered && nowNs - recoveredNs < memoryNs) {
            holdNs = Math.min(config.maxHoldDownNs(), Math.max(minNs, 2 * holdNs));
        } else {
            holdNs = isLossy ? Math.min(config.maxHoldDownNs(), minNs) : 0;
        }
        wasLossy = isLossy;
        neededBeats = config.healBeats() * (isLossy ? LOSSY_FACTOR : 1);
        failedNs = nowNs;
        beats = 0;
    }

    /**
     * A status frame arrived.
     *
     * @param beat number of the heartbeat; 0 for a frame between two of them, which says nothing of
     *     how long frames have passed.
     */
    void onBeat(final int beat) {
        if (beat == 0) {
            return;
        }
        beats = beats > 0 && beat == lastBeat + 1 ? beats + 1 : 1;
        lastBeat = beat;
    }

    /** True if the link, which has failed, has been held down for long enough. */
    boolean isOver(final long nowNs) {
        return beats >= neededBeats && nowNs - failedNs >= holdNs;
    }

    /** The link is used again. */
    void onRecovered(final long nowNs) {
        recoveredNs = nowNs;
        hasRecovered = true;
    }

    /** When the link failed last. */
    long failedNs() {
        return failedNs;
    }
}
