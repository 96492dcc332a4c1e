package io.hxb.tool.plan.routes;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.analysis.ChannelLoads;
import io.hxb.fabric.plan.RoutingAlgorithm;
import io.hxb.fabric.traffic.TrafficMatrix;
import io.hxb.tool.option.GraphOptions;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.TextTable;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

/** {@code hxb plan compare}: all algorithms on one graph. Picocli makes it. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        description = "Compare routing algorithms on one network of switches.")
public final class CompareCommand implements Callable<Integer> {
    @Mixin private GraphOptions graphs;
    @Mixin private RoutingOption routing;
    @Mixin private TrafficOption traffic;
    @Mixin private Output output;

    @Option(
            names = "--algorithms",
            split = ",",
            paramLabel = "NAME",
            description =
                    "compare only these, separated by commas (default: all that suit the "
                            + "graph)")
    private List<String> names;

    /** Picocli makes it. */
    public CompareCommand() {}

    @Override
    public Integer call() throws IOException {
        final List<RoutingAlgorithm> algorithms =
                names == null
                        ? List.of(RoutingAlgorithm.values())
                        : UsageException.check(
                                () -> names.stream().map(RoutingAlgorithm::of).toList());
        routing.options();
        final SwitchGraph graph = graphs.read();
        final Map<String, TrafficMatrix> matrices = traffic.read(graph);
        output.text().println(graph);
        final List<String> heading =
                new ArrayList<>(
                        List.of(
                                "algorithm",
                                "selection",
                                "vcs",
                                "links",
                                "max",
                                "paths dev",
                                "paths max"));
        heading.addAll(matrices.keySet());
        heading.addAll(List.of("deadlock", "ms"));
        final TextTable table = new TextTable(heading.toArray(String[]::new));
        final List<Map<String, Object>> results = new ArrayList<>();
        final Map<String, String> unsuited = new LinkedHashMap<>();
        for (final RoutingAlgorithm algorithm : algorithms) {
            try {
                final RouteRun run = RouteRun.of(graph, algorithm, routing);
                results.add(addRow(table, run, matrices));
            } catch (final GraphException | UsageException e) {
                unsuited.put(algorithm.routingName(), e.getMessage());
            }
        }
        output.text().print(table);
        unsuited.forEach((name, reason) -> output.text().println(name + " left out: " + reason));
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", !results.isEmpty());
        report.put("switches", graph.switchCount());
        report.put("links", graph.linkCount());
        report.put("hosts", graph.hostCount());
        report.put("algorithms", results);
        report.put("left_out", unsuited);
        output.report(report);
        return results.isEmpty() ? 1 : 0;
    }

    private static Map<String, Object> addRow(
            final TextTable table, final RouteRun run, final Map<String, TrafficMatrix> matrices) {
        final List<Object> row = new ArrayList<>();
        row.add(run.routing().name());
        row.add(run.selection());
        row.add(run.routing().virtualChannels());
        row.add(String.format(Locale.ROOT, "%.3f", run.hops().avgLinks()));
        row.add(run.hops().maxLinks());
        row.add(String.format(Locale.ROOT, "%.1f", run.paths().deviation()));
        row.add((long) run.paths().max());
        final Map<String, Object> estimates = new LinkedHashMap<>();
        matrices.forEach(
                (name, matrix) -> {
                    final ChannelLoads loads = TrafficOption.loads(run.routes(), matrix);
                    estimates.put(name, TrafficOption.fields(run.routes().graph(), loads));
                    row.add(String.format(Locale.ROOT, "%.3f", loads.throughput()));
                });
        row.add(run.verification().isOk() ? "never" : "POSSIBLE");
        row.add(String.format(Locale.ROOT, "%.1f", run.seconds() * 1e3));
        table.row(row.toArray());
        final Map<String, Object> fields = run.fields();
        fields.put("traffic", estimates);
        return fields;
    }
}
