package io.hxb.tool.mpi;

import io.hxb.tool.report.UsageException;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Which rank is attached to which node of a lab. The script deploy/hxb-rank, which starts in front
 * of each rank, decides by these variables. Immutable.
 *
 * @param sockets path of the nodes' sockets, with {@value #NODE} for the number.
 * @param nodes ids of the nodes that get ranks.
 * @param order the order.
 */
record RankPlacement(String sockets, List<Integer> nodes, Order order) {
    private static final String NODE = "{node}";

    /** How ranks are dealt to nodes. */
    enum Order {
        /** One to each node in turn. */
        NODE,
        /** Neighbouring ranks share a node. */
        BLOCK
    }

    /** Copies the list. */
    RankPlacement {
        nodes = List.copyOf(nodes);
    }

    /**
     * For nodes of a lab.
     *
     * @param folder of the lab, where its nodes have their sockets.
     * @param nodes their ids, in the order in which they get ranks.
     */
    static RankPlacement inLab(
            final Path folder, final String lab, final List<Integer> nodes, final Order order) {
        return new RankPlacement(
                folder.resolve(lab + "-" + NODE + ".sock").toString(), nodes, order);
    }

    /** How many nodes get ranks. */
    int nodeCount() {
        return nodes.size();
    }

    /**
     * Makes sure that each rank finds a context, of which it needs one.
     *
     * @param ranks how many there will be.
     * @param contexts how many a node has, its own included.
     * @throws UsageException that states how many ranks have room.
     */
    void check(final int ranks, final int contexts) {
        final int perNode = Math.ceilDiv(ranks, nodeCount());
        if (perNode > contexts - 1) {
            throw new UsageException(
                    ranks
                            + " ranks on "
                            + nodeCount()
                            + " nodes are "
                            + perNode
                            + " a node, and each needs one of the "
                            + (contexts - 1)
                            + " contexts that a node has for programs: start at most "
                            + (contexts - 1) * nodeCount()
                            + ", or take a lab with more nodes");
        }
    }

    /** What the script reads. */
    Map<String, String> environment() {
        return Map.of(
                "HXB_RANK_SOCKETS",
                sockets,
                "HXB_RANK_NODES",
                Integer.toString(nodeCount()),
                "HXB_RANK_LIST",
                nodes.stream().map(String::valueOf).collect(Collectors.joining(",")),
                "HXB_RANK_BY",
                order.name().toLowerCase(Locale.ROOT));
    }
}
