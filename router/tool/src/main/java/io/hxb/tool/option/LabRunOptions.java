package io.hxb.tool.option;

import io.hxb.config.ClusterConfig;
import io.hxb.tool.lab.LabSession;
import io.hxb.tool.lab.LabSpec;

import picocli.CommandLine.Mixin;

import java.util.function.UnaryOperator;

/** Options of a lab that is made for one run and removed. Picocli fills it. */
public final class LabRunOptions {
    @Mixin private LabOptions lab;
    @Mixin private LabStartOptions nodes;

    /** Picocli makes it. */
    public LabRunOptions() {}

    /** The lab that was asked for; wrong values end the command as wrong usage. */
    public LabSpec spec() {
        return lab.spec();
    }

    /** The same, with another name when none was given. */
    public LabSpec spec(final String defaultName) {
        return lab.spec(defaultName);
    }

    /** Makes the lab and starts its nodes; closing the session removes it. */
    public LabSession start(final LabSpec spec) {
        return nodes.start(spec);
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
        return nodes.start(spec, needsProcesses, change);
    }
}
