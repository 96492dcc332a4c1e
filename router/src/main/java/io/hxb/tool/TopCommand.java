package io.hxb.tool;

import io.hxb.config.Dimensions;
import io.hxb.counter.CounterLabels;
import io.hxb.counter.CounterReader;
import io.hxb.counter.CounterType;
import io.hxb.tool.option.ClusterOptions;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.TextTable;
import io.hxb.tool.report.UsageException;
import io.hxb.trunk.event.LinkReason;

import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** {@code hxb top}: what goes on in the nodes of this machine, live. Picocli makes it. */
@Command(
        name = "top",
        mixinStandardHelpOptions = true,
        header = "Shows what the nodes of this machine do now.",
        description =
                "Shows what the nodes of this machine do now: rates and state of every link,"
                        + " failures, detours. Ends with Ctrl-C.")
final class TopCommand implements Callable<Integer> {
    private static final String HOME_AND_CLEAR = "\u001b[H\u001b[2J";

    @Mixin private ClusterOptions cluster;

    @Mixin private Output output;

    @Option(
            names = "--interval",
            paramLabel = "S",
            defaultValue = "1",
            description = "seconds between two refreshes, 0.1 or more (default 1)")
    private double intervalSeconds;

    @Option(
            names = "--count",
            paramLabel = "N",
            defaultValue = "0",
            description = "stop after N refreshes (default: go on)")
    private int count;

    @Parameters(
            arity = "0..*",
            paramLabel = "FILE",
            description = "counter files (default: all nodes of the cluster)")
    private List<Path> files = List.of();

    private final Map<Path, NodeView> views = new HashMap<>();

    /** Picocli makes it. */
    TopCommand() {}

    @Override
    public Integer call() throws IOException {
        if (intervalSeconds < 0.1 || count < 0) {
            throw new UsageException("--interval must be 0.1 or more, --count 0 or more");
        }
        // The first look only gives the values that the second is compared with.
        look();
        for (int round = 0; count == 0 || round < count; round++) {
            pause();
            final List<Map<String, Object>> nodes = look();
            final Map<String, Object> report = new LinkedHashMap<>();
            report.put("ok", true);
            report.put("time_ms", System.currentTimeMillis());
            report.put("nodes", nodes);
            output.text().print(text(nodes));
            output.report(report);
        }
        return Hxb.OK;
    }

    private List<Map<String, Object>> look() throws IOException {
        final List<Map<String, Object>> nodes = new ArrayList<>();
        for (final Path file : files.isEmpty() ? StatCommand.files(cluster.config()) : files) {
            try (CounterReader reader = CounterReader.open(file)) {
                nodes.add(
                        views.computeIfAbsent(file, key -> new NodeView())
                                .look(reader, System.nanoTime()));
            }
        }
        return nodes;
    }

    private void pause() {
        final long untilNs = System.nanoTime() + (long) (intervalSeconds * 1e9);
        while (untilNs - System.nanoTime() > 0) {
            LockSupport.parkNanos(untilNs - System.nanoTime());
        }
    }

    private static String text(final List<Map<String, Object>> nodes) {
        final StringBuilder text = new StringBuilder();
        if (Help.Ansi.AUTO.enabled()) {
            text.append(HOME_AND_CLEAR);
        }
        for (final Map<String, Object> node : nodes) {
            text.append("node " + node.get("node"))
                    .append(" (" + node.get("coordinates") + ") " + node.get("state"))
                    .append(": messages out " + node.get("sent_messages_per_s"))
                    .append("/s, in " + node.get("delivered_messages_per_s"))
                    .append("/s; frames relayed " + node.get("relayed_frames_per_s"))
                    .append("/s, sent again " + node.get("resent_frames_per_s"))
                    .append("/s, on detours " + node.get("detoured_frames_per_s"))
                    .append("/s; destinations in trouble " + node.get("troubled_destinations"))
                    .append('\n');
            text.append(links(node)).append('\n');
        }
        return text.toString();
    }

    @SuppressWarnings("unchecked")
    private static TextTable links(final Map<String, Object> node) {
        final TextTable table =
                new TextTable(
                        "link",
                        "nic",
                        "state",
                        "weight %",
                        "in f/s",
                        "in MB/s",
                        "out f/s",
                        "out MB/s",
                        "failures",
                        "recoveries",
                        "last reason");
        for (final Map<String, Object> link : (List<Map<String, Object>>) node.get("links")) {
            table.row(
                    link.get("link"),
                    link.get("nic"),
                    link.get("state"),
                    link.get("weight_percent"),
                    link.get("in_frames_per_s"),
                    link.get("in_mb_per_s"),
                    link.get("out_frames_per_s"),
                    link.get("out_mb_per_s"),
                    link.get("failures"),
                    link.get("recoveries"),
                    link.get("last_reason"));
        }
        return table;
    }

    /** What one node has counted, and what of it is new since the last look. */
    private static final class NodeView {
        private Map<String, Long> last = Map.of();
        private long lastNs;

        private Map<String, Object> look(final CounterReader reader, final long nowNs) {
            final double seconds = Math.max(1, nowNs - lastNs) / 1e9;
            final Values values = new Values(reader, last, seconds);
            final CounterLabels labels = reader.labels();
            final Map<String, Object> node = new LinkedHashMap<>();
            node.put("cluster", labels.clusterName());
            node.put("node", labels.node());
            node.put("coordinates", StatCommand.coordinates(labels));
            node.put("state", StatCommand.state(reader));
            node.put("sent_messages_per_s", values.rate(CounterType.FLOW_SENT_MESSAGES, 0));
            node.put(
                    "delivered_messages_per_s",
                    values.rate(CounterType.FLOW_DELIVERED_MESSAGES, 0));
            node.put("relayed_frames_per_s", values.rate(CounterType.FORWARD_RELAYED_FRAMES, 0));
            node.put("resent_frames_per_s", values.rate(CounterType.FLOW_RESENT_FRAMES, 0));
            node.put("detoured_frames_per_s", values.rate(CounterType.FLOW_DETOURED_FRAMES, 0));
            node.put("silent_routes", values.now(CounterType.FLOW_SILENT_ROUTES_EVENTS, 0));
            node.put("broken_hops", values.now(CounterType.FLOW_BROKEN_HOPS_EVENTS, 0));
            node.put(
                    "troubled_destinations", values.now(CounterType.FLOW_TROUBLED_DESTINATIONS, 0));
            final List<Map<String, Object>> links = new ArrayList<>();
            for (int i = 0; i < labels.links().size(); i++) {
                links.add(link(labels.links().get(i), i, values));
            }
            node.put("links", links);
            last = values.now;
            lastNs = nowNs;
            return node;
        }

        private static Map<String, Object> link(
                final CounterLabels.LinkLabel label, final int i, final Values values) {
            final Map<String, Object> link = new LinkedHashMap<>();
            link.put("link", Dimensions.name(label.dimension()) + "." + label.number());
            link.put("nic", label.name());
            link.put("state", state(values, i));
            link.put("weight_percent", values.now(CounterType.LINK_WEIGHT_PERCENT, i));
            link.put("in_frames_per_s", values.rate(CounterType.LINK_RECEIVED_FRAMES, i));
            link.put("in_mb_per_s", values.megabytes(CounterType.LINK_RECEIVED_BYTES, i));
            link.put("out_frames_per_s", values.rate(CounterType.LINK_SENT_FRAMES, i));
            link.put("out_mb_per_s", values.megabytes(CounterType.LINK_SENT_BYTES, i));
            link.put("failures", values.now(CounterType.LINK_EXCLUDED_EVENTS, i));
            link.put("recoveries", values.now(CounterType.LINK_RECOVERED_EVENTS, i));
            link.put("last_reason", LinkReason.textOf(values.now(CounterType.LINK_REASON_CODE, i)));
            return link;
        }

        private static String state(final Values values, final int link) {
            return LinkTraffic.state(
                    values.now(CounterType.LINK_UP_STATE, link) == 1,
                    values.now(CounterType.LINK_FAILED_NODES, link));
        }
    }

    /** The values of one look beside those of the one before. */
    private static final class Values {
        private final Map<String, Long> now = new HashMap<>();
        private final Map<String, Long> before;
        private final double seconds;

        Values(final CounterReader reader, final Map<String, Long> before, final double seconds) {
            this.before = before;
            this.seconds = seconds;
            reader.samples()
                    .forEach(
                            sample ->
                                    now.put(
                                            sample.name() + "." + sample.instance(),
                                            sample.value()));
        }

        private long now(final CounterType type, final int instance) {
            return now.getOrDefault(type.exportName() + "." + instance, 0L);
        }

        private double perSecond(final CounterType type, final int instance) {
            final long earlier = before.getOrDefault(type.exportName() + "." + instance, 0L);
            return Math.max(0, now(type, instance) - earlier) / seconds;
        }

        private long rate(final CounterType type, final int instance) {
            return Math.round(perSecond(type, instance));
        }

        private double megabytes(final CounterType type, final int instance) {
            return Math.round(perSecond(type, instance) / 1e4) / 100.0;
        }
    }
}
