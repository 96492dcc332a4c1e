package io.hxb.tool.perf;

import io.hxb.tool.cluster.Cluster;
import io.hxb.tool.measure.Interval;
import io.hxb.tool.measure.MeasurementWatch;
import io.hxb.tool.measure.Pair;
import io.hxb.tool.measure.Receivers;
import io.hxb.tool.measure.Result;
import io.hxb.tool.measure.RoundTrips;
import io.hxb.tool.measure.RunMeasurement;
import io.hxb.tool.measure.StopRequest;
import io.hxb.tool.measure.Throughput;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Measures throughput and prints it, for {@code perf} and {@code lab run perf}. Owned by the
 * command's thread.
 */
public final class PerfReport {
    private final Cluster cluster;
    private final PerfOptions options;
    private final Output output;
    private final StopRequest stop;
    private final RunMeasurement measurement;

    /**
     * Makes one.
     *
     * @param stop ends it with what was found until then.
     */
    public PerfReport(
            final Cluster cluster,
            final PerfOptions options,
            final Output output,
            final StopRequest stop) {
        this.cluster = cluster;
        this.options = options;
        this.output = output;
        this.stop = stop;
        measurement = new RunMeasurement(cluster);
    }

    /**
     * Measures and prints, one target after the other and each with one size after the other, until
     * all is done or it is stopped.
     *
     * @param targets pairs that are measured together.
     * @param receivers to whom is sent; closed at the end.
     * @return the exit status: 0 if every message arrived once, in order and intact.
     */
    public int run(final List<List<Pair>> targets, final Receivers receivers) throws IOException {
        try (receivers) {
            measurement.awaitReady(targets.stream().flatMap(List::stream).distinct().toList());
            if (receivers instanceof final ReceiverChoice choice) {
                choice.await(measurement);
            }
            final List<RunMeasurement.Load> loads = options.loads();
            final boolean isTable = targets.size() * loads.size() > 1;
            return isTable
                    ? table(targets, loads, receivers)
                    : single(targets.getFirst(), loads.getFirst(), receivers);
        }
    }

    private int single(
            final List<Pair> pairs, final RunMeasurement.Load load, final Receivers receivers)
            throws IOException {
        final RoundTrips trips = measurement.roundTrips(pairs.getFirst(), load.lengthBytes());
        if (options.intervalNs(false) > 0) {
            output.text().println(Interval.HEADING);
        }
        final Throughput found =
                measurement.perf(pairs, load, trips, watch(options.intervalNs(false)), receivers);
        print(found, load.lengthBytes());
        return ExitStatus.of(found.isOk());
    }

    private int table(
            final List<List<Pair>> targets,
            final List<RunMeasurement.Load> loads,
            final Receivers receivers)
            throws IOException {
        final PerfTable table = new PerfTable(cluster.config().shape(), targets.size() > 1);
        output.text().println(table.heading());
        for (final List<Pair> pairs : targets) {
            for (final RunMeasurement.Load load : loads) {
                if (!stop.isStopped() && table.ended().isEmpty()) {
                    addLine(table, pairs, load, receivers);
                }
            }
        }
        output.text().println(table.verdict());
        output.report(table.summary());
        return ExitStatus.of(table.isOk());
    }

    private void addLine(
            final PerfTable table,
            final List<Pair> pairs,
            final RunMeasurement.Load load,
            final Receivers receivers)
            throws IOException {
        final MeasurementWatch watch = watch(options.intervalNs(true));
        final Throughput found;
        try {
            found = measurement.perf(pairs, load, RoundTrips.NONE, watch, receivers);
        } catch (final ToolException e) {
            if (table.isEmpty()) {
                throw e;
            }
            table.end(e.getMessage());
            return;
        }
        output.report(table.add(pairs, load.lengthBytes(), found));
        output.text().println(table.lastLine());
    }

    private MeasurementWatch watch(final long intervalNs) {
        return new MeasurementWatch(intervalNs, this::print, stop);
    }

    private void print(final Interval interval) {
        output.text().println(interval);
        output.report(interval.fields());
    }

    private void print(final Throughput found, final int size) {
        text(found, size).forEach(output.text()::println);
        final Map<String, Object> summary = new LinkedHashMap<>();
        summary.put("type", "summary");
        summary.putAll(found.fields());
        summary.put("size", size);
        output.report(summary);
    }

    /** The lines of a result for people. */
    static List<String> text(final Throughput found, final int size) {
        final Result result = found.result();
        final List<String> lines = new ArrayList<>();
        found.ended().ifPresent(reason -> lines.add("ended early: " + reason + "; until then:"));
        lines.add(
                String.format(
                        Locale.ROOT,
                        "%d bytes, %d %s, %.2f s: %.2f MB/s (%.3f Gbit/s), %d messages/s,"
                                + " %d relayed frames",
                        size,
                        result.pairs(),
                        result.pairs() == 1 ? "pair" : "pairs",
                        result.seconds(),
                        result.bandwidthMegabytes(),
                        result.bandwidthGigabits(),
                        result.messagesPerSecond(),
                        result.relays()));
        lines.add(
                messages(found)
                        + String.format(
                                Locale.ROOT,
                                "; frames resent %d, dropped %d",
                                found.resent(),
                                found.dropped())
                        + (found.cpuPerFrameUs().isPresent()
                                ? String.format(
                                        Locale.ROOT,
                                        "; CPU %.2f us a frame",
                                        found.cpuPerFrameUs().getAsDouble())
                                : ""));
        final String cost = found.ends().text(result.bytes());
        if (!cost.isEmpty()) {
            lines.add(cost);
        }
        if (found.counted() < result.nodes()) {
            lines.add(
                    String.format(
                            Locale.ROOT,
                            "frames are those that nodes of this machine counted, %d of %d",
                            found.counted(),
                            result.nodes()));
        }
        lines.add("round trip " + result.roundTrips());
        return lines;
    }

    private static String messages(final Throughput found) {
        final Result result = found.result();
        return found.ended().isPresent()
                ? String.format(
                        Locale.ROOT,
                        "messages acknowledged %d, not acknowledged %d, checked by nobody",
                        result.messages(),
                        result.lost())
                : String.format(
                        Locale.ROOT,
                        "lost %d, duplicated %d, reordered %d, corrupt %d",
                        result.lost(),
                        result.duplicated(),
                        result.reordered(),
                        result.corrupt());
    }
}
