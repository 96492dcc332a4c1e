package io.hxb.sim.traffic;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.traffic.TrafficMatrix;
import io.hxb.sim.flit.SimulationException;
import io.hxb.sim.flit.TrafficSource;

import java.util.List;

/**
 * Traffic as the command line and experiment files describe it. Immutable.
 *
 * @param pattern name of a pattern, or the name of the file that {@code text} came from.
 * @param text a matrix ({@code from to amount} in each line) or a trace ({@code trace} in its first
 *     comment; {@code cycle source destination flits}); null for patterns.
 * @param hasSelf whether hosts also send to themselves where the pattern has it.
 * @param packetFlits flits of a full packet.
 * @param messages lengths of messages in flits, such as {@code 64,128}; empty for one packet.
 * @param meanBurst mean messages in a burst, 0 for Poisson.
 * @param stepCycles hosts make their messages only at multiples of this number of cycles, all at
 *     once; 0 at any time. A trace has its own times.
 */
public record TrafficConfig(
        String pattern,
        String text,
        boolean hasSelf,
        int packetFlits,
        String messages,
        double meanBurst,
        long stepCycles) {
    private static final long MAX_STEP_CYCLES = 1L << 30;

    /** Checks the ranges. */
    public TrafficConfig {
        if (!(meanBurst == 0 || (meanBurst >= 1 && meanBurst <= 1e6))) {
            throw new SimulationException(
                    "a burst has 1 to 1000000 messages, or 0 for Poisson: " + meanBurst);
        }
        if (stepCycles < 0 || stepCycles > MAX_STEP_CYCLES) {
            throw new SimulationException(
                    "a step has 1 to 2^30 cycles, or 0 for messages at any time: " + stepCycles);
        }
        MessageSizes.parse(packetFlits, messages);
    }

    /** Messages at any time. */
    public TrafficConfig(
            final String pattern,
            final String text,
            final boolean hasSelf,
            final int packetFlits,
            final String messages,
            final double meanBurst) {
        this(pattern, text, hasSelf, packetFlits, messages, meanBurst, 0);
    }

    /** Uniform traffic to other hosts, Poisson, one packet per message. */
    public static TrafficConfig uniform(final int packetFlits) {
        return of("uniform", packetFlits);
    }

    /** A pattern, Poisson, one packet per message. */
    public static TrafficConfig of(final String pattern, final int packetFlits) {
        return new TrafficConfig(pattern, null, false, packetFlits, "", 0);
    }

    /** The same with hosts that also send to themselves. */
    public TrafficConfig withSelf() {
        return new TrafficConfig(pattern, text, true, packetFlits, messages, meanBurst, stepCycles);
    }

    /** The same with messages at multiples of some cycles only. */
    public TrafficConfig withStep(final long cycles) {
        return new TrafficConfig(pattern, text, hasSelf, packetFlits, messages, meanBurst, cycles);
    }

    /** Names of all patterns. */
    public static List<String> patterns() {
        return Patterns.NAMES;
    }

    /** Whether a word is a pattern and not the name of a file. */
    public static boolean isPattern(final String word) {
        return Patterns.isPattern(word);
    }

    /** Whether the messages have times of their own, which no load changes. */
    public boolean isTrace() {
        return text != null && text.stripLeading().matches("(?s)#\\s*trace\\b.*");
    }

    /**
     * Makes the traffic of one run.
     *
     * @param load flits per cycle that a host sends, 0 to 1; a trace has its own times.
     * @throws SimulationException or GraphException if it does not suit the graph.
     */
    public TrafficSource source(final SwitchGraph graph, final double load, final long seed) {
        if (isTrace()) {
            return TraceTraffic.parse(pattern, text, graph.hostCount(), packetFlits);
        }
        final Destinations destinations =
                text != null
                        ? Patterns.of(TrafficMatrix.parse(pattern, text, graph), graph.hostCount())
                        : Patterns.of(pattern, graph, hasSelf);
        return new SyntheticTraffic(
                destinations,
                MessageSizes.parse(packetFlits, messages),
                graph.hostCount(),
                load,
                meanBurst,
                stepCycles,
                seed);
    }
}
