package io.hxb.tool.plan;

import io.hxb.fabric.Lattice;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.generate.GraphSpec;
import io.hxb.fabric.traffic.TrafficMatrix;
import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.PlanQuality;
import io.hxb.fabric.vlan.Rails;
import io.hxb.fabric.vlan.VlanIds;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.VlanPlanner;
import io.hxb.fabric.vlan.config.Dialect;
import io.hxb.fabric.vlan.optimise.OptimisedPlan;
import io.hxb.fabric.vlan.optimise.VidOptimiser;
import io.hxb.tool.graph.GraphFile;
import io.hxb.tool.graph.TrafficFile;
import io.hxb.tool.option.GraphOptions;
import io.hxb.tool.option.Output;
import io.hxb.tool.option.OutputFiles;
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
import java.util.stream.Stream;

/** {@code hxb plan vlan}: VLANs that make plain switches take planned paths. Picocli makes it. */
@Command(
        name = "vlan",
        mixinStandardHelpOptions = true,
        header = "Plan VLANs that use all links of plain switches.",
        description =
                "Plan VLANs, so that plain switches carry frames along planned paths, "
                        + "and write the configuration of the switches.")
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
                    "let switches tag frames (switch-tagged: hosts know no VLANs), or "
                            + "hosts (host-tagged: VFREC-Net) (default: ${DEFAULT-VALUE})")
    private String kind;

    @Option(
            names = "--rails",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "host-tagged: plan this many such networks, with a NIC of each host in "
                            + "every one (default: ${DEFAULT-VALUE})")
    private int rails;

    @Option(
            names = "--vlans",
            paramLabel = "N",
            defaultValue = "4094",
            description =
                    "use at most this many VLANs, as many as the switches can take "
                            + "(default: ${DEFAULT-VALUE})")
    private int limit;

    @Option(
            names = "--vids",
            paramLabel = "RANGES",
            description = "use these VIDs, such as 10-20,100 (default: from 2)")
    private String vids;

    @Option(
            names = "--traffic",
            paramLabel = "NAME|FILE",
            description =
                    "host-tagged: choose the VID of each pair for this traffic: uniform, "
                            + "all-to-all, bit-reversal, transpose, shift:N, kernel-cg, another "
                            + "pattern of 'hxb plan routes', or a file of lines 'from to amount'")
    private String traffic;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "start the search for VIDs from this seed (default: ${DEFAULT-VALUE})")
    private long seed;

    @Option(
            names = "--dialect",
            paramLabel = "NAME",
            description =
                    "print the configuration for this kind of switch, and nothing else on "
                            + "standard output: linux, ovs, sonic, cumulus, ios, ios:3560 or dell")
    private String dialectName;

    @Option(
            names = "--out",
            paramLabel = "FOLDER",
            description = "write a file for each switch to this folder instead")
    private Path folder;

    @Option(
            names = "--dry-run",
            description = "with --out: print what would be written, and write nothing")
    private boolean isDry;

    @Option(
            names = "--diff",
            paramLabel = "FILE",
            description = "print only what changes since the plan in this file, written by --save")
    private Path old;

    @Option(
            names = "--full",
            paramLabel = "FOLDER",
            description =
                    "with --diff: write the whole configuration of each switch to this folder, "
                            + "too, for restarts")
    private Path full;

    @Option(
            names = "--save",
            paramLabel = "FILE",
            description = "write the plan as JSON to this file")
    private Path save;

    /** Picocli makes it. */
    VlanPlanCommand() {}

    @Override
    public Integer call() throws IOException {
        if ((folder != null || old != null) && dialectName == null) {
            throw wrong("--out and --diff need --dialect, the kind of the switches");
        }
        if (full != null && old == null) {
            throw wrong("--full needs --diff; without --diff, --out writes whole texts");
        }
        if (isDry && folder == null) {
            throw wrong("--dry-run needs --out; without --out nothing is written anyway");
        }
        if (limit < 1 || limit > VlanIds.MAX_VID) {
            throw wrong("--vlans must be 1..4094: " + limit);
        }
        final Dialect dialect =
                dialectName == null ? null : UsageException.check(() -> Dialect.parse(dialectName));
        final PlanKind who = UsageException.check(() -> PlanKind.parse(kind));
        if (dialect != null) {
            dialect.check(who);
        }
        checkFiles();
        final SwitchGraph one = graphs.read();
        final SwitchGraph graph = UsageException.check(() -> Rails.of(one, rails));
        final VlanPlan before =
                old == null ? null : PlanFile.parse(GraphFile.text(old.toString()), old.toString());
        final TrafficMatrix amounts = traffic == null ? null : TrafficFile.read(traffic, graph);
        if (amounts != null && who != PlanKind.HOST_TAGGED) {
            throw new UsageException("--traffic is for --kind host-tagged");
        }
        VlanPlan plan = plan(planner(who, dialect), graph);
        OptimisedPlan optimised = null;
        if (amounts != null) {
            optimised = VidOptimiser.optimise(plan, amounts, seed);
            plan = optimised.plan();
        }
        if (before != null) {
            plan = VidReuse.apply(before, plan);
        }
        report(plan, before, dialect, optimised);
        return DONE;
    }

    /** Checks the files to be written before the work begins. */
    private void checkFiles() {
        if (folder != null) {
            OutputFiles.checkFolder("--out", folder);
        }
        if (full != null) {
            OutputFiles.checkFolder("--full", full);
        }
        if (save != null) {
            OutputFiles.check("--save", save);
        }
    }

    /**
     * Plans the graph.
     *
     * @throws UsageException if it cannot be done as the options ask for.
     */
    private VlanPlan plan(final VlanPlanner planner, final SwitchGraph graph) {
        final Lattice crossbar = GraphSpec.crossbar(graphs.graph());
        final boolean isAsked =
                Stream.of(
                                "--routing",
                                "--order",
                                "--root",
                                "--spread",
                                "--vlans",
                                "--vids",
                                "--rails",
                                "--hosts-per-switch")
                        .anyMatch(spec.commandLine().getParseResult()::hasMatchedOption);
        return isAsked
                ? UsageException.check(() -> routing.plan(planner, graph, crossbar))
                : routing.plan(planner, graph, crossbar);
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

    private void report(
            final VlanPlan plan,
            final VlanPlan before,
            final Dialect dialect,
            final OptimisedPlan optimised)
            throws IOException {
        final String how = routing.name(plan.graph(), GraphSpec.crossbar(graphs.graph()));
        final PlanQuality quality = PlanQuality.of(plan);
        final Map<String, Object> report = VlanReport.json(plan, quality, how, optimised);
        final StringBuilder words = new StringBuilder();
        words.append(VlanReport.text(plan, quality, how, optimised));
        SwitchTexts texts = null;
        if (dialect != null) {
            texts = SwitchTexts.of(dialect, before, plan);
            words.append(unknownMacs(plan.graph()));
            words.append(
                    "static MAC addresses: at most %d on a switch%n"
                            .formatted(texts.maxMacEntries()));
            words.append(before == null ? "" : changes(texts));
            final List<String> warnings = dialect.warnings(vids(plan));
            warnings.forEach(line -> words.append("warning: ").append(line).append('\n'));
            report.put("config", dialect.word());
            report.put("warnings", warnings);
            report.put("changed_switches", texts.changed().size());
            report.put("max_mac_entries", texts.maxMacEntries());
        }
        if (texts != null && folder != null) {
            final List<String> lines = texts.write(folder, isDry);
            lines.forEach(line -> words.append(line).append('\n'));
            report.put("files", lines.size());
        }
        if (full != null) {
            final List<String> lines = SwitchTexts.of(dialect, null, plan).write(full, isDry);
            lines.forEach(line -> words.append(line).append('\n'));
        }
        if (save != null) {
            final String text = Json.line(PlanFile.of(plan, how)) + "\n";
            OutputFiles.write(save, () -> Files.writeString(save, text));
            words.append("plan written to ").append(save).append('\n');
        }
        if (texts != null && folder == null) {
            // Only the text for switches is printed on standard output, so that it can be
            // redirected.
            output.text().print(texts.all());
            report.put("texts", texts.bySwitch());
            words(words.toString());
        } else {
            output.text().print(words);
        }
        output.report(report);
    }

    private static BitSet vids(final VlanPlan plan) {
        final BitSet vids = new BitSet();
        for (int vlan = 0; vlan < plan.vlanCount(); vlan++) {
            vids.set(plan.vid(vlan));
        }
        return vids;
    }

    /** The report for people on standard error, where programs do not read it. */
    private void words(final String text) {
        if (!output.isJson()) {
            spec.commandLine().getErr().print(text);
            spec.commandLine().getErr().flush();
        }
    }

    private static String unknownMacs(final SwitchGraph graph) {
        int unknown = 0;
        for (int host = 0; host < graph.hostCount(); host++) {
            unknown += graph.hostMac(host) == 0 ? 1 : 0;
        }
        return unknown == 0
                ? ""
                : "MAC addresses of %d hosts are not known; 02:48:58:42:00:00 plus the host number"
                        .concat(" stands for them%n")
                        .formatted(unknown);
    }

    private static String changes(final SwitchTexts texts) {
        final String changed =
                texts.changed().isEmpty()
                        ? "nothing changes on any switch"
                        : texts.changed().size()
                                + " switches change: "
                                + String.join(", ", texts.changed());
        final String gone =
                texts.gone().isEmpty()
                        ? ""
                        : "no longer in the plan: " + String.join(", ", texts.gone()) + "\n";
        return changed + "\n" + gone;
    }
}
