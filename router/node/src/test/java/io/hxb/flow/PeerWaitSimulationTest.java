package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.FlowConfig;
import io.hxb.counter.CounterType;
import io.hxb.link.sim.SimFaults;
import io.hxb.pm.PmStatus;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;

/** Messages to a context that is opened later, over links that lose, double and reorder frames. */
@Tag("simulation")
class PeerWaitSimulationTest {
    private static final int SEEDS = Integer.getInteger("hxb.sim.seeds", 200);
    private static final int MESSAGES = 40;

    @Test
    void shouldDeliverAllInOrderToAContextThatOpensLater() {
        long asked = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            try {
                asked += run(seed);
            } catch (final AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + " failed", e);
            }
        }
        assertTrue(asked > 10L * SEEDS, "nobody was there when asked: " + asked);
    }

    /** Returns how often the sender was notified that nobody is there. */
    private static long run(final long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final FlowSetup setup =
                new FlowSetup(
                        FlowConfig.DEFAULT.withWindowFrames(32),
                        new FlowSizes(1_500, 128, 8, 8, 64),
                        -7);
        final SimFaults faults =
                SimFaults.NONE
                        .withDelay(1_000 + random.nextInt(200_000), random.nextInt(50_000))
                        .withLoss(random.nextDouble() * 0.1, random.nextDouble() * 0.1)
                        .withReordering(random.nextDouble() * 0.5, random.nextInt(4_000_000));
        try (SimWorld world = new SimWorld(seed, 2, 2, 1, setup, faults)) {
            // given
            world.peerWaitNs = 60 * SimWorld.SECOND;
            final SimContext early = world.open(0, 1, 32);
            for (int i = 0; i < MESSAGES; i++) {
                assertTrue(early.send(1, 2, random.nextInt(1_400)));
            }
            world.run(random.nextInt(3_000) * SimWorld.MILLISECOND);
            assertEquals(0, early.errors());
            // when
            final SimContext late = world.open(1, 2, 32);
            final boolean isDone =
                    world.runUntil(
                            () -> early.isIdle(), 60 * SimWorld.SECOND, () -> late.release(8));
            // then
            assertTrue(isDone, "not all was acknowledged");
            assertEquals(MESSAGES, early.statusCounts.getOrDefault(PmStatus.OK, 0));
            assertEquals(MESSAGES, late.received);
            assertEquals(0, late.gaps);
            assertFalse(late.lateStart);
            assertTrue(early.peerStatus.isEmpty(), "no flow ended");
            final long notifications =
                    world.nodes
                            .getFirst()
                            .counters()
                            .value(CounterType.FORWARD_UNREACHABLE_RECEIVED_FRAMES);
            assertEquals(0, world.leftovers(), "buffers and frames in use at the end");
            return notifications;
        }
    }
}
