package io.hxb.bench.lab;

import io.hxb.bench.harness.Contest;
import io.hxb.config.LoopConfig;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Lines whose nodes have other loops than by default, as further contestants. Used by one thread.
 */
final class AttachedLines implements AutoCloseable {
    private final Map<String, AttachedLine> lines = new LinkedHashMap<>();

    /**
     * Makes them.
     *
     * @param loops of their nodes, as in a cluster file.
     * @param warmUp seconds before figures count.
     * @param seconds in which they count.
     */
    AttachedLines(final List<String> loops, final double warmUp, final double seconds)
            throws Exception {
        try {
            for (final String loop : loops) {
                lines.put(loop, new AttachedLine(loop, warmUp, seconds, false));
            }
        } catch (final Exception e) {
            close();
            throw e;
        }
    }

    /** Round trips between programs that spin, on two hosts. */
    void addRoundTrips(final Contest contest, final int size) {
        final var place = AttachedLine.Place.TWO_HOSTS;
        final var waiting = LoopConfig.Waiting.SPIN;
        lines.forEach(
                (loop, line) ->
                        contest.add(
                                        "HXB, spin, nodes " + loop,
                                        () -> line.roundTrip(place, waiting, size))
                                .add(
                                        "HXB, spin, in C, nodes " + loop,
                                        () -> line.roundTripOfC(place, waiting, size)));
    }

    /** Messages in one direction between programs that spin, on two hosts. */
    void addRates(final Contest contest, final int size) {
        final var place = AttachedLine.Place.TWO_HOSTS;
        lines.forEach(
                (loop, line) ->
                        contest.add(
                                "HXB, spin, nodes " + loop,
                                () -> line.rate(place, LoopConfig.Waiting.SPIN, size)));
    }

    @Override
    public void close() {
        lines.values().forEach(AttachedLine::close);
    }
}
