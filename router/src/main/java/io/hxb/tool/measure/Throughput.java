package io.hxb.tool.measure;

import java.util.Map;

/**
 * What a measurement of throughput found. Immutable.
 *
 * @param result what every command reports.
 * @param frames frames that arrived on all links of all nodes, relayed ones at each of them.
 * @param resent data frames sent again.
 * @param dropped frames dropped for any reason.
 * @param cpuNs CPU time of the nodes' processes, and of this one if they are embedded.
 */
public record Throughput(Result result, long frames, long resent, long dropped, long cpuNs) {
    /** CPU time for each frame that arrived somewhere, in microseconds; 0 when none did. */
    public double cpuPerFrameUs() {
        return frames > 0 ? Math.round(cpuNs / 10.0 / frames) / 100.0 : 0;
    }

    /** The fields as JSON has them. */
    public Map<String, Object> fields() {
        final Map<String, Object> fields = result.fields();
        fields.put("frames", frames);
        fields.put("resent", resent);
        fields.put("dropped", dropped);
        fields.put("cpu_us_per_frame", cpuPerFrameUs());
        return fields;
    }
}
