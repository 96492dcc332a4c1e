package io.hxb.tool.option;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LoopConfig;

import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** Options that say how loops and applications wait. Picocli fills it. */
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
                description = "spin for a while, then sleep (default)")
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

    /** The configuration with the way of waiting that was asked for. */
    public ClusterConfig apply(final ClusterConfig config) {
        if (choice == null) {
            return config;
        }
        final LoopConfig loop = config.loop();
        return config.withLoop(
                new LoopConfig(
                        loop.loopCount(),
                        choice.way(loop.waiting()),
                        loop.spinForNs(),
                        loop.batchFrames(),
                        loop.cpus(),
                        loop.priority()));
    }
}
