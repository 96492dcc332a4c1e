package io.hxb.fabric.vlan.tree;

import io.hxb.fabric.SwitchGraph;

import java.util.List;

/**
 * Trees, and the one that each host sends in. A tree that a host sends in reaches every switch with
 * hosts. Immutable.
 */
public final class HostTrees {
    private final SwitchGraph graph;
    private final List<VlanTree> trees;
    private final int[] ofHost;

    /**
     * Puts them together.
     *
     * @param trees all trees in use, each once.
     * @param ofHost index of each host's tree, {@code [hosts]}; copied.
     */
    public HostTrees(final SwitchGraph graph, final List<VlanTree> trees, final int[] ofHost) {
        this.graph = graph;
        this.trees = List.copyOf(trees);
        this.ofHost = ofHost.clone();
    }

    /** The graph of the trees. */
    public SwitchGraph graph() {
        return graph;
    }

    /** All trees in use. */
    public List<VlanTree> trees() {
        return trees;
    }

    /** Index of a host's tree. */
    public int ofHost(final int host) {
        return ofHost[host];
    }

    /** Index of each host's tree, {@code [hosts]}, a new array. */
    public int[] ofHosts() {
        return ofHost.clone();
    }

    /** Number of hosts that send in each tree, {@code [trees]}, a new array. */
    public int[] hostCounts() {
        final int[] counts = new int[trees.size()];
        for (final int tree : ofHost) {
            counts[tree]++;
        }
        return counts;
    }
}
