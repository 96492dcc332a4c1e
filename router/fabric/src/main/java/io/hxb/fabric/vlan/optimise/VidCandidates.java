package io.hxb.fabric.vlan.optimise;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.optimise.VidProblem.Candidate;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The VLANs that pairs of hosts can choose from, and their paths. Each list is made once for two
 * switches, however many pairs they have. Owned by one thread.
 */
final class VidCandidates {
    private final VlanPlan plan;
    private final AllowedPaths allowed;
    private final Map<Long, Candidate[]> lists = new HashMap<>();
    private final Map<Long, Candidate[]> single = new HashMap<>();

    /** Those of a plan. */
    VidCandidates(final VlanPlan plan, final AllowedPaths allowed) {
        this.plan = plan;
        this.allowed = allowed;
    }

    SwitchGraph graph() {
        return plan.graph();
    }

    /** All that a pair of hosts may have; the VLAN of the plan is among them. */
    Candidate[] of(final int low, final int high) {
        final int from = graph().hostSwitch(low);
        final int to = graph().hostSwitch(high);
        final int now = plan.vlanOf(low, high);
        return lists.computeIfAbsent(
                key(from, to, now), key -> list(from, to, allowed.vlans(from, to, now)));
    }

    /** One VLAN, for a pair that has to keep it. */
    Candidate[] only(final int low, final int high, final int vlan) {
        final int from = graph().hostSwitch(low);
        final int to = graph().hostSwitch(high);
        return single.computeIfAbsent(key(from, to, vlan), key -> list(from, to, List.of(vlan)));
    }

    /** Whether a pair may have a VLAN. */
    boolean has(final int low, final int high, final int vlan) {
        for (final Candidate candidate : of(low, high)) {
            if (candidate.vlan() == vlan) {
                return true;
            }
        }
        return false;
    }

    private long key(final int from, final int to, final int vlan) {
        return ((long) from * graph().switchCount() + to) * plan.vlanCount() + vlan;
    }

    private Candidate[] list(final int from, final int to, final List<Integer> vlans) {
        final Candidate[] list = new Candidate[vlans.size()];
        for (int i = 0; i < list.length; i++) {
            final int[] path = plan.tree(vlans.get(i)).path(from, to);
            final int[] channels = new int[2 * path.length];
            for (int hop = 0; hop < path.length; hop++) {
                channels[2 * hop] = path[hop];
                channels[2 * hop + 1] = SwitchGraph.opposite(path[hop]);
            }
            list[i] = new Candidate(vlans.get(i), channels);
        }
        return list;
    }
}
