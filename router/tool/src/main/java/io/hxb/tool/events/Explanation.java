package io.hxb.tool.events;

import io.hxb.recorder.EventEntry;
import io.hxb.recorder.RecordedEvent;
import io.hxb.recorder.Severity;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What happened around a moment, for one screen: the first cause, then everything in order of time,
 * the same of one node in one line. Immutable.
 *
 * @param moment around which.
 * @param reach time before and after it that is looked at.
 * @param events what happened then, in order of time.
 */
public record Explanation(Instant moment, Duration reach, List<NodeEvent> events) {
    private static final int MAX_LINES = 20;
    private static final long MINOR_NS = 100_000_000L;
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT);

    /** Copies the list. */
    public Explanation {
        events = List.copyOf(events);
    }

    /** Of all events, those around the moment. */
    public static Explanation of(
            final Instant moment, final Duration reach, final List<NodeEvent> all) {
        final Instant first = moment.minus(reach);
        final Instant last = moment.plus(reach);
        return new Explanation(
                moment,
                reach,
                all.stream()
                        .filter(
                                event ->
                                        !event.time().isBefore(first)
                                                && !event.time().isAfter(last))
                        .toList());
    }

    /** Events of one kind at one node. */
    private record Line(NodeEvent first, int count, NodeEvent last) {
        Line and(final NodeEvent next) {
            return new Line(first, count + 1, next);
        }

        String text() {
            final String more =
                    count == 1 ? "" : " (and " + (count - 1) + " more until " + time(last) + ")";
            return String.format(
                    Locale.ROOT,
                    "%s  node %d  %-7s  %s%s",
                    time(first),
                    first.labels().node(),
                    first.entry().severity(),
                    first.entry().sentence(),
                    more);
        }
    }

    private static String time(final NodeEvent event) {
        return time(event.time());
    }

    private static String time(final Instant instant) {
        return TIME.format(LocalDateTime.ofInstant(instant, ZoneId.systemDefault()));
    }

    /**
     * The event that most likely caused the others: the one that began first of those that can be a
     * cause. What shows only after a silence, or after a delay, began that much earlier.
     */
    public Optional<NodeEvent> cause() {
        return first(events.stream().filter(event -> !isMinor(event.entry())))
                .or(() -> first(events.stream()));
    }

    private static Optional<NodeEvent> first(final Stream<NodeEvent> candidates) {
        return candidates
                .filter(event -> isCause(event.entry()))
                .min(Comparator.comparingLong(event -> beganNs(event.entry())));
    }

    // On a busy machine loops are late all the time, and links survive that.
    private static boolean isMinor(final EventEntry entry) {
        return (entry.event() == RecordedEvent.TURN_LATE
                        || entry.event() == RecordedEvent.WAKE_UP_LATE)
                && entry.wallNs() - beganNs(entry) < MINOR_NS;
    }

    private static boolean isCause(final EventEntry entry) {
        return entry.event() == RecordedEvent.NODE_ENDING
                || entry.event() == RecordedEvent.NODE_STARTED
                || entry.event() == RecordedEvent.LINK_MTU_CHANGED
                || entry.severity() != Severity.INFO;
    }

    private static long beganNs(final EventEntry entry) {
        final Map<String, Object> arguments = entry.report();
        long lengthNs = 0;
        for (final String name :
                List.of("silence_ns", "duration_ns", "late_ns", "stall_ns", "timeout_ns")) {
            lengthNs = arguments.get(name) instanceof Long value ? value : lengthNs;
        }
        return entry.wallNs() - lengthNs;
    }

    /** What can be done about a cause; empty where its sentence has it. */
    static String advice(final RecordedEvent event) {
        return switch (event) {
            case null -> "";
            case LINK_SILENT, LINK_LOSSY, LINK_REPORTED, LINK_HELLOS_MISSED, LINK_NEVER_HEARD ->
                    "check the cable and the switch port of that link, at both ends";
            case LINK_DOWN, LINK_NO_CARRIER -> "check the cable, and that the NIC is up";
            case LINK_SEND_ERRORS, NIC_REFUSED -> "check the driver and MTU of the NIC";
            case LINK_UNANSWERED, TRUNK_LOST, PEER_UNREACHABLE, CUT_OFF ->
                    "look at that node: hxb events there, and whether it runs and has power";
            case RUN_LOST -> "look at the log of the node before this time, and at dmesg";
            case TURN_LATE, WAKE_UP_LATE, COPY_LATE, KERNEL_DROPPED ->
                    "the machine had no CPU for the node: see docs/troubleshooting.md";
            case POOL_EMPTY ->
                    "programs that do not release messages hold the buffers, or pool.buffers is"
                            + " too small";
            case SEALS_WRONG, SEALS_MISSING -> "compare hxb key show on all nodes";
            case MISCONFIGURED -> "hxb doctor names the ports";
            default -> "";
        };
    }

    /** The explanation for people. */
    public String text() {
        final StringBuilder text = new StringBuilder();
        final String span = time(moment.minus(reach)) + " to " + time(moment.plus(reach));
        if (events.isEmpty()) {
            return "nothing was recorded from " + span + "\n";
        }
        final Optional<NodeEvent> cause = cause();
        text.append("from ").append(span).append(":\n");
        if (cause.isEmpty()) {
            text.append("nothing went wrong\n");
        } else {
            text.append("first cause: ")
                    .append(new Line(cause.get(), 1, cause.get()).text())
                    .append('\n');
            final String advice = advice(cause.get().entry().event());
            text.append(advice.isEmpty() ? "" : "  -> " + advice + "\n");
        }
        text.append('\n');
        final List<Line> lines = lines();
        lines.stream().limit(MAX_LINES).forEach(line -> text.append(line.text()).append('\n'));
        if (lines.size() > MAX_LINES) {
            text.append("and ")
                    .append(lines.size() - MAX_LINES)
                    .append(" more lines: hxb events shows them all\n");
        }
        return text.toString();
    }

    private List<Line> lines() {
        final Map<List<Object>, Line> lines = new LinkedHashMap<>();
        for (final NodeEvent event : events) {
            lines.merge(
                    List.of(event.labels().node(), event.entry().id()),
                    new Line(event, 1, event),
                    (line, next) -> line.and(next.first));
        }
        return new ArrayList<>(lines.values());
    }

    /**
     * The explanation as JSON has it.
     *
     * @param isWhole whether the events of all nodes could be read.
     */
    public Map<String, Object> report(final boolean isWhole) {
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", isWhole);
        report.put("from", moment.minus(reach).toString());
        report.put("to", moment.plus(reach).toString());
        report.put("cause", cause().map(NodeEvent::report).orElse(null));
        report.put("events", events.stream().map(NodeEvent::report).toList());
        return report;
    }
}
