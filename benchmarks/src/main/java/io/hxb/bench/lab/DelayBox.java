package io.hxb.bench.lab;

import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.Program;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * A program between the two halves of a cable, which hands every frame on after a time. Used by one
 * thread.
 */
final class DelayBox implements AutoCloseable {
    /** Figure: the longest time that a frame waited beyond the delay, in microseconds. */
    static final String LATE = "late_us";

    /** Longer ones need larger rings at some rates. */
    static final int MAX_DELAY_MS = 100;

    private final Program program;

    private DelayBox(final Program program) {
        this.program = program;
    }

    /**
     * Starts it.
     *
     * @param namespace of both NICs.
     * @param delayMs in each direction.
     * @param jitterMs by how much more a frame may be delayed; frames stay in order.
     */
    static DelayBox start(
            final String namespace,
            final String nic,
            final String otherNic,
            final double delayMs,
            final double jitterMs)
            throws IOException, InterruptedException {
        return new DelayBox(
                Program.start(
                                namespace,
                                "",
                                Peers.c(
                                        "delay_box",
                                        "-d",
                                        us(delayMs),
                                        "-j",
                                        us(jitterMs),
                                        nic,
                                        otherNic))
                        .ready());
    }

    private static String us(final double ms) {
        return Long.toString(Math.round(ms * 1e3));
    }

    /**
     * The figures of a measurement and {@link #LATE}.
     *
     * @throws IOException if the box has dropped a frame, or none went through it.
     */
    Map<String, Double> measured(final Callable<Map<String, Double>> measurement) throws Exception {
        final JsonNode before = program.counts();
        final Map<String, Double> figures = new LinkedHashMap<>(measurement.call());
        figures.put(LATE, late(before, program.counts()));
        return figures;
    }

    /** What the second of two counts of a box says; times are since the count before. */
    static double late(final JsonNode before, final JsonNode after) throws IOException {
        final long dropped = after.get("dropped").asLong() - before.get("dropped").asLong();
        if (dropped > 0) {
            throw new IOException("the delay box has dropped " + dropped + " frames");
        }
        if (after.get("frames").asLong() == before.get("frames").asLong()) {
            throw new IOException("no frame went through the delay box");
        }
        return after.get(LATE).asDouble();
    }

    @Override
    public void close() {
        program.close();
    }
}
