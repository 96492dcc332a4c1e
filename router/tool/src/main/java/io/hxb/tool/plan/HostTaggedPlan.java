package io.hxb.tool.plan;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.generate.GraphSpec;
import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.VlanIds;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.VlanPlanner;
import io.hxb.tool.report.Json;

import picocli.CommandLine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;

/** The plan that {@code hxb plan vlan --kind host-tagged} makes of a graph. Stateless. */
public final class HostTaggedPlan {
    private HostTaggedPlan() {}

    /**
     * Plans a graph for Open vSwitch as the command does without other options.
     *
     * @param name of the graph, as the user gave it.
     */
    public static VlanPlan of(final String name, final SwitchGraph graph) {
        final VlanPlanner planner =
                new VlanPlanner(
                        PlanKind.HOST_TAGGED,
                        VlanIds.MAX_VID,
                        VlanIds.all(),
                        new BitSet(),
                        "Open vSwitch");
        return routing().plan(planner, graph, GraphSpec.crossbar(name));
    }

    /**
     * Writes a plan of {@link #of} as {@code --save} does.
     *
     * @param name as there.
     */
    public static void save(final String name, final VlanPlan plan, final Path file)
            throws IOException {
        final String how = routing().name(plan.graph(), GraphSpec.crossbar(name));
        Files.writeString(file, Json.line(PlanFile.of(plan, how)) + "\n");
    }

    private static VlanRouting routing() {
        final VlanRouting routing = new VlanRouting();
        new CommandLine(routing).setCaseInsensitiveEnumValuesAllowed(true).parseArgs();
        return routing;
    }
}
