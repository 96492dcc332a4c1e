package io.hxb.tool.ip;

import io.hxb.config.ClusterConfig;
import io.hxb.counter.CounterReader;
import io.hxb.counter.CounterType;
import io.hxb.tap.IpPlan;
import io.hxb.tap.IpPrefix;
import io.hxb.tap.IpRoute;
import io.hxb.tool.option.ClusterOptions;
import io.hxb.tool.option.NodeNames;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.TextTable;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;

/** {@code hxb ip}: who has which address, and who answers. Picocli makes it. */
@Command(
        name = "ip",
        mixinStandardHelpOptions = true,
        header = "Show the addresses of the nodes' virtual NICs.",
        description = {
            "Show addresses and MACs of the virtual NICs that ip.prefix of the cluster file gives"
                    + " to nodes, which of them answer, and the counters of this node's own.",
            "A node answers an echo request, or without root a connection. The exit status is 0"
                    + " only if all that were asked have answered."
        },
        footer = {"", "Examples: hxb ip", "          hxb ip --hosts >>/etc/hosts"})
public final class IpCommand implements Callable<Integer> {
    private static final int MAX_ASKED = 256;
    private static final String PREFIX = "IP_";

    @Mixin private ClusterOptions cluster;
    @Mixin private Output output;

    @Option(names = "--no-probe", description = "ask nobody for an answer")
    private boolean isSilent;

    @Option(names = "--hosts", description = "print lines for /etc/hosts instead")
    private boolean isHosts;

    @Parameters(
            arity = "0..*",
            paramLabel = "NODE",
            description =
                    "show these nodes: host names of the cluster file, coordinates such as 1,0,0,"
                            + " or ids (default: all, of which at most "
                            + MAX_ASKED
                            + " are asked)")
    private List<String> targets = List.of();

    /** Picocli makes it. */
    IpCommand() {}

    @Override
    public Integer call() throws IOException {
        final ClusterConfig config = cluster.config();
        final List<Integer> nodes = nodes(config);
        if (!config.ip().isWanted()) {
            throw new ToolException(
                    "the nodes of "
                            + config.name()
                            + " have no virtual NICs: add ip.prefix to the cluster file, such as"
                            + " ip: {prefix: 10.77.0.0/16}, or make a lab with hxb lab up --ip");
        }
        if (isHosts) {
            output.text().print(HostLines.of(config, nodes));
            output.report(Map.of("ok", true, "hosts", HostLines.of(config, nodes)));
            return ExitStatus.OK;
        }
        final int from = cluster.runningNode(config);
        final List<Integer> asked = isSilent ? List.of() : nodes.stream().limit(MAX_ASKED).toList();
        final Map<Integer, Boolean> answers = Reachability.of(config, from, asked);
        final Map<String, Long> counters = counters(config, from);
        output.text()
                .printf(
                        "node %d (%s): %s, MTU %d%n",
                        from, coordinates(config, from), config.ip().device(), config.ipMtuBytes());
        output.text().print(table(config, nodes, answers));
        config.ip().routes().forEach(route -> output.text().println(routeText(config, route)));
        counters.forEach((name, value) -> output.text().printf("%s %d%n", name, value));
        final boolean isOk = !answers.containsValue(false);
        output.report(report(config, nodes, answers, counters, isOk));
        return ExitStatus.of(isOk);
    }

    private List<Integer> nodes(final ClusterConfig config) {
        if (targets.isEmpty()) {
            return IntStream.range(0, config.shape().nodeCount()).boxed().toList();
        }
        final NodeNames names = new NodeNames(config);
        return targets.stream().map(each -> UsageException.check(() -> names.node(each))).toList();
    }

    private static String coordinates(final ClusterConfig config, final int node) {
        return config.shape().format(config.shape().coordinates(node));
    }

    private static List<String> addresses(final ClusterConfig config, final int node) {
        return config.ip().prefixes().stream().map(prefix -> prefix.address(node)).toList();
    }

    private static TextTable table(
            final ClusterConfig config,
            final List<Integer> nodes,
            final Map<Integer, Boolean> answers) {
        final List<String> heading = new ArrayList<>(List.of("node", "coordinates"));
        for (final IpPrefix prefix : config.ip().prefixes()) {
            heading.add(prefix.isIpv4() ? "IPv4" : "IPv6");
        }
        heading.addAll(List.of("MAC", "answers"));
        final TextTable table = new TextTable(heading.toArray(String[]::new));
        for (final int node : nodes) {
            final List<Object> row = new ArrayList<>(List.of(node, coordinates(config, node)));
            row.addAll(addresses(config, node));
            row.add(IpPlan.macText(node));
            row.add(answers.containsKey(node) ? answers.get(node) ? "yes" : "no" : "-");
            table.row(row.toArray());
        }
        return table;
    }

    private static String routeText(final ClusterConfig config, final IpRoute route) {
        return "route " + route + " (" + config.ip().gateway(route) + ")";
    }

    private static List<Map<String, Object>> routes(final ClusterConfig config) {
        final List<Map<String, Object>> routes = new ArrayList<>();
        for (final IpRoute route : config.ip().routes()) {
            final Map<String, Object> row = new LinkedHashMap<>();
            row.put("prefix", route.prefix().toString());
            row.put("node", route.node());
            row.put("gateway", config.ip().gateway(route));
            routes.add(row);
        }
        return routes;
    }

    /** Those of the node's virtual NIC that are not 0; none if it does not run. */
    private static Map<String, Long> counters(final ClusterConfig config, final int node)
            throws IOException {
        final Map<String, Long> counters = new LinkedHashMap<>();
        final Path file = config.countersPath(node);
        if (Files.exists(file)) {
            try (CounterReader reader = CounterReader.open(file)) {
                for (final CounterType type : CounterType.values()) {
                    if (type.name().startsWith(PREFIX) && reader.sum(type) != 0) {
                        counters.put(
                                type.name().substring(PREFIX.length()).toLowerCase(Locale.ROOT),
                                reader.sum(type));
                    }
                }
            }
        }
        return counters;
    }

    private static Map<String, Object> report(
            final ClusterConfig config,
            final List<Integer> nodes,
            final Map<Integer, Boolean> answers,
            final Map<String, Long> counters,
            final boolean isOk) {
        final List<Map<String, Object>> rows = new ArrayList<>();
        for (final int node : nodes) {
            final Map<String, Object> row = new LinkedHashMap<>();
            row.put("node", node);
            row.put("coordinates", coordinates(config, node));
            row.put("addresses", addresses(config, node));
            row.put("mac", IpPlan.macText(node));
            row.put("answers", answers.get(node));
            rows.add(row);
        }
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", isOk);
        report.put("device", config.ip().device());
        report.put("mtu", config.ipMtuBytes());
        report.put("nodes", rows);
        if (!config.ip().routes().isEmpty()) {
            report.put("routes", routes(config));
        }
        report.put("counters", counters);
        return report;
    }
}
