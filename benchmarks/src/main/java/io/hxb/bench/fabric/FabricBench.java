package io.hxb.bench.fabric;

import io.hxb.bench.harness.ResultsOption;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Path;

/** The command line of route measurements: {@code benchmarks/run fabric EXPERIMENT}. One thread. */
@Command(
        name = "fabric",
        mixinStandardHelpOptions = true,
        description = "Measure how long routes take, and what they cost.",
        subcommands = {RouteContest.class, RouteScale.class, TuneScale.class},
        synopsisSubcommandLabel = "EXPERIMENT")
public final class FabricBench {
    private FabricBench() {}

    /** Runs one experiment; ends with 0, 1 if it failed, 2 for wrong usage. */
    public static void main(final String[] arguments) {
        final CommandLine line = new CommandLine(new FabricBench());
        line.setExecutionExceptionHandler(
                (thrown, command, parsed) -> {
                    System.err.println("fabric: " + thrown.getMessage());
                    return 1;
                });
        System.exit(line.execute(arguments));
    }

    /** Options of all experiments. */
    static final class Settings {
        @Option(
                names = "--rounds",
                paramLabel = "N",
                defaultValue = "7",
                description = "measure each contestant this many times (default: ${DEFAULT-VALUE})")
        private int rounds;

        @Mixin private ResultsOption results;

        int rounds() {
            return rounds;
        }

        Path results() {
            return results.folder();
        }
    }
}
