package io.hxb.config;

import io.hxb.pm.shm.NodePage;

import java.util.List;

/**
 * The receiving loops of a node. Immutable.
 *
 * @param loopCount threads that receive and send, 1 to {@link NodePage#MAX_LOOPS}.
 * @param waiting how a loop with nothing to do waits.
 * @param spinForNs longest time a hybrid loop spins before it blocks.
 * @param batchFrames maximum number of frames taken from one link in one call, 1 to 64.
 * @param cpus CPU of each loop, dealt round robin; empty leaves it to the kernel.
 * @param priority SCHED_FIFO priority of the loops, 1 to 99; 0 leaves the normal scheduler.
 */
public record LoopConfig(
        int loopCount,
        Waiting waiting,
        long spinForNs,
        int batchFrames,
        List<Integer> cpus,
        int priority) {

    /** The defaults. */
    public static final LoopConfig DEFAULT =
            new LoopConfig(1, Waiting.HYBRID, 50_000, 64, List.of(), 0);

    /** Checks the values. */
    public LoopConfig {
        cpus = List.copyOf(cpus);
        new Check()
                .range("loops", loopCount, 1, NodePage.MAX_LOOPS)
                .duration("spinFor", spinForNs, 0, 1_000_000_000)
                .range("batchFrames", batchFrames, 1, 64)
                .range("priority", priority, 0, 99)
                .that(
                        cpus.stream().allMatch(cpu -> cpu >= 0 && cpu < 4096),
                        "cpus",
                        "must be CPU numbers 0..4095: " + cpus)
                .done();
    }

    /** The same with another way of waiting. */
    public LoopConfig withWaiting(final Waiting value) {
        return new LoopConfig(loopCount, value, spinForNs, batchFrames, cpus, priority);
    }

    /** The same on other CPUs, where a hybrid loop spins for at most {@code maxSpinNs}. */
    public LoopConfig withCpus(final List<Integer> value, final long maxSpinNs) {
        return new LoopConfig(
                loopCount, waiting, Math.min(spinForNs, maxSpinNs), batchFrames, value, priority);
    }

    /** How a loop with nothing to do waits. */
    public enum Waiting {
        /** In epoll: no CPU when idle. */
        BLOCK,

        /** Polling continuously: shortest latency, one CPU always busy. */
        SPIN,

        /** Polling for a while, as long as that succeeds; then in epoll. */
        HYBRID
    }
}
