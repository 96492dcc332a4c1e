package io.hxb.node;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkConfig;
import io.hxb.config.SecurityConfig;
import io.hxb.counter.CounterLabels;
import io.hxb.counter.Counters;
import io.hxb.flow.FlowTable;
import io.hxb.forward.kernel.KernelRelay;
import io.hxb.link.BufferPool;
import io.hxb.link.Link;
import io.hxb.link.LinkWatch;
import io.hxb.link.sim.SimClock;
import io.hxb.link.sim.SimFaults;
import io.hxb.link.sim.SimLink;
import io.hxb.link.sim.SimNetwork;
import io.hxb.link.sim.SimSegment;
import io.hxb.linkstate.LinkStates;
import io.hxb.session.ClusterKey;
import io.hxb.session.KeyRing;
import io.hxb.topology.Shape;
import io.hxb.trunk.NodeIdentity;
import io.hxb.trunk.Port;
import io.hxb.trunk.health.KernelBacklog;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntFunction;

/**
 * What simulated clusters of whole nodes are made of: memory, NICs, cables and the parts of a node
 * on them. Owned by the test.
 */
final class SimHardware implements AutoCloseable {
    static final int MTU_BYTES = 1_024;

    /** So that pools smaller than that of a cluster file suffice for them. */
    static final int CONTEXTS = 64;

    private static final String HOST = "sim";

    final Arena arena = Arena.ofConfined();
    private final ClusterConfig config;
    private final SimClock clock;
    private final SimNetwork network;
    private final SimFaults faults;
    private final IntFunction<KeyRing> rings;
    private final Map<String, SimSegment> segments = new HashMap<>();
    private final int frameBytes;
    private final int wireBytes;

    /** Makes the hardware of a cluster whose segments all have {@code faults} at first. */
    SimHardware(
            final ClusterConfig config,
            final SimClock clock,
            final SimNetwork network,
            final SimFaults faults) {
        this(config, clock, network, faults, node -> ring(config, 1));
    }

    /** The same with the keys of each node. */
    SimHardware(
            final ClusterConfig config,
            final SimClock clock,
            final SimNetwork network,
            final SimFaults faults,
            final IntFunction<KeyRing> rings) {
        this(config, clock, network, faults, rings, MTU_BYTES, 0);
    }

    /**
     * The same with frames of other sizes.
     *
     * @param frameBytes of flows, without their trailer.
     * @param wireBytes of the links, which cut longer frames; 0 for no less than frames have.
     */
    SimHardware(
            final ClusterConfig config,
            final SimClock clock,
            final SimNetwork network,
            final SimFaults faults,
            final IntFunction<KeyRing> rings,
            final int frameBytes,
            final int wireBytes) {
        this.frameBytes = frameBytes;
        this.wireBytes = wireBytes;
        this.rings = rings;
        this.config = config;
        this.clock = clock;
        this.network = network;
        this.faults = faults;
    }

    /** Keys from seeds, or none if the cluster has none. */
    static KeyRing ring(final ClusterConfig config, final int... seeds) {
        final List<ClusterKey> keys = new ArrayList<>();
        for (final int seed : seeds) {
            final byte[] secret = new byte[ClusterKey.LENGTH];
            new Random(seed).nextBytes(secret);
            keys.add(new ClusterKey(secret));
        }
        return config.security().mode() == SecurityConfig.Mode.NONE
                ? KeyRing.NONE
                : new KeyRing(keys);
    }

    private int linkBytes() {
        return wireBytes > 0 ? wireBytes : longestBytes();
    }

    /** Of frames with their trailer. */
    private int longestBytes() {
        return 2 * frameBytes - NodeParts.frameBytes(config, frameBytes);
    }

    BufferPool newPool(final int buffers) {
        final int bufferBytes = (frameBytes + 191) / 64 * 64;
        final long bytes = (long) buffers * bufferBytes;
        return new BufferPool(arena.allocate(bytes, 64).address(), buffers, bufferBytes);
    }

    /**
     * The NICs of a node, each on the segment of its line; with any cabling on that of its name.
     */
    SimLink[] newLinks(final int node, final BufferPool.Share share) {
        final List<SimLink> links = new ArrayList<>();
        for (final LinkConfig link : config.links(node)) {
            final long here = config.shape().coordinates(node);
            final long line = Shape.withCoordinate(here, link.dimension(), 0);
            final SimSegment segment =
                    segments.computeIfAbsent(
                            config.shape().isAnyCabling() ? link.nic() : link.index() + "@" + line,
                            name -> network.newSegment(faults));
            links.add(
                    network.newLink(
                            segment,
                            link.index(),
                            Shape.coordinate(here, link.dimension()),
                            linkBytes(),
                            Math.max(linkBytes(), longestBytes()),
                            share));
        }
        return links.toArray(new SimLink[0]);
    }

    /** The parts of one incarnation of a node. */
    NodeParts newParts(
            final int node,
            final int incarnation,
            final BufferPool pool,
            final List<Port> ports,
            final FlowTable flows) {
        final NodeIdentity self = NodeParts.identity(config, node, incarnation, HOST);
        final Counters counters = newCounters(node);
        final NodeParts parts =
                new NodeParts(
                        config,
                        self,
                        new NodeLinks(pool, ports, LinkWatch.NONE, KernelRelay.NONE),
                        NeighbourLinks.of(
                                config,
                                self,
                                NodeParts.sessions(
                                        config,
                                        self,
                                        rings.apply(node),
                                        new Random(31L * node + incarnation)),
                                () -> 0,
                                KernelBacklog.NONE,
                                ports.toArray(new Port[0]),
                                counters),
                        flows,
                        NodeContexts.NONE,
                        counters,
                        () -> clock.nanoTime() / 1_000_000);
        return config.shape().isAnyCabling()
                ? parts.withCabling(
                        new Cabling(
                                new LinkStates(
                                        node,
                                        config.shape().nodeCount(),
                                        new LinkStates.Self(
                                                node + 1, incarnation, incarnation, HOST),
                                        (number, kept, refused) -> {})))
                : parts;
    }

    /** The only loop of a node, which receives on all its links. */
    NodeLoop newLoop(
            final NodeParts parts,
            final SimLoop loop,
            final BufferPool.Share share,
            final Link[] links) {
        return new NodeLoop(parts, 0, loop, share, links);
    }

    private Counters newCounters(final int node) {
        return Counters.inMemory(
                new CounterLabels(
                        HOST,
                        config.clusterId(),
                        node,
                        config.shape().coordinates(node),
                        config.shape().dimensions(),
                        config.links(node).stream()
                                .map(
                                        link ->
                                                new CounterLabels.LinkLabel(
                                                        link.dimension(),
                                                        link.number(),
                                                        HOST,
                                                        config.shape().extent(link.dimension()),
                                                        config.shape().step(link.dimension())))
                                .toList()),
                1,
                clock::nanoTime);
    }

    @Override
    public void close() {
        arena.close();
    }
}
