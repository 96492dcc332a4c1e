package io.hxb.tool.routes;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.verify.ForwardingTables;
import io.hxb.fabric.verify.OpenSmDump;
import io.hxb.fabric.verify.Verification;
import io.hxb.tool.graph.GraphFile;
import io.hxb.tool.option.Output;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;

/** {@code hxb plan check}: can the tables of another program deadlock? Picocli makes it. */
@Command(
        name = "check",
        mixinStandardHelpOptions = true,
        description = {
            "Checks forwarding tables that OpenSM made: does every way arrive, can they deadlock?",
            "Service levels are not considered: the dumps do not hold them, so all traffic is"
                    + " taken to share one virtual lane. Without a cycle there is none on several"
                    + " lanes either; with one, LASH, DFSSSP or Torus-2QoS may still be safe by"
                    + " their lanes. Exit status 1 when something is wrong.",
            "Make both files by 'opensm -D 0x43', or by dump_fts and ibnetdiscover."
        })
public final class CheckCommand implements Callable<Integer> {
    private static final String LANES =
            "service levels are not considered: this is for one virtual lane. Tables of LASH,"
                    + " DFSSSP or Torus-2QoS, which keep ways apart by lanes, may still be safe";

    @Option(
            names = "--lfts",
            required = true,
            paramLabel = "FILE",
            description = "forwarding tables: opensm-lfts.dump, or the output of dump_fts")
    private String lfts;

    @Option(
            names = "--topology",
            required = true,
            paramLabel = "FILE",
            description = "cabling: opensm-subnet.lst, or the output of ibnetdiscover")
    private String topology;

    @Mixin private Output output;

    /** Picocli makes it. */
    public CheckCommand() {}

    @Override
    public Integer call() throws IOException {
        final ForwardingTables tables =
                OpenSmDump.parse(lfts, GraphFile.text(lfts), topology, GraphFile.text(topology));
        final SwitchGraph graph = tables.graph();
        final Verification found = tables.verify();
        final long[] links = tables.links();
        output.text()
                .println(graph + ", tables for " + tables.destinationCount() + " destinations");
        output.text()
                .println(
                        found.isOk()
                                ? "every way arrives, no cycle of dependencies: cannot deadlock"
                                : "PROBLEM: " + found.problem());
        if (!found.isAcyclic() && !found.isConnected()) {
            output.text().println("PROBLEM: there is a cycle of dependencies, too");
        }
        if (!found.isAcyclic()) {
            output.text().println(LANES);
        }
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", found.isOk());
        report.put("switches", graph.switchCount());
        report.put("links", graph.linkCount());
        report.put("hosts", graph.hostCount());
        report.put("destinations", tables.destinationCount());
        report.put("connected", found.isConnected());
        report.put("acyclic", found.isAcyclic());
        report.put("sum_links", links[0]);
        report.put("max_links", links[1]);
        if (found.problem() != null) {
            report.put("problem", found.problem());
        }
        output.report(report);
        return found.isOk() ? 0 : 1;
    }
}
