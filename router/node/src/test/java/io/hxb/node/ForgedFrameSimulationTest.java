package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.FlowConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.SecurityConfig;
import io.hxb.counter.CounterType;
import io.hxb.frame.DropReason;
import io.hxb.link.sim.SimFaults;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.SplittableRandom;

/**
 * Clusters with a key whose frames are changed, repeated and held back on the way, relayed ones
 * too, while flows open, pause, are forgotten and open again: every message arrives once.
 */
@Tag("simulation")
class ForgedFrameSimulationTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int SEEDS = Integer.getInteger("hxb.sim.keySeeds", 4);
    private static final int ROUNDS = 3;
    private static final int MESSAGES = 60;

    @Test
    void shouldDeliverEverythingOnceWhenFramesAreChangedRepeatedAndHeldBack() {
        long forged = 0;
        long repeated = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            final SplittableRandom random = new SplittableRandom(seed);
            final Shape shape = seed % 2 == 0 ? Shape.of(2, 2) : Shape.of(3);
            final SimFaults faults =
                    SimFaults.NONE
                            .withDelay(5_000 + random.nextInt(50_000), random.nextInt(50_000))
                            .withLoss(random.nextInt(3) / 100.0, 0.05)
                            .withReordering(0.1, 500_000)
                            .withCorruption(0.03);
            try (SimCluster cluster =
                    new SimCluster(
                            seed,
                            config(shape),
                            faults,
                            1_024,
                            SimApplication.SLOTS,
                            node -> SimHardware.ring(config(shape), 1))) {
                assertTrue(
                        cluster.runUntil(cluster::allNeighboursKnown, 10 * SECOND),
                        "neighbours, seed " + seed);
                for (int round = 1; round <= ROUNDS; round++) {
                    // when
                    final int messages = round * MESSAGES;
                    cluster.members.forEach(member -> member.application.toSend = messages);
                    final boolean isDone =
                            cluster.runUntil(() -> isDone(cluster, messages), 60 * SECOND);
                    // then
                    assertTrue(isDone, "progress, seed " + seed);
                    assertAllReceived(cluster, seed);
                    cluster.runUntil(() -> false, 5 * SECOND);
                    assertEquals(0, flows(cluster), "idle flows, seed " + seed);
                }
                for (final SimCluster.Member member : cluster.members) {
                    forged += member.counters().value(CounterType.ofReason(DropReason.SEAL));
                    repeated += member.counters().value(CounterType.ofReason(DropReason.REPLAY));
                }
                assertEquals(0, cluster.leftovers(), "buffers not given back");
            }
        }
        assertTrue(forged > 0, "no frame was changed where its seal shows it");
        assertTrue(repeated > 0, "no frame was repeated");
    }

    private static ClusterConfig config(final Shape shape) {
        // What is after the first bytes of a payload has its CRC only.
        return ClusterConfig.of(
                        "sim", shape, Backend.UDP, LinkPlan.udp(shape.dimensions(), 2, 20_000))
                .withFrame(SimCluster.FRAME)
                .withFlow(
                        FlowConfig.DEFAULT.withPeerTimeoutNs(SECOND).withIdleTimeoutNs(2 * SECOND))
                .withSecurity(new SecurityConfig(SecurityConfig.Mode.AUTHENTICATE, List.of("key")));
    }

    private static boolean isDone(final SimCluster cluster, final int messages) {
        return cluster.members.stream().allMatch(m -> m.application.done == messages);
    }

    private static int flows(final SimCluster cluster) {
        return cluster.members.stream()
                .mapToInt(m -> m.flows.sendingFlows() + m.flows.receivingFlows())
                .sum();
    }

    private static void assertAllReceived(final SimCluster cluster, final long seed) {
        for (int to = 0; to < cluster.members.size(); to++) {
            assertEquals(0, cluster.members.get(to).application.failed, "seed " + seed);
            for (int from = 0; from < cluster.members.size(); from++) {
                assertEquals(
                        cluster.members.get(from).application.sentTo(to),
                        cluster.members.get(to).application.receivedFrom(from),
                        "seed " + seed);
            }
        }
    }
}
