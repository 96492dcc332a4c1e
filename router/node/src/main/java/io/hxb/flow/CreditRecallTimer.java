package io.hxb.flow;

import io.hxb.config.FlowConfig;

/**
 * When silent sources are asked for the window that they do not use, and given up if they remain
 * silent: soon while other sources wait for credit, otherwise once per peer timeout. Owned by one
 * loop.
 */
final class CreditRecallTimer {
    /** Silence after which a source may be asked for window that it does not use. */
    static final long RECALL_NS = 5_000_000;

    /** Longest time between two requests to a source that stays silent. */
    static final long MAX_PAUSE_NS = 1_000_000_000;

    private final FlowConfig config;
    private long dueNs;
    private boolean isSet;
    private boolean isShortOfCredit;

    CreditRecallTimer(final FlowConfig config) {
        this.config = config;
    }

    /** A source waits for credit that other sources have. */
    void onShortOfCredit() {
        isShortOfCredit = true;
    }

    /** True if it is time to ask; sets the next time. */
    boolean poll(final long nowNs) {
        if (!isSet) {
            isSet = true;
            dueNs = nowNs + config.peerTimeoutNs();
        }
        if (isShortOfCredit) {
            isShortOfCredit = false;
            final long soonNs = nowNs + RECALL_NS;
            dueNs = soonNs - dueNs < 0 ? soonNs : dueNs;
        }
        if (dueNs - nowNs > 0) {
            return false;
        }
        dueNs = nowNs + config.peerTimeoutNs();
        return true;
    }

    /** When {@link #poll} has to be called, Long.MAX_VALUE for never. */
    long nextDeadlineNs(final long nowNs) {
        if (!isSet) {
            return Long.MAX_VALUE;
        }
        return isShortOfCredit ? nowNs + RECALL_NS : dueNs;
    }
}
