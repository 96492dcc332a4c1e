package io.hxb.tool.option;

import io.hxb.config.ClusterConfig;
import io.hxb.tool.lab.LabSession;
import io.hxb.tool.lab.LabSpec;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.util.function.UnaryOperator;

/** Options of the nodes of a lab that is removed afterwards. Picocli fills it. */
public final class LabStartOptions {
    @Mixin private WaitOptions waiting;
    @Mixin private CaptureOption capture;

    @Option(names = "--processes", description = "run each node in a process of its own")
    private boolean isProcesses;

    /** Picocli makes it. */
    public LabStartOptions() {}

    /** Makes the lab and starts its nodes; closing the session removes it. */
    public LabSession start(final LabSpec spec) {
        return start(spec, false, UnaryOperator.identity());
    }

    /**
     * The same with a requirement of the run's own.
     *
     * @param needsProcesses whether each node needs a process, no matter what was asked for.
     * @param change of the configuration.
     */
    public LabSession start(
            final LabSpec spec,
            final boolean needsProcesses,
            final UnaryOperator<ClusterConfig> change) {
        final boolean isSplit = isProcesses || needsProcesses;
        waiting.warnOfCrowding(spec.shape().nodeCount(), isSplit);
        return LabSession.start(
                spec, isSplit, capture.capture(), config -> change.apply(waiting.apply(config)));
    }
}
