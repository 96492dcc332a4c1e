package io.hxb.tool.measure;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * What a measurement of throughput found. Immutable.
 *
 * @param result what every command reports.
 * @param counted nodes whose counters could be read: those of this machine. What follows is theirs.
 * @param frames frames that arrived on all links, relayed ones at each node.
 * @param resent data frames sent again.
 * @param dropped frames dropped for any reason.
 * @param cpuNs CPU time of the nodes' processes, which may be this one; empty unless all nodes are
 *     on this machine.
 * @param ends CPU time that each end has used.
 * @param ended why an end could not go on; the result then is what was acknowledged until that, and
 *     its lost messages are those that were not. Empty if all was sent and counted.
 */
public record Throughput(
        Result result,
        int counted,
        long frames,
        long resent,
        long dropped,
        OptionalLong cpuNs,
        EndCpu ends,
        Optional<String> ended) {
    /** True if every message arrived once, in order and intact, and no end was missing. */
    public boolean isOk() {
        return result.isOk() && ended.isEmpty();
    }

    /** CPU time for each frame that arrived somewhere, in microseconds; empty if it is unknown. */
    public OptionalDouble cpuPerFrameUs() {
        return cpuPerFrameUs(cpuNs, frames);
    }

    /** CPU time for each of some frames, in microseconds; empty if it is unknown. */
    public static OptionalDouble cpuPerFrameUs(final OptionalLong cpuNs, final long frames) {
        return cpuNs.isPresent() && frames > 0
                ? OptionalDouble.of(Math.round(cpuNs.getAsLong() / 10.0 / frames) / 100.0)
                : OptionalDouble.empty();
    }

    /** The fields as JSON has them; CPU time is left out where it is not known. */
    public Map<String, Object> fields() {
        final Map<String, Object> fields = result.fields();
        fields.put("ok", isOk());
        ended.ifPresent(text -> fields.put("error", text));
        fields.put("nodes_counted", counted);
        fields.put("frames", frames);
        fields.put("resent", resent);
        fields.put("dropped", dropped);
        cpuPerFrameUs().ifPresent(cpuUs -> fields.put("cpu_us_per_frame", cpuUs));
        final Map<String, Double> cost = ends.perGigabyte(result.bytes());
        if (!cost.isEmpty()) {
            fields.put("cpu_s_per_GB", cost);
        }
        return fields;
    }
}
