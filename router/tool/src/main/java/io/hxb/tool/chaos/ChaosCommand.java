package io.hxb.tool.chaos;

import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.tool.cluster.AttachedCluster;
import io.hxb.tool.cluster.Cluster;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.lab.LabState;
import io.hxb.tool.option.EndOptions;
import io.hxb.tool.option.Output;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.util.concurrent.Callable;

/** {@code hxb chaos}: faults in a lab that is up. Picocli makes it. */
@Command(
        name = "chaos",
        mixinStandardHelpOptions = true,
        header = "Make links and nodes of a lab fail while messages flow.",
        description =
                "Make links and nodes of a running lab fail, check every message "
                        + "meanwhile, and repair the lab afterwards.",
        footer = {
            "",
            "In one go, with a lab of its own: hxb lab run chaos --shape 2 --rate "
                    + "1gbit --script faults.yaml",
            "Targets are links, such as x.0 of (1,0), x.* of (1,0) or * of (1,0); "
                    + "switches, such as switch x.0 of (1,0); and nodes, such as (1,0).",
            "Links fail in raw labs only; nodes fail only where they are processes "
                    + "of their own (--processes)."
        })
public final class ChaosCommand implements Callable<Integer> {
    @Mixin private ChaosOptions chaos;
    @Mixin private EndOptions ends;
    @Mixin private Output output;

    @Option(
            names = "--name",
            paramLabel = "LAB",
            defaultValue = "lab",
            description = "use the lab of this name (default: ${DEFAULT-VALUE})")
    private String lab;

    /** Picocli makes it. */
    public ChaosCommand() {}

    @Override
    public Integer call() throws IOException {
        final LabRegistry registry = LabRegistry.ofUser();
        final LabState state = registry.requireNodes(lab);
        final LabSpec spec = state.spec();
        final ChaosRun run = new ChaosRun(spec, chaos.pairs(spec, ends), chaos);
        try (Cluster cluster =
                new AttachedCluster(
                        ClusterConfigYaml.read(registry.folder(lab).resolve("cluster.yaml")))) {
            return run.run(cluster, true, output) ? 0 : 1;
        }
    }
}
