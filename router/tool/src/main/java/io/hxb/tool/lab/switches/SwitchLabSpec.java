package io.hxb.tool.lab.switches;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.vlan.Rails;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.tool.graph.GraphFile;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.plan.HostTaggedPlan;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.report.UsageException;

import java.io.IOException;

/**
 * The properties of a lab of hosts and switches. Immutable.
 *
 * @param lab its name, rate and MTU, and a line of as many nodes as there are hosts.
 * @param network the graph, as the user gave it.
 * @param plan made of it.
 * @param isLearning whether the switches have to learn where hosts are, instead of being
 *     configured.
 * @param isProbing whether the managers probe the paths; where they do not, hosts stay in the VID
 *     that is set for them, even if it is overloaded or dead.
 */
public record SwitchLabSpec(
        LabSpec lab, String network, VlanPlan plan, boolean isLearning, boolean isProbing) {
    /** Maximum number of switches: each is a bridge, and all share one process. */
    public static final int MAX_SWITCHES = 64;

    /** Maximum number of hosts: each is a namespace and a manager. */
    public static final int MAX_HOSTS = 64;

    /**
     * Reads a graph that a lab can be made of.
     *
     * @param network a file or words, see {@link GraphFile#read}.
     * @param rails how many such networks there are, with a NIC of each host in every one.
     * @throws UsageException if it is too large or too small, or its names cannot be those of NICs.
     */
    public static SwitchGraph graph(final String network, final int hostsPerSwitch, final int rails)
            throws IOException {
        final SwitchGraph one = GraphFile.read(network, hostsPerSwitch);
        final SwitchGraph graph = UsageException.check(() -> Rails.of(one, rails));
        if (graph.switchCount() - (rails == 1 ? 0 : graph.hostCount()) > MAX_SWITCHES
                || graph.hostCount() > MAX_HOSTS
                || graph.hostCount() < 2) {
            throw new UsageException(
                    "a lab has 1.."
                            + MAX_SWITCHES
                            + " switches and 2.."
                            + MAX_HOSTS
                            + " hosts; "
                            + network
                            + " has "
                            + graph);
        }
        try {
            SwitchNetwork.check(graph);
        } catch (final ToolException e) {
            throw new UsageException(e.getMessage(), e);
        }
        return graph;
    }

    /** A lab of a graph of {@link #graph}, planned with the planner's defaults. */
    public static SwitchLabSpec of(
            final LabSpec lab,
            final String network,
            final SwitchGraph graph,
            final boolean isLearning,
            final boolean isProbing) {
        return new SwitchLabSpec(
                lab, network, HostTaggedPlan.of(network, graph), isLearning, isProbing);
    }
}
