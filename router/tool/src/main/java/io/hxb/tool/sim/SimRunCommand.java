package io.hxb.tool.sim;

import io.hxb.fabric.plan.RoutingAlgorithm;
import io.hxb.sim.measure.RunResult;
import io.hxb.sim.run.Experiment;
import io.hxb.sim.run.PreparedRoutes;
import io.hxb.sim.run.SingleRun;
import io.hxb.tool.machine.ProcessMemory;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

/** {@code hxb sim run}: one run at one load. Picocli makes it. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        header = "Simulate a network at one load, or a whole experiment.",
        description =
                "Simulate a network at one load, or an experiment file. The file has these "
                        + "options as keys without dashes. Where keys have lists, all "
                        + "combinations are simulated. load: auto finds the saturation.")
final class SimRunCommand implements Callable<Integer> {
    @Parameters(
            arity = "0..1",
            paramLabel = "FILE",
            description = "read an experiment file, such as experiment.yaml, instead of options")
    private Path file;

    @Mixin private RunOptions options;

    @Option(
            names = "--load",
            paramLabel = "X",
            defaultValue = "0.05",
            description =
                    "have each host send this many flits per cycle, 0..1 (default: "
                            + "${DEFAULT-VALUE})")
    private double load;

    @Option(
            names = "--part",
            paramLabel = "I/N",
            description =
                    "simulate only the I-th of N parts of the file's combinations; for "
                            + "array jobs")
    private String part;

    @Mixin private SimSweepCommand.OutputOptions output;
    @Mixin private Output stdout;
    @Spec private CommandSpec spec;

    /** Picocli makes it. */
    SimRunCommand() {}

    @Override
    public Integer call() throws IOException {
        final Set<String> given = RunOptions.given(spec.commandLine().getParseResult());
        return file == null ? runOne(given) : runFile(given);
    }

    private int runOne(final Set<String> given) throws IOException {
        for (final String option : List.of("--part", "--threads")) {
            if (given.contains(option)) {
                throw new UsageException(
                        option + " would do nothing: it is for the runs of an experiment file");
            }
        }
        output.files().forEach(ResultFile::check);
        final Experiment experiment = options.experiment();
        final PreparedRoutes routes = RunOptions.routes(experiment, given);
        routes.requireRoom(1, Runtime.getRuntime().maxMemory());
        try (SweepProgress progress = new SweepProgress(1)) {
            final RunResult result = new SingleRun(experiment, routes, load, progress).run();
            progress.finish();
            print(experiment, routes, result);
            final Map<String, Object> about = output.about();
            about.put("experiment", String.valueOf(experiment));
            final String name = experiment.algorithm().routingName();
            ResultFile.addGraph(about, List.of(new ExperimentFile.Series(name, experiment)));
            final ResultFile results = new ResultFile(about);
            results.add(name, result.fields());
            for (final Path to : output.files()) {
                results.write(to, experiment.graphName());
            }
            final boolean isFine = !result.isDeadlocked() || output.allowsDeadlock();
            final Map<String, Object> report = new LinkedHashMap<>();
            report.put("ok", isFine);
            report.put("paths", routes.paths());
            report.putAll(result.summary(ProcessMemory.peakMb()));
            stdout.report(report);
            return output.status(isFine);
        }
    }

    private int runFile(final Set<String> given) throws IOException {
        final Set<String> own = new TreeSet<>(given);
        own.removeAll(Set.of("--part", "--threads", "--out", "--allow-deadlock", "--json"));
        if (!own.isEmpty()) {
            throw new UsageException(
                    "the experiment file defines what is run: write "
                            + String.join(", ", own).replace("--", "")
                            + " into "
                            + file
                            + ", or give options without a file");
        }
        final ExperimentFile experiments = ExperimentFile.read(file);
        final Map<String, Object> about = output.about();
        about.put("file", file.toString());
        about.put("options", experiments.values());
        final boolean isFine =
                new SweepRun(
                                Parts.select(part, experiments.series()),
                                experiments.loads(),
                                output,
                                about,
                                part == null ? experiments.given() : Set.of())
                        .run(stdout);
        return output.status(isFine);
    }

    /** What may go wrong by the choice of the algorithm. */
    private void printHint(final Experiment experiment) {
        if (experiment.algorithm() == RoutingAlgorithm.MINIMAL) {
            stdout.text()
                    .println(
                            "note      minimal may deadlock; for links that stop one another take"
                                    + " duato, silla or updown-bfs");
        }
    }

    private void printMore(final RunResult result) {
        if (result.packets() == 0 && !result.isDeadlocked()) {
            stdout.text()
                    .println(
                            "nothing   was measured: no packet that was made after the warm-up"
                                    + " arrived; give more --cycles or less --warmup");
        }
        if (result.messages().count() > 0) {
            stdout.text()
                    .printf(
                            Locale.ROOT,
                            "messages  mean %.1f, median %d, p99 %d cycles of %d whole messages%n",
                            result.messages().mean(),
                            result.messages().median(),
                            result.messages().p99(),
                            result.messages().count());
        }
        if (result.use().lanes().size() > 1) {
            stdout.text()
                    .printf(
                            "channels  %s flits a cycle on virtual channels 0, 1, ...%n",
                            result.use().lanes().stream()
                                    .map(share -> String.format(Locale.ROOT, "%.3f", share))
                                    .collect(Collectors.joining(", ")));
        }
    }

    private void print(
            final Experiment experiment, final PreparedRoutes routes, final RunResult result) {
        stdout.text()
                .printf(
                        Locale.ROOT,
                        "%s, %s (%s paths), %s%n",
                        experiment.graph(),
                        experiment.algorithm().routingName(),
                        routes.paths(),
                        experiment.traffic().pattern());
        stdout.text()
                .printf(
                        Locale.ROOT,
                        "accepted  %.4f of %.4f flits a cycle and host%s%n",
                        result.accepted(),
                        result.offered(),
                        result.isSaturated() ? ": saturated" : "");
        stdout.text()
                .printf(
                        Locale.ROOT,
                        "latency   mean %.1f +- %.1f, median %d, p99 %d cycles of %d packets%n",
                        result.latency().mean(),
                        result.latency().halfWidth(),
                        result.latency().median(),
                        result.latency().p99(),
                        result.packets());
        stdout.text()
                .printf(
                        Locale.ROOT,
                        "links     %.3f a packet; busiest channel %.3f, mean %.3f flits a cycle%n",
                        result.hops(),
                        result.use().busiest(),
                        result.use().mean());
        printHint(experiment);
        printMore(result);
        stdout.text()
                .printf(
                        Locale.ROOT,
                        "speed     %d cycles in %.2f s, %.0f cycles/s, %.1f million flit moves/s%n",
                        result.cycles(),
                        result.seconds(),
                        result.cyclesPerSecond(),
                        result.flitMoves() / Math.max(1e-9, result.seconds()) / 1e6);
        if (result.isDeadlocked()) {
            stdout.text().println("deadlock  " + result.deadlock());
        }
    }
}
