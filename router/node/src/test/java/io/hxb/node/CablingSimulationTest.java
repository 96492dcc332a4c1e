package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.SecurityConfig;
import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.link.sim.SimFaults;
import io.hxb.link.sim.SimLink;
import io.hxb.testing.Seeds;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.SplittableRandom;

/** Whole clusters of nodes that are cabled in any way, in virtual time. */
@Tag("simulation")
@Tag("search")
class CablingSimulationTest {
    private static final long MILLISECOND = 1_000_000L;
    private static final long SECOND = 1_000_000_000L;
    private static final int SEEDS = Integer.getInteger("hxb.sim.cablingSeeds", 20 * Seeds.TIMES);
    private static final long ONLY_SEED = Long.getLong("hxb.sim.seed", -1);
    private static final SimFaults WIRES = SimFaults.NONE.withDelay(20_000, 20_000);

    private static SimCables cables(final String text) {
        final int nodes = Integer.parseInt(text.substring(text.indexOf(':') + 1));
        return switch (text.substring(0, text.indexOf(':'))) {
            case "full" -> SimCables.full(nodes);
            case "ring" -> SimCables.ring(nodes);
            case "chain" -> SimCables.chain(nodes);
            case "star" -> SimCables.star(nodes);
            default -> throw new IllegalArgumentException(text);
        };
    }

    private static SimCluster cluster(final long seed, final SimCables cables) {
        return cluster(seed, cables, SecurityConfig.Mode.NONE);
    }

    private static SimCluster cluster(
            final long seed, final SimCables cables, final SecurityConfig.Mode mode) {
        final List<String> keys = mode == SecurityConfig.Mode.NONE ? List.of() : List.of("key");
        return new SimCluster(
                seed,
                cables.cluster().withSecurity(new SecurityConfig(mode, keys)),
                WIRES,
                2_048,
                SimApplication.SLOTS);
    }

    private static boolean knowsAll(final SimCluster cluster) {
        return cluster.members.stream()
                .allMatch(
                        from ->
                                cluster.members.stream()
                                        .allMatch(
                                                to ->
                                                        from == to
                                                                || from.map
                                                                                .routes()
                                                                                .next(
                                                                                        from.node,
                                                                                        to.node)
                                                                        >= 0));
    }

    private static void sendAll(final SimCluster cluster, final long messages) {
        cluster.members.forEach(member -> member.application.toSend += messages);
    }

    private static boolean isDone(final SimCluster cluster) {
        return cluster.members.stream()
                .allMatch(member -> member.application.done == member.application.toSend);
    }

    private static void cut(
            final SimCluster cluster,
            final SimCables cables,
            final int cable,
            final boolean isCut) {
        cluster.network.cutBoth(
                link(cluster, cables, cable, 0), link(cluster, cables, cable, 1), isCut);
    }

    private static SimLink link(
            final SimCluster cluster, final SimCables cables, final int cable, final int side) {
        return (SimLink)
                cluster.members.get(cables.end(cable, side)).links[cables.link(cable, side)];
    }

    @ParameterizedTest
    @ValueSource(strings = {"full:3", "ring:4", "ring:5", "chain:4", "star:5", "chain:12"})
    void shouldCarryMessagesBetweenAllNodes(final String text) {
        // given
        try (SimCluster cluster = cluster(1, cables(text))) {
            assertTrue(
                    cluster.runUntil(() -> knowsAll(cluster), 3 * SECOND), "the map is complete");
            // when
            sendAll(cluster, 500);
            // then
            assertTrue(cluster.runUntil(() -> isDone(cluster), 20 * SECOND), "all messages");
            final long relayed = relayed(cluster);
            assertEquals(text.startsWith("full"), relayed < 100, relayed + " frames relayed");
            assertEquals(0, cluster.leftovers(), "buffers not given back");
        }
    }

    @ParameterizedTest
    @EnumSource(SecurityConfig.Mode.class)
    void shouldCarryMessagesWhateverTheSecurity(final SecurityConfig.Mode mode) {
        for (final String text : List.of("ring:4", "chain:4", "star:4")) {
            // given
            try (SimCluster cluster = cluster(7, cables(text), mode)) {
                assertTrue(cluster.runUntil(() -> knowsAll(cluster), 5 * SECOND), text + ": map");
                // when
                sendAll(cluster, 300);
                // then
                assertTrue(cluster.runUntil(() -> isDone(cluster), 20 * SECOND), text);
                assertEquals(0, cluster.leftovers(), "buffers not given back");
            }
        }
    }

    @Test
    void shouldUseASwitchBesideDirectCables() {
        // given: all on a switch, and two cables more
        final SimCables cables = new SimCables(4).connect(0, 1, 2, 3).join(0, 1).join(2, 3);
        try (SimCluster cluster = cluster(3, cables)) {
            assertTrue(cluster.runUntil(() -> knowsAll(cluster), 3 * SECOND), "map");
            // when
            sendAll(cluster, 500);
            // then
            assertTrue(cluster.runUntil(() -> isDone(cluster), 20 * SECOND), "all messages");
            final long relayed = relayed(cluster);
            assertTrue(relayed < 100, relayed + " frames relayed");
            assertEquals(0, cluster.leftovers(), "buffers not given back");
        }
    }

    @Test
    void shouldUseSeveralCablesBetweenTheSameTwoNodes() {
        // given
        final SimCables cables = new SimCables(3).join(0, 1).join(1, 2).join(0, 1).join(0, 1);
        try (SimCluster cluster = cluster(5, cables)) {
            assertTrue(cluster.runUntil(() -> knowsAll(cluster), 3 * SECOND), "map");
            // when
            sendAll(cluster, 2_000);
            assertTrue(cluster.runUntil(() -> isDone(cluster), 20 * SECOND), "all messages");
            // then
            final CounterBlock counters = cluster.members.get(0).counters();
            for (int link = 0; link < 3; link++) {
                final long received = counters.value(CounterType.LINK_RECEIVED_FRAMES, link);
                assertTrue(received > 100, "link " + link + ": " + received);
            }
            assertEquals(0, cluster.leftovers(), "buffers not given back");
        }
    }

    private static long relayed(final SimCluster cluster) {
        return cluster.members.stream()
                .mapToLong(member -> member.counters().value(CounterType.FORWARD_RELAYED_FRAMES))
                .sum();
    }

    @Test
    void shouldGoRoundTheOtherWayWhenACableOfARingIsCut() {
        final SimCables cables = SimCables.ring(4);
        for (int cut = 0; cut < 4; cut++) {
            // given
            try (SimCluster cluster = cluster(cut, cables)) {
                assertTrue(cluster.runUntil(() -> knowsAll(cluster), 3 * SECOND), "map");
                sendAll(cluster, 2_000);
                cluster.runUntil(() -> false, 20 * MILLISECOND);
                // when
                cut(cluster, cables, cut, true);
                // then
                assertTrue(cluster.runUntil(() -> isDone(cluster), 20 * SECOND), "all messages");
                cluster.members.forEach(member -> assertEquals(0, member.application.failed));
                assertEquals(0, cluster.leftovers(), "buffers not given back");
            }
        }
    }

    @Test
    void shouldLoseNothingWhateverHappensToTheCables() {
        for (long seed = Math.max(0, ONLY_SEED); seed < SEEDS; seed++) {
            run(seed);
            if (ONLY_SEED >= 0) {
                return;
            }
        }
    }

    private static void run(final long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final int nodes = 2 + random.nextInt(9);
        final SimCables cables = SimCables.random(nodes, random.nextInt(nodes + 1), random);
        final String failure = "seed " + seed;
        try (SimCluster cluster = cluster(seed, cables)) {
            assertTrue(cluster.runUntil(() -> knowsAll(cluster), 5 * SECOND), failure + ": map");
            sendAll(cluster, 300);
            for (int step = 0; step < 6; step++) {
                final int cable = random.nextInt(cables.count());
                cut(cluster, cables, cable, true);
                cluster.runUntil(() -> false, random.nextInt(300) * MILLISECOND);
                cut(cluster, cables, cable, false);
                cluster.runUntil(() -> false, random.nextInt(300) * MILLISECOND);
            }
            assertTrue(
                    cluster.runUntil(() -> isDone(cluster), 60 * SECOND), failure + ": messages");
            cluster.members.forEach(
                    member -> assertEquals(0, member.application.failed, failure + ": failed"));
            assertEquals(0, cluster.leftovers(), failure + ": buffers not given back");
        }
    }
}
