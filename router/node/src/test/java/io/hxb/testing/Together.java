package io.hxb.testing;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Runs tasks at the same time, each on a thread of its own. Stateless. */
public final class Together {
    private static final long LIMIT_NS = TimeUnit.MINUTES.toNanos(3);
    private static final long GRACE_NS = TimeUnit.SECONDS.toNanos(5);

    private Together() {}

    /**
     * Runs the tasks and returns when all have ended. When one fails the others are interrupted,
     * and are not waited for much longer: they may be waiting for the one that failed.
     *
     * @throws AssertionError with the first failure of any of them as its cause; or with the stacks
     *     of those that go on, if they have not ended after three minutes.
     */
    public static void run(final Runnable... tasks) {
        run(LIMIT_NS, tasks);
    }

    /** The same with a limit of its own. */
    static void run(final long limitNs, final Runnable... tasks) {
        final BlockingQueue<End> ends = new LinkedBlockingQueue<>();
        final Thread[] threads = new Thread[tasks.length];
        for (int i = 0; i < tasks.length; i++) {
            final Runnable task = tasks[i];
            threads[i] = new Thread(() -> ends.add(end(task)), "together-" + i);
            // A test that gives up after a time must not keep the process.
            threads[i].setDaemon(true);
        }
        for (final Thread thread : threads) {
            thread.start();
        }
        try {
            awaitAll(threads, ends, limitNs);
        } catch (final InterruptedException e) {
            throw new AssertionError("interrupted", e);
        } finally {
            interrupt(threads);
        }
    }

    /** How a task has ended: its failure is null if it did not fail. */
    private record End(Throwable failure) {}

    private static End end(final Runnable task) {
        try {
            task.run();
            return new End(null);
        } catch (final Throwable e) {
            return new End(e);
        }
    }

    private static void awaitAll(
            final Thread[] threads, final BlockingQueue<End> ends, final long limitNs)
            throws InterruptedException {
        long deadlineNs = System.nanoTime() + limitNs;
        AssertionError failure = null;
        for (int running = threads.length; running > 0; running--) {
            final End end = ends.poll(deadlineNs - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (end == null) {
                final AssertionError late = new AssertionError("not ended:" + stacks(threads));
                if (failure == null) {
                    throw late;
                }
                failure.addSuppressed(late);
                throw failure;
            }
            if (end.failure() != null && failure == null) {
                failure = new AssertionError("a thread failed", end.failure());
                deadlineNs = Math.min(deadlineNs, System.nanoTime() + GRACE_NS);
                interrupt(threads);
            } else if (end.failure() != null) {
                failure.addSuppressed(end.failure());
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private static void interrupt(final Thread[] threads) {
        for (final Thread thread : threads) {
            thread.interrupt();
        }
    }

    private static String stacks(final Thread[] threads) {
        final StringBuilder text = new StringBuilder();
        for (final Thread thread : threads) {
            if (thread.isAlive()) {
                text.append('\n').append(thread.getName()).append(' ').append(thread.getState());
                for (final StackTraceElement frame : thread.getStackTrace()) {
                    text.append("\n    at ").append(frame);
                }
            }
        }
        return text.toString();
    }
}
