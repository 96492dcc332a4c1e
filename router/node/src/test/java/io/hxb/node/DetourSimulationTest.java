package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.link.sim.SimFaults;
import io.hxb.testing.Seeds;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** Nodes and trunks that die in whole clusters, in virtual time. */
@Tag("simulation")
@Tag("search")
class DetourSimulationTest {
    private static final long MILLISECOND = 1_000_000L;
    private static final long SECOND = 1_000_000_000L;
    private static final int SEEDS = Integer.getInteger("hxb.sim.detourSeeds", 30 * Seeds.TIMES);
    private static final long ONLY_SEED = Long.getLong("hxb.sim.seed", -1);
    private static final SimFaults WIRES = SimFaults.NONE.withDelay(20_000, 20_000);

    // Shape, order of sources (even: x first), from, to, node that dies in the middle.
    @ParameterizedTest
    @CsvSource({
        "2x2, 0, 0, 3, 1",
        "2x2, 1, 0, 3, 1",
        "3x3, 0, 0, 8, 2",
        "3x3, 1, 0, 8, 6",
        "2x2x2, 0, 0, 7, 1",
        "2x2x2, 0, 0, 7, 3",
        "2x2x2, 1, 0, 7, 5",
    })
    void shouldGoOnWithin200MsWhenARelayDiesInTheMiddleOfATransfer(
            final String shape, final long seed, final int from, final int to, final int dead) {
        transfer(shape, seed, from, to, cluster -> cluster.members.get(dead).isDead = true);
    }

    @ParameterizedTest
    @CsvSource({"2x2, 0, 1", "2x2, 1, 1", "3x3, 0, 1", "3x3, 1, 2", "2x2x2, 0, 1", "2x2x2, 1, 1"})
    void shouldGoOverAnotherDimensionWhenAllTrunksOfOneAreCut(
            final String shape, final long seed, final int to) {
        transfer(shape, seed, 0, to, cluster -> cluster.cutTrunk(0, 0, true));
        transfer(shape, seed, 0, to, cluster -> cluster.cutTrunk(to, 0, true));
    }

    // Acknowledgements go x first too: from 3 over 2.
    @ParameterizedTest
    @CsvSource({"2x2, 3, 2", "3x3, 8, 6", "2x2x2, 7, 6", "2x2x2, 7, 4"})
    void shouldGoOnWhenOnlyTheWayBackIsBroken(
            final String shape, final int to, final int relayOfAcknowledgements) {
        transfer(
                shape,
                0,
                0,
                to,
                cluster -> cluster.members.get(relayOfAcknowledgements).isDead = true);
    }

    private static void transfer(
            final String shape,
            final long seed,
            final int from,
            final int to,
            final Consumer<SimCluster> fault) {
        // given
        try (SimCluster cluster = new SimCluster(seed, Shape.parse(shape), 1, WIRES, 1_024)) {
            assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5 * SECOND), "neighbours");
            final SimApplication source = cluster.members.get(from).application;
            final SimApplication sink = cluster.members.get(to).application;
            source.targets = new int[] {to};
            source.toSend = 4_000;
            assertTrue(cluster.runUntil(() -> sink.received > 1_000, SECOND), "first part");
            // when
            fault.accept(cluster);
            final long before = sink.received;
            cluster.runUntil(() -> false, 5 * MILLISECOND);
            final long onTheWay = sink.received;
            final boolean goesOn =
                    cluster.runUntil(() -> source.done > onTheWay + 64, 200 * MILLISECOND);
            // then
            assertTrue(goesOn, "from " + before + " to " + sink.received + " in 205 ms");
            assertTrue(cluster.runUntil(() -> source.done == 4_000, 5 * SECOND), "all of it");
            assertEquals(4_000, sink.received);
            assertEquals(0, source.failed);
            cluster.members.forEach(member -> member.isDead = false);
            assertEquals(0, cluster.leftovers(), "buffers not given back");
        }
    }

    @Test
    void shouldUseARouteAgainWhenItWorksAgain() {
        for (long seed = 0; seed < 2; seed++) {
            // given
            try (SimCluster cluster = new SimCluster(seed, Shape.of(2, 2), 1, WIRES, 1_024)) {
                assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5 * SECOND), "start");
                final SimApplication source = cluster.members.get(0).application;
                source.targets = new int[] {3};
                source.toSend = Long.MAX_VALUE;
                cluster.cutTrunk(3, 1, true);
                cluster.runUntil(() -> false, 500 * MILLISECOND);
                final CounterBlock routes = routes(cluster, 0);
                assertTrue(
                        routes.value(CounterType.FLOW_BROKEN_HOPS_EVENTS)
                                        + routes.value(CounterType.FLOW_SILENT_ROUTES_EVENTS)
                                > 0,
                        "the fault was seen");
                final long relayedBefore =
                        cluster.members.get(1).counters().value(CounterType.FORWARD_RELAYED_FRAMES);
                // when
                cluster.cutTrunk(3, 1, false);
                cluster.runUntil(() -> false, 700 * MILLISECOND);
                // then
                final long relayed =
                        cluster.members.get(1).counters().value(CounterType.FORWARD_RELAYED_FRAMES)
                                - relayedBefore;
                assertTrue(relayed > 100, "seed " + seed + ": " + relayed + " frames");
                assertTrue(routes.value(CounterType.FLOW_ROUTES_RETURNED_EVENTS) > 0);
                final long probes = routes.value(CounterType.FLOW_ROUTE_PROBES_FRAMES);
                assertTrue(probes > 0 && probes < 60, probes + " frames tried the broken route");
                source.toSend = source.sent;
                assertTrue(cluster.runUntil(() -> source.done == source.sent, 5 * SECOND));
                assertEquals(0, source.failed);
                assertEquals(0, cluster.leftovers(), "buffers not given back");
            }
        }
    }

    @Test
    void shouldReportAPartitionSoonAndReachThePeerAgainAfterwards() {
        for (long seed = 0; seed < 4; seed++) {
            // given
            try (SimCluster cluster = new SimCluster(seed, Shape.of(2, 2), 2, WIRES, 1_024)) {
                assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5 * SECOND), "start");
                final SimApplication source = cluster.members.get(0).application;
                final SimApplication sink = cluster.members.get(3).application;
                cluster.members.forEach(member -> member.application.mayEnd = true);
                source.targets = new int[] {3};
                source.toSend = 2_000;
                assertTrue(cluster.runUntil(() -> sink.received > 200, SECOND), "first part");
                // when
                cutOff(cluster, 3, true);
                final boolean isNotified = cluster.runUntil(() -> source.ended > 0, SECOND);
                // then
                assertTrue(isNotified, "seed " + seed);
                assertTrue(routes(cluster, 0).value(CounterType.FLOW_CUT_OFF_EVENTS) > 0);
                source.toSend = source.sent;
                // when
                cutOff(cluster, 3, false);
                assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5 * SECOND), "again");
                assertTrue(cluster.runUntil(() -> source.done == source.sent, 9 * SECOND));
                final long failed = source.failed;
                final long received = sink.received;
                source.toSend = source.sent + 500;
                // then
                assertTrue(cluster.runUntil(() -> source.done == source.sent, 5 * SECOND));
                assertTrue(cluster.runUntil(() -> sink.received == received + 500, SECOND));
                assertEquals(failed, source.failed);
                assertEquals(0, cluster.leftovers(), "buffers not given back");
            }
        }
    }

    @Test
    void shouldNotTakeASleepingApplicationForAnUnreachableNode() {
        // given
        try (SimCluster cluster = new SimCluster(0, Shape.of(2, 2), 1, WIRES, 1_024)) {
            assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5 * SECOND), "start");
            final SimApplication source = cluster.members.get(0).application;
            source.targets = new int[] {3};
            source.toSend = 2_000;
            // when
            cluster.members.get(3).application.isAsleep = true;
            cluster.runUntil(() -> false, 60 * SECOND);
            cluster.members.get(3).application.isAsleep = false;
            // then
            assertTrue(source.done < 2_000, "it did not sleep");
            assertTrue(cluster.runUntil(() -> source.done == 2_000, 5 * SECOND));
            assertEquals(0, source.failed);
            assertEquals(0, cluster.leftovers(), "buffers not given back");
        }
    }

    @Test
    void shouldDeliverOnceAndInOrderWhateverDiesAsLongAsThereIsAWay() {
        if (ONLY_SEED >= 0) {
            replay(ONLY_SEED);
            return;
        }
        final long pairs = Seeds.sum(SEEDS, DetourSimulationTest::replay);
        final long connected = pairs >>> 32;
        final long apart = pairs & 0xFFFF_FFFFL;
        assertTrue(connected > 10L * SEEDS && apart > SEEDS, "pairs");
    }

    private static long replay(final long seed) {
        try {
            return new RandomDeaths(seed).run();
        } catch (final AssertionError e) {
            throw new AssertionError("replay by -Dhxb.sim.seed=" + seed, e);
        }
    }

    private static CounterBlock routes(final SimCluster cluster, final int node) {
        return cluster.members.get(node).loop.flows().counters();
    }

    private static void cutOff(final SimCluster cluster, final int node, final boolean isCut) {
        for (int dimension = 0; dimension < cluster.config.shape().dimensions(); dimension++) {
            cluster.cutTrunk(node, dimension, isCut);
        }
    }

    /** One run in which some nodes and trunks die at once, and come back later. */
    private static final class RandomDeaths {
        private final long seed;
        private final SplittableRandom random;
        private final Shape shape;
        private final Set<Integer> deadNodes = new HashSet<>();
        private final Set<String> deadTrunks = new HashSet<>();

        RandomDeaths(final long seed) {
            this.seed = seed;
            random = new SplittableRandom(seed);
            shape =
                    switch ((int) (seed % 3)) {
                        case 0 -> Shape.of(2, 2);
                        case 1 -> Shape.of(3, 3);
                        default -> Shape.of(2, 2, 2);
                    };
        }

        long run() {
            // given
            try (SimCluster cluster = new SimCluster(seed, shape, 1, WIRES, 1_024)) {
                assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5 * SECOND), "start");
                for (final SimCluster.Member member : cluster.members) {
                    member.application.mayEnd = true;
                    member.application.toSend = 150;
                }
                cluster.runUntil(() -> false, random.nextLong(4 * MILLISECOND));
                // when
                die(cluster);
                final boolean isDone = cluster.runUntil(() -> isAllDone(cluster), 30 * SECOND);
                // then
                assertTrue(isDone, "progress");
                final long pairs = checkPairs(cluster);
                // when
                comeBack(cluster);
                assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5 * SECOND), "return");
                cluster.runUntil(() -> isAllDone(cluster), 30 * SECOND);
                final long failed = failed(cluster);
                for (final SimCluster.Member member : cluster.members) {
                    member.application.toSend = member.application.sent + 40;
                }
                // then
                assertTrue(cluster.runUntil(() -> isAllDone(cluster), 30 * SECOND), "after it");
                assertEquals(failed, failed(cluster), "failed although all was well");
                assertEquals(0, cluster.leftovers(), "buffers not given back");
                return pairs;
            }
        }

        private void die(final SimCluster cluster) {
            for (int i = random.nextInt(2); i > 0; i--) {
                final int node = random.nextInt(shape.nodeCount());
                deadNodes.add(node);
                cluster.members.get(node).isDead = true;
            }
            for (int i = random.nextInt(4); i > 0; i--) {
                final int node = random.nextInt(shape.nodeCount());
                final int dimension = random.nextInt(shape.dimensions());
                deadTrunks.add(node + "." + dimension);
                cluster.cutTrunk(node, dimension, true);
            }
        }

        private void comeBack(final SimCluster cluster) {
            for (int node = 0; node < shape.nodeCount(); node++) {
                cluster.members.get(node).isDead = false;
                for (int dimension = 0; dimension < shape.dimensions(); dimension++) {
                    cluster.cutTrunk(node, dimension, false);
                }
            }
            deadNodes.clear();
        }

        private boolean isAllDone(final SimCluster cluster) {
            for (int node = 0; node < shape.nodeCount(); node++) {
                final SimApplication application = cluster.members.get(node).application;
                if (!deadNodes.contains(node) && application.done < application.toSend) {
                    return false;
                }
            }
            return true;
        }

        private static long failed(final SimCluster cluster) {
            return cluster.members.stream().mapToLong(member -> member.application.failed).sum();
        }

        private long checkPairs(final SimCluster cluster) {
            long connected = 0;
            long apart = 0;
            for (int from = 0; from < shape.nodeCount(); from++) {
                if (deadNodes.contains(from)) {
                    continue;
                }
                final Set<Integer> reached = reached(from);
                final SimApplication source = cluster.members.get(from).application;
                for (int to = 0; to < shape.nodeCount(); to++) {
                    if (!reached.contains(to)) {
                        apart++;
                        continue;
                    }
                    connected++;
                    assertEquals(0, source.failedTo(to), "failed from " + from + " to " + to);
                    assertEquals(
                            source.sentTo(to),
                            cluster.members.get(to).application.receivedFrom(from),
                            "from " + from + " to " + to);
                }
            }
            return connected << 32 | apart;
        }

        private Set<Integer> reached(final int from) {
            final Set<Integer> reached = new HashSet<>(Set.of(from));
            final ArrayDeque<Integer> queue = new ArrayDeque<>(reached);
            while (!queue.isEmpty()) {
                final int here = queue.poll();
                for (int next = 0; next < shape.nodeCount(); next++) {
                    if (isHop(here, next) && reached.add(next)) {
                        queue.add(next);
                    }
                }
            }
            return reached;
        }

        private boolean isHop(final int from, final int to) {
            final long one = shape.coordinates(from);
            final long other = shape.coordinates(to);
            if (Shape.distance(one, other) != 1 || deadNodes.contains(to)) {
                return false;
            }
            final int dimension = Long.numberOfTrailingZeros(one ^ other) >> 3;
            return !deadTrunks.contains(from + "." + dimension)
                    && !deadTrunks.contains(to + "." + dimension);
        }
    }
}
