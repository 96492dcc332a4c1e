package io.hxb.node;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.ContextConfig;
import io.hxb.config.FrameConfig;
import io.hxb.config.IpConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.OrderConfig;
import io.hxb.counter.CounterBlock;
import io.hxb.flow.FlowRights;
import io.hxb.flow.FlowTable;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.MessageRecordFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.sim.SimClock;
import io.hxb.link.sim.SimFaults;
import io.hxb.link.sim.SimLink;
import io.hxb.link.sim.SimNetwork;
import io.hxb.node.ip.IpDelivery;
import io.hxb.node.ip.IpService;
import io.hxb.node.ip.IpSetup;
import io.hxb.time.Deadline;
import io.hxb.topology.Shape;
import io.hxb.trunk.Port;
import io.hxb.trunk.discovery.Discovery;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

/**
 * A cluster in one thread and virtual time whose nodes have virtual NICs in memory. Owned by the
 * test.
 */
final class IpCluster implements AutoCloseable {
    static final int FRAME_BYTES = FrameConfig.LONGEST_BYTES;
    static final int MTU_BYTES = 65_000;
    static final long REPAIR_NS = 200_000_000L;
    private static final int WIRE_BYTES = 4_096;
    private static final long STEP_NS = 5_000_000L;
    private static final int CONTEXTS = 8;
    private static final int BUFFERS = 512;

    final SimClock clock = new SimClock(1);
    final SimNetwork network;
    final List<Member> members = new ArrayList<>();
    private final ClusterConfig config;
    private final SimHardware hardware;
    private final IntFunction<FlowRights> rights;
    private int incarnations;

    /** One incarnation of a node. */
    final class Member {
        final BufferPool pool;
        final SimLink[] links;
        final SimPacketDevice device = new SimPacketDevice(MTU_BYTES);

        /** Null for a node without a virtual NIC. */
        final IpService service;

        final NodeLoop loop;

        /** None are open unless the test opens them. */
        final SimProgram programs;

        /** A process that is stopped: its links take frames, nobody fetches them. */
        boolean isStopped;

        private final FlowTable flows;
        private final SimLoop turns = new SimLoop();
        private final Discovery discovery;

        Member(final int node, final boolean hasIp) {
            incarnations++;
            pool = hardware.newPool(BUFFERS);
            final BufferPool.Share share = pool.newShare();
            links = hardware.newLinks(node, share);
            programs = new SimProgram(node, hardware.arena);
            final List<Port> ports = NodeLinks.ports(config, node, links);
            final int messageBytes =
                    FRAME_BYTES - FrameHeaderFlyweight.LENGTH - MessageRecordFlyweight.LENGTH;
            service =
                    hasIp
                            ? new IpService(
                                    device,
                                    new SimPackets(node),
                                    new IpSetup(
                                            node,
                                            config.shape(),
                                            incarnations,
                                            messageBytes,
                                            REPAIR_NS,
                                            rights.apply(node)))
                            : null;
            flows =
                    NodeParts.flows(
                            config,
                            node,
                            FRAME_BYTES,
                            pool,
                            hasIp ? new IpDelivery(service, programs) : programs);
            final NodeParts parts =
                    hardware.newParts(node, incarnations, pool, ports, flows).withIp(service);
            discovery = parts.neighbourhood().discovery();
            loop = hardware.newLoop(parts, turns, share, links);
        }

        CounterBlock counters() {
            return loop.flows().counters();
        }

        void turn() {
            final long nowNs = clock.nanoTime();
            turns.turn(nowNs);
            programs.turn();
            for (final SimLink link : links) {
                loop.receiver().receive(link, 0);
            }
            loop.doWork(nowNs);
            loop.flush();
            if (Arrays.stream(loop.senders().all()).anyMatch(sender -> !sender.isBlocked())) {
                loop.flows().onLinkWritable();
            }
        }

        private long nextNs(final long nowNs) {
            return device.outgoing.isEmpty() ? loop.nextDeadlineNs(nowNs) : nowNs;
        }

        private void stop() {
            loop.stop();
            Arrays.stream(links).forEach(SimLink::close);
        }

        private void free() {
            flows.close();
            if (service != null) {
                service.free();
            }
        }
    }

    IpCluster(
            final long seed,
            final Shape shape,
            final int linksPerDimension,
            final SimFaults faults) {
        this(seed, shape, linksPerDimension, faults, -1);
    }

    /** The same whose flows have rights by node. */
    IpCluster(final long seed, final Shape shape, final IntFunction<FlowRights> rights) {
        this(
                seed,
                shape,
                1,
                SimFaults.NONE.withDelay(20_000, 20_000),
                -1,
                rights,
                IpConfig.DEFAULT);
    }

    /** The same with this configuration of the virtual NICs, except for what is in memory here. */
    IpCluster(final long seed, final Shape shape, final SimFaults faults, final IpConfig ip) {
        this(seed, shape, 1, faults, -1, node -> FlowRights.ALL, ip);
    }

    /** The same with one node that has no virtual NIC. */
    IpCluster(
            final long seed,
            final Shape shape,
            final int linksPerDimension,
            final SimFaults faults,
            final int withoutIp) {
        this(
                seed,
                shape,
                linksPerDimension,
                faults,
                withoutIp,
                node -> FlowRights.ALL,
                IpConfig.DEFAULT);
    }

    private IpCluster(
            final long seed,
            final Shape shape,
            final int linksPerDimension,
            final SimFaults faults,
            final int withoutIp,
            final IntFunction<FlowRights> rights,
            final IpConfig ip) {
        this.rights = rights;
        config =
                ClusterConfig.of(
                                "sim",
                                shape,
                                Backend.UDP,
                                LinkPlan.udp(shape.dimensions(), linksPerDimension, 20_000))
                        .withContext(new ContextConfig(CONTEXTS, 0))
                        .withFrame(SimCluster.FRAME)
                        .withIp(ip)
                        .withOrders(
                                seed % 2 == 0
                                        ? OrderConfig.DEFAULT
                                        : OrderConfig.all(shape.dimensions()));
        network = new SimNetwork(clock, seed);
        hardware =
                new SimHardware(
                        config,
                        clock,
                        network,
                        faults,
                        node -> SimHardware.ring(config, 1),
                        FRAME_BYTES,
                        WIRE_BYTES);
        for (int node = 0; node < shape.nodeCount(); node++) {
            members.add(new Member(node, node != withoutIp));
        }
    }

    /** Ends a node and starts its next incarnation. */
    void restart(final int node) {
        final Member old = members.get(node);
        old.stop();
        for (final SimLink link : old.links) {
            link.segment().links().remove(link);
        }
        old.free();
        members.set(node, new Member(node, true));
    }

    /** Cuts one link of a node from everybody, or heals it. */
    void cut(final int node, final int index, final boolean isCut) {
        final SimLink link = members.get(node).links[index];
        for (final SimLink other : link.segment().links()) {
            if (other != link) {
                network.cutBoth(link, other, isCut);
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

    /** Lets all nodes work until {@code isDone} or the time is up. */
    boolean runUntil(final BooleanSupplier isDone, final long limitNs) {
        final long endNs = clock.nanoTime() + limitNs;
        while (!isDone.getAsBoolean()) {
            final long nowNs = clock.nanoTime();
            if (nowNs >= endNs) {
                return false;
            }
            long nextNs = nowNs + STEP_NS;
            for (final Member member : members) {
                if (!member.isStopped) {
                    member.turn();
                    nextNs = Deadline.earlier(nextNs, member.nextNs(nowNs));
                }
            }
            final long eventNs = network.nextEventNs();
            nextNs = eventNs == Long.MAX_VALUE ? nextNs : Math.min(nextNs, eventNs);
            network.advance(Math.max(nowNs + 1_000, nextNs));
        }
        return true;
    }

    /** Buffers still out of any pool after everything has been closed. */
    int leftovers() {
        runUntil(() -> false, 300_000_000L);
        members.forEach(Member::stop);
        return members.stream().mapToInt(member -> member.pool.outstanding()).sum();
    }

    @Override
    public void close() {
        members.forEach(Member::free);
        hardware.close();
    }
}
