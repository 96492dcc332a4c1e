package io.hxb.tool.measure;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a measurement found; every command reports the same fields. Immutable.
 *
 * @param nodes nodes of the cluster.
 * @param pairs ordered pairs of nodes that exchanged messages.
 * @param bytes payload bytes that arrived.
 * @param messages messages that arrived.
 * @param lost messages sent that did not arrive.
 * @param duplicated messages that arrived again.
 * @param reordered messages that arrived after a later one.
 * @param corrupt messages whose content was wrong.
 * @param relays frames relayed by nodes in between.
 * @param seconds how long it took.
 * @param roundTrips round trips.
 */
public record Result(
        int nodes,
        int pairs,
        long bytes,
        long messages,
        long lost,
        long duplicated,
        long reordered,
        long corrupt,
        long relays,
        double seconds,
        RoundTrips roundTrips) {

    /** Nothing was measured. */
    static final Result NONE = new Result(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, RoundTrips.NONE);

    /** The same with what is known only afterwards. */
    Result with(final long relayedFrames, final RoundTrips trips) {
        return new Result(
                nodes,
                pairs,
                bytes,
                messages,
                lost,
                duplicated,
                reordered,
                corrupt,
                relayedFrames,
                seconds,
                trips);
    }

    /** The same with what went wrong in another run added. */
    Result withFaultsOf(final Result other) {
        return new Result(
                nodes,
                pairs,
                bytes,
                messages,
                lost + other.lost,
                duplicated + other.duplicated,
                reordered + other.reordered,
                corrupt + other.corrupt,
                relays,
                seconds,
                roundTrips);
    }

    /** True if every message arrived once, in order and intact. */
    public boolean isOk() {
        return lost == 0 && duplicated == 0 && reordered == 0 && corrupt == 0 && messages > 0;
    }

    /** Payload in 10^6 bytes a second. */
    public double bandwidthMegabytes() {
        return seconds > 0 ? Math.round(bytes / seconds / 1e4) / 100.0 : 0;
    }

    /** Payload in 10^9 bits a second. */
    public double bandwidthGigabits() {
        return gigabits(bandwidthMegabytes());
    }

    /** 10^6 bytes in 10^9 bits. */
    static double gigabits(final double megabytes) {
        return Math.round(megabytes * Byte.SIZE) / 1e3;
    }

    /** Messages a second. */
    public long messagesPerSecond() {
        return seconds > 0 ? Math.round(messages / seconds) : 0;
    }

    /** The fields as JSON has them; a caller may add more. */
    public Map<String, Object> fields() {
        final Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("ok", isOk());
        fields.put("nodes", nodes);
        fields.put("pairs", pairs);
        fields.put("bytes", bytes);
        fields.put("messages", messages);
        fields.put("lost", lost);
        fields.put("duplicated", duplicated);
        fields.put("reordered", reordered);
        fields.put("corrupt", corrupt);
        fields.put("relays", relays);
        fields.put("seconds", Math.round(seconds * 1e6) / 1e6);
        fields.put("bandwidth_MBps", bandwidthMegabytes());
        fields.put("messages_per_s", messagesPerSecond());
        fields.put("rtt_us", roundTrips);
        return fields;
    }
}
