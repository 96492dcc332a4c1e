package io.hxb.node.loop;

import io.hxb.config.LoopConfig;
import io.hxb.linux.Autogroup;
import io.hxb.linux.LinuxException;
import io.hxb.linux.Threads;
import io.hxb.log.LoopErrors;

import org.agrona.concurrent.SystemNanoClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;

/**
 * The loops that nodes run on: those of one node, or loops shared by several nodes of a lab, which
 * is best where virtual nodes outnumber CPUs. Made before the nodes and closed after them.
 */
public final class NodeThreads implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(NodeThreads.class);

    private static final int NICE = -10;

    private final List<LoopDriver> drivers = new ArrayList<>();

    private NodeThreads() {}

    /** Starts the loops of a configuration, each on a thread of its own. */
    public static NodeThreads start(final LoopConfig config) {
        return start(config, 0);
    }

    /**
     * The same for one of several nodes in this process.
     *
     * @param firstLoop number of the first loop: names it and chooses its CPU.
     */
    public static NodeThreads start(final LoopConfig config, final int firstLoop) {
        final NodeThreads threads = new NodeThreads();
        putSessionFirst();
        try {
            for (int i = firstLoop; i < firstLoop + config.loopCount(); i++) {
                threads.drivers.add(
                        LoopDriver.start(
                                waitMode(config),
                                threadFactory(config, i),
                                SystemNanoClock.INSTANCE,
                                LoopErrors.INSTANCE));
            }
            return threads;
        } catch (final RuntimeException e) {
            threads.close();
            throw e;
        }
    }

    /** Makes one loop that the application's thread runs (invoker). */
    public static NodeThreads invoker(final LoopConfig config) {
        final NodeThreads threads = new NodeThreads();
        threads.drivers.add(
                LoopDriver.invoker(
                        waitMode(config), SystemNanoClock.INSTANCE, LoopErrors.INSTANCE));
        return threads;
    }

    private static WaitMode waitMode(final LoopConfig config) {
        return switch (config.waiting()) {
            case BLOCK -> WaitMode.BLOCK;
            case SPIN -> WaitMode.SPIN;
            case HYBRID -> new WaitMode(config.spinForNs());
        };
    }

    private static ThreadFactory threadFactory(final LoopConfig config, final int index) {
        return runnable -> {
            final Thread thread =
                    new Thread(
                            () -> {
                                place(config, index);
                                runnable.run();
                            },
                            "hxb-loop-" + index);
            thread.setDaemon(true);
            return thread;
        };
    }

    /** The loops' own nice value counts among the processes of their session only. */
    private static void putSessionFirst() {
        try {
            Autogroup.nice(NICE);
        } catch (final IOException e) {
            LOGGER.debug("the session has the usual nice value: {}", e.getMessage());
        }
    }

    private static void place(final LoopConfig config, final int index) {
        try {
            // Every application of the machine waits for this thread, so it gets priority if that
            // is allowed.
            Threads.nice(NICE);
        } catch (final LinuxException e) {
            LOGGER.debug("loop {} runs with the usual nice value: {}", index, e.getMessage());
        }
        if (!config.cpus().isEmpty()) {
            pin(config.cpus().get(index % config.cpus().size()), index);
        }
        if (config.priority() > 0) {
            schedule(config.priority(), index);
        }
    }

    // The kernel refuses CPUs that are offline, absent or not in the cpuset with EINVAL.
    private static void pin(final int cpu, final int index) {
        try {
            Threads.pin(cpu);
        } catch (final LinuxException e) {
            LOGGER.warn(
                    "loop {} runs on any CPU, not on CPU {}: {}; name CPUs in loop.cpus that are"
                            + " online (/sys/devices/system/cpu/online) and that this service may"
                            + " use (Cpus_allowed_list in /proc/self/status)",
                    index,
                    cpu,
                    e.getMessage());
        }
    }

    private static void schedule(final int priority, final int index) {
        try {
            Threads.schedule(Threads.POLICY_FIFO, priority);
        } catch (final LinuxException e) {
            LOGGER.warn(
                    "loop {} runs without the priority asked for: {}; give the service"
                            + " CAP_SYS_NICE or take loop.priority out",
                    index,
                    e.getMessage());
        }
    }

    /** Number of loops. */
    public int count() {
        return drivers.size();
    }

    /** A loop, 0 to {@link #count()} - 1. */
    public LoopDriver driver(final int index) {
        return drivers.get(index);
    }

    /** True if the application's thread runs the loop. */
    public boolean isInvoker() {
        return drivers.getFirst().isInvoker();
    }

    /**
     * Runs an invoker's loop once.
     *
     * @param waitLimitNs longest time it may block, 0 to return at once.
     * @return amount of work done, 0 when idle.
     */
    public int run(final long waitLimitNs) {
        final LoopDriver driver = drivers.getFirst();
        driver.adopt();
        return driver.turn(waitLimitNs);
    }

    /**
     * Stops all loops.
     *
     * @throws LoopStuckException if some have not ended; the others have.
     */
    @Override
    public void close() {
        LoopStuckException stuck = null;
        for (final LoopDriver driver : drivers) {
            try {
                driver.close();
            } catch (final LoopStuckException e) {
                stuck = e;
            }
        }
        if (stuck != null) {
            throw stuck;
        }
    }
}
