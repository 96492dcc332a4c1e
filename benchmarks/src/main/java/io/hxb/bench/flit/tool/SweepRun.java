package io.hxb.bench.flit.tool;

import io.hxb.bench.flit.measure.RunResult;
import io.hxb.bench.flit.output.ResultFile;
import io.hxb.bench.flit.run.PreparedRoutes;
import io.hxb.bench.flit.run.Sweep;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.TextTable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Runs series of loads, prints them and writes them to files. Used by the main thread. */
final class SweepRun {
    private final List<ExperimentFile.Series> series;
    private final List<Double> loads;
    private final int threads;
    private final List<Path> files;
    private final ResultFile results;

    /**
     * Takes what to run.
     *
     * @param loads none to find the saturation.
     * @param files where results go, checked before anything runs.
     * @param about what it takes to repeat the runs.
     */
    SweepRun(
            final List<ExperimentFile.Series> series,
            final List<Double> loads,
            final int threads,
            final List<Path> files,
            final Map<String, Object> about) {
        this.series = series;
        this.loads = loads;
        this.threads = threads;
        this.files = files;
        this.results = new ResultFile(about);
        files.forEach(ResultFile::check);
    }

    /** Runs everything and prints it. What is interrupted keeps what it has. */
    void run(final Output stdout) throws IOException {
        final List<PreparedRoutes> routes = new ArrayList<>();
        for (final ExperimentFile.Series one : series) {
            // All of them before the first run: bad input ends the command at once.
            routes.add(PreparedRoutes.of(one.experiment()));
        }
        final Map<String, Object> report = new LinkedHashMap<>();
        final long runs = series.size() * (long) (loads.isEmpty() ? 20 : loads.size());
        try (Progress progress = new Progress(runs);
                Sweep sweep = new Sweep(threads, progress)) {
            for (int i = 0; i < series.size() && !progress.isStopping(); i++) {
                final ExperimentFile.Series one = series.get(i);
                final List<RunResult> found =
                        loads.isEmpty()
                                ? sweep.findSaturation(one.experiment(), routes.get(i))
                                : sweep.run(one.experiment(), routes.get(i), loads);
                report.put(one.name(), show(one.name(), routes.get(i), found, stdout));
                for (final Path file : files) {
                    results.write(file, "Latency and accepted traffic");
                }
            }
            progress.finish();
            final Map<String, Object> whole = new LinkedHashMap<>();
            whole.put("ok", true);
            whole.put("series", report);
            stdout.report(whole);
        }
    }

    private Map<String, Object> show(
            final String name,
            final PreparedRoutes routes,
            final List<RunResult> found,
            final Output stdout) {
        final TextTable table =
                new TextTable("load", "accepted", "latency", "+-", "p99", "links", "state");
        for (final RunResult result : found) {
            if (result.packets() > 0 || result.isDeadlocked()) {
                results.add(name, result.fields());
            }
            table.row(
                    format("%.4f", result.load()),
                    format("%.4f", result.accepted()),
                    format("%.1f", result.latency().mean()),
                    format("%.1f", result.latency().halfWidth()),
                    result.latency().p99(),
                    format("%.3f", result.hops()),
                    state(result));
        }
        stdout.text().println(name + " (" + routes.paths() + " paths)");
        stdout.text().print(table);
        final double throughput = Sweep.throughput(found);
        stdout.text().println("throughput " + format("%.4f", throughput));
        final Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("paths", routes.paths());
        fields.put("throughput", throughput);
        fields.put("runs", found.stream().map(RunResult::fields).toList());
        return fields;
    }

    private static String format(final String form, final double value) {
        return String.format(Locale.ROOT, form, value);
    }

    private static String state(final RunResult result) {
        if (result.isDeadlocked()) {
            return "DEADLOCK: " + result.deadlock();
        }
        if (result.packets() == 0) {
            return "nothing measured";
        }
        return result.isSaturated() ? "saturated" : "";
    }
}
