package io.hxb.tool.plan;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.vlan.Dependencies;
import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.PlanQuality;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.optimise.OptimisedPlan;
import io.hxb.fabric.vlan.optimise.VidOptimiser;
import io.hxb.tool.report.TextTable;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** The report about a VLAN plan, as text and as JSON. Stateless. */
final class VlanReport {
    /** More VLANs than this are counted, not listed. */
    private static final int MAX_ROWS = 64;

    private VlanReport() {}

    /** The plan for people. */
    static String text(
            final VlanPlan plan,
            final PlanQuality quality,
            final String routing,
            final OptimisedPlan optimised) {
        final SwitchGraph graph = plan.graph();
        final StringBuilder text = new StringBuilder();
        text.append(
                "%s plan by %s for %s: %d VLANs%n"
                        .formatted(plan.kind(), routing, graph, plan.vlanCount()));
        final int[] hosts = plan.trees().hostCounts();
        final TextTable table = new TextTable("VLAN", "links", "hosts");
        for (int vlan = 0; vlan < Math.min(MAX_ROWS, plan.vlanCount()); vlan++) {
            table.row(plan.vid(vlan), plan.tree(vlan).linkCount(), hosts[vlan]);
        }
        text.append(table);
        text.append(
                plan.vlanCount() > MAX_ROWS
                        ? "and %d more%n".formatted(plan.vlanCount() - MAX_ROWS)
                        : "");
        text.append(
                String.format(
                        Locale.ROOT,
                        "switches passed: %.2f on average, at most %d%n",
                        quality.averageSwitches(),
                        quality.maxSwitches()));
        if (quality.busiestChannel() >= 0) {
            text.append(
                    "busiest channel: %s, %d host pairs of all to all%n"
                            .formatted(
                                    graph.channelName(quality.busiestChannel()),
                                    quality.maxPaths()));
        }
        text.append(deadlock(plan, quality));
        if (optimised != null) {
            text.append(traffic(plan, optimised));
        }
        return text.toString();
    }

    private static String deadlock(final VlanPlan plan, final PlanQuality quality) {
        final String advice =
                plan.kind() == PlanKind.HOST_TAGGED
                        ? " (each pair goes back the way it came; updown-tree and updown-bfs bear"
                                + " that)"
                        : "";
        return quality.isDeadlockFree()
                ? "flow control (PAUSE) cannot stop it: no cycle of channels\n"
                : "FLOW CONTROL CAN STOP IT: keep PAUSE off between switches"
                        + advice
                        + ". Channels wait in a cycle: "
                        + Dependencies.describe(plan.graph(), quality.cycle())
                        + "\n";
    }

    private static String traffic(final VlanPlan plan, final OptimisedPlan optimised) {
        return String.format(
                Locale.ROOT,
                "traffic of %d pairs: busiest channel %.4g before, %.4g now, lower bound %.4g"
                        + " (%s); %d exceptions to one VID a host%n",
                optimised.pairs(),
                optimised.loadBefore(),
                optimised.load(),
                optimised.lowerBound(),
                optimised.isOptimal()
                        ? "the least possible"
                        : String.format(
                                Locale.ROOT,
                                "at most %.1f %% off; %s",
                                100 * optimised.gap(),
                                whyNotExact(optimised.pairs())),
                plan.exceptions().size());
    }

    private static String whyNotExact(final int pairs) {
        return pairs > VidOptimiser.MAX_PAIRS_EXACT
                ? "more than "
                        + VidOptimiser.MAX_PAIRS_EXACT
                        + " pairs are too many for an exact search: for one, give the heaviest in a"
                        + " file"
                : "the exact search was stopped at its limit: fewer VLANs or pairs would let it"
                        + " end";
    }

    /** The plan for programs. */
    static Map<String, Object> json(
            final VlanPlan plan,
            final PlanQuality quality,
            final String routing,
            final OptimisedPlan optimised) {
        final SwitchGraph graph = plan.graph();
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", true);
        report.put("kind", plan.kind().word());
        report.put("routing", routing);
        report.put("switches", graph.switchCount());
        report.put("links", graph.linkCount());
        report.put("hosts", graph.hostCount());
        report.put("vlans", plan.vlanCount());
        report.put("avg_switches", quality.averageSwitches());
        report.put("max_switches", quality.maxSwitches());
        report.put("max_paths", quality.maxPaths());
        report.put("deadlock_free", quality.isDeadlockFree());
        report.put("cycle", Dependencies.describe(graph, quality.cycle()));
        final int[] hosts = plan.trees().hostCounts();
        final Map<String, Integer> hostsOfVlans = new LinkedHashMap<>();
        for (int vlan = 0; vlan < hosts.length; vlan++) {
            hostsOfVlans.put(Integer.toString(plan.vid(vlan)), hosts[vlan]);
        }
        report.put("hosts_per_vlan", hostsOfVlans);
        report.put("exceptions", plan.exceptions().size());
        if (optimised != null) {
            final Map<String, Object> traffic = new LinkedHashMap<>();
            traffic.put("pairs", optimised.pairs());
            traffic.put("load_before", optimised.loadBefore());
            traffic.put("load", optimised.load());
            traffic.put("lower_bound", optimised.lowerBound());
            traffic.put("optimal", optimised.isOptimal());
            traffic.put("gap", optimised.gap());
            report.put("traffic", traffic);
        }
        return report;
    }
}
