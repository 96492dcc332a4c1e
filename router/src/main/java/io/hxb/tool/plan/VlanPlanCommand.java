package io.hxb.tool.plan;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.generate.GraphSpec;
import io.hxb.fabric.traffic.TrafficMatrix;
import io.hxb.fabric.traffic.TrafficPatterns;
import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.PlanQuality;
import io.hxb.fabric.vlan.VlanIds;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.VlanPlanner;
import io.hxb.fabric.vlan.config.Dialect;
import io.hxb.fabric.vlan.optimise.OptimisedPlan;
import io.hxb.fabric.vlan.optimise.VidOptimiser;
import io.hxb.tool.graph.GraphFile;
import io.hxb.tool.option.GraphOptions;
import io.hxb.tool.option.Output;
import io.hxb.tool.report.Json;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** {@code hxb plan vlan}: VLANs that make plain switches take planned paths. Picocli makes it. */
@Command(
        name = "vlan",
        mixinStandardHelpOptions = true,
        description =
                "Plans VLANs, so that plain switches carry frames along planned paths, and writes"
                        + " what the switches have to be told.")
final class VlanPlanCommand implements Callable<Integer> {
    private static final int DONE = 0;

    @CommandLine.Spec private CommandLine.Model.CommandSpec spec;
    @Mixin private GraphOptions graphs;
    @Mixin private VlanRouting routing;
    @Mixin private Output output;

    @Option(
            names = "--kind",
            paramLabel = "KIND",
            defaultValue = "switch-tagged",
            description =
                    "switch-tagged (hosts know no VLANs) or host-tagged (VFREC-Net; default"
                            + " switch-tagged)")
    private String kind;

    @Option(
            names = "--vlans",
            paramLabel = "LIMIT",
            defaultValue = "4094",
            description = "most VLANs that the switches can take (default 4094)")
    private int limit;

    @Option(
            names = "--vids",
            paramLabel = "RANGES",
            description = "VIDs to use, such as 10-20,100 (default: from 2)")
    private String vids;

    @Option(
            names = "--traffic",
            paramLabel = "PATTERN|FILE",
            description =
                    "host-tagged: choose the VID of each pair for this traffic: uniform,"
                            + " all-to-all, bit-reversal, transpose, shift:N, kernel-cg, or a file"
                            + " of lines 'from to amount'")
    private String traffic;

    @Option(
            names = "--seed",
            paramLabel = "NUMBER",
            defaultValue = "1",
            description = "seed of the search for VIDs (default 1)")
    private long seed;

    @Option(
            names = "--config",
            paramLabel = "SWITCH",
            description = "print what to tell: linux, ovs, sonic, cumulus, ios or dell")
    private String config;

    @Option(
            names = "--out",
            paramLabel = "FOLDER",
            description = "write a file for each switch instead")
    private Path folder;

    @Option(names = "--dry-run", description = "with --out: say what would be written")
    private boolean isDry;

    @Option(
            names = "--diff",
            paramLabel = "OLD",
            description = "only what changes since the plan in this file, written by --save")
    private Path old;

    @Option(names = "--save", paramLabel = "FILE", description = "write the plan as JSON")
    private Path save;

    /** Picocli makes it. */
    VlanPlanCommand() {}

    @Override
    public Integer call() throws IOException {
        if ((folder != null || old != null) && config == null) {
            throw wrong("--out and --diff need --config, the kind of the switches");
        }
        if (isDry && folder == null) {
            throw wrong("--dry-run needs --out; without --out nothing is written anyway");
        }
        if (limit < 1 || limit > VlanIds.MAX_VID) {
            throw wrong("--vlans must be 1..4094: " + limit);
        }
        final Dialect dialect =
                config == null ? null : UsageException.check(() -> Dialect.parse(config));
        final PlanKind who = UsageException.check(() -> PlanKind.parse(kind));
        if (dialect != null) {
            dialect.check(who);
        }
        final SwitchGraph graph = GraphFile.read(graphs.graph(), graphs.hostsPerSwitch());
        final VlanPlan before =
                old == null ? null : PlanFile.parse(GraphFile.text(old.toString()), old.toString());
        VlanPlan plan =
                routing.plan(planner(who, dialect), graph, GraphSpec.crossbar(graphs.graph()));
        OptimisedPlan optimised = null;
        if (traffic != null) {
            optimised = VidOptimiser.optimise(plan, traffic(graph), seed);
            plan = optimised.plan();
        }
        if (before != null) {
            plan = VidReuse.apply(before, plan);
        }
        report(plan, before, dialect, optimised);
        return DONE;
    }

    private CommandLine.ParameterException wrong(final String message) {
        return new CommandLine.ParameterException(spec.commandLine(), message);
    }

    private VlanPlanner planner(final PlanKind who, final Dialect dialect) {
        return new VlanPlanner(
                who,
                limit,
                vids == null ? VlanIds.all() : UsageException.check(() -> VlanIds.parse(vids)),
                dialect == null ? new BitSet() : dialect.reservedVids(),
                dialect == null ? "any switch" : dialect.switches());
    }

    private TrafficMatrix traffic(final SwitchGraph graph) throws IOException {
        return TrafficPatterns.isName(traffic)
                ? TrafficPatterns.of(traffic, graph)
                : TrafficMatrix.parse(traffic, GraphFile.text(traffic), graph);
    }

    private void report(
            final VlanPlan plan,
            final VlanPlan before,
            final Dialect dialect,
            final OptimisedPlan optimised)
            throws IOException {
        final String how = routing.name(plan.graph(), GraphSpec.crossbar(graphs.graph()));
        final PlanQuality quality = PlanQuality.of(plan);
        final Map<String, Object> report = VlanReport.json(plan, quality, how, optimised);
        output.text().print(VlanReport.text(plan, quality, how, optimised));
        if (dialect != null) {
            warnOfMacs(plan.graph());
            final SwitchTexts texts = SwitchTexts.of(dialect, before, plan);
            report.put("config", dialect.word());
            report.put("changed_switches", texts.changed().size());
            report.put("max_mac_entries", texts.maxMacEntries());
            output.text()
                    .println(
                            "static MAC addresses: at most "
                                    + texts.maxMacEntries()
                                    + " on a switch");
            print(texts, before != null, report);
        }
        if (save != null) {
            Files.writeString(save, Json.line(PlanFile.of(plan, how)) + "\n");
            output.text().println("plan written to " + save);
        }
        output.report(report);
    }

    private void warnOfMacs(final SwitchGraph graph) {
        int unknown = 0;
        for (int host = 0; host < graph.hostCount(); host++) {
            unknown += graph.hostMac(host) == 0 ? 1 : 0;
        }
        if (unknown > 0) {
            output.text()
                    .println(
                            "MAC addresses of "
                                    + unknown
                                    + " hosts are not known; 02:48:58:42:00:00 plus the host number"
                                    + " stands for them");
        }
    }

    private void print(
            final SwitchTexts texts, final boolean isDiff, final Map<String, Object> report)
            throws IOException {
        if (isDiff) {
            output.text()
                    .println(
                            texts.changed().isEmpty()
                                    ? "nothing changes on any switch"
                                    : texts.changed().size()
                                            + " switches change: "
                                            + String.join(", ", texts.changed()));
            if (!texts.gone().isEmpty()) {
                output.text().println("no longer in the plan: " + String.join(", ", texts.gone()));
            }
        }
        if (folder == null) {
            output.text().println();
            output.text().print(texts.all());
        } else {
            final List<String> lines = texts.write(folder, isDry);
            lines.forEach(output.text()::println);
            report.put("files", lines.size());
        }
    }
}
