package io.hxb.tool.events;

import io.hxb.config.ClusterConfig;
import io.hxb.recorder.RecordedEvent;
import io.hxb.recorder.Severity;
import io.hxb.tool.option.ClusterFile;
import io.hxb.tool.option.NodeNames;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;

/** {@code hxb events}: what has happened to nodes, alive or dead. Picocli makes it. */
@Command(
        name = "events",
        mixinStandardHelpOptions = true,
        header = "Show what has happened to the nodes of this machine.",
        description =
                "Read the last events from the files of the nodes, also of a node that hangs or "
                        + "has died, and show them in order of time. The exit status is 1 when a "
                        + "file cannot be read.")
public final class EventsCommand implements Callable<Integer> {
    private static final long LOOK_NS = 200_000_000L;

    @Mixin private ClusterFile cluster;
    @Mixin private Output output;

    @Option(
            names = "--node",
            paramLabel = "NODE",
            split = ",",
            description =
                    "show only the events of these nodes: host names of the cluster file,"
                            + " coordinates such as 1-0-0, or ids; may be repeated")
    private List<String> nodes = List.of();

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description = "show only events that are no older than this, such as 5m (default: all)")
    private String since;

    @Option(
            names = "--type",
            paramLabel = "EVENT",
            split = ",",
            description =
                    "show only these events, such as link-silent or link-*;"
                            + " docs/reference/events.md has them all")
    private List<String> types = List.of();

    @Option(
            names = "--severity",
            paramLabel = "LEVEL",
            defaultValue = "info",
            description =
                    "show only events that are at least as severe: info, warning or error (default:"
                            + " ${DEFAULT-VALUE})")
    private Severity severity;

    @Option(
            names = {"-f", "--follow"},
            description = "wait for new events, and show them, until Ctrl-C")
    private boolean isFollowing;

    @Option(
            names = {"-c", "--count"},
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "show only the last N events, or with --follow stop after N; 0: all of them"
                            + " (default: ${DEFAULT-VALUE})")
    private int count;

    @Parameters(
            arity = "0..*",
            paramLabel = "FILE",
            description = "read these files (default: those of all nodes of the cluster)")
    private List<Path> files = List.of();

    private final Set<Integer> ids = new HashSet<>();
    private UnaryOperator<String> naming = UnaryOperator.identity();

    /** Picocli makes it. */
    EventsCommand() {}

    @Override
    public Integer call() {
        if (count < 0) {
            throw new UsageException("--count must be 0 or more: " + count);
        }
        final long firstNs =
                since == null ? Long.MIN_VALUE : nowNs() - Age.parseNs("--since", since);
        final Set<String> wanted = wantedTypes();
        final EventFiles source = source();
        int shown = 0;
        boolean isOk = true;
        for (boolean isFirst = true; isFirst || isFollowing; isFirst = false) {
            if (!isFirst) {
                LockSupport.parkNanos(LOOK_NS);
            }
            List<NodeEvent> events =
                    source.read().stream()
                            .filter(event -> isWanted(event, firstNs, wanted))
                            .toList();
            if (count > 0) {
                final int left = Math.min(count - shown, events.size());
                events =
                        isFollowing
                                ? events.subList(0, left)
                                : events.subList(events.size() - left, events.size());
            }
            events.forEach(this::show);
            shown += events.size();
            isOk = report(source.problems(), isFirst);
            if (count > 0 && shown >= count) {
                break;
            }
        }
        final Map<String, Object> summary = new LinkedHashMap<>();
        summary.put("ok", isOk);
        summary.put("type", "summary");
        summary.put("events", shown);
        output.report(summary);
        return ExitStatus.of(isOk);
    }

    private EventFiles source() {
        if (files.isEmpty()) {
            final ClusterConfig config = cluster.config();
            final NodeNames names = new NodeNames(config);
            nodes.forEach(node -> ids.add(UsageException.check("--node", () -> names.node(node))));
            naming = names::in;
            return new EventFiles(EventFiles.required(config));
        }
        cluster.requireNone();
        for (final String node : nodes) {
            if (!node.matches("\\d{1,9}")) {
                throw new UsageException(
                        "--node: beside FILE there is no cluster file with names; give an id: '"
                                + node
                                + "'");
            }
            ids.add(Integer.parseInt(node));
        }
        return new EventFiles(files);
    }

    private static long nowNs() {
        return TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
    }

    private Set<String> wantedTypes() {
        final Set<String> wanted = new HashSet<>();
        for (final String type : types) {
            final List<RecordedEvent> named = RecordedEvent.named(type.strip());
            if (named.isEmpty()) {
                throw new UsageException(
                        "--type '"
                                + type
                                + "' is no event; docs/reference/events.md has them all, such as"
                                + " link-silent, and link-* is every one that begins so");
            }
            named.forEach(event -> wanted.add(event.word()));
        }
        return wanted;
    }

    private boolean isWanted(final NodeEvent event, final long firstNs, final Set<String> wanted) {
        return event.entry().wallNs() >= firstNs
                && event.entry().severity().compareTo(severity) >= 0
                && (wanted.isEmpty() || wanted.contains(event.entry().word()))
                && (ids.isEmpty() || ids.contains(event.labels().node()));
    }

    private void show(final NodeEvent event) {
        output.text().println(naming.apply(event.line()));
        output.report(event.report());
    }

    private static boolean report(final List<String> problems, final boolean isFirst) {
        if (isFirst) {
            problems.forEach(problem -> System.err.println("hxb: " + problem));
        }
        return problems.isEmpty();
    }
}
