package io.hxb.node;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.ContextConfig;
import io.hxb.config.FlowConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.RouteConfig;
import io.hxb.config.TrunkConfig;
import io.hxb.counter.CounterType;
import io.hxb.flow.FlowTable;
import io.hxb.link.BufferPool;
import io.hxb.link.Link;
import io.hxb.link.sim.SimClock;
import io.hxb.link.sim.SimFaults;
import io.hxb.link.sim.SimLink;
import io.hxb.link.sim.SimNetwork;
import io.hxb.link.sim.SimSegment;
import io.hxb.recorder.FlightRecorder;
import io.hxb.time.Deadline;
import io.hxb.topology.Shape;
import io.hxb.trunk.Port;
import io.hxb.trunk.discovery.Discovery;
import io.hxb.trunk.health.TrunkHealth;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * A cluster in virtual time whose cables, NICs and nodes fail on request, and which knows what is
 * broken. Owned by the test.
 */
final class FaultCluster implements AutoCloseable {
    static final long MS = 1_000_000L;
    static final SimFaults FAULTLESS = SimFaults.NONE.withRate(1_000_000_000L, 256);
    private static final int BUFFERS = 512;
    private static final long STEP_NS = 5 * MS;

    final SimClock clock;
    final SimNetwork network;
    final List<Member> members = new ArrayList<>();
    final FaultLedger ledger;
    final ClusterConfig config;
    private final SimHardware hardware;
    private final SplittableRandom random;
    private final Map<String, SimFaults> directions = new HashMap<>();
    private final long pauseNs;
    private int incarnations = 1;

    /** One incarnation of a node. */
    final class Member {
        final int node;
        final BufferPool pool;
        final FlowTable flows;
        final SimLoop turns = new SimLoop();
        final NodeLoop loop;
        final FaultApplication application;
        final SimLink[] links;
        final List<Port> ports;
        final Discovery discovery;
        final TrunkHealth health;
        final FlightRecorder recorder;
        long asleepUntilNs = clock.nanoTime();

        Member(final int node) {
            this.node = node;
            pool = hardware.newPool(BUFFERS);
            final BufferPool.Share share = pool.newShare();
            final int incarnation = incarnations++;
            links = hardware.newLinks(node, share);
            ports = NodeLinks.ports(config, node, links);
            application =
                    new FaultApplication(
                            node,
                            config.shape().nodeCount(),
                            ledger,
                            hardware.arena,
                            random.split(),
                            pauseNs,
                            clock.nanoTime());
            flows = NodeParts.flows(config, node, SimHardware.MTU_BYTES, pool, application);
            final NodeParts parts = hardware.newParts(node, incarnation, pool, ports, flows);
            discovery = parts.neighbourhood().discovery();
            health = parts.neighbourhood().health();
            recorder = parts.counters().recorder();
            loop = hardware.newLoop(parts, turns, share, links);
            application.attach(loop.flows(), incarnation);
        }

        private void turn(final long nowNs) {
            turns.turn(nowNs);
            for (final Link link : links) {
                loop.receiver().receive(link, 0);
            }
            application.turn(nowNs);
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

        private void stop() {
            loop.stop();
            Arrays.stream(links).forEach(SimLink::close);
        }
    }

    FaultCluster(final long seed, final Shape shape, final int links, final long pauseNs) {
        this.pauseNs = pauseNs;
        random = new SplittableRandom(seed);
        clock = new SimClock(seed);
        network = new SimNetwork(clock, seed);
        ledger = new FaultLedger(shape.nodeCount());
        config =
                ClusterConfig.of(
                                "sim",
                                shape,
                                Backend.UDP,
                                LinkPlan.udp(shape.dimensions(), links, 20_000))
                        .withContext(new ContextConfig(SimHardware.CONTEXTS, 0))
                        .withFlow(
                                FlowConfig.DEFAULT
                                        .withWindowFrames(64)
                                        .withAckEveryFrames(8)
                                        .withReorderingThresholdFrames(32)
                                        .withMaxRetransmitNs(100 * MS)
                                        .withPeerTimeoutNs(20_000 * MS)
                                        .withRoutes(
                                                new RouteConfig(30 * MS, 200 * MS, 15_000 * MS)))
                        .withTrunk(TrunkConfig.DEFAULT.withHoldDownNs(50 * MS, 200 * MS))
                        .withFrame(SimCluster.FRAME.withCrc(false));
        hardware = new SimHardware(config, clock, network, FAULTLESS);
        for (int node = 0; node < shape.nodeCount(); node++) {
            members.add(new Member(node));
        }
    }

    /** True if two nodes are on one segment of a link, of which they are different ends. */
    boolean areNeighbours(final int from, final int to, final int link) {
        return from != to
                && members.get(from).links[link].segment() == members.get(to).links[link].segment();
    }

    /** Gives one direction of a link faults; a loss of 1 is a cut. */
    void damage(final int from, final int to, final int link, final SimFaults faults) {
        directions.put(key(from, to, link), faults);
        network.faults(members.get(from).links[link], members.get(to).links[link], faults);
    }

    private static String key(final int from, final int to, final int link) {
        return from + ">" + to + "." + link;
    }

    /** Takes a NIC's carrier away, or gives it back. */
    void carrier(final int node, final int link, final boolean isUp) {
        members.get(node).links[link].up(isUp);
    }

    /** Sets the rate at which links of a segment send. */
    void slow(final int node, final int link, final long rateBps) {
        final SimSegment segment = members.get(node).links[link].segment();
        segment.faults(FAULTLESS.withRate(rateBps, 64));
    }

    /** A node stands still for a time. */
    void freeze(final int node, final long forNs) {
        members.get(node).asleepUntilNs = clock.nanoTime() + forNs;
    }

    /** Ends a node and starts its next incarnation. */
    void restart(final int node) {
        final Member old = members.get(node);
        old.application.crash();
        old.stop();
        old.flows.close();
        if (old.pool.outstanding() != 0) {
            throw new AssertionError(old.pool.outstanding() + " buffers not given back");
        }
        for (final SimLink link : old.links) {
            link.segment().links().remove(link);
        }
        final Member young = new Member(node);
        young.application.isSending = members.get(1 - Math.min(1, node)).application.isSending;
        members.set(node, young);
        for (int link = 0; link < young.links.length; link++) {
            for (int other = 0; other < members.size(); other++) {
                if (areNeighbours(node, other, link)) {
                    damage(node, other, link, faults(node, other, link));
                    damage(other, node, link, faults(other, node, link));
                }
            }
        }
    }

    private SimFaults faults(final int from, final int to, final int link) {
        return directions.getOrDefault(key(from, to, link), FAULTLESS);
    }

    /** True if frames pass both ways. */
    boolean isWhole(final int from, final int to, final int link) {
        return members.get(from).links[link].isUp()
                && members.get(to).links[link].isUp()
                && faults(from, to, link).damage().loss() < 1
                && faults(to, from, link).damage().loss() < 1;
    }

    /** What is wrong between what nodes think of their links and the truth; empty if nothing. */
    String disagreement() {
        for (int from = 0; from < members.size(); from++) {
            for (int link = 0; link < members.get(from).links.length; link++) {
                for (int to = 0; to < members.size(); to++) {
                    if (areNeighbours(from, to, link)) {
                        final Port port = members.get(from).ports.get(link);
                        final int neighbour = members.get(to).links[link].coordinate();
                        if (port.isUsable(neighbour) != isWhole(from, to, link)) {
                            return from
                                    + " to "
                                    + to
                                    + " over "
                                    + link
                                    + ": "
                                    + port.state(neighbour)
                                    + " "
                                    + port.reason(neighbour);
                        }
                    }
                }
            }
        }
        return "";
    }

    /** Lets all nodes work until something holds or the time is up; true if it holds. */
    boolean runUntil(final BooleanSupplier isDone, final long limitNs) {
        final long endNs = clock.nanoTime() + limitNs;
        while (!isDone.getAsBoolean()) {
            final long nowNs = clock.nanoTime();
            if (nowNs >= endNs) {
                return false;
            }
            long nextNs = nowNs + STEP_NS;
            for (int i = 0; i < members.size(); i++) {
                final Member member = members.get(i);
                if (member.asleepUntilNs > nowNs) {
                    nextNs = Math.min(nextNs, member.asleepUntilNs);
                    continue;
                }
                member.turn(nowNs);
                nextNs = Math.min(nextNs, member.application.nextNs());
                final long dueNs = member.loop.nextDeadlineNs(nowNs);
                nextNs = dueNs == Deadline.NEVER ? nextNs : Math.min(nextNs, dueNs);
            }
            final long eventNs = network.nextEventNs();
            nextNs = eventNs == Long.MAX_VALUE ? nextNs : Math.min(nextNs, eventNs);
            network.advance(Math.max(nowNs + 5_000, nextNs));
        }
        return true;
    }

    /** Times that a link to a neighbour was left out by a node that still runs. */
    long excluded() {
        long excluded = 0;
        for (final Member member : members) {
            for (final SimLink link : member.links) {
                excluded +=
                        member.health
                                .counters()
                                .value(CounterType.LINK_EXCLUDED_EVENTS, link.index());
            }
        }
        return excluded;
    }

    /** Buffers still out of any pool after everything has been given back. */
    int leftovers() {
        members.forEach(member -> member.application.close());
        runUntil(() -> false, 50 * MS);
        members.forEach(Member::stop);
        return members.stream().mapToInt(member -> member.pool.outstanding()).sum();
    }

    @Override
    public void close() {
        members.forEach(member -> member.flows.close());
        hardware.close();
    }
}
