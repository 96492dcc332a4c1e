package io.hxb.fabric.algorithm;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.route.BalancedPaths;
import io.hxb.fabric.route.Routing;
import io.hxb.fabric.route.StoredRouting;
import io.hxb.fabric.route.TurnRelation;

import java.util.Arrays;

/**
 * Routing of fat trees: up until the host is below, then down, by a path for each host that
 * alternates between the ways up, as d-mod-k does. A tree is recognised by its structure: every
 * link joins two levels, the distance to the nearest leaf; leaves are switches with hosts. Numbers
 * of links and hosts may differ from switch to switch, and links and switches may be missing. One
 * virtual channel. Pure. Source: Zahavi 2010, D-Mod-K routing; Bogdanski et al. 2012, on ftree of
 * OpenSM.
 */
public final class FatTree {
    private FatTree() {}

    /**
     * Applies the algorithm.
     *
     * @throws GraphException if the graph is no tree of levels, or two hosts have no common switch
     *     above them.
     */
    public static Routing routing(final SwitchGraph graph) {
        final int[] levels = levels(graph);
        final TurnRelation relation =
                TurnRelation.of(
                        graph,
                        1,
                        (from, to) -> isUp(graph, levels, from) || !isUp(graph, levels, to));
        return new StoredRouting("fat-tree", BalancedPaths.perHost(relation));
    }

    private static boolean isUp(final SwitchGraph graph, final int[] levels, final int channel) {
        return levels[graph.target(channel)] > levels[graph.source(channel)];
    }

    /** The level of each switch, 0 at the leaves. */
    private static int[] levels(final SwitchGraph graph) {
        if (graph.hostCount() == 0) {
            throw new GraphException(
                    "fat-tree needs hosts: the switches with hosts are the leaves");
        }
        final int[] hosts = graph.hostCounts();
        final boolean[] isLeaf = new boolean[hosts.length];
        int leaves = 0;
        for (int node = 0; node < hosts.length; node++) {
            isLeaf[node] = hosts[node] > 0;
            leaves += isLeaf[node] ? 1 : 0;
        }
        // A few hosts may be on switches above the leaves: those with links to many leaves.
        int[] levels = levels(graph, isLeaf);
        for (int above = leaves / 3; above > 0 && sameLevel(graph, levels) >= 0; above--) {
            isLeaf[leafWithMostLeaves(graph, isLeaf)] = false;
            levels = levels(graph, isLeaf);
        }
        final int same = sameLevel(graph, levels);
        if (same >= 0) {
            throw new GraphException(
                    "the graph is not a fat tree: "
                            + graph.channelName(same)
                            + " joins switches of one level; use dfsssp");
        }
        return levels;
    }

    private static int leafWithMostLeaves(final SwitchGraph graph, final boolean[] isLeaf) {
        int chosen = 0;
        int most = -1;
        for (int node = 0; node < isLeaf.length; node++) {
            int count = 0;
            for (int i = 0; i < graph.degree(node); i++) {
                count += isLeaf[graph.target(graph.outgoing(node, i))] ? 1 : 0;
            }
            if (isLeaf[node] && count > most) {
                most = count;
                chosen = node;
            }
        }
        return chosen;
    }

    /** Links to the nearest leaf. */
    private static int[] levels(final SwitchGraph graph, final boolean[] isLeaf) {
        final int[] levels = new int[isLeaf.length];
        final int[] queue = new int[isLeaf.length];
        Arrays.fill(levels, -1);
        int queued = 0;
        for (int node = 0; node < isLeaf.length; node++) {
            if (isLeaf[node]) {
                levels[node] = 0;
                queue[queued++] = node;
            }
        }
        for (int at = 0; at < queued; at++) {
            for (int i = 0; i < graph.degree(queue[at]); i++) {
                final int node = graph.target(graph.outgoing(queue[at], i));
                if (levels[node] < 0) {
                    levels[node] = levels[queue[at]] + 1;
                    queue[queued++] = node;
                }
            }
        }
        return levels;
    }

    /** A channel between switches of one level, or -1. */
    private static int sameLevel(final SwitchGraph graph, final int[] levels) {
        for (int channel = 0; channel < graph.channelCount(); channel++) {
            if (levels[graph.source(channel)] == levels[graph.target(channel)]) {
                return channel;
            }
        }
        return -1;
    }
}
