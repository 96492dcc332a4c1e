package io.hxb.tool.sim;

import io.hxb.sim.traffic.TrafficConfig;
import io.hxb.tool.graph.TrafficFile;

import picocli.CommandLine.Option;

import java.io.IOException;

/** The messages of an experiment as options. Picocli fills it. */
final class SimulatorTrafficOptions {
    @Option(
            names = "--packet",
            paramLabel = "FLITS",
            defaultValue = "128",
            description = "make packets of this length (default: ${DEFAULT-VALUE})")
    private int packet;

    @Option(
            names = "--message",
            paramLabel = "FLITS,...",
            defaultValue = "",
            description =
                    "make messages of these lengths, each equally likely, cut into packets "
                            + "(default: one packet)")
    private String messages;

    @Option(
            names = "--traffic",
            paramLabel = "NAME|FILE",
            defaultValue = "uniform",
            description = {
                "send uniform, bit-reversal, bit-complement, shuffle, shift:N, "
                        + "hotspot:HOST,PERCENT, all-to-all, kernel-cg; by coordinates: "
                        + "transpose, tornado, neighbour; by the numbers of hosts: "
                        + "host-transpose, host-tornado, host-neighbour; a file of lines 'from "
                        + "to amount'; or a trace: '# trace', then lines 'cycle from to flits' "
                        + "(default: ${DEFAULT-VALUE})"
            })
    private String traffic;

    @Option(
            names = "--self",
            description = "let hosts send to themselves, too, where the pattern has that")
    private boolean hasSelf;

    @Option(
            names = "--burst",
            paramLabel = "MESSAGES",
            defaultValue = "0",
            description =
                    "send bursts of this many messages on average; 0: Poisson (default: "
                            + "${DEFAULT-VALUE})")
    private double burst;

    @Option(
            names = "--step",
            paramLabel = "CYCLES",
            defaultValue = "0",
            description =
                    "have hosts make messages all at once, this far apart; 0: "
                            + "at any time (default: ${DEFAULT-VALUE})")
    private long step;

    /** Picocli makes it. */
    SimulatorTrafficOptions() {}

    /** Checks these options and reads the file of the traffic, if it is one. */
    TrafficConfig config() throws IOException {
        final String text =
                TrafficConfig.isPattern(traffic)
                        ? null
                        : TrafficFile.text(traffic, TrafficConfig.patterns());
        return new TrafficConfig(traffic, text, hasSelf, packet, messages, burst, step);
    }
}
