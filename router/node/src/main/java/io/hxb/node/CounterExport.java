package io.hxb.node;

import io.hxb.counter.CounterBlock;
import io.hxb.time.Deadline;

/**
 * Publishes what has been counted by one loop, every 20 ms while there is something new, so that
 * the frames themselves only touch the loop's own memory. Owned by that loop.
 */
final class CounterExport {
    private static final long INTERVAL_NS = 20_000_000L;

    private final CounterBlock[] blocks;
    private long dueNs;
    private boolean isStale;
    private boolean isStarted;

    CounterExport(final CounterBlock... blocks) {
        this.blocks = blocks;
    }

    /** Something has been counted. */
    void note() {
        isStale = true;
    }

    void doWork(final long nowNs) {
        if (isStale && (!isStarted || nowNs - dueNs >= 0)) {
            isStarted = true;
            dueNs = nowNs + INTERVAL_NS;
            publish();
        }
    }

    long nextDeadlineNs() {
        return isStale ? dueNs : Deadline.NEVER;
    }

    /** Publishes now. */
    void publish() {
        isStale = false;
        for (final CounterBlock block : blocks) {
            block.publish();
        }
    }
}
