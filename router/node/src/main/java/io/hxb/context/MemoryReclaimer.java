package io.hxb.context;

import io.hxb.linux.LinuxException;
import io.hxb.os.Capabilities;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Gives memory of applications back, which takes the kernel about 0.2 ms for each MiB: piece by
 * piece with pauses, on a thread of its own that ends when there is nothing left. So no loop waits
 * for it, nor for a lock that it holds in the kernel, and on a machine without an idle CPU a loop
 * shares its CPU only for as long as a piece takes. Any thread may call it.
 */
final class MemoryReclaimer implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(MemoryReclaimer.class);
    private static final long PAUSE_NS = 1_000_000;
    private static final long IDLE_MS = 1_000;
    private static final long CLOSE_LIMIT_S = 60;

    private final Executor executor;
    private final ThreadPoolExecutor threads;
    private volatile boolean isHurried;

    /** Uses a thread of its own, which starts when it is needed. */
    MemoryReclaimer() {
        threads =
                new ThreadPoolExecutor(
                        1,
                        1,
                        IDLE_MS,
                        TimeUnit.MILLISECONDS,
                        new LinkedBlockingQueue<>(),
                        MemoryReclaimer::thread);
        threads.allowCoreThreadTimeOut(true);
        executor = threads;
    }

    /** Lets {@code executor} do the work, for tests. */
    MemoryReclaimer(final Executor executor) {
        this.executor = executor;
        threads = null;
    }

    private static Thread thread(final Runnable task) {
        final Thread thread = new Thread(Capabilities.givingUp(task), "hxb-memory");
        thread.setDaemon(true);
        return thread;
    }

    /** Gives back memory that nobody uses any more; does not block. */
    void add(final LentMemory memory) {
        try {
            executor.execute(() -> giveBackPiece(memory));
        } catch (final RejectedExecutionException e) {
            // The node has stopped: the last user of the memory does it.
            giveBackAll(memory);
        }
    }

    /** Does something else that takes the kernel a while; does not block. */
    void execute(final Runnable work) {
        try {
            executor.execute(work);
        } catch (final RejectedExecutionException e) {
            work.run();
        }
    }

    // In turns with other memory, so that small memory does not have to wait for large.
    private void giveBackPiece(final LentMemory memory) {
        try {
            final boolean isMore = memory.giveBackPiece();
            if (!isHurried) {
                LockSupport.parkNanos(PAUSE_NS);
            }
            if (isMore) {
                add(memory);
            } else {
                memory.onGivenBack();
            }
        } catch (final LinuxException e) {
            onFailure(e);
        }
    }

    private static void giveBackAll(final LentMemory memory) {
        try {
            boolean isMore = true;
            while (isMore) {
                isMore = memory.giveBackPiece();
            }
            memory.onGivenBack();
        } catch (final LinuxException e) {
            onFailure(e);
        }
    }

    private static void onFailure(final LinuxException e) {
        LOGGER.warn("memory of an application stays mapped: {}", e.getMessage());
    }

    /** Gives back what is left, without pauses; when the loops have stopped. */
    @Override
    public void close() {
        isHurried = true;
        if (threads == null) {
            return;
        }
        threads.shutdown();
        try {
            if (!threads.awaitTermination(CLOSE_LIMIT_S, TimeUnit.SECONDS)) {
                LOGGER.warn("memory of applications was not given back within {} s", CLOSE_LIMIT_S);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
