package io.hxb.tool.option;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LoopConfig;

import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** Options that set how loops and applications wait. Picocli fills it. */
public final class WaitOptions {
    @ArgGroup private Choice choice;

    /** One of three. */
    private static final class Choice {
        @Option(
                names = "--spin",
                required = true,
                description = "wait by spinning: shortest round trips")
        private boolean isSpin;

        @Option(
                names = "--block",
                required = true,
                description = "wait by sleeping: no CPU when idle")
        private boolean isBlock;

        @Option(
                names = "--hybrid",
                required = true,
                description = "spin for a while, then sleep (default: this one)")
        private boolean isHybrid;

        LoopConfig.Waiting way(final LoopConfig.Waiting other) {
            if (isSpin) {
                return LoopConfig.Waiting.SPIN;
            }
            if (isBlock) {
                return LoopConfig.Waiting.BLOCK;
            }
            return isHybrid ? LoopConfig.Waiting.HYBRID : other;
        }
    }

    /** Picocli makes it. */
    public WaitOptions() {}

    /**
     * Warns on standard error about spinning in a lab whose loops leave no CPU to others.
     *
     * @param nodeCount nodes of the lab, with one loop each.
     * @param isProcesses whether each is a process; otherwise they share a loop for each CPU.
     */
    public void warnOfCrowding(final int nodeCount, final boolean isProcesses) {
        final int cpus = Runtime.getRuntime().availableProcessors();
        final int loops = isProcesses ? nodeCount : Math.min(nodeCount, cpus);
        if (choice != null && choice.isSpin && loops >= cpus) {
            System.err.printf(
                    "hxb: --spin: the loops (%d) and applications of this lab outnumber the CPUs"
                            + " (%d): those that find no CPU of their own sleep, as with --hybrid;"
                            + " spinning needs more CPUs or a smaller lab%n",
                    loops, cpus);
        }
    }

    /** The configuration with the way of waiting that was asked for. */
    public ClusterConfig apply(final ClusterConfig config) {
        if (choice == null) {
            return config;
        }
        final LoopConfig loop = config.loop();
        return config.withLoop(loop.withWaiting(choice.way(loop.waiting())));
    }
}
