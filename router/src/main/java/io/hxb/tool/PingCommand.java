package io.hxb.tool;

import io.hxb.config.ClusterConfig;
import io.hxb.tool.measure.AttachedCluster;
import io.hxb.tool.measure.Cluster;
import io.hxb.tool.measure.Measurement;
import io.hxb.tool.measure.Pair;
import io.hxb.tool.option.ClusterOptions;
import io.hxb.tool.option.JsonOption;
import io.hxb.tool.option.MeasureOptions;
import io.hxb.tool.option.WaitOptions;
import io.hxb.tool.report.TextTable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** {@code hxb ping}: round trips to a node. Picocli makes it. */
@Command(
        name = "ping",
        mixinStandardHelpOptions = true,
        description = "Measures round trips to the service of a node.")
final class PingCommand implements Callable<Integer> {
    @Mixin private ClusterOptions cluster;
    @Mixin private MeasureOptions measure;
    @Mixin private WaitOptions waiting;
    @Mixin private JsonOption json;

    @Parameters(
            index = "0",
            paramLabel = "COORD",
            description = "coordinates of the node, such as 1,0,0")
    private String target;

    /** Picocli makes it. */
    PingCommand() {}

    @Override
    public Integer call() throws IOException {
        final ClusterConfig config = waiting.apply(cluster.config());
        final int to = config.shape().node(config.shape().parseCoordinates(target));
        try (Cluster nodes = new AttachedCluster(config, cluster.pids())) {
            return ping(nodes, List.of(new Pair(cluster.node(config), to)), measure, json);
        }
    }

    /** Measures and prints; shared with {@code lab run}. */
    static int ping(
            final Cluster cluster,
            final List<Pair> pairs,
            final MeasureOptions measure,
            final JsonOption json)
            throws IOException {
        final int size = measure.sizeOr(64);
        final Measurement measurement = new Measurement(cluster);
        measurement.awaitReady(pairs);
        final Measurement.Trips trips =
                measurement.ping(pairs, size, (int) measure.countOr(1000), measure.intervalNs());
        final TextTable table =
                new TextTable("from -> to", "hops", "min", "median", "99%", "99.9%", "max us");
        for (final Measurement.Trip trip : trips.trips()) {
            table.row(
                    trip.from() + " -> " + trip.to(),
                    trip.hops(),
                    trip.rttUs().min(),
                    trip.rttUs().median(),
                    trip.rttUs().p99(),
                    trip.rttUs().p999(),
                    trip.rttUs().max());
        }
        System.out.print(table);
        System.out.println(
                size
                        + " bytes, "
                        + trips.result().messages() / 2
                        + " round trips, lost "
                        + trips.result().lost());
        final Map<String, Object> report = trips.result().fields();
        report.put("size", size);
        report.put("trips", trips.trips());
        json.print(report);
        return trips.result().isOk() ? Hxb.OK : Hxb.FAILED;
    }
}
