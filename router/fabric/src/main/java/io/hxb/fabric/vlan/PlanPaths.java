package io.hxb.fabric.vlan;

import io.hxb.fabric.SwitchGraph;

import java.util.ArrayList;
import java.util.List;

/** Goes through all paths that a plan uses, each once with the number of host pairs. Stateless. */
public final class PlanPaths {
    private PlanPaths() {}

    /** Receives paths. */
    @FunctionalInterface
    public interface Visitor {
        /**
         * One path.
         *
         * @param from switch where it starts.
         * @param to switch where it ends; may be the same.
         * @param vlan index of the VLAN.
         * @param pairs ordered pairs of different hosts that use it, at least 1.
         */
        void visit(int from, int to, int vlan, int pairs);
    }

    /** Visits the paths of all ordered pairs of different hosts, by switches, then by VLAN. */
    public static void forEach(final VlanPlan plan, final Visitor visitor) {
        final SwitchGraph graph = plan.graph();
        final List<List<Integer>> hosts = hostsOfSwitches(graph);
        final int[] counts = new int[plan.vlanCount()];
        for (int from = 0; from < hosts.size(); from++) {
            for (int to = 0; to < hosts.size() && !hosts.get(from).isEmpty(); to++) {
                for (final int a : hosts.get(from)) {
                    for (final int b : hosts.get(to)) {
                        counts[plan.vlanOf(a, b)] += a == b ? 0 : 1;
                    }
                }
                for (int vlan = 0; vlan < counts.length && !hosts.get(to).isEmpty(); vlan++) {
                    if (counts[vlan] > 0) {
                        visitor.visit(from, to, vlan, counts[vlan]);
                        counts[vlan] = 0;
                    }
                }
            }
        }
    }

    /** The hosts of each switch, ascending. */
    static List<List<Integer>> hostsOfSwitches(final SwitchGraph graph) {
        final List<List<Integer>> hosts = new ArrayList<>();
        for (int node = 0; node < graph.switchCount(); node++) {
            hosts.add(new ArrayList<>());
        }
        for (int host = 0; host < graph.hostCount(); host++) {
            hosts.get(graph.hostSwitch(host)).add(host);
        }
        return hosts;
    }
}
