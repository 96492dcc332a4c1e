package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterType;
import io.hxb.link.sim.SimFaults;
import io.hxb.link.sim.SimLink;
import io.hxb.topology.Shape;
import io.hxb.trunk.LinkReason;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;

/**
 * Transfers in one direction over two links at full rate, in virtual time, of which one loses what
 * goes back: acknowledgements alone. Frames take as long as 9,000 bytes on 1 Gbit/s.
 */
@Tag("simulation")
class OneWayFaultSimulationTest {
    private static final long MILLISECOND = 1_000_000L;
    private static final long SECOND = 1_000_000_000L;
    private static final int SEEDS = Integer.getInteger("hxb.sim.oneWaySeeds", 60);
    private static final SimFaults WIRES =
            SimFaults.NONE.withDelay(20_000, 20_000).withRate(115_000_000, 64);

    @Test
    void shouldFindWithin5MsThatAcknowledgementsAreLost() {
        for (long seed = 0; seed < SEEDS; seed++) {
            // given
            final SplittableRandom random = new SplittableRandom(seed);
            final int broken = random.nextInt(2);
            try (SimCluster cluster = new SimCluster(seed, Shape.of(2), 2, WIRES, 512)) {
                assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5 * SECOND), "start");
                final SimCluster.Member sender = cluster.members.get(0);
                final SimCluster.Member receiver = cluster.members.get(1);
                sender.application.targets = new int[] {1};
                sender.application.toSend = Long.MAX_VALUE;
                cluster.runUntil(() -> false, 50 * MILLISECOND + random.nextLong(20 * MILLISECOND));
                assertEquals(0, excluded(sender) + excluded(receiver), "seed " + seed);
                // when
                cluster.network.faults(
                        (SimLink) receiver.links[broken],
                        (SimLink) sender.links[broken],
                        WIRES.withLoss(1, 0));
                final boolean isFound =
                        cluster.runUntil(() -> excluded(sender) > 0, 5 * MILLISECOND);
                // then
                assertTrue(isFound, "not within 5 ms, seed " + seed);
                assertEquals(LinkReason.SILENT, sender.ports.get(broken).reason(1));
                sender.application.toSend = sender.application.sent;
                assertEquals(0, cluster.leftovers(), "buffers not given back");
            }
        }
    }

    private static long excluded(final SimCluster.Member member) {
        long excluded = 0;
        for (int link = 0; link < member.links.length; link++) {
            excluded += member.health.counters().value(CounterType.LINK_EXCLUDED_EVENTS, link);
        }
        return excluded;
    }
}
