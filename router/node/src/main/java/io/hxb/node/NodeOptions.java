package io.hxb.node;

import io.hxb.config.ClusterConfig;
import io.hxb.link.Link;
import io.hxb.node.loop.NodeThreads;

import java.util.function.UnaryOperator;

/**
 * How one node is started. Immutable.
 *
 * @param config the cluster.
 * @param nodeId which of its nodes.
 * @param threads loops to run on; null to start those that the configuration names.
 * @param attaches whether applications of other processes can attach, over the node's socket.
 * @param keepsCounters whether the counters are in a file, for {@code hxb stat}.
 * @param wrapper put around each link, for captures; the identity for none.
 */
public record NodeOptions(
        ClusterConfig config,
        int nodeId,
        NodeThreads threads,
        boolean attaches,
        boolean keepsCounters,
        UnaryOperator<Link> wrapper) {

    /** A node as a service: its own loops, a socket and a counter file. */
    public static NodeOptions service(final ClusterConfig config, final int nodeId) {
        return new NodeOptions(config, nodeId, null, true, true, link -> link);
    }

    /** A node within an application, on loops that the application has made. */
    public static NodeOptions embedded(
            final ClusterConfig config, final int nodeId, final NodeThreads threads) {
        return new NodeOptions(config, nodeId, threads, false, false, link -> link);
    }

    /** The same with a wrapper around each link. */
    public NodeOptions withWrapper(final UnaryOperator<Link> linkWrapper) {
        return new NodeOptions(config, nodeId, threads, attaches, keepsCounters, linkWrapper);
    }
}
