package io.hxb.recorder;

import static io.hxb.recorder.Severity.ERROR;
import static io.hxb.recorder.Severity.INFO;
import static io.hxb.recorder.Severity.WARNING;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Every event that a node records. The documentation table is made from this enum. Immutable.
 *
 * <p>An id, once given, keeps its meaning and the order of its arguments: new events get new ids. A
 * sentence names its arguments as {@code {KIND name}}, of which there are at most four.
 */
public enum RecordedEvent {
    NODE_STARTED(
            1,
            INFO,
            "the node starts: process {NUMBER process}, configuration {HASH configuration}"),
    NODE_ENDING(2, INFO, "the node ends: {CAUSE cause}"),
    NODE_STOPPED(3, INFO, "the node has stopped in order"),
    RUN_LOST(
            4,
            ERROR,
            "the run before, process {NUMBER process}, has not stopped in order: it crashed or was"
                    + " killed"),
    LINK_UP(5, INFO, "link {LINK link} is up, with frames of {NUMBER mtu_bytes} bytes"),
    LINK_DOWN(6, WARNING, "link {LINK link} is down: the NIC is down, gone or without a carrier"),
    LINK_MTU_CHANGED(
            7,
            INFO,
            "link {LINK link} carries frames of {NUMBER mtu_bytes} bytes, before"
                    + " {NUMBER before_bytes}"),
    LINK_FOUND(8, INFO, "link {LINK link} reaches node {NUMBER node}"),
    LINK_SILENT(
            9,
            WARNING,
            "link {LINK link} to node {NUMBER node} excluded: nothing arrived for {DURATION"
                    + " silence} while other links carried frames"),
    LINK_LOSSY(
            10,
            WARNING,
            "link {LINK link} to node {NUMBER node} excluded: it loses {PERCENT lost} % of its"
                    + " frames"),
    LINK_NO_CARRIER(
            11,
            WARNING,
            "link {LINK link} to node {NUMBER node} excluded: the NIC is down, gone or without a"
                    + " carrier"),
    LINK_SEND_ERRORS(
            12, WARNING, "link {LINK link} to node {NUMBER node} excluded: the NIC refuses frames"),
    LINK_REPORTED(
            13,
            WARNING,
            "link {LINK link} to node {NUMBER node} excluded: that node hears nothing there"),
    LINK_UNANSWERED(
            14,
            WARNING,
            "link {LINK link} to node {NUMBER node} excluded: that node answers on no link; nothing"
                    + " arrived there for {DURATION silence}"),
    LINK_HELLOS_MISSED(
            15,
            WARNING,
            "link {LINK link} to node {NUMBER node} excluded: no hello frames arrive; nothing"
                    + " arrived there for {DURATION silence}"),
    LINK_NEVER_HEARD(
            16,
            WARNING,
            "link {LINK link} to node {NUMBER node} excluded: that node is heard on other links and"
                    + " never was there"),
    LINK_RECOVERED(
            17,
            INFO,
            "link {LINK link} to node {NUMBER node} is used again, after {DURATION excluded}"),
    TRUNK_LOST(
            18,
            ERROR,
            "no link of dimension {DIMENSION dimension} reaches node {NUMBER node}: its frames take"
                    + " other paths"),
    NEIGHBOUR_RESTARTED(19, WARNING, "node {NUMBER node}, a neighbour, has started again"),
    DETOUR_USED(
            20,
            WARNING,
            "frames to node {NUMBER node} take another route than the configured ones"),
    ROUTE_RETURNED(21, INFO, "frames to node {NUMBER node} take the configured routes again"),
    CUT_OFF(22, ERROR, "no route to node {NUMBER node} is left"),
    RETRANSMISSION_TIMED_OUT(
            23,
            WARNING,
            "context {NUMBER context} heard nothing of node {NUMBER node} for {DURATION timeout}:"
                    + " {NUMBER frames} frames count as lost"),
    WINDOW_STALLED(
            24,
            WARNING,
            "messages of context {NUMBER context} to context {NUMBER peer_context} of node"
                    + " {NUMBER node} waited {DURATION stall} for its window"),
    PEER_UNREACHABLE(
            25,
            ERROR,
            "context {NUMBER context} has given up context {NUMBER peer_context} of node"
                    + " {NUMBER node}: it cannot be reached"),
    TURN_LATE(
            26,
            WARNING,
            "a turn of the loop took {DURATION duration}, in which nothing was received; it did"
                    + " {NUMBER work} pieces of work"),
    WAKE_UP_LATE(27, WARNING, "the loop woke up {DURATION late} too late"),
    POOL_EMPTY(28, WARNING, "no receive buffer was free, {NUMBER times} times"),
    KERNEL_DROPPED(
            29,
            WARNING,
            "the kernel dropped {NUMBER frames} frames of link {LINK link}, which were not read in"
                    + " time"),
    NIC_REFUSED(30, WARNING, "the NIC refused {NUMBER frames} frames of link {LINK link}"),
    LOOP_FAILED(31, ERROR, "the loops survived {NUMBER errors} errors, which the log describes"),
    CONTEXT_OPENED(32, INFO, "context {NUMBER context} is open"),
    CONTEXT_CLOSED(33, INFO, "context {NUMBER context} is closed by its program"),
    CONTEXT_DEAD(
            34,
            WARNING,
            "context {NUMBER context} is closed: its program ended without closing it"),
    CONTEXT_INVALID(
            35,
            ERROR,
            "context {NUMBER context} is closed: its program wrote invalid values into shared"
                    + " memory"),
    ATTACH_REFUSED(
            36,
            WARNING,
            "{NUMBER programs} programs could not attach because of their user, group or version"),
    CONTEXT_REFUSED(
            37, WARNING, "{NUMBER contexts} contexts refused: too many, or the number was taken"),
    LIMIT_REACHED(
            38,
            WARNING,
            "{NUMBER times} requests refused because of a limit of users or tenants:"
                    + " {RESOURCE resource}"),
    FLOWS_REFUSED(
            39, WARNING, "{NUMBER flows} flows refused: the node, a context or a user had enough"),
    FLOWS_NOT_ALLOWED(40, WARNING, "{NUMBER flows} flows refused: their tenants may not talk"),
    SESSIONS_BEGUN(41, INFO, "{NUMBER sessions} sessions with other nodes began"),
    SEALS_WRONG(
            42, WARNING, "{NUMBER frames} frames dropped whose seal is wrong, or of another key"),
    SEALS_MISSING(43, WARNING, "{NUMBER frames} frames dropped that have no seal"),
    MISCONFIGURED(44, WARNING, "noticed {NUMBER times} times: {FINDING finding}"),
    COPY_FAILED(45, WARNING, "counters and events could not be written: errno {NUMBER errno}"),
    COPY_LATE(
            46,
            WARNING,
            "counters and events were written {DURATION late} late: disk or CPUs were busy"),
    CLOCK_STEPPED(
            47,
            WARNING,
            "the clock moved by {DURATION step}: somebody set it, or the machine was suspended"),
    EVENTS_LEFT_OUT(
            48,
            INFO,
            "{NUMBER events} more events left out, because there were so many: {EVENT event}"),
    EVENTS_LOST(
            49, WARNING, "{NUMBER events} events lost, because the memory of the loop was full");

    private static final Pattern PLACE = Pattern.compile("\\{([A-Z]+) ([a-z_]+)\\}");
    private static final RecordedEvent[] BY_ID = new RecordedEvent[values().length + 1];

    static {
        for (final RecordedEvent event : values()) {
            BY_ID[event.id] = event;
        }
    }

    private final int id;
    private final Severity severity;
    private final String sentence;

    RecordedEvent(final int id, final Severity severity, final String sentence) {
        this.id = id;
        this.severity = severity;
        this.sentence = sentence;
    }

    /** Number of the event in the file, from 1 without gaps. */
    public int id() {
        return id;
    }

    /** How bad it is. */
    public Severity severity() {
        return severity;
    }

    /** The event as one word, for options and programs: {@code link-silent}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Number of its arguments, 0 to 4. */
    int argumentCount() {
        return (int) PLACE.matcher(sentence).results().count();
    }

    /** The event with that id; null when this version knows none. */
    public static RecordedEvent ofId(final int id) {
        return id > 0 && id < BY_ID.length ? BY_ID[id] : null;
    }

    /** The argument that stands for a link: {@code x.1} has dimension 0 and number 1. */
    public static long link(final int dimension, final int number) {
        return (long) dimension << 8 | number;
    }

    /** What has happened, in words. */
    String text(final long[] values) {
        final StringBuilder text = new StringBuilder();
        final Matcher place = PLACE.matcher(sentence);
        for (int i = 0; place.find(); i++) {
            final EventArgument argument = EventArgument.valueOf(place.group(1));
            place.appendReplacement(text, Matcher.quoteReplacement(argument.text(values[i])));
        }
        return place.appendTail(text).toString();
    }

    /** The arguments by name, as JSON has them. */
    Map<String, Object> report(final long[] values) {
        final Map<String, Object> report = new LinkedHashMap<>();
        final Matcher place = PLACE.matcher(sentence);
        for (int i = 0; place.find(); i++) {
            final EventArgument argument = EventArgument.valueOf(place.group(1));
            report.put(place.group(2) + argument.suffix(), argument.json(values[i]));
        }
        return report;
    }

    /** The table of all events, in Markdown. */
    public static String documentation() {
        final StringBuilder text =
                new StringBuilder(
                        """
                        # Events

                        This page is made from `RecordedEvent`, and a test compares them. A node records what happens
                        to it in the file `CLUSTER-NODE.events`, next to its counters. `hxb events` shows the last
                        events, also of a dead node; see [observing nodes](../howto/observe.md).

                        The file has room for 4092 events, of which new ones replace the oldest. Of each event a loop
                        records 32 at once, and then one every 10 s; the number of those left out is recorded as
                        `events-left-out`. So what others cause again and again does not replace the rest. A node
                        that starts again continues the file.

                        | id | event | severity | sentence |
                        | ---: | --- | --- | --- |
                        """);
        for (final RecordedEvent event : values()) {
            text.append(
                    String.format(
                            Locale.ROOT,
                            "| %d | `%s` | %s | %s |%n",
                            event.id,
                            event.word(),
                            event.severity,
                            PLACE.matcher(event.sentence).replaceAll("*$2*")));
        }
        return text.toString();
    }

    /** All of a kind that is named, for options: its word, or the beginning of it and a star. */
    public static List<RecordedEvent> named(final String text) {
        final String start = text.endsWith("*") ? text.substring(0, text.length() - 1) : null;
        return Arrays.stream(values())
                .filter(
                        event ->
                                start == null
                                        ? event.word().equals(text)
                                        : event.word().startsWith(start))
                .toList();
    }
}
