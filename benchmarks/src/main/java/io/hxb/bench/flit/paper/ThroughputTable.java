package io.hxb.bench.flit.paper;

import io.hxb.bench.flit.measure.RunResult;
import io.hxb.bench.flit.output.Plots;
import io.hxb.bench.flit.run.Experiment;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.analysis.Spread;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
        final List<Supplier<List<RunResult>>> tasks = new ArrayList<>();
        for (final String row : rows.keySet()) {
            for (final SwitchGraph graph : graphs) {
                final Experiment experiment = maker.apply(row, graph);
                tasks.add(() -> Throughputs.curve(experiment, settings.isShort()));
            }
        }
        final List<List<RunResult>> curves = settings.sweep().all(tasks);
        final Map<String, Plots.Curve> plotted = new LinkedHashMap<>();
        int next = 0;
        for (final Map.Entry<String, Published> row : rows.entrySet()) {
            final double[] throughputs = new double[graphs.size()];
            final double[] hops = new double[graphs.size()];
            for (int i = 0; i < graphs.size(); i++) {
                final List<RunResult> curve = curves.get(next++);
                throughputs[i] = Throughputs.best(curve).accepted();
                hops[i] = Throughputs.hops(curve);
                if (i == 0) {
                    plotted.put(row.getKey(), plot(curve));
                }
            }
            addRow(row.getKey(), row.getValue(), throughputs, hops);
        }
        if (settings.plots() != null) {
            final String file = report.title() + "-" + name.replaceAll("[^A-Za-z0-9]+", "-");
            Plots.latency(settings.plots().resolve(file + ".svg"), name, plotted);
        }
    }

    private void addRow(
            final String row,
            final Published published,
            final double[] throughputs,
            final double[] hops) {
        final Spread spread = Spread.of(throughputs);
        final boolean isOne = throughputs.length == 1;
        report.add(
                name + ", throughput",
                row,
                spread.mean(),
                isOne ? Double.NaN : spread.deviation(),
                published.throughput);
        report.add(
                name + ", links passed",
                row,
                Spread.of(hops).mean(),
                isOne ? Double.NaN : Spread.of(hops).deviation(),
                published.hops);
    }

    /** Runs far beyond saturation have latencies that only tell how long they were. */
    private static Plots.Curve plot(final List<RunResult> curve) {
        final List<RunResult> shown =
                curve.stream().filter(run -> run.latency().mean() > 0).toList();
        return new Plots.Curve(
                shown.stream().map(RunResult::accepted).toList(),
                shown.stream().map(run -> run.latency().mean()).toList());
    }
}
