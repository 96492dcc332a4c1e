package io.hxb.trunk.health;

/**
 * How long a link or path that has failed is left out: until enough heartbeats in a row have
 * arrived, and for longer if it fails again soon after it was used. Used by one thread, or guarded
 * by the lock of its owner.
 */
public final class HoldDown {
    private static final int LOSSY_FACTOR = 5;
    private static final long LOSSY_HOLD_FACTOR = 10;
    private static final long LOSSY_MEMORY_NS = 30_000_000_000L;

    private final Terms terms;
    private long failedNs;
    private long holdNs;
    private int neededBeats;
    private int beats;
    private int lastBeat;
    private long recoveredNs;
    private boolean hasRecovered;
    private boolean wasLossy;

    /**
     * What is asked of what has failed. Immutable.
     *
     * @param minNs time that it is left out at least when it fails again.
     * @param maxNs the maximum to which that doubles.
     * @param beats heartbeats in a row.
     */
    public record Terms(long minNs, long maxNs, int beats) {}

    /** Nothing has failed yet. */
    public HoldDown(final Terms terms) {
        this.terms = terms;
    }

    /** The neighbour is a new incarnation: nothing is known of it. */
    public void forget() {
        beats = 0;
        holdNs = 0;
        hasRecovered = false;
        wasLossy = false;
    }

    /**
     * It has failed.
     *
     * @param isLossy whether it carries some frames, so that it takes longer to see that it is
     *     sound.
     */
    public void onFailed(final boolean isLossy, final long nowNs) {
        final long minNs = terms.minNs * (isLossy ? LOSSY_HOLD_FACTOR : 1);
        final long memoryNs =
                isLossy && wasLossy
                        ? LOSSY_MEMORY_NS
                        : Math.max(LOSSY_FACTOR * terms.minNs, holdNs);
        if (hasRecovered && nowNs - recoveredNs < memoryNs) {
            holdNs = Math.min(terms.maxNs, Math.max(minNs, 2 * holdNs));
        } else {
            holdNs = isLossy ? Math.min(terms.maxNs, minNs) : 0;
        }
        wasLossy = isLossy;
        neededBeats = terms.beats * (isLossy ? LOSSY_FACTOR : 1);
        failedNs = nowNs;
        beats = 0;
    }

    /**
     * A status frame arrived.
     *
     * @param beat number of the heartbeat; 0 for a frame between two of them, which shows nothing
     *     of how long frames have passed.
     */
    void onBeat(final int beat) {
        if (beat == 0) {
            return;
        }
        onBeat(beat == lastBeat + 1);
        lastBeat = beat;
    }

    /**
     * A heartbeat arrived.
     *
     * @param isNext whether none was lost since the one before it.
     */
    public void onBeat(final boolean isNext) {
        beats = isNext ? beats + 1 : 1;
    }

    /** True if what has failed has been held down for long enough. */
    public boolean isOver(final long nowNs) {
        return beats >= neededBeats && nowNs - failedNs >= holdNs;
    }

    /** It is used again. */
    public void onRecovered(final long nowNs) {
        recoveredNs = nowNs;
        hasRecovered = true;
    }

    /** When the link failed last. */
    long failedNs() {
        return failedNs;
    }
}
