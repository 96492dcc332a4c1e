package io.hxb.tool.plan.routes;

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

/** {@code hxb plan routes}: routes by one algorithm. Picocli makes it. */
@Command(
        name = "routes",
        mixinStandardHelpOptions = true,
        header = "Compute routes that cannot deadlock.",
        description =
                "Compute the routes of a network of switches, prove that they cannot "
                        + "deadlock, and report their quality.")
public final class RoutesCommand implements Callable<Integer> {
    @Mixin private GraphOptions graphs;
    @Mixin private RoutingOption routing;
    @Mixin private TrafficOption traffic;
    @Mixin private Output output;

    @Option(
            names = "--algorithm",
            required = true,
            paramLabel = "NAME",
            description =
                    "route by one of: minimal updown-bfs updown-dfs l-turn-alpha l-turn-beta"
                        + " r-turn-alpha r-turn-beta dl-ud dl-mutual dl-ud-du multi-tree lash"
                        + " structured silla in-transit fat-tree dfsssp; on meshes and tori also"
                        + " dimension-order (e-cube) west-first north-last negative-first double-y"
                        + " opt-y dimension-reversal-static dimension-reversal-dynamic duato")
    private String algorithm;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description =
                    "write the result: .svg (picture, channels coloured by load), .dot, "
                            + ".json (graph and paths), .edges, .lfts (forwarding tables for "
                            + "opensm -R file -U FILE.lfts); may be repeated")
    private List<String> outputs = List.of();

    @Option(
            names = "--path",
            paramLabel = "FROM,TO",
            description =
                    "print the path between two switches, too, by number or name, as static tables"
                            + " have it; TO may be a host's name; may be repeated")
    private List<String> pairs = List.of();

    /** Picocli makes it. */
    public RoutesCommand() {}

    @Override
    public Integer call() throws IOException {
        final RoutingAlgorithm chosen = UsageException.check(() -> RoutingAlgorithm.of(algorithm));
        routing.options(chosen);
        RouteOutput.check(outputs, graphs.graph());
        final SwitchGraph graph = graphs.read();
        final Map<String, TrafficMatrix> matrices = traffic.read(graph);
        final RouteRun run = RouteRun.of(graph, chosen, routing);
        routing.check(run.routing());
        final StaticTables tables = run.tables(routing.options(graph));
        print(run, tables);
        final List<String> paths = new ArrayList<>();
        for (final String pair : pairs) {
            paths.addAll(RouteOutput.describe(tables.routes(), pair));
        }
        paths.forEach(output.text()::println);
        final Map<String, Object> estimates = new LinkedHashMap<>();
        ChannelLoads first = null;
        final TextTable table = new TextTable("traffic", "throughput", "max load", "busiest");
        for (final Map.Entry<String, TrafficMatrix> entry : matrices.entrySet()) {
            final ChannelLoads loads = TrafficOption.loads(run.routes(), entry.getValue());
            first = first == null ? loads : first;
            final Map<String, Object> fields = TrafficOption.fields(graph, loads);
            estimates.put(entry.getKey(), fields);
            table.row(
                    entry.getKey(),
                    number(fields.get("throughput")),
                    number(fields.get("max_load")),
                    fields.get("busiest"));
        }
        output.text().print(table);
        for (final String file : outputs) {
            RouteOutput.write(file, run, first, tables, estimates, graphs.graph());
            output.text().println("wrote " + file);
        }
        final boolean mayDeadlock = chosen == RoutingAlgorithm.MINIMAL;
        final boolean isOk =
                run.verification().isOk() || (mayDeadlock && run.verification().isConnected());
        final Map<String, Object> report = run.summary();
        report.put("tables", tables.fields());
        if (!paths.isEmpty()) {
            report.put("paths", paths);
        }
        report.put("ok", isOk);
        output.report(report);
        return isOk ? 0 : 1;
    }

    private static String number(final Object value) {
        return String.format(Locale.ROOT, "%.3f", ((Number) value).doubleValue());
    }

    private void print(final RouteRun run, final StaticTables tables) {
        output.text().println(run.routes().graph());
        output.text()
                .printf(
                        Locale.ROOT,
                        "%s%s, %d virtual channels: %.3f links on average (%.3f between hosts), at"
                                + " most %d%n",
                        run.routing().name(),
                        roots(run),
                        run.routing().virtualChannels(),
                        run.hops().avgLinks(),
                        run.hops().avgLinksHosts(),
                        run.hops().maxLinks());
        output.text()
                .printf(
                        Locale.ROOT,
                        "paths per channel (selection %s): %.1f on average, %.1f deviation, %.0f at"
                                + " most; of pairs of hosts %d at most%n",
                        run.selection(),
                        run.paths().mean(),
                        run.paths().deviation(),
                        run.paths().max(),
                        run.maxHostPaths());
        printProof(run, tables);
        output.text()
                .printf(
                        Locale.ROOT,
                        "%.1f ms for the paths, %.1f ms for the proof, %d bytes of paths%n",
                        run.seconds() * 1e3,
                        run.verifySeconds() * 1e3,
                        run.routes().sizeBytes());
    }

    /** The switches at the roots of trees: those of updown-dfs and multi-tree are chosen. */
    private static String roots(final RouteRun run) {
        final int[] roots = run.routing().roots();
        final StringBuilder text = new StringBuilder();
        for (final int root : roots) {
            text.append(text.isEmpty() ? "" : ", ").append(run.routes().graph().switchName(root));
        }
        return roots.length == 0 ? "" : (roots.length == 1 ? " (root " : " (roots ") + text + ")";
    }

    private void printProof(final RouteRun run, final StaticTables tables) {
        if (!run.verification().isOk()) {
            output.text().println("PROBLEM: " + run.verification().problem());
        } else if (run.routing().hasEscapePaths()) {
            output.text()
                    .println(
                            "all pairs connected, no cycle of dependencies among the escape paths:"
                                    + " cannot deadlock while switches choose at every hop");
            output.text()
                    .printf(
                            Locale.ROOT,
                            "as static tables the escape paths: %.3f links on average, at most %d,"
                                    + " %s%n",
                            tables.hops().avgLinks(),
                            tables.hops().maxLinks(),
                            tables.verification().isOk()
                                    ? "no cycle of dependencies"
                                    : "PROBLEM: " + tables.verification().problem());
        } else {
            output.text().println("all pairs connected, no cycle of dependencies: cannot deadlock");
        }
    }
}
