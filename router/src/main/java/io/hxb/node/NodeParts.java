package io.hxb.node;

import io.hxb.config.ClusterConfig;
import io.hxb.counter.Counters;
import io.hxb.flow.FlowListener;
import io.hxb.flow.FlowSizes;
import io.hxb.flow.FlowTable;
import io.hxb.forward.ForwardParts;
import io.hxb.forward.kernel.KernelRelay;
import io.hxb.link.BufferPool;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.link.raw.LinkMonitor;
import io.hxb.trunk.NodeIdentity;
import io.hxb.trunk.Port;
import io.hxb.trunk.TrunkSender;
import io.hxb.trunk.discovery.Complaints;
import io.hxb.trunk.discovery.Discovery;
import io.hxb.trunk.health.TrunkHealth;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.EpochClock;

import java.util.Arrays;
import java.util.List;

/**
 * What all loops of one node share. Made by a node or a simulation before the loops start.
 *
 * @param config the cluster.
 * @param nodeId this node.
 * @param incarnation of this node, never 0.
 * @param hostName name of this machine.
 * @param pool receive buffers.
 * @param ports this node's ports, by link index.
 * @param complaints what is wrong with the neighbourhood.
 * @param discovery finds the neighbours.
 * @param kernelRelay relays for the node; null where it does that itself.
 * @param flows flows from and to this node.
 * @param counters counter file.
 * @param linkMonitor tells of changes of the NICs; null for links that are no NICs.
 * @param epochClock time of day in ms.
 * @param errorHandler told of everything that goes wrong in a loop.
 */
record NodeParts(
        ClusterConfig config,
        int nodeId,
        int incarnation,
        String hostName,
        BufferPool pool,
        List<Port> ports,
        Complaints complaints,
        Discovery discovery,
        KernelRelay kernelRelay,
        FlowTable flows,
        Counters counters,
        LinkMonitor linkMonitor,
        EpochClock epochClock,
        ErrorHandler errorHandler) {

    /** Coordinate vector of this node. */
    long here() {
        return config.shape().coordinates(nodeId);
    }

    /** What its loops share to forward frames. */
    ForwardParts forwarding() {
        return new ForwardParts(config, here(), pool, discovery);
    }

    /**
     * Makes one loop's senders of all trunks.
     *
     * @param senders of that loop, by link index, {@code [links]}.
     * @return by dimension, {@code [dimensions]}.
     */
    TrunkSender[] trunks(final LinkSender[] senders) {
        final TrunkSender[] trunks = new TrunkSender[config.shape().dimensions()];
        for (int i = 0; i < trunks.length; i++) {
            final int dimension = i;
            final Port[] members =
                    ports.stream()
                            .filter(port -> port.dimension() == dimension)
                            .toArray(Port[]::new);
            trunks[i] =
                    new TrunkSender(
                            members,
                            Arrays.stream(members)
                                    .map(port -> senders[port.link().index()])
                                    .toArray(LinkSender[]::new));
        }
        return trunks;
    }

    /** Puts the links in their places: {@code config}'s links in the order of their index. */
    static List<Port> ports(final ClusterConfig config, final int nodeId, final Link[] links) {
        return config.links(nodeId).stream()
                .map(link -> new Port(links[link.index()], link.dimension(), link.number()))
                .toList();
    }

    static Discovery discovery(
            final ClusterConfig config,
            final int nodeId,
            final int incarnation,
            final String hostName,
            final List<Port> ports,
            final Complaints complaints) {
        final NodeIdentity self =
                new NodeIdentity(
                        config.shape(),
                        config.shape().coordinates(nodeId),
                        config.clusterId(),
                        config.fingerprint(),
                        incarnation,
                        hostName);
        final long helloIntervalNs = config.frame().helloIntervalNs();
        final Port[] all = ports.toArray(new Port[0]);
        final TrunkHealth health = new TrunkHealth(self, config.trunk(), helloIntervalNs, all);
        return new Discovery(self, helloIntervalNs, all, health, complaints);
    }

    static FlowTable flows(
            final ClusterConfig config,
            final int nodeId,
            final int mtuBytes,
            final BufferPool pool,
            final FlowListener listener) {
        return new FlowTable(
                config.flow(),
                FlowSizes.of(mtuBytes, config.context().maxContexts()),
                config.shape(),
                config.shape().coordinates(nodeId),
                pool,
                listener);
    }
}
