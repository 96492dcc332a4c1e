package io.hxb.fabric.vlan;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.vlan.tree.HostTrees;
import io.hxb.fabric.vlan.tree.TreeMaker;
import io.hxb.fabric.vlan.tree.TreeMerge;

import java.util.BitSet;
import java.util.Map;

/**
 * Makes plans from trees. Immutable.
 *
 * @param kind who tags.
 * @param limit maximum number of VLANs.
 * @param ids VIDs to use.
 * @param reserved VIDs that the switches keep for themselves.
 * @param owner whose those are, for messages.
 */
public record VlanPlanner(PlanKind kind, int limit, VlanIds ids, BitSet reserved, String owner) {
    /** Plans with VIDs from 2, of which no switch keeps any, at most {@code limit}. */
    public static VlanPlanner of(final PlanKind kind, final int limit) {
        return new VlanPlanner(kind, limit, VlanIds.all(), new BitSet(), "any switch");
    }

    /**
     * Plans a graph by a maker of trees. Host-tagged: host numbers are ranks, so a pair uses the
     * default VID of its smaller host.
     *
     * @param routing names the maker, for messages.
     * @throws GraphException if the maker cannot, or more VLANs are needed than allowed.
     */
    public VlanPlan plan(final SwitchGraph graph, final TreeMaker maker, final String routing) {
        checkHosts(graph);
        final HostTrees trees =
                TreeMerge.toAtMost(
                        limit, maker.make(graph), "a " + kind + " plan by '" + routing + "'");
        return plan(trees, Map.of());
    }

    /** Plans with given trees and exceptions. */
    public VlanPlan plan(final HostTrees trees, final Map<VlanPlan.Pair, Integer> exceptions) {
        final int[] vids = ids.take(trees.trees().size(), reserved, owner);
        return new VlanPlan(kind, trees, vids, identity(trees.graph().hostCount()), exceptions);
    }

    private static int[] identity(final int count) {
        final int[] numbers = new int[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = i;
        }
        return numbers;
    }

    private static void checkHosts(final SwitchGraph graph) {
        if (graph.hostCount() == 0) {
            throw new GraphException(
                    "the graph has no hosts, and VLANs are for hosts; name them in the file or give"
                            + " --hosts-per-switch");
        }
    }
}
