package io.hxb.tool.sim.paper;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.analysis.Distribution;
import io.hxb.sim.run.Experiment;
import io.hxb.tool.chart.LatencyChart;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * One column of throughput and hops: several ways of routing on several networks under one traffic.
 * Used by one thread.
 */
final class ThroughputTable {
    private final PaperSettings settings;
    private final PaperReport report;
    private final String name;

    /**
     * Published figures of a row.
     *
     * @param throughput NaN where there is none.
     * @param hops NaN where there is none.
     */
    record Published(double throughput, double hops) {}

    ThroughputTable(final PaperSettings settings, final PaperReport report, final String name) {
        this.settings = settings;
        this.report = report;
        this.name = name;
    }

    /**
     * Runs all rows on all networks.
     *
     * @param rows published figures by name of the row.
     * @param maker makes the experiment of a row on a network.
     */
    void run(
            final List<SwitchGraph> graphs,
            final Map<String, Published> rows,
            final BiFunction<String, SwitchGraph, Experiment> maker)
            throws IOException {
        if (!settings.wants(name)) {
            return;
        }
        final List<List<CurvePoint>> curves = curves(graphs, rows, maker);
        final long missing = curves.stream().filter(Objects::isNull).count();
        if (missing > 0) {
            report.addInterruption(name, curves.size() - missing, curves.size());
        }
        final Map<String, LatencyChart.Curve> plotted = new LinkedHashMap<>();
        int next = 0;
        for (final Map.Entry<String, Published> row : rows.entrySet()) {
            final List<List<CurvePoint>> own = curves.subList(next, next + graphs.size());
            next += graphs.size();
            if (own.getFirst() != null) {
                plotted.put(row.getKey(), plot(own.getFirst()));
            }
            final List<List<CurvePoint>> whole = own.stream().filter(Objects::nonNull).toList();
            if (!whole.isEmpty()) {
                addRow(
                        row.getKey(),
                        row.getValue(),
                        whole.stream().mapToDouble(Throughputs::best).toArray(),
                        whole.stream().mapToDouble(Throughputs::hops).toArray());
            }
        }
        if (settings.plots() != null && !plotted.isEmpty()) {
            final String file =
                    report.title()
                            + "-"
                            + name.replaceAll("[^A-Za-z0-9]+", "-")
                            + PaperSettings.stepSuffix(settings.stepCycles());
            LatencyChart.draw(settings.plots().resolve(file + ".svg"), name, plotted);
        }
    }

    /** The curves row by row, null where the runs were stopped. */
    private List<List<CurvePoint>> curves(
            final List<SwitchGraph> graphs,
            final Map<String, Published> rows,
            final BiFunction<String, SwitchGraph, Experiment> maker) {
        final List<Supplier<List<CurvePoint>>> tasks = new ArrayList<>();
        long missing = 0;
        for (final String row : rows.keySet()) {
            for (int network = 0; network < graphs.size(); network++) {
                final Experiment experiment = maker.apply(row, graphs.get(network));
                final String key = key(row, network, experiment);
                missing += settings.store().find(key) == null ? 1 : 0;
                tasks.add(() -> curve(key, experiment));
            }
        }
        settings.monitor().begin(name, missing * Throughputs.runs(settings.isShort()));
        return settings.sweep().all(tasks);
    }

    /** Everything that the points of a curve depend on, but the program. */
    private String key(final String row, final int network, final Experiment experiment) {
        return String.join(
                ", ",
                report.title(),
                name,
                row,
                "network " + network,
                experiment.toString(),
                Throughputs.runs(settings.isShort()) + " loads");
    }

    private List<CurvePoint> curve(final String key, final Experiment experiment) {
        final List<CurvePoint> before = settings.store().find(key);
        if (before != null) {
            return before;
        }
        if (!settings.monitor().isGoingOn()) {
            return null;
        }
        final List<CurvePoint> points =
                Throughputs.curve(experiment, settings.isShort(), settings.monitor());
        if (points != null) {
            settings.store().add(key, points);
        }
        return points;
    }

    private void addRow(
            final String row,
            final Published published,
            final double[] throughputs,
            final double[] hops) {
        final Distribution distribution = Distribution.of(throughputs);
        final boolean isOne = throughputs.length == 1;
        report.add(
                name + ", throughput",
                row,
                distribution.mean(),
                isOne ? Double.NaN : distribution.deviation(),
                published.throughput);
        report.add(
                name + ", links passed",
                row,
                Distribution.of(hops).mean(),
                isOne ? Double.NaN : Distribution.of(hops).deviation(),
                published.hops);
    }

    /** Runs in which nothing arrived have no latency. */
    private static LatencyChart.Curve plot(final List<CurvePoint> curve) {
        final List<CurvePoint> shown = curve.stream().filter(point -> point.latency() > 0).toList();
        return new LatencyChart.Curve(
                shown.stream().map(CurvePoint::accepted).toList(),
                shown.stream().map(CurvePoint::latency).toList());
    }
}
