package io.hxb.node;

import io.hxb.node.loop.LoopDriver;
import io.hxb.node.loop.LoopTask;
import io.hxb.node.loop.NodeThreads;
import io.hxb.os.ServiceManager;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Notifies the service manager that the node works, as long as every loop turns: the first loop
 * runs this, sends a request to the others, and reports nothing until all have replied. It costs
 * the loops nothing between two requests. Owned by the first loop.
 */
final class WatchdogTask implements LoopTask {
    /** Signs of life within the time that the manager waits for one. */
    private static final int SIGNS = 4;

    /** How much more often it checks for answers while some are missing. */
    private static final int LOOKS = 16;

    private final ServiceManager manager;
    private final NodeThreads threads;
    private final long intervalNs;
    // Counted down by the other loops.
    private final AtomicInteger awaited = new AtomicInteger();
    private boolean isStarted;
    private long dueNs;

    WatchdogTask(final ServiceManager manager, final NodeThreads threads) {
        this.manager = manager;
        this.threads = threads;
        intervalNs = manager.watchdogNs() / SIGNS;
    }

    @Override
    public void start() {}

    @Override
    public int doWork(final long nowNs) {
        if (isStarted && nowNs - dueNs < 0) {
            return 0;
        }
        if (awaited.get() > 0) {
            dueNs = nowNs + intervalNs / LOOKS;
            return 0;
        }
        if (isStarted) {
            manager.alive();
        }
        isStarted = true;
        dueNs = nowNs + intervalNs;
        ask();
        return 0;
    }

    private void ask() {
        awaited.set(threads.count() - 1);
        for (int i = 1; i < threads.count(); i++) {
            final LoopDriver other = threads.driver(i);
            other.runSoon(awaited::decrementAndGet);
        }
    }

    @Override
    public int flush() {
        return 0;
    }

    @Override
    public long nextDeadlineNs(final long nowNs) {
        return isStarted ? dueNs : nowNs;
    }

    @Override
    public boolean prepareToSleep() {
        return true;
    }

    @Override
    public void awake() {}

    @Override
    public void stop() {}
}
