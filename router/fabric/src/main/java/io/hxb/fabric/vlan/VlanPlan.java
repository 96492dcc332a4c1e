package io.hxb.fabric.vlan;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.vlan.tree.HostTrees;
import io.hxb.fabric.vlan.tree.VlanTree;

import java.util.Arrays;
import java.util.Map;

/**
 * VLANs and who sends in which. Immutable.
 *
 * <p>Switch-tagged: a host sends everything in its own VLAN. Host-tagged: a pair of hosts uses, in
 * both directions, the VLAN that {@link #exceptions()} names for it, otherwise that of the host
 * with the higher priority; where hosts have several NICs, {@link NicSpread} takes these in turn.
 * So the table has one row per host, and one per exception.
 */
public final class VlanPlan {
    private final PlanKind kind;
    private final HostTrees trees;
    private final int[] vids;
    private final int[] ranks;
    private final ExceptionTable exceptions;
    private final NicSpread spread;

    /**
     * Two hosts, the smaller number first.
     *
     * @param low the smaller host number.
     * @param high the larger one.
     */
    public record Pair(int low, int high) implements Comparable<Pair> {
        /** The pair of two different hosts in any order. */
        public static Pair of(final int a, final int b) {
            return new Pair(Math.min(a, b), Math.max(a, b));
        }

        @Override
        public int compareTo(final Pair other) {
            return low != other.low
                    ? Integer.compare(low, other.low)
                    : Integer.compare(high, other.high);
        }
    }

    /**
     * Makes a plan.
     *
     * @param vids VID of each tree, {@code [trees]}.
     * @param ranks rank of each host, 0 the highest, {@code [hosts]}; host-tagged only.
     * @param exceptions index of the tree of pairs that do not follow the ranks; host-tagged only.
     */
    public VlanPlan(
            final PlanKind kind,
            final HostTrees trees,
            final int[] vids,
            final int[] ranks,
            final Map<Pair, Integer> exceptions) {
        if (vids.length != trees.trees().size() || ranks.length != trees.graph().hostCount()) {
            throw new IllegalArgumentException(
                    "a plan has a VID for each of "
                            + trees.trees().size()
                            + " trees and a rank for each of "
                            + trees.graph().hostCount()
                            + " hosts, not "
                            + vids.length
                            + " and "
                            + ranks.length);
        }
        this.kind = kind;
        this.trees = trees;
        this.vids = vids.clone();
        this.ranks = ranks.clone();
        this.exceptions = new ExceptionTable(ranks.length, exceptions);
        this.spread = spread(kind, trees);
    }

    private static NicSpread spread(final PlanKind kind, final HostTrees trees) {
        final HostNics nics = HostNics.of(trees.graph());
        if (nics.count() == 1) {
            return NicSpread.NONE;
        }
        if (kind != PlanKind.HOST_TAGGED) {
            throw new GraphException(
                    "hosts with several NICs have to choose between them; plan it with --kind"
                            + " host-tagged");
        }
        trees.trees().forEach(nics::check);
        return NicSpread.of(trees.trees().stream().mapToInt(tree -> nics.nic(0, tree)).toArray());
    }

    private VlanPlan(final VlanPlan like, final int[] vids) {
        this.kind = like.kind;
        this.trees = like.trees;
        this.vids = vids.clone();
        this.ranks = like.ranks;
        this.exceptions = like.exceptions;
        this.spread = like.spread;
    }

    /** Who tags. */
    public PlanKind kind() {
        return kind;
    }

    /** The graph planned for. */
    public SwitchGraph graph() {
        return trees.graph();
    }

    /** Number of VLANs. */
    public int vlanCount() {
        return vids.length;
    }

    /** VID of a VLAN, by its index from 0. */
    public int vid(final int vlan) {
        return vids[vlan];
    }

    /** All VIDs by index, {@code [VLANs]}, a new array. */
    public int[] vids() {
        return vids.clone();
    }

    /** The links of a VLAN. */
    public VlanTree tree(final int vlan) {
        return trees.trees().get(vlan);
    }

    /** The trees, and each host's own. */
    public HostTrees trees() {
        return trees;
    }

    /** Index of a host's own VLAN: its PVID, or the default VID it tags with. */
    public int vlanOf(final int host) {
        return trees.ofHost(host);
    }

    /** Rank of a host's default VID: of two hosts the smaller one decides. */
    public int rank(final int host) {
        return ranks[host];
    }

    /** Index of the VLAN of pairs that do not follow the ranks, in ascending order. */
    public Map<Pair, Integer> exceptions() {
        return exceptions.toMap();
    }

    /** Index of the VLAN in which one host sends to another. */
    public int vlanOf(final int from, final int to) {
        if (kind == PlanKind.SWITCH_TAGGED || from == to) {
            return trees.ofHost(from);
        }
        if (!exceptions.isEmpty()) {
            final int exception = exceptions.vlanOf(Math.min(from, to), Math.max(from, to));
            if (exception >= 0) {
                return exception;
            }
        }
        return spread.vlan(trees.ofHost(ranks[from] < ranks[to] ? from : to), from, to);
    }

    /** How pairs are spread over the NICs of their hosts. */
    public NicSpread spread() {
        return spread;
    }

    /** The VLAN that the host that decides for a pair must have so that the pair has this one. */
    public int ownVlanFor(final int a, final int b, final int vlan) {
        return spread.own(vlan, a, b);
    }

    /**
     * The channels of the path from one host to another.
     *
     * @return none when they are on one switch.
     */
    public int[] path(final int from, final int to) {
        return tree(vlanOf(from, to)).path(graph().hostSwitch(from), graph().hostSwitch(to));
    }

    /**
     * The same VLANs and ranks with another table.
     *
     * @param defaults index of each host's own VLAN, {@code [hosts]}.
     */
    public VlanPlan withTable(final int[] defaults, final Map<Pair, Integer> newExceptions) {
        return new VlanPlan(
                kind, new HostTrees(graph(), trees.trees(), defaults), vids, ranks, newExceptions);
    }

    /** The same plan with other VIDs, {@code [VLANs]}. */
    public VlanPlan withVids(final int[] newVids) {
        assert newVids.length == vids.length;
        return new VlanPlan(this, newVids);
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof VlanPlan plan
                && kind == plan.kind
                && trees.trees().equals(plan.trees.trees())
                && Arrays.equals(trees.ofHosts(), plan.trees.ofHosts())
                && Arrays.equals(vids, plan.vids)
                && Arrays.equals(ranks, plan.ranks)
                && exceptions.equals(plan.exceptions);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(vids) * 31 + Arrays.hashCode(trees.ofHosts());
    }

    /** The kind and number of VLANs. */
    @Override
    public String toString() {
        return kind + " plan of " + vids.length + " VLANs for " + graph();
    }
}
