package io.hxb.sim.ethernet;

import io.hxb.fabric.SwitchGraph;
import io.hxb.sim.flit.SimulationException;

import java.util.Arrays;
import java.util.List;

/**
 * Switches that learn on which port a host is, per VLAN, and send frames for unknown hosts out of
 * all other ports of the VLAN. Owned by one run.
 */
public final class LearningForwarding implements Forwarding {
    private final SwitchGraph graph;
    private final boolean[][] members;
    private final int[][] learned;
    private final int[][] hostsOf;

    /**
     * Starts with empty tables.
     *
     * @param members the links of each VLAN, which must form no loop, {@code [vlans][links]}; hosts
     *     are in all VLANs.
     */
    public LearningForwarding(final SwitchGraph graph, final List<boolean[]> members) {
        this.graph = graph;
        this.members = members.toArray(boolean[][]::new);
        this.learned = new int[members.size()][graph.switchCount() * graph.hostCount()];
        for (final int[] table : learned) {
            Arrays.fill(table, -1);
        }
        this.hostsOf = new int[graph.switchCount()][];
        final int[] counts = graph.hostCounts();
        for (int node = 0; node < counts.length; node++) {
            hostsOf[node] = new int[counts[node]];
        }
        for (int host = graph.hostCount() - 1; host >= 0; host--) {
            hostsOf[graph.hostSwitch(host)][--counts[graph.hostSwitch(host)]] = host;
        }
        for (int vlan = 0; vlan < this.members.length; vlan++) {
            checkLoops(vlan);
        }
    }

    private void checkLoops(final int vlan) {
        final int[] roots = new int[graph.switchCount()];
        Arrays.setAll(roots, node -> node);
        for (int link = 0; link < graph.linkCount(); link++) {
            if (!members[vlan][link]) {
                continue;
            }
            final int a = root(roots, graph.source(2 * link));
            final int b = root(roots, graph.target(2 * link));
            if (a == b) {
                throw new SimulationException(
                        "VLAN " + vlan + " has a loop through " + graph.channelName(2 * link));
            }
            roots[a] = b;
        }
    }

    private static int root(final int[] roots, final int node) {
        int at = node;
        while (roots[at] != at) {
            at = roots[at];
        }
        return at;
    }

    @Override
    public int outputs(
            final int node,
            final int input,
            final int vlan,
            final int source,
            final int destination,
            final int[] out) {
        final int links = graph.channelCount();
        final int hosts = graph.hostCount();
        learned[vlan][node * hosts + source] = input < links ? input ^ 1 : input + hosts;
        final int known = learned[vlan][node * hosts + destination];
        if (known >= 0) {
            out[0] = known;
            return 1;
        }
        int count = 0;
        for (int i = 0; i < graph.degree(node); i++) {
            final int channel = graph.outgoing(node, i);
            if (members[vlan][SwitchGraph.link(channel)] && channel != (input ^ 1)) {
                out[count++] = channel;
            }
        }
        for (final int host : hostsOf[node]) {
            if (links + host != input) {
                out[count++] = links + hosts + host;
            }
        }
        return count;
    }
}
