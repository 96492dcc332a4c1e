package io.hxb.tool.plan;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.tree.VlanTree;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Gives VLANs the VIDs that they had in an earlier plan, so that less changes. Stateless. */
final class VidReuse {
    private VidReuse() {}

    /** The plan with VIDs of {@code before} for equal trees; the others as far as they are free. */
    static VlanPlan apply(final VlanPlan before, final VlanPlan plan) {
        final Map<Set<String>, Integer> old = new HashMap<>();
        for (int vlan = 0; vlan < before.vlanCount(); vlan++) {
            old.put(links(before.tree(vlan)), before.vid(vlan));
        }
        final Set<Integer> free = new TreeSet<>(Arrays.stream(plan.vids()).boxed().toList());
        final int[] vids = new int[plan.vlanCount()];
        for (int vlan = 0; vlan < vids.length; vlan++) {
            final Integer had = old.get(links(plan.tree(vlan)));
            if (had != null && free.remove(had)) {
                vids[vlan] = had;
            }
        }
        final var rest = free.iterator();
        for (int vlan = 0; vlan < vids.length; vlan++) {
            vids[vlan] = vids[vlan] == 0 ? rest.next() : vids[vlan];
        }
        return plan.withVids(vids);
    }

    /** Links by the names of their ends: numbers may differ between plans. */
    private static Set<String> links(final VlanTree tree) {
        final SwitchGraph graph = tree.graph();
        final Set<String> names = new TreeSet<>();
        for (final int link : tree.links()) {
            final String a =
                    graph.switchName(graph.source(2 * link)) + " " + graph.sourcePort(2 * link);
            final String b =
                    graph.switchName(graph.target(2 * link)) + " " + graph.targetPort(2 * link);
            names.add(a.compareTo(b) < 0 ? a + " - " + b : b + " - " + a);
        }
        return names;
    }
}
