package io.hxb.counter;

import io.hxb.os.Capabilities;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Copies the counters and events of this process's nodes to their files: what has changed, every 25
 * ms, and everything once a second. It has a thread of its own, which runs while there are files,
 * so that loops never wait for a disk. Any thread may add and remove files.
 */
final class CounterPublisher {
    private static final CounterPublisher OF_THIS_PROCESS = new CounterPublisher();
    private static final long INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(25);
    private static final int ROUNDS_PER_WHOLE = 40;

    private final List<PublishedCopy> files = new ArrayList<>();
    private Thread thread;

    private CounterPublisher() {}

    /** The one of this process. */
    static CounterPublisher ofThisProcess() {
        return OF_THIS_PROCESS;
    }

    /** Copies to {@code file} from now on. */
    synchronized void add(final PublishedCopy file) {
        files.add(file);
        if (thread == null) {
            thread = new Thread(Capabilities.givingUp(this::run), "hxb-counters");
            thread.setDaemon(true);
            thread.start();
        }
    }

    /** Leaves {@code file} alone from now on, except for a copy that is under way. */
    synchronized void remove(final PublishedCopy file) {
        files.remove(file);
        notifyAll();
    }

    private void run() {
        int rounds = 0;
        List<PublishedCopy> current = next();
        while (!current.isEmpty()) {
            rounds++;
            for (final PublishedCopy file : current) {
                if (rounds % ROUNDS_PER_WHOLE == 0) {
                    file.publishAll();
                } else {
                    file.publish();
                }
            }
            current = next();
        }
    }

    // Waits for the next round; empty when there is nothing left to do for this thread.
    private synchronized List<PublishedCopy> next() {
        try {
            final long endNs = System.nanoTime() + INTERVAL_NS;
            for (long leftNs = INTERVAL_NS; leftNs > 0 && !files.isEmpty(); ) {
                TimeUnit.NANOSECONDS.timedWait(this, leftNs);
                leftNs = endNs - System.nanoTime();
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (files.isEmpty()) {
            thread = null;
        }
        return List.copyOf(files);
    }
}
