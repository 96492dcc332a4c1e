package io.hxb.tool.chaos;

import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.lab.LabState;
import io.hxb.tool.measure.AttachedCluster;
import io.hxb.tool.measure.Cluster;
import io.hxb.tool.measure.Pair;
import io.hxb.tool.option.MeasureOptions;
import io.hxb.tool.option.Output;
import io.hxb.topology.Shape;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;

/** {@code hxb chaos}: faults in a lab that is up. Picocli makes it. */
@Command(
        name = "chaos",
        mixinStandardHelpOptions = true,
        description =
                "Lets links and nodes of a lab that is up fail while messages flow, and mends them"
                        + " again.",
        footer = {
            "",
            "In one go, with a lab of its own: hxb lab run chaos --shape 2 --rate 1gbit --script"
                    + " faults.yaml",
            "Targets: x.0 of (1,0)   x.* of (1,0)   * of (1,0)   switch x.0 of (1,0)   and nodes"
                    + " (1,0)",
            "Links of raw labs only; nodes only where they are processes of their own"
                    + " (--processes)."
        })
public final class ChaosCommand implements Callable<Integer> {
    @Mixin private ChaosOptions chaos;
    @Mixin private MeasureOptions measure;
    @Mixin private Output output;

    @Option(
            names = "--name",
            paramLabel = "LAB",
            defaultValue = "lab",
            description = "name of the lab (default lab)")
    private String lab;

    @Option(names = "--from", paramLabel = "COORD", description = "sender (default: node 0)")
    private String from;

    @Option(
            names = "--to",
            paramLabel = "COORD",
            description = "receiver (default: the farthest node)")
    private String to;

    /** Picocli makes it. */
    public ChaosCommand() {}

    @Override
    public Integer call() throws IOException {
        measure.check();
        final LabRegistry registry = LabRegistry.ofUser();
        final LabState state = registry.require(lab);
        final LabSpec spec = state.spec();
        final ChaosRun run =
                new ChaosRun(spec, pairs(spec.shape(), from, to, measure), chaos, measure);
        try (Cluster cluster =
                new AttachedCluster(
                        ClusterConfigYaml.read(registry.folder(lab).resolve("cluster.yaml")),
                        state.nodePids())) {
            return run.run(cluster, true, output) ? 0 : 1;
        }
    }

    /** The pairs that are meant; shared with {@code lab run}. */
    public static List<Pair> pairs(
            final Shape shape, final String from, final String to, final MeasureOptions measure) {
        final int sender = from == null ? 0 : shape.node(shape.parseCoordinates(from));
        final int receiver =
                to == null
                        ? Pair.oneOfEachDistance(shape, sender).getLast().to()
                        : shape.node(shape.parseCoordinates(to));
        return measure.pairs(shape, sender, receiver);
    }
}
