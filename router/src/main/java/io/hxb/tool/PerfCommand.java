package io.hxb.tool;

import io.hxb.tool.measure.Cluster;
import io.hxb.tool.measure.Measurement;
import io.hxb.tool.measure.Pair;
import io.hxb.tool.measure.Result;
import io.hxb.tool.measure.RoundTrips;
import io.hxb.tool.measure.Throughput;
import io.hxb.tool.option.MeasureOptions;
import io.hxb.tool.option.Output;

import picocli.CommandLine.Command;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** {@code hxb perf}: throughput to a node. Picocli makes it. */
@Command(
        name = "perf",
        mixinStandardHelpOptions = true,
        description = "Measures throughput; every message is checked by its receiver, see --check.",
        footer = {
            "",
            "--both and --all need the sending nodes on this machine, as in a lab. Messages longer"
                    + " than one frame",
            "are sent by the second level of the PM API, and need the receiving node on this"
                    + " machine too."
        })
final class PerfCommand extends MeasureCommand {
    private static final int TRIPS = 500;

    /** Picocli makes it. */
    PerfCommand() {}

    @Override
    int measure(
            final Cluster nodes,
            final int from,
            final int to,
            final MeasureOptions options,
            final Output output)
            throws IOException {
        return perf(nodes, options.pairs(nodes.config().shape(), from, to), options, output);
    }

    /** Measures and prints; shared with {@code lab run}. */
    static int perf(
            final Cluster cluster,
            final List<Pair> pairs,
            final MeasureOptions measure,
            final Output output)
            throws IOException {
        final int size = measure.sizeOr(8192);
        final Measurement measurement = new Measurement(cluster);
        measurement.awaitReady(pairs);
        final RoundTrips trips =
                measurement
                        .ping(pairs.subList(0, 1), Math.min(size, 64), TRIPS, 0)
                        .result()
                        .roundTrips();
        final Throughput found =
                measurement.perf(
                        pairs,
                        new Measurement.Load(
                                size,
                                measure.checkEvery(),
                                measure.warmUpNs(),
                                measure.sendNs(),
                                measure.countOr(Long.MAX_VALUE)),
                        trips);
        final Result result = found.result();
        output.text()
                .printf(
                        Locale.ROOT,
                        "%d bytes, %d pairs, %.2f s: %.2f MB/s, %d messages/s, %d relayed frames%n",
                        size,
                        result.pairs(),
                        result.seconds(),
                        result.bandwidthMegabytes(),
                        result.messagesPerSecond(),
                        result.relays());
        output.text()
                .printf(
                        Locale.ROOT,
                        "lost %d, duplicated %d, reordered %d, corrupt %d; frames resent %d,"
                                + " dropped %d; CPU %.2f us a frame%n",
                        result.lost(),
                        result.duplicated(),
                        result.reordered(),
                        result.corrupt(),
                        found.resent(),
                        found.dropped(),
                        found.cpuPerFrameUs());
        output.text().println("round trip " + result.roundTrips());
        final Map<String, Object> report = found.fields();
        report.put("size", size);
        output.report(report);
        return result.isOk() ? Hxb.OK : Hxb.FAILED;
    }
}
