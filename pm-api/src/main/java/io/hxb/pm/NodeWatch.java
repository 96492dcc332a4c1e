package io.hxb.pm;

import io.hxb.pm.shm.NodePage;

import java.util.function.BooleanSupplier;

/** Watches whether the node of a context lives and works. Owned by the context's thread. */
final class NodeWatch {
    /** Longest time between two questions whether the node lives, in ns. */
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
     * @param isAlive asks, with a system call if need be, whether the node still lives.
     */
    public NodeWatch(final NodePage page, final BooleanSupplier isAlive) {
        this.page = page;
        this.isAlive = isAlive;
    }

    /** True once the node has ended, or was found dead. */
    boolean isGone() {
        return isGone || page.state() != NodePage.ALIVE;
    }

    /** Asks whether the node still lives. */
    void check() {
        isGone = !isAlive.getAsBoolean();
    }

    /** Call it when there was nothing to do: now and then it asks whether the node still lives. */
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
     * True if the node has stood still for 3 seconds of asking. Beats are counted, not timed, so
     * that clocks of two processes need not agree.
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
