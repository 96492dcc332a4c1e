package io.hxb.sim.measure;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What one run measured. Traffic is in flits per cycle and host. Immutable.
 *
 * @param load what was asked for.
 * @param offered what hosts made.
 * @param accepted what arrived.
 * @param acceptedHalfWidth half the 95 % confidence interval of {@code accepted}.
 * @param hops mean links between switches of the packets that arrived.
 * @param isSaturated whether clearly less arrived than was made, which is true of every deadlock,
 *     even one during the warm-up, when nothing was measured.
 * @param deadlock describes the lanes that wait for each other, or null.
 * @param cycles simulated, warm-up included.
 * @param warmupCycles those before measuring began.
 * @param seconds that the simulation took, without preparing routes.
 * @param flitMoves channel crossings simulated.
 * @param packets that were measured.
 * @param refused share of the offered flits that found their host's queue full.
 * @param messages latency of whole messages, where some have several packets.
 * @param use of the channels between switches.
 */
public record RunResult(
        double load,
        double offered,
        double accepted,
        double acceptedHalfWidth,
        Meter.Latency latency,
        double hops,
        boolean isSaturated,
        String deadlock,
        long cycles,
        long warmupCycles,
        double seconds,
        long flitMoves,
        long packets,
        double refused,
        Meter.Latency messages,
        Use use) {
    /**
     * Shares of cycles in which something was sent. Immutable.
     *
     * @param channels of each channel between switches, by the names of both: {@code s0>s1}, and
     *     {@code s0>s1#2} for the second between them.
     * @param lanes of each virtual channel, mean over all channels; their sum is that of the
     *     channels.
     */
    public record Use(Map<String, Double> channels, List<Double> lanes) {
        /** Share of the busiest channel, 0 without channels. */
        public double busiest() {
            return channels.values().stream().mapToDouble(Double::doubleValue).max().orElse(0);
        }

        /** Mean share of all channels, 0 without channels. */
        public double mean() {
            return channels.values().stream().mapToDouble(Double::doubleValue).average().orElse(0);
        }
    }

    /** Whether it ended in a deadlock. */
    public boolean isDeadlocked() {
        return deadlock != null;
    }

    /** Cycles simulated each second. */
    public double cyclesPerSecond() {
        return seconds == 0 ? 0 : cycles / seconds;
    }

    /** The keys that {@code hxb sim run --json} prints. */
    public Map<String, Object> summary(final double peakMemoryMb) {
        final Map<String, Object> summary = new LinkedHashMap<>();
        summary.put("accepted", accepted);
        summary.put("offered", offered);
        final Map<String, Object> times = new LinkedHashMap<>();
        times.put("mean", latency.mean());
        times.put("median", latency.median());
        times.put("p99", latency.p99());
        summary.put("latency", times);
        summary.put("hops", hops);
        summary.put("saturated", isSaturated);
        summary.put("deadlocked", isDeadlocked());
        summary.put("cycles", cycles);
        summary.put("cycles_per_s", cyclesPerSecond());
        summary.put("peak_memory_mb", peakMemoryMb);
        return summary;
    }

    /** Everything, for result files. */
    public Map<String, Object> fields() {
        final Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("load", load);
        fields.put("offered", offered);
        fields.put("accepted", accepted);
        fields.put("accepted_half_width", finite(acceptedHalfWidth));
        fields.put("latency_mean", latency.mean());
        fields.put("latency_half_width", finite(latency.halfWidth()));
        fields.put("latency_min", latency.min());
        fields.put("latency_median", latency.median());
        fields.put("latency_p99", latency.p99());
        fields.put("latency_max", latency.max());
        fields.put("hops", hops);
        fields.put("saturated", isSaturated);
        fields.put("deadlocked", isDeadlocked());
        fields.put("deadlock", deadlock);
        fields.put("cycles", cycles);
        fields.put("warmup", warmupCycles);
        fields.put("seconds", seconds);
        fields.put("flit_moves", flitMoves);
        fields.put("packets", packets);
        fields.put("refused", refused);
        final boolean hasMessages = messages.count() > 0;
        fields.put("messages", messages.count());
        fields.put("message_latency_mean", hasMessages ? messages.mean() : null);
        fields.put("message_latency_median", hasMessages ? messages.median() : null);
        fields.put("message_latency_p99", hasMessages ? messages.p99() : null);
        fields.put("message_latency_max", hasMessages ? messages.max() : null);
        fields.put("channel_load_max", use.busiest());
        fields.put("channel_load_mean", use.mean());
        fields.put("vc_loads", use.lanes());
        fields.put("channel_loads", use.channels());
        return fields;
    }

    private static Double finite(final double value) {
        return Double.isFinite(value) ? value : null;
    }
}
