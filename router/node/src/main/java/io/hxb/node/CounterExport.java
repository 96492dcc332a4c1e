package io.hxb.node;

import io.hxb.counter.Counter;
import io.hxb.counter.CounterType;
import io.hxb.counter.Counters;
import io.hxb.time.Deadline;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Copies what has been counted by one loop into the counter file, every 20 ms while there is
 * something new, so that the frames themselves only touch the loop's own memory. Owned by that
 * loop.
 */
final class CounterExport {
    private static final long INTERVAL_NS = 20_000_000L;

    private final Counter[] targets;
    private final LongSupplier[] sources;
    private long dueNs;
    private boolean isStale;
    private boolean isStarted;

    private CounterExport(final List<Counter> targets, final List<LongSupplier> sources) {
        this.targets = targets.toArray(new Counter[0]);
        this.sources = sources.toArray(new LongSupplier[0]);
    }

    /** Something has been counted. */
    void note() {
        isStale = true;
    }

    void doWork(final long nowNs) {
        if (isStale && (!isStarted || nowNs - dueNs >= 0)) {
            isStarted = true;
            dueNs = nowNs + INTERVAL_NS;
            copy();
        }
    }

    long nextDeadlineNs() {
        return isStale ? dueNs : Deadline.NEVER;
    }

    void close() {
        copy();
    }

    /** Copies now. */
    void copy() {
        isStale = false;
        for (int i = 0; i < targets.length; i++) {
            targets[i].set(sources[i].getAsLong());
        }
    }

    /** Collects what is exported. */
    static final class Builder {
        private final Counters counters;
        private final int loop;
        private final List<Counter> targets = new ArrayList<>();
        private final List<LongSupplier> sources = new ArrayList<>();

        /** Begins with nothing, for the counters of a loop. */
        Builder(final Counters counters, final int loop) {
            this.counters = counters;
            this.loop = loop;
        }

        Builder add(final CounterType type, final int instance, final LongSupplier source) {
            targets.add(counters.counter(type, loop, instance));
            sources.add(source);
            return this;
        }

        Builder add(final CounterType type, final LongSupplier source) {
            return add(type, 0, source);
        }

        CounterExport build() {
            return new CounterExport(targets, sources);
        }
    }
}
