package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.ContextConfig;
import io.hxb.config.LinkPlan;
import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.frame.DropReason;
import io.hxb.frame.FragmentFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.link.Link;
import io.hxb.link.sim.SimFaults;
import io.hxb.routing.DimensionOrder;
import io.hxb.routing.Route;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * Node 2 of a line, or somebody on its segment, sends fragments that nobody can join, while nodes 0
 * and 1 exchange long frames.
 */
@Tag("simulation")
class HostileFragmentsSimulationTest {
    private static final long SECOND = 1_000_000_000L;
    private static final Shape SHAPE = Shape.of(3);
    private static final int MESSAGES = 400;
    private static final int BUFFERS = 1_024;
    private static final int WIRE_BYTES = 400;
    private static final int FLOOD_FRAMES = 30;
    private static final long STRANGER = 99;

    private final SplittableRandom random = new SplittableRandom(5);
    private final Arena arena = Arena.ofConfined();
    private final long forged = arena.allocate(2_048, 64).address() + 64;
    private SimCluster cluster;
    private SimCluster.Member victim;
    private int number;
    private int maxHeld;

    @BeforeEach
    void setUp() {
        final ClusterConfig config =
                ClusterConfig.of(
                                "sim",
                                SHAPE,
                                Backend.UDP,
                                LinkPlan.udp(SHAPE.dimensions(), 1, 20_000))
                        .withContext(new ContextConfig(SimHardware.CONTEXTS, 0))
                        .withFrame(SimCluster.FRAME);
        cluster =
                new SimCluster(
                        3,
                        config,
                        SimFaults.NONE.withDelay(20_000, 0),
                        BUFFERS,
                        SimApplication.SLOTS,
                        node -> SimHardware.ring(config, 1),
                        SimHardware.MTU_BYTES,
                        WIRE_BYTES);
        victim = cluster.members.getFirst();
        assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5 * SECOND), "neighbours");
    }

    @AfterEach
    void tearDown() {
        assertEquals(0, cluster.leftovers(), "buffers not given back");
        cluster.close();
        arena.close();
    }

    private long value(final CounterType type) {
        return victim.counters().value(type);
    }

    /** A fragment as a node sends it; what is not random is valid. */
    private void forge(final int source, final int frameBytes, final int offset, final int length) {
        new FrameHeaderFlyweight()
                .wrap(forged)
                .clear()
                .type(FrameType.DATA)
                .hopLimit(9)
                .route(Route.ofOrder(DimensionOrder.DEFAULT))
                .clusterId(cluster.config.clusterId())
                .source(SHAPE.coordinates(source))
                .destination(SHAPE.coordinates(0))
                .sourceIncarnation(random.nextInt())
                .destinationIncarnation(random.nextInt())
                .sourceContext(1)
                .destinationContext(1)
                .sequence(random.nextInt(64));
        new FragmentFlyweight().write(forged, forged, number, frameBytes, offset, length);
    }

    private void arrive(final long sourceAddress) {
        final Link link = victim.links[0];
        victim.loop
                .forwarder()
                .onFrame(
                        link,
                        token -> {},
                        0,
                        forged,
                        FrameHeaderFlyweight.frameLength(forged),
                        sourceAddress,
                        -1);
    }

    private void exchange(final Runnable attack) {
        for (int node = 0; node < 2; node++) {
            final SimApplication application = cluster.members.get(node).application;
            application.targets = new int[] {1 - node};
            application.isBulk = true;
            application.toSend = MESSAGES;
        }
        final BooleanSupplier isDone =
                () -> {
                    attack.run();
                    maxHeld = Math.max(maxHeld, victim.pool.outstanding());
                    return cluster.members.get(0).application.received == MESSAGES
                            && cluster.members.get(1).application.received == MESSAGES;
                };
        assertTrue(cluster.runUntil(isDone, 60 * SECOND), "progress");
        assertEquals(MESSAGES, victim.application.receivedFrom(1));
        assertEquals(MESSAGES, cluster.members.get(1).application.receivedFrom(0));
        final CounterBlock seen = victim.counters();
        assertEquals(
                seen.value(CounterType.FORWARD_RECEIVED_FRAMES),
                seen.value(CounterType.FORWARD_DELIVERED_FRAMES)
                        + seen.value(CounterType.FORWARD_RELAYED_FRAMES)
                        + seen.value(CounterType.FORWARD_CONTROL_FRAMES)
                        + seen.value(CounterType.FORWARD_FRAGMENTS_FRAMES)
                        + seen.droppedFrames());
    }

    private void checkUnharmed() {
        for (int node = 0; node < 2; node++) {
            final CounterBlock seen = cluster.members.get(node).counters();
            assertEquals(0, seen.value(CounterType.FLOW_RESENT_FRAMES), "node " + node);
            assertEquals(0, seen.value(CounterType.FLOW_TIMEOUTS_EVENTS), "node " + node);
        }
    }

    @Test
    void shouldBoundWhatANeighbourNeverFinishes() {
        // given
        final long address = cluster.members.get(2).links[0].localAddress();
        // when
        exchange(
                () -> {
                    for (int i = 0; i < FLOOD_FRAMES; i++) {
                        number++;
                        forge(random.nextInt(1, 3), 1_000, 8 * random.nextInt(100), 8);
                        arrive(address);
                    }
                });
        // then
        checkUnharmed();
        final long displaced = value(CounterType.FORWARD_DISPLACED_FRAMES);
        assertTrue(displaced > 1_000, "it did flood: " + displaced);
        assertTrue(maxHeld < BUFFERS / 2, maxHeld + " buffers held");
        cluster.runUntil(() -> false, SECOND / 5);
        final long given = value(CounterType.FORWARD_EXPIRED_FRAMES);
        assertTrue(given > 0 && given < BUFFERS / 16, given + " frames given up in the end");
    }

    @Test
    void shouldNotTakeFragmentsOfStrangers() {
        // given / when
        exchange(
                () -> {
                    number++;
                    forge(1, 1_000, 0, 800);
                    arrive(STRANGER);
                });
        // then
        checkUnharmed();
        assertTrue(value(CounterType.ofReason(DropReason.UNKNOWN_NEIGHBOUR)) > 100, "it did send");
        assertEquals(0, value(CounterType.FORWARD_EXPIRED_FRAMES));
    }

    @Test
    void shouldKeepOthersFramesWhenANeighbourClaimsTheirNumbers() {
        // given: the numbers of a simulated sender are known
        final long address = cluster.members.get(2).links[0].localAddress();
        final long attacked = cluster.members.get(1).links[0].localAddress();
        // when
        exchange(
                () -> {
                    number = (int) attacked << 20 | random.nextInt(MESSAGES);
                    forge(1, 1_096, 8 * random.nextInt(60), 8 * (1 + random.nextInt(60)));
                    arrive(address);
                });
        // then
        checkUnharmed();
    }

    @Test
    void shouldDropWhatContradictsAndWholeFramesThatLie() {
        // given
        final long address = cluster.members.get(2).links[0].localAddress();
        // when
        exchange(
                () -> {
                    number = random.nextInt(64);
                    final int frameBytes = random.nextInt(4) == 0 ? 80 : 160;
                    final int offset = 8 * random.nextInt(frameBytes / 8);
                    forge(2, frameBytes, offset, Math.min(frameBytes - offset, 40));
                    arrive(address);
                    // The long frame has a header that is not valid, or is a fragment again.
                    number = 1 << 20 | random.nextInt();
                    forge(2, 64 + 64, 0, 128);
                    new FrameHeaderFlyweight()
                            .wrap(forged + FrameHeaderFlyweight.LENGTH)
                            .clear()
                            .type(random.nextInt(FrameType.COUNT + 1))
                            .hopLimit(random.nextInt(3))
                            .clusterId(cluster.config.clusterId() + random.nextInt(2))
                            .source(SHAPE.coordinates(random.nextInt(3)))
                            .destination(SHAPE.coordinates(random.nextInt(2)))
                            .route(Route.ofOrder(DimensionOrder.DEFAULT))
                            .bodyLength(random.nextInt(70));
                    arrive(address);
                });
        // then
        for (final int reason :
                new int[] {
                    DropReason.FRAGMENT_CONTRADICTING,
                    DropReason.FRAGMENT_DOUBLED,
                    DropReason.FRAGMENT_LATE,
                    DropReason.COORDINATES,
                    DropReason.CLUSTER,
                    DropReason.HOP_LIMIT,
                    DropReason.LENGTH,
                    DropReason.TYPE
                }) {
            assertTrue(
                    value(CounterType.ofReason(reason)) > 0,
                    "none dropped: " + DropReason.name(reason));
        }
    }
}
