package io.hxb.tool.perf;

import io.hxb.tool.cluster.Cluster;
import io.hxb.tool.measure.Interval;
import io.hxb.tool.measure.MeasurementWatch;
import io.hxb.tool.measure.Pair;
import io.hxb.tool.measure.Result;
import io.hxb.tool.measure.RoundTrips;
import io.hxb.tool.measure.RunMeasurement;
import io.hxb.tool.measure.StopRequest;
import io.hxb.tool.measure.Throughput;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.ExitStatus;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Measures throughput and prints it, for {@code perf} and {@code lab run perf}. Owned by the
 * command's thread.
 */
public final class PerfReport {
    private PerfReport() {}

    /**
     * Measures and prints until all is done or Ctrl-C.
     *
     * @return the exit status: 0 if every message arrived once, in order and intact.
     */
    public static int run(
            final Cluster cluster,
            final List<Pair> pairs,
            final PerfOptions options,
            final Output output)
            throws IOException {
        final RunMeasurement.Load load = options.load();
        final RunMeasurement measurement = new RunMeasurement(cluster);
        measurement.awaitReady(pairs);
        final RoundTrips trips = measurement.roundTrips(pairs.getFirst(), load.lengthBytes());
        if (options.intervalNs() > 0) {
            output.text().println(Interval.HEADING);
        }
        final Throughput found;
        try (StopRequest stop = StopRequest.onInterrupt()) {
            final MeasurementWatch watch =
                    new MeasurementWatch(
                            options.intervalNs(), interval -> print(interval, output), stop);
            found = measurement.perf(pairs, load, trips, watch);
        }
        print(found, load.lengthBytes(), output);
        return ExitStatus.of(found.result().isOk());
    }

    private static void print(final Interval interval, final Output output) {
        output.text().println(interval);
        output.report(interval.fields());
    }

    private static void print(final Throughput found, final int size, final Output output) {
        final Result result = found.result();
        output.text()
                .printf(
                        Locale.ROOT,
                        "%d bytes, %d %s, %.2f s: %.2f MB/s, %d messages/s, %d relayed frames%n",
                        size,
                        result.pairs(),
                        result.pairs() == 1 ? "pair" : "pairs",
                        result.seconds(),
                        result.bandwidthMegabytes(),
                        result.messagesPerSecond(),
                        result.relays());
        output.text()
                .printf(
                        Locale.ROOT,
                        "lost %d, duplicated %d, reordered %d, corrupt %d; frames resent %d,"
                                + " dropped %d%s%n",
                        result.lost(),
                        result.duplicated(),
                        result.reordered(),
                        result.corrupt(),
                        found.resent(),
                        found.dropped(),
                        found.cpuPerFrameUs().isPresent()
                                ? String.format(
                                        Locale.ROOT,
                                        "; CPU %.2f us a frame",
                                        found.cpuPerFrameUs().getAsDouble())
                                : "");
        if (found.counted() < result.nodes()) {
            output.text()
                    .printf(
                            "frames are those that nodes of this machine counted, %d of %d%n",
                            found.counted(), result.nodes());
        }
        output.text().println("round trip " + result.roundTrips());
        final Map<String, Object> summary = new LinkedHashMap<>();
        summary.put("type", "summary");
        summary.putAll(found.fields());
        summary.put("size", size);
        output.report(summary);
    }
}
