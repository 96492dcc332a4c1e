package io.hxb.bench.attack;

import io.hxb.bench.harness.ProcessLab;
import io.hxb.counter.CounterReader;
import io.hxb.counter.CounterType;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Finds out how long after the last forged frame all nodes have what they had before: a node that
 * one of four does not reach receives three quarters of its messages. Used by one thread.
 */
final class Recovery implements AutoCloseable {
    /** Messages of a window are compared with those of the time before the attack. */
    static final long WINDOW_NS = 250_000_000L;

    /** Windows that are looked at. */
    private static final int WINDOWS = 40;

    /** Share of the messages before, under which a node is not what it was. */
    private static final double SHARE = 0.85;

    private final List<CounterReader> nodes = new ArrayList<>();
    private final long[] begin;
    private final double[] aWindow;
    private long beginNs;

    /** Opens the counters of all nodes. */
    Recovery(final ProcessLab lab) throws IOException {
        for (int node = 0; node < lab.nodes(); node++) {
            nodes.add(lab.counters(node));
        }
        begin = new long[nodes.size()];
        aWindow = new double[nodes.size()];
    }

    /** Begins to count what nodes receive without an attack. */
    void beginBefore() {
        beginNs = System.nanoTime();
        for (int node = 0; node < begin.length; node++) {
            begin[node] = delivered(node);
        }
    }

    /** Ends it. */
    void endBefore() {
        final double windows = (double) (System.nanoTime() - beginNs) / WINDOW_NS;
        for (int node = 0; node < begin.length; node++) {
            aWindow[node] = (delivered(node) - begin[node]) / windows;
        }
    }

    /**
     * Watches the nodes for {@value #WINDOWS} windows from now on.
     *
     * @return ms until the end of the last window in which a node received too little or had a
     *     failed link; 0 if there was none, -1 if that was the last one.
     */
    long awaitMs() {
        final long[] last = new long[begin.length];
        for (int node = 0; node < last.length; node++) {
            last[node] = delivered(node);
        }
        int lastBad = 0;
        long dueNs = System.nanoTime();
        for (int window = 1; window <= WINDOWS; window++) {
            dueNs += WINDOW_NS;
            while (System.nanoTime() - dueNs < 0) {
                LockSupport.parkNanos(dueNs - System.nanoTime());
            }
            for (int node = 0; node < last.length; node++) {
                final long now = delivered(node);
                if (now - last[node] < SHARE * aWindow[node]
                        || nodes.get(node).sum(CounterType.LINK_FAILED_NODES) > 0) {
                    lastBad = window;
                }
                last[node] = now;
            }
        }
        return lastBad == WINDOWS ? -1 : lastBad * WINDOW_NS / 1_000_000;
    }

    private long delivered(final int node) {
        return nodes.get(node).sum(CounterType.FLOW_DELIVERED_MESSAGES);
    }

    @Override
    public void close() throws IOException {
        for (final CounterReader node : nodes) {
            node.close();
        }
    }
}
