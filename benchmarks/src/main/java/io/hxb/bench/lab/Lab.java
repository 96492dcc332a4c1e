package io.hxb.bench.lab;

import io.hxb.bench.harness.Peers;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.nio.file.Path;

/** The command line of the end-to-end runs: {@code benchmarks/run lab EXPERIMENT}. One thread. */
@Command(
        name = "lab",
        mixinStandardHelpOptions = true,
        description = "Measures HXB and its peers in turns on veth links. Needs root.",
        subcommands = {
            RelayRate.class,
            RelayRoundTrip.class,
            ShapedBandwidth.class,
            MessageRoundTrip.class,
            MessageRate.class,
            MessageCost.class,
            UdpLatency.class,
            LinksScaling.class,
            Failover.class,
            NoGarbage.class
        },
        synopsisSubcommandLabel = "EXPERIMENT")
public final class Lab {
    private Lab() {}

    /** Runs one experiment; ends with 0, 1 if it failed, 2 for wrong usage. */
    public static void main(final String[] arguments) {
        final CommandLine line = new CommandLine(new Lab());
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

    /** What all experiments can be told. */
    static final class Settings {
        @Option(
                names = "--rounds",
                defaultValue = "7",
                description = "measurements of each contestant (default ${DEFAULT-VALUE})")
        private int rounds;

        @Option(
                names = "--seconds",
                defaultValue = "2",
                description = "length of one measurement (default ${DEFAULT-VALUE})")
        private double seconds;

        @Option(names = "--without-hxb", description = "only the peers")
        private boolean isWithoutHxb;

        @Option(names = "--no-results", description = "print, but do not append to results/")
        private boolean isNotKept;

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
            return isNotKept ? null : Peers.results();
        }
    }
}
