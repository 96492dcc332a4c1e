package io.hxb.observe.live;

import io.hxb.counter.CounterReader;
import io.hxb.counter.CounterSample;
import io.hxb.counter.CounterType;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What the virtual NIC of a node has carried since the node's start. Immutable.
 *
 * @param in packets from other nodes.
 * @param out packets to other nodes.
 * @param answered questions for addresses that the node answered itself.
 * @param marked packets with a mark of ECN.
 * @param gaps times that packets under way were given up.
 * @param drops packets that were dropped, by reason; only reasons that there were.
 */
public record IpCounts(
        Traffic in, Traffic out, long answered, long marked, long gaps, Map<String, Long> drops) {
    /** Of a virtual NIC that has carried nothing. */
    static final IpCounts NONE =
            new IpCounts(new Traffic(0, 0), new Traffic(0, 0), 0, 0, 0, Map.of());

    private static final String DROPPED = "hxb_ip_dropped_";
    private static final String PACKETS = "_packets";

    /** Copies the map, in its order. */
    public IpCounts {
        drops = Collections.unmodifiableMap(new LinkedHashMap<>(drops));
    }

    /**
     * Packets one way. Immutable.
     *
     * @param packets how many.
     * @param bytes with their Ethernet headers.
     */
    public record Traffic(long packets, long bytes) {}

    /** What the file of a node has of it; empty if no packet has passed, or there is no NIC. */
    public static Optional<IpCounts> of(final CounterReader reader) {
        final Map<String, Long> values = new LinkedHashMap<>();
        for (final CounterSample sample : reader.samples()) {
            if (sample.name().startsWith("hxb_ip_") && sample.value() != 0) {
                values.put(sample.name(), sample.value());
            }
        }
        return values.isEmpty() ? Optional.empty() : Optional.of(of(values));
    }

    private static IpCounts of(final Map<String, Long> values) {
        final Map<String, Long> drops = new LinkedHashMap<>();
        values.forEach(
                (name, value) -> {
                    if (name.startsWith(DROPPED)) {
                        drops.put(
                                name.substring(DROPPED.length(), name.length() - PACKETS.length()),
                                value);
                    }
                });
        final long refused = value(values, CounterType.IP_REFUSED_PACKETS);
        if (refused != 0) {
            drops.put("refused", refused);
        }
        return new IpCounts(
                new Traffic(
                        value(values, CounterType.IP_RECEIVED_PACKETS),
                        value(values, CounterType.IP_RECEIVED_BYTES)),
                new Traffic(
                        value(values, CounterType.IP_SENT_PACKETS),
                        value(values, CounterType.IP_SENT_BYTES)),
                value(values, CounterType.IP_ANSWERED_PACKETS),
                value(values, CounterType.IP_MARKED_PACKETS),
                value(values, CounterType.IP_GAPS_EVENTS),
                drops);
    }

    private static long value(final Map<String, Long> values, final CounterType type) {
        return values.getOrDefault(type.exportName(), 0L);
    }

    /** The drops in words, such as {@code delayed 3, full 12}; {@code -} if there are none. */
    public String dropsText() {
        return drops.isEmpty()
                ? "-"
                : drops.entrySet().stream()
                        .map(drop -> drop.getKey() + " " + drop.getValue())
                        .collect(Collectors.joining(", "));
    }

    /** The counts as JSON shows them. */
    public Map<String, Object> report() {
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("in_packets", in.packets());
        report.put("in_bytes", in.bytes());
        report.put("out_packets", out.packets());
        report.put("out_bytes", out.bytes());
        putEvents(report);
        return report;
    }

    /** Puts what is counted beside traffic into a report. */
    void putEvents(final Map<String, Object> report) {
        report.put("answered_packets", answered);
        report.put("marked_packets", marked);
        report.put("gaps", gaps);
        report.put("dropped_packets", drops);
    }
}
