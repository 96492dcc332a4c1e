package io.hxb.node;

import io.hxb.node.loop.LoopStuckException;
import io.hxb.node.loop.LoopTask;
import io.hxb.node.loop.NodeThreads;
import io.hxb.node.loop.UninterruptibleWait;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The tasks of one node on the loops that drive them, which may drive other nodes' too. Used by the
 * thread that starts the node and the one that closes it.
 */
final class NodeTasks implements AutoCloseable {
    private static final long STOP_LIMIT_MS = 5_000;

    /** A task and the number of its loop. */
    private record Placed(int loop, LoopTask task) {}

    private final int nodeId;
    private final NodeThreads threads;
    private final List<Placed> tasks = new ArrayList<>();
    private int started;

    NodeTasks(final int nodeId, final NodeThreads threads) {
        this.nodeId = nodeId;
        this.threads = threads;
    }

    /** Adds a task, which is stopped by {@link #close} in any case. */
    void add(final int loop, final LoopTask task) {
        tasks.add(new Placed(loop, task));
    }

    /** Starts the tasks that were added since the last call. */
    void start() {
        for (final Placed placed : tasks.subList(started, tasks.size())) {
            threads.driver(placed.loop).add(placed.task);
        }
        started = tasks.size();
    }

    /**
     * Takes the tasks off their loops, last first, and waits until they have stopped, also when the
     * thread is interrupted.
     *
     * @throws LoopStuckException if a loop has not done so within 5 s: what the tasks use has to
     *     stay open.
     */
    @Override
    public void close() {
        close(STOP_LIMIT_MS);
    }

    /** As the other one, with the time after which it gives up. */
    void close(final long limitMs) {
        final CountDownLatch stopped = new CountDownLatch(tasks.size());
        for (final Placed placed : tasks.reversed()) {
            threads.driver(placed.loop).adopt();
            threads.driver(placed.loop).remove(placed.task, stopped::countDown);
        }
        if (!UninterruptibleWait.await(
                waitMs -> stopped.await(waitMs, TimeUnit.MILLISECONDS), limitMs)) {
            throw new LoopStuckException(
                    "a loop of node "
                            + nodeId
                            + " has not stopped within "
                            + limitMs
                            + " ms: the node's memory stays mapped, and its links, its socket and"
                            + " its counters stay open, until the process ends");
        }
    }
}
