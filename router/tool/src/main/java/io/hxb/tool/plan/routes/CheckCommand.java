package io.hxb.tool.plan.routes;

import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.analysis.ChannelLoads;
import io.hxb.fabric.verify.ForwardingTables;
import io.hxb.fabric.verify.OpenSmDump;
import io.hxb.fabric.verify.Verification;
import io.hxb.fabric.verify.Verifier;
import io.hxb.tool.graph.GraphFile;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

/** {@code hxb plan check}: do tables deliver, and can they deadlock? Picocli makes it. */
@Command(
        name = "check",
        mixinStandardHelpOptions = true,
        header = "Check forwarding tables for dead ends and deadlocks.",
        description = {
            "Check that forwarding tables deliver and cannot deadlock.",
            "Tables are those that OpenSM made (--lfts, --topology), or the paths "
                    + "that 'hxb plan routes' exported (--routes). A path ends at the port "
                    + "of its own destination, and nowhere else.",
            "Service levels of OpenSM are not considered: the dumps do not hold "
                    + "them, so all traffic is taken to share one virtual lane. Without a "
                    + "cycle there is none on several lanes either; with one, LASH, DFSSSP "
                    + "or Torus-2QoS, which keep paths apart by lanes, may still be safe. "
                    + "A list of levels (saquery, ibtracert) would not settle it for DFSSSP: "
                    + "it draws the level of a pair at each query, so a list is one draw. "
                    + "The exit status is 1 if a path ends early or paths can deadlock.",
            "Make the files of OpenSM by 'opensm -D 0x43', or by dump_fts and " + "ibnetdiscover."
        })
public final class CheckCommand implements Callable<Integer> {
    private static final String LANES =
            "service levels are not considered: this is for one virtual lane. Tables of LASH,"
                    + " DFSSSP or Torus-2QoS, which keep paths apart by lanes, may still be safe. A"
                    + " list of levels is one draw for DFSSSP, which draws them at each query";

    @Option(
            names = "--lfts",
            paramLabel = "FILE",
            description =
                    "read forwarding tables from this file: opensm-lfts.dump, or the "
                            + "output of dump_fts")
    private String lfts;

    @Option(
            names = "--topology",
            paramLabel = "FILE",
            description =
                    "read the cabling from this file: opensm-subnet.lst, or the output of "
                            + "ibnetdiscover")
    private String topology;

    @Option(
            names = "--routes",
            paramLabel = "FILE",
            description = "read the paths that 'hxb plan routes --out FILE.json' wrote, instead")
    private String routes;

    @Mixin private Output output;

    /** Picocli makes it. */
    public CheckCommand() {}

    @Override
    public Integer call() throws IOException {
        if (routes != null ? lfts != null || topology != null : lfts == null || topology == null) {
            throw new UsageException(
                    "give --lfts and --topology (tables of OpenSM), or --routes (what plan routes"
                            + " --out FILE.json wrote)");
        }
        return routes == null ? checkTables() : checkRoutes();
    }

    private int checkTables() throws IOException {
        final ForwardingTables tables =
                OpenSmDump.parse(lfts, GraphFile.text(lfts), topology, GraphFile.text(topology));
        final Verification found = tables.verify();
        output.text()
                .println(
                        tables.graph()
                                + ", tables for "
                                + tables.destinationCount()
                                + " destinations");
        print(found);
        if (!found.isAcyclic()) {
            output.text().println(LANES);
        }
        final Map<String, Object> report = report(found, tables.graph());
        report.put("destinations", tables.destinationCount());
        report.put("sum_links", tables.links()[0]);
        report.put("max_links", tables.links()[1]);
        output.report(report);
        return found.isOk() ? 0 : 1;
    }

    private int checkRoutes() throws IOException {
        final RouteSet paths = ExportedRoutes.parse(routes, GraphFile.text(routes));
        final Verification found = Verifier.verify(paths);
        output.text()
                .println(
                        paths.graph()
                                + (paths.isPerHost()
                                        ? ", a path from each switch with hosts to each host, "
                                        : ", a path for each pair of switches, ")
                                + paths.virtualChannels()
                                + " virtual channels");
        print(found);
        final Map<String, Object> report = report(found, paths.graph());
        if (found.isConnected() && paths.graph().hostCount() > 1) {
            final ChannelLoads loads = ChannelLoads.uniform(paths);
            final int busiest = loads.busiest();
            output.text()
                    .printf(
                            Locale.ROOT,
                            "uniform traffic: throughput %.3f, load %.3f on %s%n",
                            loads.throughput(),
                            busiest < 0 ? 0.0 : loads.load(busiest),
                            busiest < 0 ? "no link" : paths.graph().channelName(busiest));
            report.putAll(TrafficOption.fields(paths.graph(), loads));
        }
        report.put("virtual_channels", paths.virtualChannels());
        report.put("destinations", paths.destinationCount());
        report.put("sum_links", paths.sumLinks());
        report.put("max_links", paths.maxLinks());
        output.report(report);
        return found.isOk() ? 0 : 1;
    }

    private void print(final Verification found) {
        output.text()
                .println(
                        found.isOk()
                                ? "every path arrives, no cycle of dependencies: cannot deadlock"
                                : "PROBLEM: " + found.problem());
        if (!found.isAcyclic() && !found.isConnected()) {
            output.text().println("PROBLEM: there is a cycle of dependencies, too");
        }
    }

    private static Map<String, Object> report(final Verification found, final SwitchGraph graph) {
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", found.isOk());
        report.put("switches", graph.switchCount());
        report.put("links", graph.linkCount());
        report.put("hosts", graph.hostCount());
        report.put("connected", found.isConnected());
        report.put("acyclic", found.isAcyclic());
        if (found.problem() != null) {
            report.put("problem", found.problem());
        }
        return report;
    }
}
