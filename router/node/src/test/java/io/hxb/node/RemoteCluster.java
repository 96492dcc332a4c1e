package io.hxb.node;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.ContextConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.OrderConfig;
import io.hxb.context.ContextLoop;
import io.hxb.context.ContextManager;
import io.hxb.context.ContextParts;
import io.hxb.flow.FlowTable;
import io.hxb.link.BufferPool;
import io.hxb.link.Link;
import io.hxb.link.sim.SimClock;
import io.hxb.link.sim.SimFaults;
import io.hxb.link.sim.SimLink;
import io.hxb.link.sim.SimNetwork;
import io.hxb.linux.LinuxException;
import io.hxb.linux.SharedMemory;
import io.hxb.pm.PmDevice;
import io.hxb.time.Deadline;
import io.hxb.topology.Shape;
import io.hxb.trunk.Port;
import io.hxb.trunk.discovery.Discovery;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * A cluster in one thread and virtual time whose nodes have contexts that programs open by the
 * ordinary API. Owned by the test.
 */
final class RemoteCluster implements AutoCloseable {
    private static final long STEP_NS = 5_000_000L;
    private static final int CONTEXTS = 8;
    private static final int BUFFERS = 1_024;

    final SimClock clock = new SimClock(1);
    final SimNetwork network;
    final List<Member> members = new ArrayList<>();
    private final ClusterConfig config;
    private final SimHardware hardware;
    private int incarnations;

    /** One incarnation of a node. */
    final class Member {
        final BufferPool pool;
        final SimLink[] links;
        final PmDevice device;
        final ContextManager manager;
        private final SharedMemory unused;
        private final FlowTable flows;
        private final SimLoop turns = new SimLoop();
        private final NodeLoop loop;
        private final ContextLoop contexts;
        private final Discovery discovery;

        Member(final int node) throws LinuxException {
            incarnations += CONTEXTS * 16;
            pool = hardware.newPool(BUFFERS);
            final BufferPool.Share share = pool.newShare();
            links = hardware.newLinks(node, share);
            final List<Port> ports = NodeLinks.ports(config, node, links);
            unused = ContextManager.createReceivePool(4_096, false);
            manager =
                    new ContextManager(
                            new ContextParts(config, node, incarnations, 1, SimHardware.MTU_BYTES),
                            pool,
                            unused);
            flows = NodeParts.flows(config, node, SimHardware.MTU_BYTES, pool, manager.delivery());
            final NodeParts parts = hardware.newParts(node, incarnations, pool, ports, flows);
            discovery = parts.neighbourhood().discovery();
            loop = hardware.newLoop(parts, turns, share, links);
            contexts = manager.newLoop(0, loop.flows(), loop.flows().counters());
            device = PmDevice.over(manager.attach(maxWaitNs -> contexts.doWork(clock.nanoTime())));
        }

        private void turn() {
            final long nowNs = clock.nanoTime();
            turns.turn(nowNs);
            contexts.doWork(nowNs);
            for (final Link link : links) {
                loop.receiver().receive(link, 0);
            }
            loop.doWork(nowNs);
            loop.flush();
            if (Arrays.stream(loop.senders().all()).anyMatch(sender -> !sender.isBlocked())) {
                loop.flows().onLinkWritable();
            }
        }

        private long nextNs(final long nowNs) {
            if (!contexts.prepareToSleep()) {
                return nowNs;
            }
            contexts.awake();
            return Deadline.earlier(loop.nextDeadlineNs(nowNs), contexts.nextDeadlineNs());
        }

        private void stop() {
            device.close();
            contexts.close();
            loop.stop();
            Arrays.stream(links).forEach(SimLink::close);
        }

        private void free() {
            flows.close();
            manager.close();
            unused.close();
        }
    }

    RemoteCluster(
            final long seed, final Shape shape, final int linksPerDimension, final SimFaults faults)
            throws LinuxException {
        config =
                ClusterConfig.of(
                                "sim",
                                shape,
                                Backend.UDP,
                                LinkPlan.udp(shape.dimensions(), linksPerDimension, 20_000))
                        .withContext(new ContextConfig(CONTEXTS, 0))
                        .withFrame(SimCluster.FRAME)
                        .withOrders(
                                seed % 2 == 0
                                        ? OrderConfig.DEFAULT
                                        : OrderConfig.all(shape.dimensions()));
        network = new SimNetwork(clock, seed);
        hardware = new SimHardware(config, clock, network, faults);
        for (int node = 0; node < shape.nodeCount(); node++) {
            members.add(new Member(node));
        }
    }

    /** Ends a node and starts its next incarnation. */
    void restart(final int node) throws LinuxException {
        final Member old = members.get(node);
        old.stop();
        for (final SimLink link : old.links) {
            link.segment().links().remove(link);
        }
        old.free();
        members.set(node, new Member(node));
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

    /** Lets all nodes and {@code programs} work until {@code isDone} or the time is up. */
    boolean runUntil(final BooleanSupplier isDone, final Runnable programs, final long limitNs) {
        final long endNs = clock.nanoTime() + limitNs;
        while (!isDone.getAsBoolean()) {
            final long nowNs = clock.nanoTime();
            if (nowNs >= endNs) {
                return false;
            }
            programs.run();
            long nextNs = nowNs + STEP_NS;
            for (final Member member : members) {
                member.turn();
                nextNs = Deadline.earlier(nextNs, member.nextNs(nowNs));
            }
            final long eventNs = network.nextEventNs();
            nextNs = eventNs == Long.MAX_VALUE ? nextNs : Math.min(nextNs, eventNs);
            network.advance(Math.max(nowNs + 1_000, nextNs));
        }
        return true;
    }

    /** Buffers still out of any pool after everything has been closed. */
    int leftovers() {
        members.forEach(member -> member.device.close());
        runUntil(() -> false, () -> {}, 300_000_000L);
        members.forEach(Member::stop);
        return members.stream().mapToInt(member -> member.pool.outstanding()).sum();
    }

    @Override
    public void close() {
        members.forEach(Member::free);
        hardware.close();
    }
}
