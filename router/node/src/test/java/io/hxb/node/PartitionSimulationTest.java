package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.link.sim.SimFaults;
import io.hxb.testing.Seeds;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;

/**
 * Clusters that fall apart in virtual time, one trunk or node after another: nodes that send to the
 * other part are notified within a second of the fault that took the last path.
 */
@Tag("simulation")
@Tag("search")
class PartitionSimulationTest {
    private static final long MILLISECOND = 1_000_000L;
    private static final long SECOND = 1_000_000_000L;
    private static final int SEEDS = Integer.getInteger("hxb.sim.partitionSeeds", 20 * Seeds.TIMES);
    private static final long ONLY_SEED = Long.getLong("hxb.sim.seed", -1);
    private static final SimFaults WIRES =
            SimFaults.NONE.withDelay(20_000, 20_000).withRate(20_000_000, 64);

    @Test
    void shouldReportAPartitionWithinASecondOfItsLastFault() {
        if (ONLY_SEED >= 0) {
            run(ONLY_SEED);
            return;
        }
        assertEquals(SEEDS, Seeds.sum(SEEDS, PartitionSimulationTest::replay));
    }

    private static long replay(final long seed) {
        try {
            run(seed);
            return 1;
        } catch (final AssertionError e) {
            throw new AssertionError("replay by -Dhxb.sim.seed=" + seed, e);
        }
    }

    private static void run(final long seed) {
        // given
        final SplittableRandom random = new SplittableRandom(seed);
        final Shape shape =
                switch ((int) (seed % 5)) {
                    case 0 -> Shape.of(2);
                    case 1 -> Shape.of(3);
                    case 2 -> Shape.of(2, 2, 2);
                    default -> Shape.of(2, 2);
                };
        final int links = 1 + random.nextInt(2);
        try (SimCluster cluster = new SimCluster(seed, shape, links, WIRES, 512)) {
            assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5 * SECOND), "start");
            final int from = random.nextInt(shape.nodeCount());
            final int to = (from + 1 + random.nextInt(shape.nodeCount() - 1)) % shape.nodeCount();
            cluster.members.forEach(member -> member.application.mayEnd = true);
            final SimApplication source = cluster.members.get(from).application;
            final SimApplication sink = cluster.members.get(to).application;
            source.targets = new int[] {to};
            source.toSend = Long.MAX_VALUE;
            assertTrue(cluster.runUntil(() -> sink.received > 50, SECOND), "first part");
            // when
            fallApart(cluster, random, from, to);
            final long ended = source.ended;
            final boolean isNotified = cluster.runUntil(() -> source.ended > ended, SECOND);
            // then
            assertTrue(isNotified, "not notified within a second");
            source.toSend = source.sent;
            cluster.members.forEach(member -> member.isDead = false);
            assertEquals(0, cluster.leftovers(), "buffers not given back");
        }
    }

    /** Takes all paths between two nodes, at one end or the other; the last fault comes last. */
    private static void fallApart(
            final SimCluster cluster, final SplittableRandom random, final int from, final int to) {
        final int kind = random.nextInt(4);
        if (kind == 0) {
            cluster.members.get(to).isDead = true;
            return;
        }
        final int lonely = kind == 1 ? from : to;
        final Shape shape = cluster.config.shape();
        final int first = random.nextInt(shape.dimensions());
        for (int i = 0; i < shape.dimensions(); i++) {
            cluster.cutTrunk(lonely, (first + i) % shape.dimensions(), true);
            if (i + 1 < shape.dimensions()) {
                cluster.runUntil(() -> false, random.nextLong(150 * MILLISECOND));
            }
        }
    }
}
