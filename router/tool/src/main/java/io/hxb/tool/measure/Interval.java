package io.hxb.tool.measure;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;

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
 * @param nodeCpus CPUs that the processes of these nodes kept busy; empty if it is not known.
 */
public record Interval(
        boolean isWarmUp,
        double startSeconds,
        double endSeconds,
        long bytes,
        long messages,
        long resent,
        long dropped,
        OptionalDouble nodeCpus) {
    /** Headings of the columns of {@link #toString}. */
    public static final String HEADING =
            String.format(
                    Locale.ROOT,
                    "%13s %10s %8s %12s %8s %8s %9s",
                    "seconds",
                    "MB/s",
                    "Gbit/s",
                    "messages/s",
                    "resent",
                    "dropped",
                    "node CPUs");

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
        nodeCpus.ifPresent(cpus -> fields.put("node_cpus", Math.round(cpus * 100) / 100.0));
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
                "%5.1f - %5.1f %10.2f %8.3f %12d %8d %8d %9s%s",
                startSeconds,
                endSeconds,
                bandwidthMegabytes(),
                Result.gigabits(bandwidthMegabytes()),
                messagesPerSecond(),
                resent,
                dropped,
                nodeCpus.isPresent()
                        ? String.format(Locale.ROOT, "%.2f", nodeCpus.getAsDouble())
                        : "-",
                isWarmUp ? "  warm-up" : "");
    }
}
