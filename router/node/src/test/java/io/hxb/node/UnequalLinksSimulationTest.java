package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterType;
import io.hxb.link.sim.SimFaults;
import io.hxb.link.sim.SimLink;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two full links to a neighbour, one of which takes most of a window's time longer, as when a queue
 * stands before it; from time to time the receiver is away for so long that timers run out and what
 * was known of round trips is forgotten. In virtual time.
 */
@Tag("simulation")
class UnequalLinksSimulationTest {
    private static final long MS = 1_000_000L;
    private static final SimFaults WIRES =
            SimFaults.NONE.withDelay(20_000, 0).withRate(40_000_000L, 256);

    private static final int SLOTS = 128;

    /** Before receivers reported what came twice, it was 217 to 720. */
    private static final int MAX_RESENT = 200;

    @ParameterizedTest
    @ValueSource(ints = {6, 8, 10})
    void shouldHardlySendAgainWhatOnlyTakesLonger(final int delayMs) {
        try (SimCluster cluster = new SimCluster(0, Shape.of(2), 2, WIRES, 1_024, SLOTS)) {
            // given
            assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5_000 * MS), "start");
            final SimCluster.Member receiver = cluster.members.get(1);
            final SimApplication source = cluster.members.get(0).application;
            source.targets = new int[] {1};
            source.toSend = 40_000;
            assertTrue(
                    cluster.runUntil(() -> receiver.application.received > 2_000, 5_000 * MS),
                    "first part");
            cluster.network.faults(
                    (SimLink) cluster.members.get(0).links[1],
                    (SimLink) receiver.links[1],
                    WIRES.withDelay(delayMs * MS, 0));
            // when
            for (int awayMs = 2; awayMs <= 20; awayMs += 2) {
                cluster.runUntil(() -> false, 50 * MS);
                receiver.isDead = true;
                cluster.runUntil(() -> false, awayMs * MS);
                receiver.isDead = false;
            }
            // then
            assertTrue(cluster.runUntil(() -> source.done == source.toSend, 10_000 * MS), "end");
            assertEquals(source.sent, receiver.application.received);
            assertTrue(resent(cluster) <= MAX_RESENT, () -> resent(cluster) + " sent again");
        }
    }

    private static long resent(final SimCluster cluster) {
        return cluster.members.get(0).loop.flows().counters().value(CounterType.FLOW_RESENT_FRAMES);
    }
}
