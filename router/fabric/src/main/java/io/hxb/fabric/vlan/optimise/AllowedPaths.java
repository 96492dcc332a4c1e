package io.hxb.fabric.vlan.optimise;

import io.hxb.fabric.vlan.Dependencies;
import io.hxb.fabric.vlan.PlanPaths;
import io.hxb.fabric.vlan.PlanQuality;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.tree.VlanTree;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which VLANs two switches may use: those that connect them by different paths. If the plan cannot
 * deadlock, only paths that together cannot either. Owned by one thread.
 */
final class AllowedPaths {
    private final VlanPlan plan;
    private final Dependencies dependencies;
    private final Map<Long, List<Integer>> known = new HashMap<>();

    AllowedPaths(final VlanPlan plan) {
        this.plan = plan;
        this.dependencies =
                PlanQuality.of(plan).isDeadlockFree() ? new Dependencies(plan.graph()) : null;
        if (dependencies != null) {
            PlanPaths.forEach(
                    plan,
                    (from, to, vlan, pairs) -> dependencies.add(plan.tree(vlan).path(from, to)));
        }
    }

    /** Whether the plan cannot deadlock. */
    boolean isDeadlockFree() {
        return dependencies != null;
    }

    /**
     * The VLANs for two switches.
     *
     * @param now the VLAN that the plan has for a pair of their hosts; always among them, and the
     *     only one of its path.
     */
    List<Integer> vlans(final int from, final int to, final int now) {
        final long key = ((long) from * plan.graph().switchCount() + to) * plan.vlanCount() + now;
        return known.computeIfAbsent(key, _ -> find(from, to, now));
    }

    private List<Integer> find(final int from, final int to, final int now) {
        final List<int[]> paths = new ArrayList<>();
        final List<Integer> vlans = new ArrayList<>();
        vlans.add(now);
        paths.add(plan.tree(now).path(from, to));
        for (int vlan = 0; vlan < plan.vlanCount(); vlan++) {
            final VlanTree tree = plan.tree(vlan);
            if (vlan == now || !tree.connects(from, to)) {
                continue;
            }
            final int[] path = tree.path(from, to);
            final boolean isNew = paths.stream().noneMatch(other -> Arrays.equals(other, path));
            if (isNew && (dependencies == null || dependencies.addIfAcyclic(path))) {
                vlans.add(vlan);
                paths.add(path);
            }
        }
        vlans.sort(null);
        return List.copyOf(vlans);
    }
}
