package io.hxb.vlan.health;

import io.hxb.config.PathHealthConfig;

/**
 * How long a dead path is left out: until enough probes in a row have come, and for longer if it
 * dies again soon after it was used. Owned by the thread of its {@link PathHealth}. As {@code
 * trunk.health.HoldDown} does for links.
 */
final class PathHold {
    private static final int LOSSY_FACTOR = 5;
    private static final int MEMORY_FACTOR = 5;

    private long failedNs;
    private long holdNs;
    private long recoveredNs;
    private boolean hasRecovered;
    private int neededBeats;
    private int beats;

    void onFailed(final PathHealthConfig config, final boolean isLossy, final long nowNs) {
        final long minNs = config.holdDownNs() * (isLossy ? LOSSY_FACTOR : 1);
        final long memoryNs = Math.max(MEMORY_FACTOR * config.holdDownNs(), holdNs);
        if (hasRecovered && nowNs - recoveredNs < memoryNs) {
            holdNs = Math.max(minNs, 2 * holdNs);
        } else {
            holdNs = isLossy ? minNs : 0;
        }
        holdNs = Math.min(config.maxHoldDownNs(), holdNs);
        neededBeats = config.healBeats() * (isLossy ? LOSSY_FACTOR : 1);
        failedNs = nowNs;
        beats = 0;
    }

    /**
     * A probe has come.
     *
     * @param isNext whether none was lost since the one before it.
     * @return true if the path may be used again.
     */
    boolean onBeat(final boolean isNext, final long nowNs) {
        beats = isNext ? beats + 1 : 1;
        if (beats < neededBeats || nowNs - failedNs < holdNs) {
            return false;
        }
        recoveredNs = nowNs;
        hasRecovered = true;
        return true;
    }
}
