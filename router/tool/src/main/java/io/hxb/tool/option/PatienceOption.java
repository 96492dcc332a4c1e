package io.hxb.tool.option;

import io.hxb.config.ClusterConfig;
import io.hxb.tool.lab.LabCluster;

import picocli.CommandLine.Option;

/** How long nodes wait for one that is silent. Picocli fills it. */
public final class PatienceOption {
    @Option(
            names = "--patient",
            description =
                    "wait 20 s before giving a silent node up: for programs that end when "
                            + "they lose a peer, such as those of MPI, on a machine with few CPUs")
    private boolean isPatient;

    /** Picocli makes it. */
    public PatienceOption() {}

    /** True if it was given. */
    public boolean isPatient() {
        return isPatient;
    }

    /** The configuration with the patience that was asked for. */
    public ClusterConfig apply(final ClusterConfig config) {
        return isPatient ? LabCluster.patient(config) : config;
    }
}
