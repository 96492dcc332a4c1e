package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.FlowConfig;
import io.hxb.config.FrameConfig;
import io.hxb.counter.CounterType;
import io.hxb.link.sim.SimFaults;
import io.hxb.linux.Memory;
import io.hxb.pm.PmStatus;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.util.List;
import java.util.SplittableRandom;

/** Flows with frames of up to 64 KiB of message; -Dhxb.sim.seeds=N runs more seeds. */
@Tag("simulation")
@Tag("search")
class LongFrameSimulationTest {
    private static final int[] LENGTHS = {1, 8_192, 9_144, 9_145, 65_535, 65_536, 65_600};
    private static final int MESSAGES = 120;
    private static final FlowSizes SIZES = new FlowSizes(FrameConfig.LONGEST_BYTES, 256, 16, 8, 64);

    @Test
    void shouldCarryEachMessageUpToTheLongestInOneFrame() {
        final FlowSetup setup = new FlowSetup(FlowConfig.DEFAULT, SIZES, -5);
        try (SimWorld world = new SimWorld(1, 2, 1, 1, setup, SimFaults.NONE)) {
            final SimContext from = world.open(0, 1, 64);
            final SimContext to = world.open(1, 2, 64);
            for (final int length : LENGTHS) {
                // given
                final long framesBefore = delivered(world, CounterType.FLOW_DELIVERED_FRAMES);
                // when
                from.send(1, 2, length);
                assertTrue(world.runUntil(from::isIdle, SimWorld.SECOND, () -> {}));
                // then
                assertEquals(1, delivered(world, CounterType.FLOW_DELIVERED_FRAMES) - framesBefore);
                to.release(1);
            }
            assertEquals(LENGTHS.length, to.received);
            assertEquals(0, world.leftovers());
        }
    }

    @Test
    void shouldRefuseAMessageThatNoFrameCarries() {
        final FlowSetup setup = new FlowSetup(FlowConfig.DEFAULT, SIZES, 0);
        try (SimWorld world = new SimWorld(1, 2, 1, 1, setup, SimFaults.NONE);
                Arena arena = Arena.ofConfined()) {
            final SimContext from = world.open(0, 1, 64);
            final long payload = arena.allocate(65_601, 8).address();
            Memory.fill(payload, 65_601, 1);
            assertEquals(PmStatus.TOO_LONG, from.loop.submit(1, 0, 1, 2, payload, 65_601, 0));
        }
    }

    @Test
    void shouldDeliverLongAndShortMessagesInOrderWhateverTheLinksDo() {
        SimSeeds.run(
                Math.max(1, SimSeeds.COUNT / 40),
                LongFrameSimulationTest::run,
                LongFrameSimulationTest::checkAll);
    }

    private static Long run(final long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final FlowConfig config =
                FlowConfig.DEFAULT.withWindowFrames(8 << random.nextInt(5)).withAckEveryFrames(4);
        final FlowSetup setup = new FlowSetup(config, SIZES, -random.nextInt(64));
        final SimFaults faults =
                SimFaults.NONE
                        .withDelay(1_000 + random.nextInt(200_000), random.nextInt(50_000))
                        .withRate(random.nextBoolean() ? 0 : 1_000_000_000L, 16)
                        .withLoss(random.nextDouble() * 0.1, random.nextDouble() * 0.05)
                        .withReordering(random.nextDouble() * 0.3, random.nextInt(2_000_000))
                        .withTrains(1 + random.nextInt(4), 0.05, 0.5);
        try (SimWorld world = new SimWorld(seed, 2, 1 + random.nextInt(3), 1, setup, faults, 256)) {
            final List<SimContext> contexts = List.of(world.open(0, 0, 32), world.open(1, 0, 32));
            final boolean isDone =
                    world.runUntil(
                            () -> areDone(contexts),
                            120 * SimWorld.SECOND,
                            () -> contexts.forEach(context -> act(context, random)));
            assertTrue(isDone, "no progress");
            for (final SimContext context : contexts) {
                assertEquals(0, context.gaps);
                assertFalse(context.lateStart);
                assertEquals(MESSAGES, context.received);
                assertEquals(MESSAGES, context.statusCounts.getOrDefault(PmStatus.OK, 0));
            }
            assertEquals(0, world.leftovers(), "buffers and frames in use at the end");
            return delivered(world, CounterType.FLOW_RESENT_FRAMES);
        }
    }

    private static void checkAll(final List<Long> resent) {
        assertTrue(resent.stream().mapToLong(Long::longValue).sum() > 0, "nothing was lost");
    }

    private static void act(final SimContext context, final SplittableRandom random) {
        for (int i = random.nextInt(6); i > 0 && context.submitted < MESSAGES; i--) {
            final int length =
                    random.nextBoolean()
                            ? random.nextInt(300)
                            : LENGTHS[random.nextInt(LENGTHS.length)];
            context.send(1 - context.node.id, 0, length);
        }
        context.release(random.nextInt(6));
    }

    private static boolean areDone(final List<SimContext> contexts) {
        return contexts.stream()
                .allMatch(
                        context ->
                                context.submitted == MESSAGES
                                        && context.isIdle()
                                        && context.received == MESSAGES);
    }

    @Test
    void shouldAcknowledgeLongFramesByTheirBytes() {
        // given
        final FlowSetup setup =
                new FlowSetup(FlowConfig.DEFAULT.withAckDelayNs(50_000_000), SIZES, 0);
        try (SimWorld world = new SimWorld(1, 2, 1, 1, setup, SimFaults.NONE)) {
            final SimContext from = world.open(0, 1, 64);
            final SimContext to = world.open(1, 2, 64);
            // when
            for (int i = 0; i < 40; i++) {
                from.send(1, 2, 65_536);
            }
            final long startNs = world.nowNs();
            assertTrue(world.runUntil(from::isIdle, SimWorld.SECOND, () -> to.release(64)));
            // then, without the delay of a single one
            assertTrue(world.nowNs() - startNs < 50_000_000, "" + (world.nowNs() - startNs));
            assertEquals(40, to.received);
        }
    }

    private static long delivered(final SimWorld world, final CounterType type) {
        long sum = 0;
        for (final SimNode node : world.nodes) {
            for (final FlowLoop loop : node.loops) {
                sum += loop.counters().value(type);
            }
        }
        return sum;
    }
}
