package io.hxb.bench.lab;

import io.hxb.bench.harness.Contest;
import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.ResultsOption;
import io.hxb.config.LoopConfig;
import io.hxb.config.yaml.ClusterConfigYaml;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The command line of the end-to-end runs: {@code benchmarks/run lab EXPERIMENT}. One thread. */
@Command(
        name = "lab",
        mixinStandardHelpOptions = true,
        description = "Measure HXB and its peers in turns on veth links. Needs root.",
        subcommands = {
            RelayRate.class,
            RelayRoundTrip.class,
            RelayScaling.class,
            ShapedBandwidth.class,
            BulkCost.class,
            IpConnection.class,
            MessageRoundTrip.class,
            MessageRateExperiment.class,
            MessageCost.class,
            MessageSecurity.class,
            AttachedRoundTrip.class,
            AttachedRate.class,
            RemoteMemoryExperiment.class,
            MpiMessages.class,
            MpiPrograms.class,
            UdpLatency.class,
            UdpRelay.class,
            LinksScaling.class,
            LongLinks.class,
            Failover.class,
            NoGarbage.class
        },
        synopsisSubcommandLabel = "EXPERIMENT")
public final class LabExperiments {
    private LabExperiments() {}

    /** Runs one experiment; ends with 0, 1 if it failed, 2 for wrong usage. */
    public static void main(final String[] arguments) {
        final CommandLine line = new CommandLine(new LabExperiments());
        line.setExecutionExceptionHandler(
                (thrown, command, parsed) -> {
                    if (Boolean.getBoolean("hxb.trace")) {
                        thrown.printStackTrace();
                    }
                    System.err.println("lab: " + thrown.getMessage());
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

        @Option(
                names = "--seconds",
                paramLabel = "SECONDS",
                defaultValue = "2",
                description = "measure for this long each time (default: ${DEFAULT-VALUE})")
        private double seconds;

        @Option(names = "--without-hxb", description = "measure only the peers of HXB")
        private boolean isWithoutHxb;

        @Mixin private ResultsOption results;

        int rounds() {
            return rounds;
        }

        double seconds() {
            return seconds;
        }

        boolean hasHxb() {
            return !isWithoutHxb;
        }

        Path results() {
            return results.folder();
        }
    }

    /** Which contestants take part, and further ones. */
    static final class Chosen {
        @Option(
                names = "--only",
                paramLabel = "TEXT",
                description =
                        "measure only contestants whose name has this text, or is the text "
                                + "after '='; may be repeated")
        private List<String> only = List.of();

        @Option(
                names = "--loop",
                paramLabel = "LOOP",
                description =
                        "measure nodes with these loops, too, as the cluster file has them, "
                                + "such as 'loops: 2, wait: spin'; may be repeated")
        private List<String> loops = List.of();

        List<String> loops() {
            return loops;
        }

        Contest of(final Contest contest) {
            return only.isEmpty() ? contest : contest.only(only.toArray(new String[0]));
        }

        /** Whether something that is no contestant is to be measured. */
        boolean includes(final String name) {
            return only.isEmpty() || only.stream().anyMatch(name::contains);
        }
    }

    /** Loops of a node, as a cluster file has them; a wrong one is refused as there. */
    static LoopConfig loop(final String text) {
        return ClusterConfigYaml.parse(
                        "name: loop\nshape: 2\nbackend: raw\nlinks: {x: [x0]}\nloop: {"
                                + text
                                + "}\n",
                        "--loop '" + text + "'")
                .loop();
    }

    /** Further options of experiments that fill shaped links. */
    static final class ShapedLoad {
        /** Ethernet's header, HXB's, and that of a message. */
        private static final int HEADER_BYTES = 14 + 64 + 8;

        @Option(
                names = "--size",
                paramLabel = "BYTES",
                defaultValue = "8928",
                description =
                        "send messages of this size, one frame each (default: ${DEFAULT-VALUE})")
        private int size;

        @Option(
                names = "--only",
                paramLabel = "TEXT",
                description = "measure only arrangements whose name has this text")
        private String only = "";

        int size() {
            return size;
        }

        boolean includes(final String arrangement) {
            return arrangement.contains(only);
        }

        /** Messages that links of {@code mbit} Mbit/s can carry, without all headers, in MB/s. */
        double capacity(final int links, final int mbit) {
            return links * mbit / 8.0 * size / (size + HEADER_BYTES);
        }

        /** The command that runs an HXB tool in a lab of shaped links; {@code more} is appended. */
        List<String> command(
                final String tool,
                final String shape,
                final int links,
                final int mbit,
                final double warmUp,
                final double seconds,
                final String... more) {
            final List<String> command =
                    new ArrayList<>(
                            Peers.hxb(
                                    "lab",
                                    "run",
                                    tool,
                                    "--name",
                                    "b" + ProcessHandle.current().pid(),
                                    "--shape",
                                    shape,
                                    "--links",
                                    Integer.toString(links),
                                    "--backend",
                                    "raw",
                                    "--rate",
                                    mbit + "mbit",
                                    "--mtu",
                                    "9000",
                                    "--size",
                                    Integer.toString(size),
                                    "--warmup",
                                    String.format(Locale.ROOT, "%.1f", warmUp),
                                    "--seconds",
                                    String.format(Locale.ROOT, "%.1f", seconds),
                                    "--json"));
            command.addAll(List.of(more));
            return command;
        }
    }
}
