package io.hxb.trunk.health;

import io.hxb.config.SecurityConfig;
import io.hxb.config.TrunkConfig;
import io.hxb.counter.CounterBlock;
import io.hxb.frame.DropReason;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.FrameValidator;
import io.hxb.link.BufferPool;
import io.hxb.link.FrameOwner;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.link.OutgoingFrame;
import io.hxb.link.sim.SimClock;
import io.hxb.link.sim.SimFaults;
import io.hxb.link.sim.SimLink;
import io.hxb.link.sim.SimNetwork;
import io.hxb.link.sim.SimSegment;
import io.hxb.linux.Memory;
import io.hxb.routing.DimensionOrder;
import io.hxb.session.ClusterKey;
import io.hxb.session.FrameSeals;
import io.hxb.session.KeyRing;
import io.hxb.session.Sessions;
import io.hxb.testing.TestFrames;
import io.hxb.topology.Shape;
import io.hxb.trunk.LinkReason;
import io.hxb.trunk.LinkState;
import io.hxb.trunk.NodeIdentity;
import io.hxb.trunk.Port;
import io.hxb.trunk.TrunkSender;
import io.hxb.trunk.discovery.Discovery;
import io.hxb.trunk.discovery.MisconfigurationLog;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * The nodes of one line and their trunks in virtual time, without flows: what is sent is counted
 * where it arrives. Owned by the test.
 */
final class TrunkWorld {
    static final long MS = 1_000_000L;
    static final int CLUSTER = 7;
    static final TrunkConfig CONFIG = TrunkConfig.DEFAULT.withHoldDownNs(100 * MS, 1_000 * MS);
    static final long HELLO_INTERVAL_NS = 200 * MS;
    private static final long STEP_NS = 50_000;
    private static final int BODY_BYTES = 1_000;

    final SimClock clock = new SimClock(Long.MAX_VALUE - 500 * MS);
    final SimNetwork network;
    final TestFrames frames = new TestFrames();
    final List<End> ends = new ArrayList<>();
    private final Shape shape;
    private final TrunkConfig config;
    private final KeyRing ring;
    private final Random random;
    private final RandomGenerator numbers;
    private int incarnation = 1;

    /** All that is numbered begins at 0, or after it where 0 means something else. */
    TrunkWorld(final int nodes, final int links, final TrunkConfig config, final long seed) {
        this(nodes, links, config, seed, KeyRing.NONE, () -> 0);
    }

    /** The same, but numbers begin at what is drawn from {@code numbers}. */
    TrunkWorld(
            final int nodes,
            final int links,
            final TrunkConfig config,
            final long seed,
            final RandomGenerator numbers) {
        this(nodes, links, config, seed, KeyRing.NONE, numbers);
    }

    private TrunkWorld(
            final int nodes,
            final int links,
            final TrunkConfig config,
            final long seed,
            final KeyRing ring,
            final RandomGenerator numbers) {
        random = new Random(seed);
        this.ring = ring;
        this.numbers = numbers;
        network = new SimNetwork(clock, seed);
        shape = Shape.of(nodes);
        this.config = config;
        final List<SimSegment> segments = new ArrayList<>();
        for (int link = 0; link < links; link++) {
            segments.add(network.newSegment(SimFaults.NONE.withRate(1_000_000_000L, 64)));
        }
        for (int node = 0; node < nodes; node++) {
            ends.add(new End(node, segments));
        }
    }

    static TrunkWorld ofTwo(final int links) {
        final TrunkWorld world = new TrunkWorld(2, links, CONFIG, 1);
        world.run(300 * MS);
        return world;
    }

    /** The same with a key. */
    static TrunkWorld ofTwoWithKey(final int links) {
        final byte[] secret = new byte[ClusterKey.LENGTH];
        final KeyRing ring = KeyRing.of(new ClusterKey(secret));
        final TrunkWorld world = new TrunkWorld(2, links, CONFIG, 1, ring, () -> 0);
        world.run(300 * MS);
        return world;
    }

    /** One node. */
    final class End {
        final int node;
        final SimLink[] links;
        final Port[] ports;
        final LinkSender[] senders;
        final TrunkSender trunk;
        final TrunkHealth health;
        final Discovery discovery;
        final HealthLoop loop;
        final List<LinkEvent> events = new ArrayList<>();
        final List<String> excluded = new ArrayList<>();
        final long[] arrived;
        final long[] sent;
        boolean isAsleep;

        /** Time that its loop has waited for a CPU. */
        long waitedNs;

        /** Frames that have arrived may wait in the kernel. */
        boolean isKernelBusy;

        /** It wakes only when it reports that something is due by time, and is not the keeper. */
        boolean isWokenByTimeOnly;

        private final BufferPool pool = frames.pool(1_024, 1_536);
        private final BufferPool.Share share = pool.newShare();
        private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
        private final Sessions sessions;
        private final FrameSeals seals;
        private int sessionsBegun;
        private long forgedLinks;
        private double credit;
        private double framesAStep;
        private int target;
        private int nextTarget;

        End(final int node, final List<SimSegment> segments) {
            this(
                    node,
                    own ->
                            java.util.stream.IntStream.range(0, segments.size())
                                    .mapToObj(
                                            i ->
                                                    network.newLink(
                                                            segments.get(i), i, node, 1_400, own))
                                    .toArray(SimLink[]::new));
        }

        private End(final int node, final Function<BufferPool.Share, SimLink[]> plugging) {
            this.node = node;
            links = plugging.apply(share);
            ports = new Port[links.length];
            senders = new LinkSender[links.length];
            arrived = new long[links.length];
            sent = new long[links.length];
            for (int i = 0; i < links.length; i++) {
                ports[i] = new Port(links[i], 0, i);
                senders[i] = links[i].newSender(64);
            }
            trunk = new TrunkSender(ports, senders);
            final NodeIdentity self =
                    new NodeIdentity(shape, node, CLUSTER, 5, incarnation++, "host");
            sessions =
                    new Sessions(
                            self.ofSession(),
                            ring.isEmpty()
                                    ? SecurityConfig.Mode.NONE
                                    : SecurityConfig.Mode.AUTHENTICATE,
                            ring,
                            random);
            seals = sessions.newLoop();
            health =
                    new TrunkHealth(
                            self,
                            sessions,
                            numbers,
                            nowNs -> isKernelBusy,
                            config,
                            HELLO_INTERVAL_NS,
                            ports,
                            CounterBlock.unpublished(ports.length, self.shape().dimensions()));
            health.addListener(events::add);
            discovery =
                    new Discovery(
                            self,
                            sessions,
                            HELLO_INTERVAL_NS,
                            ports,
                            health,
                            new MisconfigurationLog());
            loop =
                    new HealthLoop(
                            health,
                            senders,
                            new TrunkSender[] {trunk},
                            java.util.stream.IntStream.range(0, links.length).toArray(),
                            share,
                            (port, neighbour) -> excluded.add(port.label() + " " + neighbour),
                            () -> {},
                            () -> waitedNs);
        }

        /** Sends that many frames a second to a neighbour from now on. */
        void sendTo(final int neighbour, final double framesASecond) {
            sendInTurnTo(neighbour, neighbour, framesASecond);
        }

        /** The same to two neighbours in turn. */
        void sendInTurnTo(final int one, final int other, final double framesASecond) {
            target = one;
            nextTarget = other;
            framesAStep = framesASecond * STEP_NS / 1e9;
        }

        /**
         * Somebody sends frames for others with the other node's link address from now on.
         *
         * @param links a bit for each link on which he does.
         */
        void hearForgedFrames(final long links) {
            forgedLinks = links;
        }

        LinkState state(final int link) {
            return ports[link].state(1 - node);
        }

        boolean isUsed(final int link) {
            return ports[link].isUsable(1 - node);
        }

        int outstanding() {
            return pool.outstanding();
        }

        LinkReason lastReason() {
            return events.getLast().reason();
        }

        private void turn() {
            if (isAsleep || (isWokenByTimeOnly && !isDueByTime())) {
                return;
            }
            for (final SimLink link : links) {
                link.receive(0, this::onFrame, 64);
                if ((forgedLinks >>> link.index() & 1) != 0) {
                    final long neighbour = end(1 - node).links[link.index()].localAddress();
                    health.heard()[link.index()].count(neighbour, 0);
                    loop.note();
                }
            }
            for (credit += framesAStep; credit >= 1; credit--) {
                offer();
            }
            sendSessions();
            discovery.doWork(clock.nanoTime(), senders, share);
            loop.onPolled();
            loop.doWork(clock.nanoTime());
            Arrays.stream(senders).forEach(LinkSender::flush);
        }

        private void sendSessions() {
            final long nowNs = clock.nanoTime();
            for (int to = sessions.pollDue(nowNs); to >= 0; to = sessions.pollDue(nowNs)) {
                final int id = share.acquire();
                // Nothing is routed here: what would be goes over the first link.
                final int link = Math.max(0, sessions.link(to));
                discovery.sendSession(to, link, nowNs, senders, share, id);
            }
            if (sessions.begun() != sessionsBegun) {
                sessionsBegun = sessions.begun();
                discovery.onSessionBegun(nowNs);
            }
        }

        private boolean isDueByTime() {
            final long dueNs = loop.nextDeadlineNs(false);
            return dueNs != Long.MAX_VALUE && dueNs - clock.nanoTime() <= 0;
        }

        private void offer() {
            final int id = share.acquire();
            header.wrap(pool.headerAddress(id))
                    .clear()
                    .type(FrameType.ACK)
                    .hopLimit(1)
                    .order(DimensionOrder.DEFAULT)
                    .clusterId(CLUSTER)
                    .source(node)
                    .destination(target)
                    .bodyLength(BODY_BYTES);
            final int link =
                    trunk.offer(
                            target,
                            0,
                            new OutgoingFrame().wrap(header.address(), 64 + BODY_BYTES, share, id));
            loop.note();
            if (link < 0) {
                share.release(id);
            } else {
                sent[link]++;
            }
            final int last = target;
            target = nextTarget;
            nextTarget = last;
        }

        private void onFrame(
                final Link link,
                final FrameOwner owner,
                final long token,
                final long headerAddress,
                final int lengthBytes,
                final long sourceAddress,
                final int vlanTci) {
            health.heard()[link.index()].count(sourceAddress, 0);
            loop.note();
            final int type =
                    Memory.getUnsignedByte(headerAddress + FrameHeaderFlyweight.TYPE_OFFSET);
            if (seals.isOn() && seals.open(headerAddress) != DropReason.NONE) {
                owner.release(token);
                return;
            }
            if (type == FrameType.SESSION) {
                sessions.onFrame(headerAddress, link.index(), clock.nanoTime());
            } else if (FrameValidator.isLinkLocal(type)) {
                discovery.onFrame(link.index(), headerAddress, sourceAddress, clock.nanoTime());
            } else {
                arrived[link.index()]++;
            }
            owner.release(token);
        }
    }

    End end(final int node) {
        return ends.get(node);
    }

    /** Puts a new incarnation in the place of a node; it takes over its cables and NICs. */
    void restart(final int node) {
        final End old = end(node);
        for (int i = 0; i < old.links.length; i++) {
            old.senders[i].close();
            old.links[i].close();
        }
        ends.set(
                node,
                new End(
                        node,
                        own ->
                                Arrays.stream(old.links)
                                        .map(link -> network.replace(link, own))
                                        .toArray(SimLink[]::new)));
    }

    /** The same, but with other NICs. */
    void restartWithOtherNics(final int node) {
        final End old = end(node);
        final List<SimSegment> segments = new ArrayList<>();
        for (int i = 0; i < old.links.length; i++) {
            old.senders[i].close();
            old.links[i].close();
            segments.add(old.links[i].segment());
            segments.get(i).links().remove(old.links[i]);
        }
        ends.set(node, new End(node, segments));
    }

    /** True if nodes 0 and 1 both use a link between them. */
    boolean isUsed(final int link) {
        return end(0).isUsed(link) && end(1).isUsed(link);
    }

    /** Cuts a link between nodes 0 and 1 in one direction, or heals it. */
    void cut(final int link, final int from, final boolean isCut) {
        network.cut(end(from).links[link], end(1 - from).links[link], isCut);
    }

    void cutBoth(final int link, final boolean isCut) {
        cut(link, 0, isCut);
        cut(link, 1, isCut);
    }

    /** Lets all nodes work for a time. */
    void run(final long forNs) {
        final long endNs = clock.nanoTime() + forNs;
        while (clock.nanoTime() - endNs < 0) {
            network.advance(clock.nanoTime() + STEP_NS);
            ends.forEach(End::turn);
        }
    }

    /** Lets all nodes work until something holds; returns how long it took. */
    long runUntil(final java.util.function.BooleanSupplier isDone, final long limitNs) {
        final long startNs = clock.nanoTime();
        while (!isDone.getAsBoolean()) {
            if (clock.nanoTime() - startNs > limitNs) {
                throw new AssertionError("not within " + limitNs / MS + " ms");
            }
            run(STEP_NS);
        }
        return clock.nanoTime() - startNs;
    }
}
