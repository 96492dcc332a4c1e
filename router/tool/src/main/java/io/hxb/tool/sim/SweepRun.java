package io.hxb.tool.sim;

import io.hxb.sim.measure.RunResult;
import io.hxb.sim.run.PreparedRoutes;
import io.hxb.sim.run.Sweep;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.TextTable;
import io.hxb.tool.report.UsageException;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Runs series of loads, prints them and writes them to files. Used by the main thread. */
final class SweepRun {
    private final List<ExperimentFile.Series> series;
    private final List<Double> loads;
    private final SimSweepCommand.OutputOptions output;
    private final List<Path> files;
    private final ResultFile results;
    private final Set<String> given;

    /**
     * Takes what to run.
     *
     * @param loads none to find the saturation.
     * @param output where results go, checked before anything runs.
     * @param about what it takes to repeat the runs.
     * @param given names of the options given: those that do nothing in any of the series are
     *     refused; empty when the series are only a part of what they were given for.
     */
    SweepRun(
            final List<ExperimentFile.Series> series,
            final List<Double> loads,
            final SimSweepCommand.OutputOptions output,
            final Map<String, Object> about,
            final Set<String> given) {
        this.series = series;
        this.loads = loads;
        this.output = output;
        this.files = output.files();
        this.given = given;
        ResultFile.addGraph(about, series);
        this.results = new ResultFile(about);
        files.forEach(ResultFile::check);
    }

    /**
     * Runs everything and prints it. What is interrupted keeps what it has.
     *
     * @return false if there was a deadlock, unless those are expected.
     */
    boolean run(final Output stdout) throws IOException {
        final List<PreparedRoutes> routes = prepare();
        boolean isDeadlocked = false;
        final Map<String, Object> report = new LinkedHashMap<>();
        final long runs = series.size() * (long) (loads.isEmpty() ? 20 : loads.size());
        try (SweepProgress progress = new SweepProgress(runs);
                Sweep sweep = new Sweep(output.threads(), progress)) {
            for (int i = 0; i < series.size() && !progress.isStopping(); i++) {
                final ExperimentFile.Series one = series.get(i);
                final List<RunResult> found =
                        loads.isEmpty()
                                ? sweep.findSaturation(one.experiment(), routes.get(i))
                                : sweep.run(one.experiment(), routes.get(i), loads);
                isDeadlocked |= found.stream().anyMatch(RunResult::isDeadlocked);
                report.put(one.name(), show(one.name(), routes.get(i), found, stdout));
                for (final Path file : files) {
                    results.write(file, "Latency and accepted traffic");
                }
            }
            progress.finish();
            final Map<String, Object> whole = new LinkedHashMap<>();
            final boolean isFine = !isDeadlocked || output.allowsDeadlock();
            whole.put("ok", isFine);
            whole.put("series", report);
            stdout.report(whole);
            return isFine;
        }
    }

    /** All routes before the first run: bad input ends the command at once. */
    private List<PreparedRoutes> prepare() {
        final List<PreparedRoutes> all = new ArrayList<>();
        Map<String, String> idle = null;
        final int runsAtOnce =
                Math.max(1, Math.min(output.threads(), loads.isEmpty() ? 6 : loads.size()));
        for (final ExperimentFile.Series one : series) {
            final PreparedRoutes routes = RunOptions.routes(one.experiment());
            routes.requireRoom(runsAtOnce, Runtime.getRuntime().maxMemory());
            final Map<String, String> found = IdleOptions.find(given, one.experiment(), routes);
            if (idle == null) {
                idle = found;
            } else {
                idle.keySet().retainAll(found.keySet());
            }
            all.add(routes);
        }
        if (idle != null && !idle.isEmpty()) {
            throw new UsageException(String.join("; ", idle.values()));
        }
        return all;
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
