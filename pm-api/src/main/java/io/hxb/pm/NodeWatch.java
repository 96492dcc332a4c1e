package io.hxb.pm;

import io.hxb.pm.shm.NodePage;

import java.util.function.BooleanSupplier;

/** Watches whether the node of a context is alive and working. Owned by the context's thread. */
final class NodeWatch {
    /** Maximum time between two checks whether the node is alive, in ns. */
    static final long ALIVE_CHECK_NS = 100_000_000L;

    private static final int IDLE_CALLS_BEFORE_CLOCK = 256;
    private static final long SILENT_NS = 15 * NodePage.BEAT_INTERVAL_NS;

    private final NodePage page;
    private final BooleanSupplier isAlive;
    private int idleCalls;
    private long checkedNs;
    private long lastBeat;
    private long lastBeatNs;
    private boolean isGone;

    /**
     * Watches a node.
     *
     * @param isAlive checks, with a system call if necessary, whether the node is still alive.
     */
    public NodeWatch(final NodePage page, final BooleanSupplier isAlive) {
        this.page = page;
        this.isAlive = isAlive;
    }

    /** True once the node has ended, or was found dead. */
    boolean isGone() {
        return isGone || page.state() != NodePage.ALIVE;
    }

    /** Checks whether the node is still alive. */
    void check() {
        isGone = !isAlive.getAsBoolean();
    }

    /**
     * Called when there was nothing to do: checks from time to time whether the node is still
     * alive.
     */
    void onIdle() {
        if (++idleCalls >= IDLE_CALLS_BEFORE_CLOCK) {
            idleCalls = 0;
            final long nowNs = System.nanoTime();
            if (nowNs - checkedNs > ALIVE_CHECK_NS) {
                checkedNs = nowNs;
                check();
            }
        }
    }

    /**
     * True if the node has made no progress during 3 seconds of checks. Beats are counted, not
     * timed, so that the clocks of two processes need not agree.
     */
    boolean isSilent(final long nowNs) {
        final long beat = page.beat();
        if (beat != lastBeat || beat == 0) {
            lastBeat = beat;
            lastBeatNs = nowNs;
            return false;
        }
        return nowNs - lastBeatNs > SILENT_NS;
    }
}
