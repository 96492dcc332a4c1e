package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterType;
import io.hxb.link.sim.SimFaults;
import io.hxb.link.sim.SimLink;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Arrays;

/**
 * A relay dies while a window full of frames is on its way through it, and is back when the first
 * of them is sent again, in virtual time.
 */
@Tag("simulation")
class LostWindowSimulationTest {
    private static final long MS = 1_000_000L;

    /** Slow links: most of a round trip is the queue before them, which is lost with the relay. */
    private static final SimFaults WIRES =
            SimFaults.NONE.withDelay(20_000, 0).withRate(20_000_000L, 256);

    private static final int SLOTS = 128;
    private static final int RELAY = 1;
    private static final int OTHER_RELAY = 2;

    /** Four round trips through full queues: to notice the loss, and to send the window again. */
    private static final long BOUND_NS = 200 * MS;

    @Test
    void shouldSendAWindowThatWasLostInARelayAgainAtOnce() {
        try (SimCluster cluster = new SimCluster(0, Shape.of(2, 2), 1, WIRES, 1_024, SLOTS)) {
            // given: one way only, and full
            assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5_000 * MS), "start");
            final SimApplication source = cluster.members.get(0).application;
            final SimApplication sink = cluster.members.get(3).application;
            cluster.members.get(OTHER_RELAY).isDead = true;
            cluster.runUntil(() -> false, 6_000 * MS);
            source.targets = new int[] {3};
            source.toSend = 4_000;
            assertTrue(cluster.runUntil(() -> sink.received > 3_000, 5_000 * MS), "first part");
            // when
            kill(cluster, true);
            source.toSend = source.sent;
            final long resent = resent(cluster);
            assertTrue(cluster.runUntil(() -> resent(cluster) > resent, 500 * MS), "a copy");
            final long lost = source.sent - source.done;
            kill(cluster, false);
            // then
            assertTrue(lost >= SLOTS / 2, "the window was lost: " + lost);
            assertTrue(
                    cluster.runUntil(() -> source.done == source.sent, BOUND_NS),
                    () -> source.sent - source.done + " still missing of " + lost);
            assertEquals(0, source.failed);
            assertEquals(source.sent, sink.received);
        }
    }

    // A process that is gone takes what its NICs hold with it.
    private static void kill(final SimCluster cluster, final boolean isKilled) {
        final SimCluster.Member relay = cluster.members.get(RELAY);
        relay.isDead = isKilled;
        Arrays.stream(relay.links).forEach(link -> ((SimLink) link).up(!isKilled));
    }

    private static long resent(final SimCluster cluster) {
        return cluster.members.get(0).loop.flows().counters().value(CounterType.FLOW_RESENT_FRAMES);
    }
}
