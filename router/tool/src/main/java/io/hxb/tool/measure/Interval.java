package io.hxb.tool.measure;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What happened between two looks at a measurement that goes on. Immutable.
 *
 * @param isWarmUp whether the messages do not count for the result.
 * @param startSeconds since the sending began.
 * @param endSeconds since the sending began.
 * @param bytes payload that was acknowledged.
 * @param messages messages that were acknowledged.
 * @param resent data frames sent again by the nodes of this machine.
 * @param dropped frames dropped for any reason by the nodes of this machine.
 */
public record Interval(
        boolean isWarmUp,
        double startSeconds,
        double endSeconds,
        long bytes,
        long messages,
        long resent,
        long dropped) {
    /** Headings of the columns of {@link #toString}. */
    public static final String HEADING =
            String.format(
                    Locale.ROOT,
                    "%13s %10s %12s %8s %8s",
                    "seconds",
                    "MB/s",
                    "messages/s",
                    "resent",
                    "dropped");

    /** Payload in 10^6 bytes a second. */
    public double bandwidthMegabytes() {
        return Math.round(bytes / (endSeconds - startSeconds) / 1e4) / 100.0;
    }

    /** Messages a second. */
    public long messagesPerSecond() {
        return Math.round(messages / (endSeconds - startSeconds));
    }

    /** The fields as JSON has them; {@code ok} is false if nothing was acknowledged. */
    public Map<String, Object> fields() {
        final Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("type", "interval");
        fields.put("ok", messages > 0);
        fields.put("warm_up", isWarmUp);
        fields.put("start_s", round(startSeconds));
        fields.put("end_s", round(endSeconds));
        fields.put("bytes", bytes);
        fields.put("messages", messages);
        fields.put("bandwidth_MBps", bandwidthMegabytes());
        fields.put("messages_per_s", messagesPerSecond());
        fields.put("resent", resent);
        fields.put("dropped", dropped);
        return fields;
    }

    private static double round(final double seconds) {
        return Math.round(seconds * 1e3) / 1e3;
    }

    /** A line for people, in the columns of {@link #HEADING}. */
    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%5.1f - %5.1f %10.2f %12d %8d %8d%s",
                startSeconds,
                endSeconds,
                bandwidthMegabytes(),
                messagesPerSecond(),
                resent,
                dropped,
                isWarmUp ? "  warm-up" : "");
    }
}
