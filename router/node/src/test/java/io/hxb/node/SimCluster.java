package io.hxb.node;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.ContextConfig;
import io.hxb.config.FrameConfig;
import io.hxb.config.LinkConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.OrderConfig;
import io.hxb.counter.CounterBlock;
import io.hxb.flow.FlowTable;
import io.hxb.gossip.Gossip;
import io.hxb.link.BufferPool;
import io.hxb.link.Link;
import io.hxb.link.sim.SimClock;
import io.hxb.link.sim.SimFaults;
import io.hxb.link.sim.SimLink;
import io.hxb.link.sim.SimNetwork;
import io.hxb.recorder.FlightRecorder;
import io.hxb.routing.CablingMap;
import io.hxb.session.KeyRing;
import io.hxb.session.Sessions;
import io.hxb.time.Deadline;
import io.hxb.topology.Shape;
import io.hxb.trunk.Port;
import io.hxb.trunk.discovery.Discovery;
import io.hxb.trunk.health.TrunkHealth;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

/** A whole hyper-crossbar in one thread and virtual time: the node's own code over sim links. */
final class SimCluster implements AutoCloseable {
    static final int MTU_BYTES = SimHardware.MTU_BYTES;

    /** Frames with a CRC, whose nodes greet each other often. */
    static final FrameConfig FRAME =
            new FrameConfig(
                    true,
                    16,
                    0x88B5,
                    0x88B6,
                    50_000_000L,
                    false,
                    FrameConfig.Encapsulation.ETHERNET);

    private static final long STEP_NS = 5_000_000L;

    /** One node: its loop and the application on it. */
    final class Member {
        final BufferPool pool;
        final BufferPool.Share share;
        final FlowTable flows;
        final SimLoop turns = new SimLoop();
        final NodeLoop loop;
        final SimApplication application;
        final Link[] links;
        final Discovery discovery;
        final TrunkHealth health;
        final FlightRecorder recorder;
        final Sessions sessions;
        final List<Port> ports;
        final Gossip gossip;
        final CablingMap map;
        final int node;

        /** A process that does nothing any more; its links take frames, nobody fetches them. */
        boolean isDead;

        Member(final int node, final int buffers, final int slots) {
            this.node = node;
            pool = hardware.newPool(buffers);
            share = pool.newShare();
            links = hardware.newLinks(node, share);
            ports = NodeLinks.ports(config, node, links);
            application =
                    new SimApplication(
                            node,
                            config.shape().nodeCount(),
                            hardware.arena,
                            seed,
                            slots,
                            frameBytes);
            flows = NodeParts.flows(config, node, frameBytes, pool, application);
            gossip = hasGossip ? new Gossip(config.shape(), node, links.length, 1) : null;
            final NodeParts parts =
                    hardware.newParts(node, node + 1, pool, ports, flows).withGossip(gossip);
            map = parts.cabling() == null ? null : parts.cabling().map();
            discovery = parts.neighbourhood().discovery();
            health = parts.neighbourhood().health();
            recorder = parts.counters().recorder();
            sessions = parts.neighbourhood().sessions();
            loop = hardware.newLoop(parts, turns, share, links);
            application.attach(loop.flows());
        }

        void turn() {
            final long nowNs = clock.nanoTime();
            turns.turn(nowNs);
            for (final Link link : links) {
                loop.receiver().receive(link, 0);
            }
            loop.doWork(nowNs);
            loop.flush();
            if (hasRoom()) {
                loop.flows().onLinkWritable();
            }
        }

        // A simulated link does not report that it takes frames again.
        private boolean hasRoom() {
            return Arrays.stream(loop.senders().all()).anyMatch(sender -> !sender.isBlocked());
        }

        CounterBlock counters() {
            return loop.forwarder().counters();
        }
    }

    final SimClock clock = new SimClock(1);
    final SimNetwork network;
    final List<Member> members = new ArrayList<>();
    final ClusterConfig config;
    private final long seed;
    private final boolean hasGossip;
    private final SimHardware hardware;
    private final int frameBytes;

    SimCluster(
            final long seed,
            final Shape shape,
            final int linksPerDimension,
            final SimFaults faults,
            final int buffers) {
        this(seed, shape, linksPerDimension, faults, buffers, SimApplication.SLOTS);
    }

    /** The same with applications that have at most {@code slots} messages on the way. */
    SimCluster(
            final long seed,
            final Shape shape,
            final int linksPerDimension,
            final SimFaults faults,
            final int buffers,
            final int slots) {
        this(
                seed,
                ClusterConfig.of(
                                "sim",
                                shape,
                                Backend.UDP,
                                LinkPlan.udp(shape.dimensions(), linksPerDimension, 20_000))
                        .withContext(new ContextConfig(SimHardware.CONTEXTS, 0))
                        .withFrame(FRAME)
                        .withOrders(
                                seed % 2 == 0
                                        ? OrderConfig.DEFAULT
                                        : OrderConfig.all(shape.dimensions())),
                faults,
                buffers,
                slots);
    }

    /** Makes the cluster of a configuration, except for its pool and its sockets. */
    SimCluster(
            final long seed,
            final ClusterConfig config,
            final SimFaults faults,
            final int buffers,
            final int slots) {
        this(seed, config, faults, buffers, slots, node -> SimHardware.ring(config, 1));
    }

    /** The same with the keys of each node. */
    SimCluster(
            final long seed,
            final ClusterConfig config,
            final SimFaults faults,
            final int buffers,
            final int slots,
            final IntFunction<KeyRing> rings) {
        this(seed, config, faults, buffers, slots, rings, MTU_BYTES, 0);
    }

    /** The same with frames of up to {@code frameBytes} over links of {@code wireBytes}. */
    SimCluster(
            final long seed,
            final ClusterConfig config,
            final SimFaults faults,
            final int buffers,
            final int slots,
            final IntFunction<KeyRing> rings,
            final int frameBytes,
            final int wireBytes) {
        this(seed, config, faults, buffers, slots, rings, frameBytes, wireBytes, false);
    }

    /** The same with nodes that tell one another how they fare, if {@code hasGossip}. */
    SimCluster(
            final long seed,
            final ClusterConfig config,
            final SimFaults faults,
            final int buffers,
            final int slots,
            final IntFunction<KeyRing> rings,
            final int frameBytes,
            final int wireBytes,
            final boolean hasGossip) {
        this.hasGossip = hasGossip;
        this.seed = seed;
        this.config = config;
        this.frameBytes = frameBytes;
        network = new SimNetwork(clock, seed);
        hardware = new SimHardware(config, clock, network, faults, rings, frameBytes, wireBytes);
        for (int node = 0; node < config.shape().nodeCount(); node++) {
            members.add(new Member(node, buffers, slots));
        }
    }

    /** Lets all nodes work until {@code isDone} or the time is up; true if done. */
    boolean runUntil(final BooleanSupplier isDone, final long limitNs) {
        final long endNs = clock.nanoTime() + limitNs;
        while (!isDone.getAsBoolean()) {
            if (clock.nanoTime() >= endNs) {
                return false;
            }
            long nextNs = clock.nanoTime() + STEP_NS;
            for (final Member member : members) {
                if (member.isDead) {
                    continue;
                }
                member.application.turn();
                member.turn();
                final long dueNs = member.loop.nextDeadlineNs(clock.nanoTime());
                nextNs = dueNs == Deadline.NEVER ? nextNs : Math.min(nextNs, dueNs);
            }
            final long eventNs = network.nextEventNs();
            nextNs = eventNs == Long.MAX_VALUE ? nextNs : Math.min(nextNs, eventNs);
            network.advance(Math.max(clock.nanoTime() + 1_000, nextNs));
        }
        return true;
    }

    /** Cuts all links of one dimension of a node from everybody, or heals them; they stay up. */
    void cutTrunk(final int node, final int dimension, final boolean isCut) {
        for (final LinkConfig config : this.config.links(node)) {
            if (config.dimension() == dimension) {
                final SimLink link = (SimLink) members.get(node).links[config.index()];
                for (final SimLink other : link.segment().links()) {
                    if (other != link) {
                        network.cutBoth(link, other, isCut);
                    }
                }
            }
        }
    }

    boolean allNeighboursKnown() {
        return members.stream()
                .allMatch(
                        member ->
                                member.discovery.knownNeighbours()
                                        == member.discovery.expectedNeighbours());
    }

    /** Buffers still out of any pool after everything has been given back. */
    int leftovers() {
        members.forEach(member -> member.application.close());
        runUntil(() -> false, 300_000_000L);
        int outstanding = 0;
        for (final Member member : members) {
            member.loop.stop();
            for (final Link link : member.links) {
                link.close();
            }
        }
        for (final Member member : members) {
            outstanding += member.pool.outstanding();
        }
        return outstanding;
    }

    @Override
    public void close() {
        members.forEach(member -> member.flows.close());
        hardware.close();
    }
}
