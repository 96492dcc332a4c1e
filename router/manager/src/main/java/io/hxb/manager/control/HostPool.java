package io.hxb.manager.control;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Talks to several hosts at a time, on a limited number of threads. Hosts that have to be connected
 * first have threads of their own, so that those that do not answer hold up nobody else. Owned by
 * the thread that runs the control.
 */
public final class HostPool implements HostRunner, AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(HostPool.class);
    private static final int THREADS = 16;
    private static final int CONNECTING_THREADS = 4;

    private final ExecutorService talking = pool("hxb-optimise-hosts", THREADS);
    private final ExecutorService connecting = pool("hxb-optimise-connect", CONNECTING_THREADS);
    private final Map<ManagedHost, Future<?>> pending = new HashMap<>();
    private final long limitNs;

    /**
     * No thread runs yet.
     *
     * @param limitNs for how long a round is waited for.
     */
    public HostPool(final long limitNs) {
        this.limitNs = limitNs;
    }

    private static ExecutorService pool(final String name, final int threads) {
        return Executors.newFixedThreadPool(
                threads, Thread.ofPlatform().daemon().name(name + "-", 0).factory());
    }

    @Override
    public List<ManagedHost> run(
            final List<ManagedHost> hosts, final Consumer<ManagedHost> action) {
        final long endNs = System.nanoTime() + limitNs;
        final List<ManagedHost> begun = new ArrayList<>();
        for (final ManagedHost host : hosts) {
            final Future<?> before = pending.get(host);
            if (before == null || before.isDone()) {
                final ExecutorService pool = host.isConnected() ? talking : connecting;
                pending.put(host, pool.submit(() -> action.accept(host)));
                begun.add(host);
            }
        }
        final List<ManagedHost> done = new ArrayList<>();
        for (final ManagedHost host : begun) {
            if (await(host, endNs)) {
                done.add(host);
            }
        }
        return done;
    }

    private boolean await(final ManagedHost host, final long endNs) {
        try {
            pending.get(host).get(Math.max(0, endNs - System.nanoTime()), TimeUnit.NANOSECONDS);
            pending.remove(host);
            return true;
        } catch (final TimeoutException e) {
            return false;
        } catch (final ExecutionException e) {
            if (e.getCause() instanceof Error) {
                throw new IllegalStateException(host.name(), e.getCause());
            }
            LOGGER.error("a task for {} failed", host.name(), e.getCause());
            return false;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Waits for nothing. */
    @Override
    public void close() {
        talking.shutdownNow();
        connecting.shutdownNow();
    }
}
