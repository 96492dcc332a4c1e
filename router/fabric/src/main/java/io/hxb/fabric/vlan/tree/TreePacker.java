package io.hxb.fabric.vlan.tree;

import io.hxb.fabric.SwitchGraph;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/** Packs paths into few trees by taking the first that fits. Owned by one thread. */
public final class TreePacker {
    private final SwitchGraph graph;
    private final List<BitSet> links = new ArrayList<>();
    private final List<DisjointSets> parts = new ArrayList<>();

    /** Starts without trees. */
    public TreePacker(final SwitchGraph graph) {
        this.graph = graph;
    }

    /**
     * Adds a path to the first tree in which it closes no loop, or to a new one.
     *
     * @param channels a path that passes no switch twice.
     * @return index of the tree.
     */
    public int add(final int[] channels) {
        int tree = 0;
        while (tree < links.size() && !fits(tree, channels)) {
            tree++;
        }
        if (tree == links.size()) {
            links.add(new BitSet());
            parts.add(new DisjointSets(graph.switchCount()));
        }
        for (final int channel : channels) {
            join(tree, channel);
        }
        return tree;
    }

    private void join(final int tree, final int channel) {
        if (!links.get(tree).get(SwitchGraph.link(channel))
                && parts.get(tree).join(graph.source(channel), graph.target(channel))) {
            links.get(tree).set(SwitchGraph.link(channel));
        }
    }

    /** The parts that the path's new links join must all be different ones. */
    private boolean fits(final int tree, final int[] channels) {
        final BitSet taken = links.get(tree);
        final DisjointSets sets = parts.get(tree);
        for (int i = 0; i < channels.length; i++) {
            if (taken.get(SwitchGraph.link(channels[i]))) {
                continue;
            }
            // A new link may only lead to a part that none of the switches before is in.
            for (int before = 0; before <= i; before++) {
                if (sets.isJoined(graph.source(channels[before]), graph.target(channels[i]))) {
                    return false;
                }
            }
        }
        return true;
    }

    /** The trees, each made to reach all switches by links that were free. */
    public List<VlanTree> spanningTrees() {
        final List<VlanTree> trees = new ArrayList<>();
        for (int tree = 0; tree < links.size(); tree++) {
            // Different trees start at different links, so that they do not all use the same ones.
            for (int i = 0; i < graph.linkCount(); i++) {
                final long link = (i + (long) tree * graph.linkCount() / links.size());
                join(tree, (int) (2 * (link % graph.linkCount())));
            }
            trees.add(VlanTree.of(graph, links.get(tree)));
        }
        if (trees.isEmpty()) {
            trees.add(VlanTree.of(graph, new BitSet()));
        }
        return trees;
    }
}
