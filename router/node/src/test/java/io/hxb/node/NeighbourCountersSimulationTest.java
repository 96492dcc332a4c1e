package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.link.sim.SimFaults;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** On a line of four nodes each link counts what goes to and comes from each of the others. */
@Tag("simulation")
class NeighbourCountersSimulationTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int NODES = 4;
    private static final int LINKS = 2;
    private static final int MESSAGES = 1_000;

    @Test
    void shouldCountWhatEachNeighbourSendsAndGets() {
        final SimFaults faults = SimFaults.NONE.withDelay(10_000, 0);
        try (SimCluster cluster = new SimCluster(2, Shape.of(NODES), LINKS, faults, 512)) {
            // given
            assertTrue(cluster.runUntil(cluster::allNeighboursKnown, 5 * SECOND));
            // when
            cluster.members.forEach(member -> member.application.toSend = MESSAGES);
            assertTrue(
                    cluster.runUntil(
                            () ->
                                    cluster.members.stream()
                                            .allMatch(each -> each.application.done == MESSAGES),
                            60 * SECOND));
            cluster.runUntil(() -> false, SECOND / 10);
            cluster.members.forEach(member -> member.counters().publish());
            // then
            for (int node = 0; node < NODES; node++) {
                for (int link = 0; link < LINKS; link++) {
                    check(cluster, node, link);
                }
            }
        }
    }

    private static void check(final SimCluster cluster, final int node, final int link) {
        final CounterBlock own = cluster.members.get(node).counters();
        long sentFrames = 0;
        long sentBytes = 0;
        long receivedFrames = 0;
        for (int other = 0; other < NODES; other++) {
            final int place = link * NODES + other;
            final long frames = own.value(CounterType.LINK_NEIGHBOUR_SENT_FRAMES, place);
            final long bytes = own.value(CounterType.LINK_NEIGHBOUR_SENT_BYTES, place);
            sentFrames += frames;
            sentBytes += bytes;
            receivedFrames += own.value(CounterType.LINK_NEIGHBOUR_RECEIVED_FRAMES, place);
            if (other == node) {
                assertEquals(0, frames, "node " + node + " to itself");
                continue;
            }
            final CounterBlock its = cluster.members.get(other).counters();
            final int back = link * NODES + node;
            assertTrue(frames > 20, frames + " frames from " + node + " to " + other);
            // Those that arrive are with hellos and link status.
            final long arrived = its.value(CounterType.LINK_NEIGHBOUR_RECEIVED_FRAMES, back);
            assertTrue(arrived >= frames, arrived + " of " + frames);
            assertTrue(its.value(CounterType.LINK_NEIGHBOUR_RECEIVED_BYTES, back) >= bytes);
        }
        assertTrue(sentFrames <= own.value(CounterType.LINK_SENT_FRAMES, link));
        assertTrue(sentBytes <= own.value(CounterType.LINK_SENT_BYTES, link));
        // All but the first hello of each, by which it became a neighbour.
        final long all = own.value(CounterType.LINK_RECEIVED_FRAMES, link);
        assertTrue(
                receivedFrames <= all && receivedFrames >= all - 4 * NODES,
                receivedFrames + " of " + all);
    }
}
