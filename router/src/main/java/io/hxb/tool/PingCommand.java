package io.hxb.tool;

import io.hxb.tool.measure.Cluster;
import io.hxb.tool.measure.Measurement;
import io.hxb.tool.measure.Pair;
import io.hxb.tool.option.MeasureOptions;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.TextTable;

import picocli.CommandLine.Command;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** {@code hxb ping}: round trips to a node. Picocli makes it. */
@Command(
        name = "ping",
        mixinStandardHelpOptions = true,
        description = "Measures round trips to the service of a node.")
final class PingCommand extends MeasureCommand {
    /** Picocli makes it. */
    PingCommand() {}

    @Override
    int measure(
            final Cluster nodes,
            final int from,
            final int to,
            final MeasureOptions options,
            final Output output)
            throws IOException {
        return ping(nodes, List.of(new Pair(from, to)), options, output);
    }

    /** Measures and prints; shared with {@code lab run}. */
    static int ping(
            final Cluster cluster,
            final List<Pair> pairs,
            final MeasureOptions measure,
            final Output output)
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
        output.text().print(table);
        output.text()
                .println(
                        size
                                + " bytes, "
                                + trips.result().messages() / 2
                                + " round trips, lost "
                                + trips.result().lost());
        final Map<String, Object> report = trips.result().fields();
        report.put("size", size);
        report.put("trips", trips.trips());
        output.report(report);
        return trips.result().isOk() ? Hxb.OK : Hxb.FAILED;
    }
}
