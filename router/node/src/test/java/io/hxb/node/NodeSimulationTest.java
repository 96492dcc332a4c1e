package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.frame.DropReason;
import io.hxb.link.sim.SimFaults;
import io.hxb.link.sim.SimNetwork;
import io.hxb.testing.Seeds;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;

/** Whole clusters of the node's own code, relays and all, in virtual time. */
@Tag("simulation")
@Tag("search")
class NodeSimulationTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int SEEDS = Integer.getInteger("hxb.sim.nodeSeeds", 20 * Seeds.TIMES);
    private static final long ONLY_SEED = Long.getLong("hxb.sim.seed", -1);

    @Test
    void shouldDeliverEverythingOnceAndInOrderThroughLossyRelays() {
        long trains = 0;
        long lostTrains = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            if (ONLY_SEED < 0 || ONLY_SEED == seed) {
                try {
                    final SimNetwork network = run(seed);
                    trains += network.trains();
                    lostTrains += network.lostTrains();
                } catch (final AssertionError e) {
                    throw new AssertionError("replay by -Dhxb.sim.seed=" + seed, e);
                }
            }
        }
        System.out.println("simulation: " + trains + " trains, " + lostTrains + " lost");
        assertTrue(ONLY_SEED >= 0 || (lostTrains > 0 && trains > lostTrains), "trains were lost");
    }

    private static SimNetwork run(final long seed) {
        // given
        final SplittableRandom random = new SplittableRandom(seed);
        final Shape shape =
                switch ((int) (seed % 4)) {
                    case 0 -> Shape.of(2, 2, 2);
                    case 1 -> Shape.of(3, 3);
                    case 2 -> Shape.of(4);
                    default -> Shape.of(2, 3, 2);
                };
        final SimFaults faults =
                SimFaults.NONE
                        .withDelay(5_000 + random.nextInt(50_000), random.nextInt(50_000))
                        .withLoss(random.nextInt(11) / 100.0, random.nextInt(6) / 100.0)
                        .withReordering(random.nextInt(30) / 100.0, 200_000)
                        .withCorruption(random.nextInt(3) / 100.0)
                        .withTrains(
                                1 + random.nextInt(2) * random.nextInt(45),
                                random.nextInt(6) / 100.0,
                                random.nextInt(2) * random.nextDouble());
        final int buffers = seed % 5 == 0 ? 192 : 1_024;
        try (SimCluster cluster =
                new SimCluster(seed, shape, 1 + random.nextInt(3), faults, buffers)) {
            assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5 * SECOND), "neighbours");
            // when
            cluster.members.forEach(member -> member.application.toSend = 150);
            final boolean isDone =
                    cluster.runUntil(
                            () -> cluster.members.stream().allMatch(m -> m.application.done == 150),
                            60 * SECOND);
            // then
            assertTrue(isDone, "progress");
            check(cluster, shape);
            assertEquals(0, cluster.leftovers(), "buffers not given back");
            return cluster.network;
        }
    }

    private static void check(final SimCluster cluster, final Shape shape) {
        long relayed = 0;
        for (int to = 0; to < shape.nodeCount(); to++) {
            final SimCluster.Member member = cluster.members.get(to);
            assertEquals(0, member.application.failed);
            for (int from = 0; from < shape.nodeCount(); from++) {
                assertEquals(
                        cluster.members.get(from).application.sentTo(to),
                        member.application.receivedFrom(from));
            }
            final CounterBlock seen = member.counters();
            assertEquals(
                    seen.value(CounterType.FORWARD_RECEIVED_FRAMES),
                    seen.value(CounterType.FORWARD_DELIVERED_FRAMES)
                            + seen.value(CounterType.FORWARD_RELAYED_FRAMES)
                            + seen.value(CounterType.FORWARD_CONTROL_FRAMES)
                            + seen.value(CounterType.FORWARD_FRAGMENTS_FRAMES)
                            + seen.droppedFrames());
            // A bit flipped in the hop limit itself may use it up.
            if (cluster.network.corruptedFrames() == 0) {
                assertEquals(0, seen.value(CounterType.ofReason(DropReason.HOP_LIMIT)));
            }
            relayed += seen.value(CounterType.FORWARD_RELAYED_FRAMES);
        }
        // On a line there may be detours too, when much was lost.
        assertTrue(shape.dimensions() == 1 || relayed > 0, "relays were passed");
    }
}
