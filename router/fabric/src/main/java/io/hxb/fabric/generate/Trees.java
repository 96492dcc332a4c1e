package io.hxb.fabric.generate;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;

/**
 * Graphs made of levels: fat trees, Clos networks, plain trees. Switches are numbered from the
 * leaves up. Pure.
 */
public final class Trees {
    private Trees() {}

    /**
     * Fat tree (u, d, m): {@code d^m} hosts, {@code u} on each leaf switch; a switch has {@code u}
     * links up and {@code d} down, so that each level has {@code u / d} times the switches of the
     * one below it, until all leaves are joined. (2, 4, 2) has 8, 4 and 2 switches; (k, k, n) is
     * the k-ary n-tree. Level {@code l} follows level {@code l - 1} in the numbering. Source:
     * Koibuchi 2002, A.1.4; Otsuka et al. 2006, figure 3.
     *
     * @param up links up of a switch, 1 to {@code down}.
     * @param down links down, at least 2.
     * @param levels m, at least 1.
     */
    public static SwitchGraph fatTree(final int up, final int down, final int levels) {
        final double hosts = Math.pow(down, levels);
        if (up < 1 || up > down || down < 2 || levels < 1 || hosts > 1 << 20) {
            throw new GraphException(
                    "a fat tree (u, d, m) has 1 <= u <= d, 2 <= d, 1 <= m and at most 2^20 hosts,"
                            + " not ("
                            + up
                            + ", "
                            + down
                            + ", "
                            + levels
                            + ")");
        }
        if ((int) hosts % up != 0) {
            throw new GraphException(
                    "a fat tree (u, d, m) needs d^m to be a multiple of u: "
                            + (int) hosts
                            + " and "
                            + up);
        }
        final int leaves = (int) hosts / up;
        SwitchGraphBuilder.requireRoom(leaves, (double) leaves * up, hosts);
        final SwitchGraphBuilder builder = new SwitchGraphBuilder();
        builder.addSwitches(leaves).addHosts(up);
        int groups = leaves;
        int groupSize = 1;
        int first = 0;
        while (groups > 1) {
            final int children = Math.min(down, groups);
            if (groups % children != 0 || children * groupSize * up % down != 0) {
                throw new GraphException(
                        "a fat tree ("
                                + up
                                + ", "
                                + down
                                + ", "
                                + levels
                                + ") does not come out even");
            }
            final int parents = children * groupSize * up / down;
            final int next = builder.switchCount();
            builder.addSwitches(groups / children * parents);
            for (int node = 0; node < groups * groupSize; node++) {
                final int group = node / groupSize;
                final int rank = node % groupSize;
                for (int link = 0; link < up; link++) {
                    final int parent =
                            children == down
                                    ? link * groupSize + rank
                                    : (rank * up + link) % parents;
                    builder.addLink(first + node, next + group / children * parents + parent);
                }
            }
            first = next;
            groups /= children;
            groupSize = parents;
        }
        return builder.build();
    }

    /**
     * Two levels: every leaf has one link to every top switch (leaf-spine, folded Clos). With as
     * many VLANs as top switches it is a VBFT (VLAN-based fat tree).
     *
     * @param leaves leaf switches, numbered from 0, with all the hosts.
     * @param tops top switches, numbered from {@code leaves}.
     */
    public static SwitchGraph leafSpine(final int leaves, final int tops, final int hostsPerLeaf) {
        if (leaves < 1 || tops < 1) {
            throw new GraphException(
                    "leaves and top switches are at least 1: " + leaves + ", " + tops);
        }
        SwitchGraphBuilder.requireRoom(
                (double) leaves + tops, (double) leaves * tops, (double) leaves * hostsPerLeaf);
        final SwitchGraphBuilder builder = new SwitchGraphBuilder();
        builder.addSwitches(leaves).addHosts(hostsPerLeaf).addSwitches(tops);
        for (int leaf = 0; leaf < leaves; leaf++) {
            for (int top = 0; top < tops; top++) {
                builder.addLink(leaf, leaves + top);
            }
        }
        return builder.build();
    }

    /** VBFT: {@link #leafSpine} under the name that VFREC-Net gives it. */
    public static SwitchGraph vbft(final int leaves, final int tops, final int hostsPerLeaf) {
        return leafSpine(leaves, tops, hostsPerLeaf);
    }

    /**
     * Myrinet-Clos n x n: two columns of n switches, each linked with all of the other column,
     * hosts on both. Source: Otsuka et al. 2006, figure 3.
     */
    public static SwitchGraph myrinetClos(final int width, final int hostsPerSwitch) {
        SwitchGraphBuilder.requireRoom(
                2.0 * width, (double) width * width, 2.0 * width * hostsPerSwitch);
        final SwitchGraphBuilder builder = new SwitchGraphBuilder();
        builder.addSwitches(2 * Math.max(1, width)).addHosts(hostsPerSwitch);
        for (int left = 0; left < width; left++) {
            for (int right = 0; right < width; right++) {
                builder.addLink(left, width + right);
            }
        }
        return builder.build();
    }

    /** A tree without spare links: the parent of switch {@code i} is {@code (i - 1) / arity}. */
    public static SwitchGraph tree(final int switches, final int arity, final int hostsPerSwitch) {
        if (switches < 1 || arity < 1) {
            throw new GraphException(
                    "a tree needs switches and an arity: " + switches + ", " + arity);
        }
        SwitchGraphBuilder.requireRoom(switches, switches, (double) switches * hostsPerSwitch);
        final SwitchGraphBuilder builder = new SwitchGraphBuilder();
        builder.addSwitches(switches).addHosts(hostsPerSwitch);
        for (int node = 1; node < switches; node++) {
            builder.addLink((node - 1) / arity, node);
        }
        return builder.build();
    }
}
