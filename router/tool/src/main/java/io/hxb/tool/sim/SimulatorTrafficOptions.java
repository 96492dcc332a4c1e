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
            description = "flits of a packet; default ${DEFAULT-VALUE}")
    private int packet;

    @Option(
            names = "--message",
            paramLabel = "FLITS,...",
            defaultValue = "",
            description =
                    "lengths of messages, any with the same chance, cut into packets; default one"
                            + " packet")
    private String messages;

    @Option(
            names = "--traffic",
            paramLabel = "NAME|FILE",
            defaultValue = "uniform",
            description = {
                "uniform, bit-reversal, bit-complement, shuffle, shift:N, hotspot:HOST,PERCENT,",
                "all-to-all, kernel-cg; by coordinates: transpose, tornado, neighbour; by the",
                "numbers of hosts: host-transpose, host-tornado, host-neighbour; a file of lines"
                        + " 'from to amount'; or",
                "a trace: '# trace', then lines 'cycle from to flits'; default ${DEFAULT-VALUE}"
            })
    private String traffic;

    @Option(
            names = "--self",
            description = "hosts also send to themselves where the pattern says so")
    private boolean hasSelf;

    @Option(
            names = "--burst",
            paramLabel = "MESSAGES",
            defaultValue = "0",
            description = "mean messages in a burst; 0: Poisson; default ${DEFAULT-VALUE}")
    private double burst;

    @Option(
            names = "--step",
            paramLabel = "CYCLES",
            defaultValue = "0",
            description =
                    "hosts make their messages only every so many cycles, all at once; 0: at any"
                            + " time; default ${DEFAULT-VALUE}")
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
