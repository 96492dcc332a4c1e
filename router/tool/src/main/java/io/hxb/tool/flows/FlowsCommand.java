package io.hxb.tool.flows;

import io.hxb.config.ClusterConfig;
import io.hxb.observe.live.FlowClients;
import io.hxb.pm.attach.FlowListing;
import io.hxb.tool.option.ClusterFile;
import io.hxb.tool.option.NodeNames;
import io.hxb.tool.option.Output;
import io.hxb.tool.option.TimeOption;
import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** {@code hxb flows}: who talks to whom. Picocli makes it. */
@Command(
        name = "flows",
        mixinStandardHelpOptions = true,
        header = "Show who talks to whom by the nodes of this machine.",
        description = {
            "Ask the running nodes of this machine, at their sockets, for the open contexts and "
                    + "the flows of each: who has it, its peer, what it has sent and received, "
                    + "what is in flight or waits, and over which links. Those that carried most "
                    + "bytes come first. Operators see all, others what belongs to them or to "
                    + "their tenant.",
            "Frames that a node relays for others are in no flow of that node. The exit status "
                    + "is 1 when a node does not answer."
        })
public final class FlowsCommand implements Callable<Integer> {
    private static final long MAX_INTERVAL_NS = 3_600_000_000_000L;

    /** What comes first. */
    enum Order {
        BYTES,
        RATE,
        CONTEXT
    }

    @Mixin private ClusterFile cluster;
    @Mixin private Output output;

    @Option(
            names = "--node",
            paramLabel = "NODE",
            description =
                    "ask only this node: a host name of the cluster file, its id, or coordinates "
                            + "such as 1,0,0; may be repeated (default: all that run here)")
    private List<String> nodes = List.of();

    @Option(
            names = "--sort",
            paramLabel = "ORDER",
            description =
                    "show in this order: bytes (most first), rate (highest first) or context "
                            + "(default: bytes; with --interval rate)")
    private Order order;

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "TIME",
            description =
                    "ask again this often, and show rates, until Ctrl-C (default: once; with "
                            + "--count every 1s)")
    private String interval;

    @Option(
            names = {"-c", "--count"},
            paramLabel = "N",
            defaultValue = "0",
            description = "stop after asking this many times; 0: never (default: ${DEFAULT-VALUE})")
    private int count;

    private final Map<Integer, NodeFlows> seen = new LinkedHashMap<>();

    /** Picocli makes it. */
    FlowsCommand() {}

    @Override
    public Integer call() {
        if (count < 0) {
            throw new UsageException("--count must be 0 or more: " + count);
        }
        final String wanted = interval != null ? interval : count > 1 ? "1" : "0";
        final long intervalNs = TimeOption.parseNs("--interval", wanted, 0, MAX_INTERVAL_NS);
        if (order == Order.RATE && intervalNs == 0) {
            throw new UsageException("--sort rate: rates need --interval TIME");
        }
        final ClusterConfig config = cluster.config();
        final NodeNames names = new NodeNames(config);
        final List<Integer> chosen = chosen(config, names);
        boolean isOk = true;
        try (FlowClients clients = new FlowClients(config)) {
            for (int round = 0;
                    round == 0 || (intervalNs > 0 && (count == 0 || round < count));
                    round++) {
                if (round > 0) {
                    pause(intervalNs);
                }
                isOk = show(config, clients, chosen, intervalNs > 0);
            }
        }
        return ExitStatus.of(isOk);
    }

    private List<Integer> chosen(final ClusterConfig config, final NodeNames names) {
        if (nodes.isEmpty()) {
            final List<Integer> here = config.nodesWithSocket();
            if (here.isEmpty()) {
                throw new ToolException(
                        "no node of cluster "
                                + config.name()
                                + " runs here: there is no socket such as "
                                + config.socketPath(0));
            }
            return here;
        }
        final TreeSet<Integer> named = new TreeSet<>();
        for (final String node : nodes) {
            named.add(UsageException.check("--node", () -> names.node(node)));
        }
        return List.copyOf(named);
    }

    private static void pause(final long intervalNs) {
        final long untilNs = System.nanoTime() + intervalNs;
        while (untilNs - System.nanoTime() > 0) {
            LockSupport.parkNanos(untilNs - System.nanoTime());
        }
    }

    private boolean show(
            final ClusterConfig config,
            final FlowClients clients,
            final List<Integer> chosen,
            final boolean hasRates) {
        final List<Map<String, Object>> reports = new ArrayList<>();
        boolean isOk = true;
        for (final int node : chosen) {
            final NodeFlows flows = seen.computeIfAbsent(node, id -> new NodeFlows(config, id));
            Map<String, Object> report;
            try {
                flows.update(clients.list(node, FlowListing.OWN_VIEW));
                output.text().println(flows.text(order(hasRates), hasRates));
                report = flows.report(order(hasRates), hasRates);
            } catch (final IOException e) {
                isOk = false;
                report = new LinkedHashMap<>();
                report.put("node", node);
                report.put("problem", e.getMessage());
                output.text().println(flows.title() + ": " + e.getMessage() + "\n");
            }
            reports.add(report);
        }
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", isOk);
        report.put("nodes", reports);
        output.report(report);
        return isOk;
    }

    private Order order(final boolean hasRates) {
        return order != null ? order : hasRates ? Order.RATE : Order.BYTES;
    }
}
