package io.hxb.fabric.vlan.tree;

import io.hxb.fabric.GraphException;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Makes do with fewer trees: two trees whose links together have no loop can be merged, since every
 * path in either stays the only one. The paper merges identical trees only. Stateless.
 */
public final class TreeMerge {
    private TreeMerge() {}

    /**
     * Merges until at most {@code limit} trees are left; changes nothing when there are no more
     * than that.
     *
     * @param what describes the plan, for the message.
     * @throws GraphException if that is not possible, with how many are needed.
     */
    public static HostTrees toAtMost(final int limit, final HostTrees given, final String what) {
        if (given.trees().size() <= limit) {
            return given;
        }
        final List<VlanTree> merged = new ArrayList<>();
        final int[] index = new int[given.trees().size()];
        for (int i = 0; i < index.length; i++) {
            index[i] = place(merged, given.trees().get(i));
        }
        if (merged.size() > limit) {
            throw new GraphException(
                    what
                            + " needs "
                            + merged.size()
                            + " VLANs ("
                            + given.trees().size()
                            + " trees, merged where they agree), but only "
                            + limit
                            + " are allowed; allow at least "
                            + merged.size()
                            + " (--vlans "
                            + merged.size()
                            + "), use another routing, or fewer switches with hosts");
        }
        return new HostTrees(
                given.graph(),
                merged,
                Arrays.stream(given.ofHosts()).map(tree -> index[tree]).toArray());
    }

    private static int place(final List<VlanTree> merged, final VlanTree tree) {
        for (int i = 0; i < merged.size(); i++) {
            if (merged.get(i).agreesWith(tree)) {
                merged.set(i, merged.get(i).with(tree));
                return i;
            }
        }
        merged.add(tree);
        return merged.size() - 1;
    }
}
