package io.hxb.trunk.health;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterType;
import io.hxb.link.sim.SimFaults;
import io.hxb.trunk.LinkReason;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Somebody sends frames in a neighbour's name, which are counted before anything of them is
 * checked, because most are only to be relayed.
 */
@Tag("unit")
class ForgedArrivalsTest {
    private static final long MS = TrunkWorld.MS;
    private static final double FRAMES_A_SECOND = 20_000;

    /** Hello intervals after which nothing is heard of a neighbour any more, and a little. */
    private static final long LIMIT_NS = 5 * TrunkWorld.HELLO_INTERVAL_NS + 10 * MS;

    private static TrunkWorld busy() {
        final TrunkWorld world = TrunkWorld.ofTwo(2);
        world.end(0).sendTo(1, FRAMES_A_SECOND);
        world.end(1).sendTo(0, FRAMES_A_SECOND);
        world.run(100 * MS);
        return world;
    }

    @Test
    void shouldFindADeadLinkOnWhichForgedFramesArrive() {
        // given
        final TrunkWorld world = busy();
        // when
        world.end(0).hearForgedFrames(1);
        world.cut(0, 1, true);
        final long ns = world.runUntil(() -> !world.end(0).isUsed(0), 4 * LIMIT_NS);
        // then
        assertTrue(ns <= LIMIT_NS, ns + " ns");
        assertEquals(LinkReason.MISSED_HELLOS, world.end(0).lastReason());
        assertTrue(world.end(0).isUsed(1));
        world.run(50 * MS);
        assertFalse(world.end(1).isUsed(0), "the neighbour was notified");
        // and when
        world.cut(0, 1, false);
        world.run(2_000 * MS);
        // then
        assertTrue(world.end(0).isUsed(0) && world.end(1).isUsed(0), "it heals");
    }

    @Test
    void shouldFindADeadNeighbourInWhoseNameFramesArrive() {
        // given
        final TrunkWorld world = busy();
        // when
        world.end(0).hearForgedFrames(3);
        world.cutBoth(0, true);
        world.cutBoth(1, true);
        // then
        world.runUntil(() -> !world.end(0).isUsed(0) && !world.end(0).isUsed(1), LIMIT_NS);
    }

    @Test
    void shouldKeepLinksWhoseHellosGetLost() {
        // given: of three hellos in a row one often does not arrive, but an answer does
        final TrunkWorld world = TrunkWorld.ofTwo(1);
        world.end(0).links[0].segment().faults(SimFaults.NONE.withLoss(0.5, 0));
        world.end(0).sendTo(1, FRAMES_A_SECOND);
        world.end(1).sendTo(0, FRAMES_A_SECOND);
        // when
        world.run(60_000 * MS);
        // then
        for (final TrunkWorld.End end : world.ends) {
            assertEquals(0, end.health.counters().value(CounterType.LINK_EXCLUDED_EVENTS, 0));
        }
    }

    @Test
    void shouldNotBlameALinkForForgedFramesThatStopArriving() {
        // given
        final TrunkWorld world = busy();
        for (int i = 0; i < 20; i++) {
            // when
            world.end(0).hearForgedFrames(1);
            world.run(20 * MS);
            world.end(0).hearForgedFrames(0);
            world.run(i * MS);
        }
        world.run(100 * MS);
        // then
        assertEquals(0, world.end(0).health.counters().value(CounterType.LINK_EXCLUDED_EVENTS, 0));
        assertEquals(0, world.end(0).health.counters().value(CounterType.LINK_EXCLUDED_EVENTS, 1));
        assertEquals(world.end(1).ports[1].weight(0), world.end(1).ports[0].weight(0));
    }
}
