package io.hxb.node;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.SecurityConfig;
import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.FrameValidator;
import io.hxb.frame.HelloFlyweight;
import io.hxb.frame.LinkStatusFlyweight;
import io.hxb.frame.MisconfigurationFlyweight;
import io.hxb.frame.SealFlyweight;
import io.hxb.fuzz.Script;
import io.hxb.link.BufferPool;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.link.sim.SimFaults;
import io.hxb.linux.Memory;
import io.hxb.log.LoopErrors;
import io.hxb.routing.DimensionOrder;
import io.hxb.topology.Shape;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * A node among two neighbours on two links, all real, in virtual time, to which strangers send
 * hellos, states of links and misconfigurations from a script: from any coordinates, with any
 * contents, between honest ones. Whatever they send, tables, log, answers and turns stay within
 * bounds, no buffer is lost, and when they are silent again all is as before. Frames of flows come,
 * too, and some are marked as sealed, with and without a key. Used by one thread.
 */
public final class HostileNeighbours {
    private static final Shape SHAPE = Shape.of(3);
    private static final int LINKS = 2;
    private static final long MILLISECOND = 1_000_000L;
    private static final int MAX_STEPS = 80;
    private static final int MAX_BODY_BYTES = 200;
    private static final int BUFFERS = 128;

    /** Virtual time in which a node forgets what strangers have sent. */
    private static final long RECOVERY_NS = 20_000 * MILLISECOND;

    private final SimCluster cluster;
    private final SimCluster.Member victim;
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final Script script;
    private int injected;
    private long logBytes;

    private HostileNeighbours(final byte[] script, final boolean hasKey) {
        this.script = new Script(script);
        cluster = hasKey ? sealed() : new SimCluster(0, SHAPE, LINKS, SimFaults.NONE, BUFFERS);
        victim = cluster.members.getFirst();
    }

    private static SimCluster sealed() {
        final ClusterConfig config =
                ClusterConfig.of(
                                "sim",
                                SHAPE,
                                Backend.UDP,
                                LinkPlan.udp(SHAPE.dimensions(), LINKS, 20_000))
                        .withFrame(SimCluster.FRAME)
                        .withSecurity(
                                new SecurityConfig(
                                        SecurityConfig.Mode.AUTHENTICATE, List.of("key")));
        return new SimCluster(0, config, SimFaults.NONE, BUFFERS, SimApplication.SLOTS);
    }

    /**
     * Runs a script of any bytes, in a cluster without a key.
     *
     * @throws AssertionError if a bound is exceeded.
     */
    public static void run(final byte[] script) {
        run(script, false);
    }

    /** The same in a cluster with a key, which the strangers do not have. */
    public static void runSealed(final byte[] script) {
        run(script, true);
    }

    private static void run(final byte[] script, final boolean hasKey) {
        final long errors = LoopErrors.INSTANCE.count();
        final HostileNeighbours run = new HostileNeighbours(script, hasKey);
        final PrintStream before = System.err;
        try {
            System.setErr(new PrintStream(run.counting(before), true, StandardCharsets.UTF_8));
            run.run();
        } finally {
            System.setErr(before);
            run.cluster.close();
        }
        check(LoopErrors.INSTANCE.count() == errors, "a frame made the loop throw");
    }

    // What this thread logs is counted, not shown: a fuzzer runs this a thousand times a second.
    private OutputStream counting(final PrintStream others) {
        final long own = Thread.currentThread().threadId();
        return new OutputStream() {
            @Override
            public void write(final int b) {
                write(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(final byte[] bytes, final int offset, final int length) {
                if (Thread.currentThread().threadId() == own) {
                    logBytes += length;
                } else {
                    others.write(bytes, offset, length);
                }
            }
        };
    }

    private void run() {
        check(cluster.runUntil(cluster::allNeighboursKnown, 5_000 * MILLISECOND), "start");
        final long sentBefore = sent();
        final long beginNs = cluster.clock.nanoTime();
        final int turnsBefore = victim.turns.polls();
        for (int step = 0; step < MAX_STEPS && script.hasNext(); step++) {
            step();
            checkTables();
        }
        final long elapsedMs = (cluster.clock.nanoTime() - beginNs) / MILLISECOND + 1;
        final long sent = sent() - sentBefore;
        check(sent <= 200 + 4L * injected + 10 * elapsedMs, sent + " frames sent");
        final int turns = victim.turns.polls() - turnsBefore;
        check(
                turns <= 2_000 + 50L * injected + 200 * elapsedMs,
                turns + " turns in " + elapsedMs + " ms");
        check(logBytes <= 64_000, logBytes + " bytes of log");
        recover();
    }

    private void step() {
        final int what = script.next();
        switch (what & 7) {
            case 0 -> cluster.runUntil(() -> false, (1 + script.next()) * 100_000L);
            case 1 -> cluster.members.get(1 + (what >> 3 & 1)).isDead = (what & 16) != 0;
            case 2 -> cluster.cutTrunk(1 + (what >> 3 & 1), 0, (what & 16) != 0);
            case 3, 4 -> inject(FrameType.HELLO);
            case 5 -> inject(FrameType.LINK_STATUS);
            case 6 -> inject(FrameType.MISCONFIGURATION);
            default -> inject(script.next() % (FrameType.COUNT + 2));
        }
    }

    private void inject(final int type) {
        final int id = victim.share.acquire();
        if (id == BufferPool.NONE) {
            return;
        }
        injected++;
        final Link link = victim.links[script.next() % LINKS];
        header.wrap(victim.pool.headerAddress(id)).clear();
        final int node = 1 + script.next() % 2;
        final int body = body(type, node);
        header.type(type)
                .source(script.near(SHAPE.coordinates(node)))
                .destination(destination(type))
                .flags(flags())
                .hopLimit(1)
                .order(DimensionOrder.DEFAULT)
                .sourceIncarnation((int) script.near(node + 1))
                .destinationIncarnation((int) script.near(1));
        Memory.putInt(header.address() + 8, (int) script.near(cluster.config.clusterId()));
        header.bodyLength(body & FrameHeaderFlyweight.MAX_BODY_LENGTH);
        if (!FrameValidator.isLinkLocal(type)) {
            header.messageCount(script.next() & 3)
                    .destinationContext((int) script.near(0) & 0xFFFF)
                    .sourceContext((int) script.near(0) & 0xFFFF);
        }
        final long from = script.near(cluster.members.get(node).links[link.index()].localAddress());
        victim.loop
                .forwarder()
                .onFrame(
                        link,
                        victim.pool,
                        id,
                        header.address(),
                        FrameHeaderFlyweight.LENGTH
                                + Math.max(0, body)
                                + (script.next() < 250 ? SealFlyweight.LENGTH : 0),
                        from,
                        -1);
        checkConservation();
    }

    // Most are for whom frames of their type are, some for the node itself or for anybody.
    private long destination(final int type) {
        final boolean isForHere = FrameValidator.isLinkLocal(type) == script.next() < 64;
        return script.near(isForHere ? SHAPE.coordinates(0) : FrameHeaderFlyweight.ANY_DESTINATION);
    }

    // The CRC would be wrong.
    private int flags() {
        final int choice = script.next();
        return choice % 3 == 0
                ? 0
                : choice % 3 == 1
                        ? FrameHeaderFlyweight.FLAG_SEALED
                        : (int) script.near(0) & 0xFF & ~FrameHeaderFlyweight.FLAG_CRC;
    }

    // Every frame is accounted for.
    private void checkConservation() {
        final CounterBlock seen = victim.counters();
        final long ends =
                seen.value(CounterType.FORWARD_DELIVERED_FRAMES)
                        + seen.value(CounterType.FORWARD_RELAYED_FRAMES)
                        + seen.value(CounterType.FORWARD_CONTROL_FRAMES)
                        + seen.value(CounterType.FORWARD_FRAGMENTS_FRAMES)
                        + seen.droppedFrames();
        check(
                seen.value(CounterType.FORWARD_RECEIVED_FRAMES) == ends,
                seen.value(CounterType.FORWARD_RECEIVED_FRAMES)
                        + " frames received, "
                        + ends
                        + " ended");
    }

    private int body(final int type, final int node) {
        final long address = header.bodyAddress();
        return switch (type) {
            case FrameType.HELLO -> {
                final HelloFlyweight hello =
                        new HelloFlyweight()
                                .wrap(address)
                                .clear()
                                .protocolVersion((int) script.near(FrameHeaderFlyweight.VERSION))
                                .dimension((int) script.near(0) & 0xFF)
                                .linkNumber((int) script.near(0) & 0xFF)
                                .fingerprint((int) script.near(cluster.config.fingerprint()))
                                .node((int) script.near(node))
                                .incarnation((int) script.near(node + 1))
                                .mtuBytes((int) script.near(SimCluster.MTU_BYTES));
                hello.name("h".repeat(script.next() % 20));
                yield hello.length();
            }
            case FrameType.LINK_STATUS -> {
                final LinkStatusFlyweight status =
                        new LinkStatusFlyweight()
                                .wrap(address)
                                .clear(LINKS)
                                .neighbour(script.near(0))
                                .sequence((int) script.near(script.next()))
                                .acknowledgement((int) script.near(script.next()))
                                .failed(script.next() & 3)
                                .beat((int) script.near(0) & 0xFF);
                yield status.length();
            }
            case FrameType.MISCONFIGURATION -> {
                new MisconfigurationFlyweight()
                        .wrap(address)
                        .clear()
                        .kind(script.next() & 15)
                        .coordinates(script.near(SHAPE.coordinates(node)))
                        .otherCoordinates(script.near(0))
                        .value((int) script.nextLong())
                        .otherValue((int) script.nextLong());
                yield MisconfigurationFlyweight.LENGTH;
            }
            default -> {
                final int lengthBytes = script.next() % MAX_BODY_BYTES;
                for (int i = 0; i < lengthBytes; i++) {
                    Memory.putByte(address + i, script.next());
                }
                yield lengthBytes;
            }
        };
    }

    private void checkTables() {
        check(
                victim.discovery.knownNeighbours() <= victim.discovery.expectedNeighbours(),
                victim.discovery.knownNeighbours() + " neighbours");
        check(victim.pool.outstanding() <= BUFFERS, victim.pool.outstanding() + " buffers out");
    }

    private long sent() {
        return Arrays.stream(victim.loop.senders().all()).mapToLong(LinkSender::sentFrames).sum();
    }

    // Honest neighbours are found again, and every buffer is where it belongs.
    private void recover() {
        for (int node = 1; node < SHAPE.nodeCount(); node++) {
            cluster.members.get(node).isDead = false;
            cluster.cutTrunk(node, 0, false);
        }
        check(cluster.runUntil(this::isWhole, RECOVERY_NS), "not whole again");
        check(cluster.leftovers() == 0, "buffers are missing");
    }

    private boolean isWhole() {
        if (!cluster.allNeighboursKnown()) {
            return false;
        }
        for (final Link link : victim.links) {
            for (int node = 1; node < SHAPE.nodeCount(); node++) {
                final SimCluster.Member other = cluster.members.get(node);
                if (link.learned(node) != other.links[link.index()].localAddress()) {
                    return false;
                }
            }
        }
        return true;
    }

    private static void check(final boolean holds, final String problem) {
        if (!holds) {
            throw new AssertionError(problem);
        }
    }
}
