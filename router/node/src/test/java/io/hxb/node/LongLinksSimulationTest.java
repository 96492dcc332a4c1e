package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.ContextConfig;
import io.hxb.config.LinkPlan;
import io.hxb.counter.CounterType;
import io.hxb.link.sim.SimFaults;
import io.hxb.link.sim.SimLink;
import io.hxb.topology.Shape;
import io.hxb.trunk.LinkState;
import io.hxb.trunk.health.LinkEvent;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;

/**
 * Two links of 50 Mbit/s with the delays of DSL, 4G and satellites, unequal and varying: messages
 * fill both, and neither is left out. In virtual time.
 */
@Tag("simulation")
class LongLinksSimulationTest {
    private static final long MS = 1_000_000L;
    private static final long RATE_BPS = 50_000_000L;
    private static final int LINKS = 2;

    /** So many that a link never blocks: what the window lets through waits there. */
    private static final int QUEUE_FRAMES = 1 << 20;

    private static final SimFaults WIRES = SimFaults.NONE.withRate(RATE_BPS, QUEUE_FRAMES);

    /** With 128 receive buffers a window of 2 MiB: 100 Mbit/s for 160 ms. */
    private static final int FRAME_BYTES = 16_384;

    private static final int BUFFERS = 1_024;
    private static final int SLOTS = 512;
    private static final long WARM_UP_NS = 600 * MS;
    private static final long LENGTH_NS = 600 * MS;
    private static final double MIN_SHARE = 0.9;
    private static final double MAX_RESENT = 0.01;

    private static SimCluster cluster(final int seed) {
        final ClusterConfig config =
                ClusterConfig.of("sim", Shape.of(2), Backend.UDP, LinkPlan.udp(1, LINKS, 20_000))
                        .withContext(new ContextConfig(SimHardware.CONTEXTS, 0))
                        .withFrame(SimCluster.FRAME);
        return new SimCluster(
                seed,
                config,
                WIRES,
                BUFFERS,
                SLOTS,
                node -> SimHardware.ring(config, 1),
                FRAME_BYTES,
                0);
    }

    private static void lengthen(
            final SimCluster cluster, final int link, final int delayMs, final int jitterMs) {
        final SimLink one = (SimLink) cluster.members.get(0).links[link];
        final SimLink other = (SimLink) cluster.members.get(1).links[link];
        final SimFaults wire = WIRES.withDelay(delayMs * MS, jitterMs * MS);
        cluster.network.faults(one, other, wire);
        cluster.network.faults(other, one, wire);
    }

    @ParameterizedTest
    @CsvSource({"20, 0, 80, 0", "20, 0, 60, 30"})
    void shouldFillLongLinksAndLeaveOutNone(
            final int oneMs, final int oneJitterMs, final int otherMs, final int otherJitterMs) {
        final int seed = 2;
        try (SimCluster cluster = cluster(seed)) {
            // given
            lengthen(cluster, 0, oneMs, oneJitterMs);
            lengthen(cluster, 1, otherMs, otherJitterMs);
            final List<LinkEvent> events = new ArrayList<>();
            cluster.members.forEach(member -> member.health.addListener(events::add));
            assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5_000 * MS), "start");
            final SimApplication source = cluster.members.get(0).application;
            final SimApplication sink = cluster.members.get(1).application;
            source.targets = new int[] {1};
            source.isBulk = true;
            source.toSend = Long.MAX_VALUE;
            cluster.runUntil(() -> false, WARM_UP_NS);
            // when
            final long before = sink.received;
            cluster.runUntil(() -> false, LENGTH_NS);
            final long received = sink.received - before;
            // then
            final double share = received * FRAME_BYTES * 8e9 / LENGTH_NS / (LINKS * RATE_BPS);
            assertTrue(share >= MIN_SHARE, () -> "share " + share + ", seed " + seed);
            assertEquals(
                    List.of(),
                    events.stream().filter(event -> event.state() == LinkState.FAILED).toList(),
                    "seed " + seed);
            final long resent =
                    cluster.members.get(0).counters().value(CounterType.FLOW_RESENT_FRAMES);
            assertTrue(resent <= source.sent * MAX_RESENT, () -> resent + " sent again");
        }
    }
}
