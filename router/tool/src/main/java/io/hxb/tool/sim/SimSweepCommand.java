package io.hxb.tool.sim;

import io.hxb.sim.run.Experiment;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;

/** {@code hxb sim sweep}: one network at many loads. Picocli makes it. */
@Command(
        name = "sweep",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        header = "Simulate a network at many loads.",
        description =
                "Simulate a network at many loads, on all cores, or find its " + "saturation.")
final class SimSweepCommand implements Callable<Integer> {
    @Mixin private RunOptions options;

    @Option(
            names = "--loads",
            paramLabel = "LIST|FROM:TO:STEP|auto",
            defaultValue = "auto",
            description =
                    "simulate these loads of the hosts; auto finds the saturation "
                            + "(default: ${DEFAULT-VALUE})")
    private String loads;

    @Mixin private OutputOptions output;
    @Mixin private Output stdout;
    @Spec private CommandSpec spec;

    /** Picocli makes it. */
    SimSweepCommand() {}

    @Override
    public Integer call() throws IOException {
        final List<Double> all = OfferedLoads.parse(loads);
        output.files().forEach(ResultFile::check);
        final Experiment experiment = options.experiment();
        final Set<String> given = RunOptions.given(spec.commandLine().getParseResult());
        if (experiment.traffic().isTrace()) {
            throw new UsageException(
                    "a trace has its own load: simulate it once, with hxb sim run");
        }
        final Map<String, Object> about = output.about();
        about.put("experiment", String.valueOf(experiment));
        final boolean isFine =
                new SweepRun(
                                List.of(
                                        new ExperimentFile.Series(
                                                experiment.algorithm().routingName(), experiment)),
                                all,
                                output,
                                about,
                                given)
                        .run(stdout);
        return output.status(isFine);
    }

    /** The files of results, for {@link SimRunCommand} too. */
    static final class OutputOptions {
        @Option(
                names = "--out",
                paramLabel = "FILE",
                description =
                        "write the results to this file, too, .json, .csv, .svg or .png; may "
                                + "be repeated")
        private List<Path> files = List.of();

        @Option(
                names = "--threads",
                paramLabel = "N",
                defaultValue = "0",
                description = "make this many runs at once (default: one for each CPU)")
        private int threads;

        @Option(
                names = "--allow-deadlock",
                description = "report a deadlock as a result, instead of ending with status 1")
        private boolean allowsDeadlock;

        /** Picocli makes it. */
        OutputOptions() {}

        boolean allowsDeadlock() {
            return allowsDeadlock;
        }

        /** The exit status; prints why it is not 0. */
        int status(final boolean isFine) {
            if (!isFine) {
                System.err.println(
                        "hxb: the simulation ended in a deadlock: change the algorithm or its"
                                + " virtual channels, or give --allow-deadlock if you expect it");
            }
            return isFine ? 0 : 1;
        }

        List<Path> files() {
            return files;
        }

        int threads() {
            return threads > 0 ? threads : Runtime.getRuntime().availableProcessors();
        }

        /** What it takes to repeat a run, to be completed. */
        Map<String, Object> about() {
            final Map<String, Object> about = new LinkedHashMap<>();
            about.put("program", "hxb sim 0.1.0");
            about.put("java", Runtime.version().toString());
            return about;
        }
    }
}
