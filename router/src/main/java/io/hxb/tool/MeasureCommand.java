package io.hxb.tool;

import io.hxb.config.ClusterConfig;
import io.hxb.tool.measure.AttachedCluster;
import io.hxb.tool.measure.Cluster;
import io.hxb.tool.option.ClusterOptions;
import io.hxb.tool.option.MeasureOptions;
import io.hxb.tool.option.Output;
import io.hxb.tool.option.WaitOptions;
import io.hxb.topology.Shape;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.concurrent.Callable;

/** What measures from this machine's node to another: its options. Picocli makes it. */
abstract class MeasureCommand implements Callable<Integer> {
    @Mixin private ClusterOptions cluster;
    @Mixin private MeasureOptions measure;
    @Mixin private WaitOptions waiting;
    @Mixin private Output output;

    @Parameters(
            index = "0",
            paramLabel = "COORD",
            description = "coordinates of the node, such as 1,0,0")
    private String target;

    @Override
    public final Integer call() throws IOException {
        measure.check();
        final ClusterConfig config = waiting.apply(cluster.config());
        final Shape shape = config.shape();
        final int to = shape.node(shape.parseCoordinates(target));
        try (Cluster nodes = new AttachedCluster(config, cluster.pids())) {
            return measure(nodes, cluster.node(config), to, measure, output);
        }
    }

    /**
     * Measures and prints.
     *
     * @param from node id of this machine.
     * @param to node id of the other.
     * @return the exit status.
     */
    abstract int measure(Cluster nodes, int from, int to, MeasureOptions options, Output output)
            throws IOException;
}
