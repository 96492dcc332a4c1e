package io.hxb.tool.events;

import io.hxb.recorder.EventEntry;
import io.hxb.recorder.EventLabels;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * An event and the node that it happened to. Immutable.
 *
 * @param labels the node.
 * @param entry the event.
 */
public record NodeEvent(EventLabels labels, EventEntry entry) {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS", Locale.ROOT);
    private static final long SECOND_NS = 1_000_000_000L;

    /** When it happened. */
    public Instant time() {
        return Instant.ofEpochSecond(
                Math.floorDiv(entry.wallNs(), SECOND_NS), Math.floorMod(entry.wallNs(), SECOND_NS));
    }

    /** The event in one line for people, with the time of this machine's zone. */
    public String line() {
        return String.format(
                Locale.ROOT,
                "%s  node %d  %-7s  %s",
                TIME.format(LocalDateTime.ofInstant(time(), ZoneId.systemDefault())),
                labels.node(),
                entry.severity(),
                entry.sentence());
    }

    /** The event as JSON has it. */
    public Map<String, Object> report() {
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", true);
        report.put("type", "event");
        report.put("time", time().toString());
        report.put("time_ns", entry.wallNs());
        report.put("cluster", labels.clusterName());
        report.put("node", labels.node());
        report.put("sequence", entry.sequence());
        report.put("severity", entry.severity().toString());
        report.put("event", entry.word());
        report.put("loop", entry.writer());
        report.put("text", entry.sentence());
        report.put("arguments", entry.report());
        return report;
    }
}
