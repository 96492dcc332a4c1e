package io.hxb.tool;

import io.hxb.config.ClusterConfig;
import io.hxb.config.Dimensions;
import io.hxb.counter.CounterKind;
import io.hxb.counter.CounterLabels;
import io.hxb.counter.CounterReader;
import io.hxb.counter.CounterSample;
import io.hxb.counter.CounterScope;
import io.hxb.tool.option.ClusterOptions;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.TextTable;
import io.hxb.tool.report.ToolException;
import io.hxb.topology.Shape;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** {@code hxb stat}: counters of nodes, alive or dead. Picocli makes it. */
@Command(
        name = "stat",
        mixinStandardHelpOptions = true,
        header = "Shows the counters of the nodes of this machine.",
        description =
                "Shows the counters of the nodes of this machine, from their files; also of a dead"
                        + " node.")
final class StatCommand implements Callable<Integer> {
    @Mixin private ClusterOptions cluster;
    @Mixin private Output output;

    @Option(names = "--zero", description = "also counters that are 0")
    private boolean isZero;

    @Option(
            names = "--links",
            description = "only the traffic of each link; with --watch what goes over it now")
    private boolean isLinks;

    @Option(
            names = "--watch",
            paramLabel = "S",
            description = "again every S seconds, with rates, until Ctrl-C")
    private double watchSeconds;

    @Option(
            names = "--times",
            paramLabel = "N",
            defaultValue = "0",
            description = "with --watch: stop after N times")
    private int times;

    @Parameters(
            arity = "0..*",
            paramLabel = "FILE",
            description = "counter files (default: all nodes of the cluster)")
    private List<Path> files = List.of();

    private final Map<Path, LinkTraffic> traffic = new HashMap<>();

    /** Picocli makes it. */
    StatCommand() {}

    @Override
    public Integer call() throws IOException {
        final List<Path> chosen = files.isEmpty() ? files(cluster.config()) : files;
        final Map<Path, Map<String, Long>> last = new HashMap<>();
        List<Map<String, Object>> nodes = List.of();
        for (int round = 0;
                round == 0 || (watchSeconds > 0 && (times == 0 || round < times));
                round++) {
            if (round > 0) {
                pause();
            }
            nodes = new ArrayList<>();
            for (final Path file : chosen) {
                nodes.add(
                        show(file, last.computeIfAbsent(file, key -> new HashMap<>()), round > 0));
            }
        }
        final boolean isOk = nodes.stream().noneMatch(node -> "dead".equals(node.get("state")));
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", isOk);
        report.put("nodes", nodes);
        output.report(report);
        return Hxb.OK;
    }

    /** The counter files of a cluster's nodes that have run on this machine, at least one. */
    static List<Path> files(final ClusterConfig config) {
        final List<Path> found = new ArrayList<>();
        for (int node = 0; node < config.shape().nodeCount(); node++) {
            if (Files.exists(config.countersPath(node))) {
                found.add(config.countersPath(node));
            }
        }
        if (found.isEmpty()) {
            throw new ToolException(
                    "no node of cluster "
                            + config.name()
                            + " has run here: there is no file such as "
                            + config.countersPath(0));
        }
        return found;
    }

    private void pause() {
        final long untilNs = System.nanoTime() + (long) (watchSeconds * 1e9);
        while (untilNs - System.nanoTime() > 0) {
            LockSupport.parkNanos(untilNs - System.nanoTime());
        }
    }

    private Map<String, Object> show(
            final Path file, final Map<String, Long> last, final boolean hasLast)
            throws IOException {
        try (CounterReader reader = CounterReader.open(file)) {
            final CounterLabels labels = reader.labels();
            final String state = state(reader);
            output.text()
                    .printf(
                            "cluster %s node %d (%s) %s, pid %d%n",
                            labels.clusterName(),
                            labels.node(),
                            coordinates(labels),
                            state,
                            reader.pid());
            final Map<String, Object> values = new LinkedHashMap<>();
            if (isLinks) {
                final LinkTraffic links = traffic.computeIfAbsent(file, key -> new LinkTraffic());
                output.text().print(links.table(reader, System.nanoTime()));
            }
            final TextTable table =
                    hasLast
                            ? new TextTable("counter", "value", "a second")
                            : new TextTable("counter", "value");
            for (final CounterSample sample : reader.samples()) {
                final String name = name(sample, labels);
                values.put(name, sample.value());
                final Long before = last.put(name, sample.value());
                if (sample.value() == 0 && !isZero) {
                    continue;
                }
                if (hasLast) {
                    table.row(name, sample.value(), rate(sample, before));
                } else {
                    table.row(name, sample.value());
                }
            }
            if (!isLinks) {
                output.text().print(table);
            }
            final List<String> findings = reader.findings();
            findings.forEach(finding -> output.text().println("finding: " + finding));
            output.text().println();
            final Map<String, Object> report = new LinkedHashMap<>();
            report.put("cluster", labels.clusterName());
            report.put("node", labels.node());
            report.put("coordinates", coordinates(labels));
            report.put("state", state);
            report.put("pid", reader.pid());
            report.put("start_ms", reader.startMs());
            report.put("findings", findings);
            report.put("counters", values);
            return report;
        }
    }

    private String rate(final CounterSample sample, final Long before) {
        return sample.kind() == CounterKind.LEVEL || before == null
                ? ""
                : Long.toString(Math.round((sample.value() - before) / watchSeconds));
    }

    /** Whether the node runs, in a word. */
    static String state(final CounterReader reader) {
        if (reader.isClosed()) {
            return "stopped";
        }
        return reader.isAlive(System.currentTimeMillis()) ? "running" : "dead";
    }

    /** The counter with its label as Prometheus writes it. */
    static String name(final CounterSample sample, final CounterLabels labels) {
        if (sample.scope() == CounterScope.LINK) {
            final CounterLabels.LinkLabel link = labels.links().get(sample.instance());
            final String label = Dimensions.name(link.dimension()) + "." + link.number();
            return sample.name() + "{link=\"" + label + "\"}";
        }
        return sample.scope() == CounterScope.DIMENSION
                ? sample.name() + "{dimension=\"" + Dimensions.name(sample.instance()) + "\"}"
                : sample.name();
    }

    /** The node's coordinates: {@code 1,0,2}. */
    static String coordinates(final CounterLabels labels) {
        final StringBuilder text = new StringBuilder();
        for (int dimension = 0; dimension < labels.dimensions(); dimension++) {
            text.append(dimension == 0 ? "" : ",")
                    .append(Shape.coordinate(labels.coordinates(), dimension));
        }
        return text.toString();
    }
}
