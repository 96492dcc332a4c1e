package io.hxb.vlan.health;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.vlan.HostNics;
import io.hxb.fabric.vlan.VlanPlan;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Hosts that show whether a VID reaches the whole network: one on each leaf switch but the own, at
 * most {@value #MAX} of them, and others on the same switch in case that one does not answer. Each
 * host has other witnesses, so that nobody is asked by all. Immutable.
 */
public final class Witnesses {
    /** Maximum number of hosts that are asked at once. */
    static final int MAX = 16;

    private static final int CANDIDATES = 4;
    private static final int OWN = -1;

    private final int[][] hosts;

    private Witnesses(final int[][] hosts) {
        this.hosts = hosts;
    }

    /** The witnesses of a host of a plan. */
    public static Witnesses of(final VlanPlan plan, final int here) {
        final SwitchGraph graph = plan.graph();
        final HostNics nics = HostNics.of(graph);
        final int[] leaves = new int[graph.hostCount()];
        for (int host = 0; host < leaves.length; host++) {
            leaves[host] =
                    nics.count() == 1
                            ? graph.hostSwitch(host)
                            : graph.target(nics.channel(host, 0));
        }
        if (nics.count() > 1) {
            // Another NIC goes past the own leaf switch, too.
            leaves[here] = OWN;
        }
        return of(leaves, here);
    }

    /**
     * The witnesses of a host.
     *
     * @param leaves number of the leaf switch of each host, {@code [hosts]}.
     */
    static Witnesses of(final int[] leaves, final int here) {
        final Map<Integer, List<Integer>> hostsOfLeaf = new LinkedHashMap<>();
        for (int step = 1; step < leaves.length; step++) {
            final int host = (here + step) % leaves.length;
            if (leaves[host] != leaves[here]) {
                hostsOfLeaf.computeIfAbsent(leaves[host], leaf -> new ArrayList<>()).add(host);
            }
        }
        final List<int[]> chosen = new ArrayList<>();
        for (final List<Integer> onLeaf : hostsOfLeaf.values()) {
            if (chosen.size() < MAX) {
                chosen.add(candidates(onLeaf, here));
            }
        }
        return new Witnesses(chosen.toArray(new int[0][]));
    }

    /** Hosts of one leaf, beginning with another one for each host that asks. */
    private static int[] candidates(final List<Integer> onLeaf, final int here) {
        final int[] candidates = new int[Math.min(CANDIDATES, onLeaf.size())];
        for (int i = 0; i < candidates.length; i++) {
            candidates[i] = onLeaf.get((here + i) % onLeaf.size());
        }
        return candidates;
    }

    /** The witnesses of a host in a network of which only the hosts are known. */
    public static Witnesses ofUnknown(final int hostCount, final int here) {
        final int[] leaves = new int[hostCount];
        for (int host = 0; host < hostCount; host++) {
            leaves[host] = host;
        }
        return of(leaves, here);
    }

    /** Hosts that are asked at once. */
    int count() {
        return hosts.length;
    }

    /**
     * One of them.
     *
     * @param index 0 to {@code count() - 1}.
     * @param turn 0, and one more each time that another host on the same switch is to take over.
     */
    int host(final int index, final int turn) {
        return hosts[index][turn % hosts[index].length];
    }
}
