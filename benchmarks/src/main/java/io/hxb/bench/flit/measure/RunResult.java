package io.hxb.bench.flit.measure;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What one run measured. Traffic is in flits per cycle and host. Immutable.
 *
 * @param load what was asked for.
 * @param offered what hosts made.
 * @param accepted what arrived.
 * @param acceptedHalfWidth half the 95 % confidence interval of {@code accepted}.
 * @param hops mean links between switches of the packets that arrived.
 * @param isSaturated whether clearly less arrived than was made.
 * @param deadlock the lanes that wait for each other, in words, or null.
 * @param cycles simulated, warm-up included.
 * @param warmupCycles of them before measuring.
 * @param seconds that the simulation took, without preparing routes.
 * @param flitMoves channel crossings simulated.
 * @param packets that were measured.
 * @param refused share of the offered flits that found their host's queue full.
 * @param busiest share of cycles in which the busiest channel between switches sent a flit.
 * @param mean share over all channels between switches.
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
        double busiest,
        double mean) {
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
        fields.put("channel_load_max", busiest);
        fields.put("channel_load_mean", mean);
        return fields;
    }

    private static Double finite(final double value) {
        return Double.isFinite(value) ? value : null;
    }
}
