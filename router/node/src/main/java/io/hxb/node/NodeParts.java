package io.hxb.node;

import io.hxb.config.ClusterConfig;
import io.hxb.config.SecurityConfig;
import io.hxb.counter.Counters;
import io.hxb.flow.FlowListener;
import io.hxb.flow.FlowSizes;
import io.hxb.flow.FlowTable;
import io.hxb.forward.ForwardParts;
import io.hxb.forward.TraceLog;
import io.hxb.frame.SealFlyweight;
import io.hxb.gossip.Gossip;
import io.hxb.link.BufferPool;
import io.hxb.node.ip.IpService;
import io.hxb.session.KeyRing;
import io.hxb.session.Sessions;
import io.hxb.trunk.NodeIdentity;

import org.agrona.concurrent.EpochClock;

import java.util.random.RandomGenerator;

/**
 * What all loops of one node share. Made by a node or a simulation before the loops.
 *
 * @param config the cluster.
 * @param self who this node is to its neighbours.
 * @param links its links.
 * @param neighbourhood what it knows of its neighbours.
 * @param flows flows from and to it.
 * @param contexts its contexts.
 * @param counters counter file.
 * @param epochClock time of day in ms.
 * @param traces reports about frames that it traces.
 * @param ip carries the packets of its virtual NIC; null if it has none.
 * @param gossip what it knows of all nodes; null if nobody wants to know.
 * @param cabling what all nodes tell of their cables; null in a hyper-crossbar.
 */
record NodeParts(
        ClusterConfig config,
        NodeIdentity self,
        NodeLinks links,
        NeighbourLinks neighbourhood,
        FlowTable flows,
        NodeContexts contexts,
        Counters counters,
        EpochClock epochClock,
        TraceLog traces,
        IpService ip,
        Gossip gossip,
        Cabling cabling) {

    /** The same of a node without a virtual NIC. */
    NodeParts(
            final ClusterConfig config,
            final NodeIdentity self,
            final NodeLinks links,
            final NeighbourLinks neighbourhood,
            final FlowTable flows,
            final NodeContexts contexts,
            final Counters counters,
            final EpochClock epochClock) {
        this(
                config,
                self,
                links,
                neighbourhood,
                flows,
                contexts,
                counters,
                epochClock,
                new TraceLog(),
                null,
                null,
                null);
    }

    /** The same of a node with a virtual NIC. */
    NodeParts withIp(final IpService value) {
        return new NodeParts(
                config,
                self,
                links,
                neighbourhood,
                flows,
                contexts,
                counters,
                epochClock,
                traces,
                value,
                gossip,
                cabling);
    }

    /** The same of a node that tells its neighbours of the cluster. */
    NodeParts withGossip(final Gossip value) {
        return new NodeParts(
                config,
                self,
                links,
                neighbourhood,
                flows,
                contexts,
                counters,
                epochClock,
                traces,
                ip,
                value,
                cabling);
    }

    /** The same of a node that is cabled in any way. */
    NodeParts withCabling(final Cabling value) {
        return new NodeParts(
                config,
                self,
                links,
                neighbourhood,
                flows,
                contexts,
                counters,
                epochClock,
                traces,
                ip,
                gossip,
                value);
    }

    /** The identity of a node that starts now. */
    static NodeIdentity identity(
            final ClusterConfig config,
            final int nodeId,
            final int incarnation,
            final String hostName) {
        return new NodeIdentity(
                config.shape(),
                config.shape().coordinates(nodeId),
                config.clusterId(),
                config.fingerprint(),
                incarnation,
                hostName);
    }

    /**
     * The sessions of a node that starts now.
     *
     * @param ring the keys that the configuration names.
     * @param random source of nonces that nobody can predict.
     */
    static Sessions sessions(
            final ClusterConfig config,
            final NodeIdentity self,
            final KeyRing ring,
            final RandomGenerator random) {
        return new Sessions(self.ofSession(), config.security().mode(), ring, random);
    }

    /**
     * Header and body of the longest frame of a node's flows.
     *
     * @param linkBytes what each of its links takes as one frame.
     */
    static int frameBytes(final ClusterConfig config, final int linkBytes) {
        final int unsealedBytes =
                config.security().mode() == SecurityConfig.Mode.NONE
                        ? linkBytes
                        : linkBytes - SealFlyweight.LENGTH;
        return Math.min(unsealedBytes, config.maxFrameBytes());
    }

    /** The flows of a node with frames of {@code frameBytes}. */
    static FlowTable flows(
            final ClusterConfig config,
            final int nodeId,
            final int frameBytes,
            final BufferPool pool,
            final FlowListener listener) {
        return new FlowTable(
                config.flow(),
                config.ip(),
                FlowSizes.of(frameBytes, config.contexts(), config.flow().maxFlows())
                        .withReservedBuffers(reservedBuffers(config, pool)),
                config.shape(),
                config.shape().coordinates(nodeId),
                pool,
                listener);
    }

    // The pool of a simulation is not the one in the cluster file.
    private static int reservedBuffers(final ClusterConfig config, final BufferPool pool) {
        return pool.bufferCount() < config.pool().bufferCount()
                ? pool.bufferCount() / 4
                : pool.bufferCount() - config.applicationBuffers();
    }

    /** Node id of this node. */
    int nodeId() {
        return self.shape().node(self.here());
    }

    /** What its loops share to forward frames. */
    ForwardParts forwarding() {
        return new ForwardParts(
                config,
                self.here(),
                links.pool(),
                neighbourhood.sessions(),
                neighbourhood.discovery(),
                traces,
                links.minMtuBytes(),
                gossip,
                cabling,
                cabling == null ? null : cabling.map());
    }
}
