package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.SecurityConfig;
import io.hxb.counter.CounterType;
import io.hxb.frame.DropReason;
import io.hxb.link.sim.SimFaults;
import io.hxb.session.KeyRing;
import io.hxb.testing.Seeds;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntFunction;

/** Whole clusters with a key, in virtual time. */
@Tag("simulation")
@Tag("search")
class KeySimulationTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int SEEDS = Integer.getInteger("hxb.sim.keySeeds", 2 * Seeds.TIMES);

    private static ClusterConfig config(
            final Shape shape, final int links, final SecurityConfig.Mode mode) {
        return ClusterConfig.of(
                        "sim", shape, Backend.UDP, LinkPlan.udp(shape.dimensions(), links, 20_000))
                .withSecurity(new SecurityConfig(mode, List.of("key")));
    }

    private static SimCluster cluster(
            final long seed,
            final Shape shape,
            final SimFaults faults,
            final SecurityConfig.Mode mode,
            final IntFunction<KeyRing> rings) {
        return new SimCluster(
                seed, config(shape, 2, mode), faults, 1_024, SimApplication.SLOTS, rings);
    }

    private static KeyRing ring(final int... seeds) {
        return SimHardware.ring(config(Shape.of(2), 1, SecurityConfig.Mode.AUTHENTICATE), seeds);
    }

    private static boolean isDone(final SimCluster cluster, final int messages) {
        return cluster.members.stream().allMatch(m -> m.application.done == messages);
    }

    private static void assertAllReceived(final SimCluster cluster) {
        for (int to = 0; to < cluster.members.size(); to++) {
            assertEquals(0, cluster.members.get(to).application.failed);
            for (int from = 0; from < cluster.members.size(); from++) {
                assertEquals(
                        cluster.members.get(from).application.sentTo(to),
                        cluster.members.get(to).application.receivedFrom(from));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"AUTHENTICATE", "ENCRYPT"})
    void shouldDeliverEverythingOnceAndInOrderThroughLossyRelays(final SecurityConfig.Mode mode) {
        for (long seed = 0; seed < SEEDS; seed++) {
            // given
            final SplittableRandom random = new SplittableRandom(seed);
            final Shape shape = seed % 2 == 0 ? Shape.of(2, 2, 2) : Shape.of(3, 3);
            final SimFaults faults =
                    SimFaults.NONE
                            .withDelay(5_000 + random.nextInt(50_000), random.nextInt(50_000))
                            .withLoss(random.nextInt(11) / 100.0, random.nextInt(6) / 100.0)
                            .withReordering(random.nextInt(30) / 100.0, 200_000);
            try (SimCluster cluster = cluster(seed, shape, faults, mode, node -> ring(1))) {
                assertTrue(
                        cluster.runUntil(cluster::allNeighboursKnown, 5 * SECOND),
                        "neighbours, seed " + seed);
                // when
                cluster.members.forEach(member -> member.application.toSend = 150);
                final boolean isDone = cluster.runUntil(() -> isDone(cluster, 150), 60 * SECOND);
                // then
                assertTrue(isDone, "progress, seed " + seed);
                assertAllReceived(cluster);
                for (final SimCluster.Member member : cluster.members) {
                    assertEquals(
                            0, member.counters().value(CounterType.ofReason(DropReason.UNSEALED)));
                    assertEquals(
                            0,
                            member.counters().value(CounterType.ofReason(DropReason.SEAL)),
                            "seed " + seed);
                }
                assertEquals(0, cluster.leftovers(), "buffers not given back");
            }
        }
    }

    @Test
    void shouldNotHearNeighboursThatHaveAnotherKey() {
        // given
        try (SimCluster cluster =
                cluster(
                        1,
                        Shape.of(3),
                        SimFaults.NONE.withDelay(10_000, 0),
                        SecurityConfig.Mode.AUTHENTICATE,
                        node -> ring(node == 2 ? 2 : 1))) {
            // when
            cluster.runUntil(() -> false, 5 * SECOND);
            // then
            final int links = 2;
            assertEquals(links, cluster.members.get(0).discovery.knownNeighbours());
            assertEquals(links, cluster.members.get(1).discovery.knownNeighbours());
            assertEquals(0, cluster.members.get(2).discovery.knownNeighbours());
            assertTrue(
                    cluster.members.get(2).counters().value(CounterType.ofReason(DropReason.SEAL))
                            > 0);
        }
    }

    @Test
    void shouldChangeTheKeyWhileMessagesFlow() {
        // given
        final Shape shape = Shape.of(2, 2);
        try (SimCluster cluster =
                cluster(
                        3,
                        shape,
                        SimFaults.NONE.withDelay(20_000, 10_000),
                        SecurityConfig.Mode.ENCRYPT,
                        node -> ring(1))) {
            assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5 * SECOND));
            cluster.members.forEach(member -> member.application.toSend = Integer.MAX_VALUE);
            final long startNs = cluster.clock.nanoTime();
            for (final KeyRing step : List.of(ring(1, 2), ring(2, 1), ring(2))) {
                for (final SimCluster.Member member : cluster.members) {
                    // when
                    member.sessions.change(step);
                    cluster.runUntil(() -> false, 30_000_000L);
                    // then
                    assertTrue(cluster.allNeighboursKnown());
                    assertEquals(0, failedLinks(cluster));
                }
            }
            cluster.members.forEach(member -> member.application.toSend = member.application.sent);
            assertTrue(
                    cluster.runUntil(
                            () ->
                                    cluster.members.stream()
                                            .allMatch(
                                                    m -> m.application.done == m.application.sent),
                            10 * SECOND));
            assertAllReceived(cluster);
            assertFalse(cluster.clock.nanoTime() - startNs < SECOND / 3, "it took its time");
            for (final SimCluster.Member member : cluster.members) {
                assertEquals(ring(2), member.sessions.ring());
                assertTrue(member.sessions.begun() >= 6, "sessions were renewed");
            }
        }
    }

    private static int failedLinks(final SimCluster cluster) {
        int failed = 0;
        for (final SimCluster.Member member : cluster.members) {
            for (final io.hxb.trunk.Port port : member.ports) {
                for (int neighbour = 0; neighbour < 2; neighbour++) {
                    failed += port.state(neighbour) == io.hxb.trunk.LinkState.FAILED ? 1 : 0;
                }
            }
        }
        return failed;
    }
}
