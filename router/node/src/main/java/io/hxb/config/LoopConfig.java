package io.hxb.config;

import static io.hxb.config.ConfigKey.advanced;
import static io.hxb.config.ConfigKey.basic;
import static io.hxb.config.Limits.any;
import static io.hxb.config.Limits.range;
import static io.hxb.config.ValueType.DURATION;
import static io.hxb.config.ValueType.choice;
import static io.hxb.config.ValueType.count;
import static io.hxb.config.ValueType.list;

import io.hxb.pm.shm.NodePage;

import java.util.List;
import java.util.Map;

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

    /** The keys. */
    public static final ConfigSection<LoopConfig> KEYS =
            ConfigSection.<LoopConfig>of(
                    "loop",
                    v -> new LoopConfig(v.next(), v.next(), v.next(), v.next(), v.next(), v.next()),
                    basic(
                            "loops",
                            count("threads"),
                            1,
                            LoopConfig::loopCount,
                            range(1, NodePage.MAX_LOOPS),
                            "Receiving loops; links are distributed round robin."),
                    basic(
                            "wait",
                            choice(Waiting.class),
                            Waiting.HYBRID,
                            LoopConfig::waiting,
                            any(),
                            "How an idle loop waits; `spin` needs a CPU for each loop ([Idle"
                                    + " loops](#idle-loops))."),
                    advanced(
                            "spinFor",
                            DURATION,
                            50_000L,
                            LoopConfig::spinForNs,
                            range(0, 1_000_000_000),
                            "Maximum time that `hybrid` spins before it blocks ([Idle"
                                    + " loops](#idle-loops))."),
                    advanced(
                            "batchFrames",
                            count("frames"),
                            64,
                            LoopConfig::batchFrames,
                            range(1, 64),
                            "Maximum number of frames handled for each link and wake-up."),
                    basic(
                            "cpus",
                            list(count("CPU numbers")),
                            List.of(),
                            LoopConfig::cpus,
                            range(0, 4095),
                            "Loop i runs on the i-th of these CPUs only; an empty list leaves the"
                                    + " choice to the kernel."),
                    advanced(
                            "priority",
                            count("SCHED_FIFO priority"),
                            0,
                            LoopConfig::priority,
                            range(0, 99),
                            "Real-time priority of the loops, which needs `CAP_SYS_NICE`; 0 stands"
                                    + " for none."));

    /** The defaults. */
    public static final LoopConfig DEFAULT = KEYS.defaults();

    /** Copies the list. */
    public LoopConfig {
        cpus = List.copyOf(cpus);
    }

    /** The same with another way of waiting. */
    public LoopConfig withWaiting(final Waiting value) {
        return KEYS.with(this, "wait", value);
    }

    /** The same on other CPUs, where a hybrid loop spins for at most {@code maxSpinNs}. */
    public LoopConfig withCpus(final List<Integer> value, final long maxSpinNs) {
        return KEYS.with(this, Map.of("cpus", value, "spinFor", Math.min(spinForNs, maxSpinNs)));
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
