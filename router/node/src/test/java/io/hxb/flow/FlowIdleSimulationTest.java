package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.FlowConfig;
import io.hxb.counter.CounterType;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

/**
 * Applications that pause for about as long as idle flows live, on links that lose, duplicate and
 * reorder: flows are forgotten and begin again, and nobody notices.
 */
@Tag("simulation")
@Tag("search")
class FlowIdleSimulationTest {
    private static final int SEEDS = Math.max(1, SimSeeds.COUNT / 25);
    private static final long PEER_TIMEOUT_NS = 300 * SimWorld.MILLISECOND;
    private static final int ROUNDS = 12;

    @Test
    void shouldContinueIdleFlowsWithoutLossDuplicateOrReordering() {
        SimSeeds.run(
                SEEDS,
                seed -> {
                    final Run run = new Run(seed);
                    run.run();
                    return new Counts(run.forgotten, run.recalled);
                },
                FlowIdleSimulationTest::checkAll);
    }

    private static void checkAll(final List<Counts> runs) {
        final long forgotten = runs.stream().mapToLong(Counts::forgotten).sum();
        final long recalled = runs.stream().mapToLong(Counts::recalled).sum();
        System.out.println("idle flows: forgotten " + forgotten + ", recalled " + recalled);
        assertTrue(forgotten > 10L * SEEDS, "forgotten " + forgotten);
        assertTrue(recalled > 0, "no flow was asked for");
    }

    /** How many idle flows were forgotten, and how many of them were asked for. */
    private record Counts(long forgotten, long recalled) {}

    private static final class Run extends SimApplications {
        private long forgotten;
        private long recalled;

        Run(final long seed) {
            super(seed, 3_000_000);
        }

        @Override
        FlowSetup setup() {
            // So few that they are recalled, or more than enough.
            final int maxFlows = random.nextBoolean() ? 4 * nodeCount * CONTEXTS_A_NODE : 256;
            return new FlowSetup(
                    FlowConfig.DEFAULT
                            .withWindowFrames(4 << random.nextInt(6))
                            .withPeerTimeoutNs(PEER_TIMEOUT_NS)
                            .withIdleTimeoutNs(2 * PEER_TIMEOUT_NS),
                    new FlowSizes(1_500, 128, 8, 8, maxFlows),
                    FlowSetup.RANDOM);
        }

        @Override
        void live() {
            for (int round = 0; round < ROUNDS; round++) {
                burst();
                pause();
            }
            check();
        }

        private void burst() {
            for (final SimContext from : all) {
                for (final SimContext to : all) {
                    for (int left = random.nextInt(4); left > 0 && from.hasFreeSlot(); left--) {
                        from.send(to.node.id, to.id, random.nextInt(400));
                    }
                }
            }
        }

        private void pause() {
            final long timeNs = random.nextInt(1_500) * SimWorld.MILLISECOND + 1;
            // Some hold what they got, so that not everything is delivered when a flow is idle.
            final boolean isSlow = random.nextInt(3) == 0;
            world().runUntil(() -> false, timeNs, isSlow ? () -> {} : this::release);
        }

        private void release() {
            all.forEach(context -> context.release(random.nextInt(8)));
        }

        private void check() {
            final boolean isDone =
                    world().runUntil(
                                    () ->
                                            all.stream()
                                                    .allMatch(
                                                            c -> c.isIdle() && c.heldFrames() == 0),
                                    20 * SimWorld.SECOND,
                                    this::release);
            assertTrue(isDone, "not all has arrived");
            for (final SimContext context : all) {
                assertEquals(0, context.errors(), () -> "errors: " + context.statusCounts);
                assertEquals(0, context.peerStatus.size(), () -> "" + context.peerStatus);
                assertEquals(0, context.gaps);
            }
            assertEquals(
                    all.stream().mapToLong(context -> context.submitted).sum(),
                    all.stream().mapToLong(context -> context.received).sum());
            world().run(8 * PEER_TIMEOUT_NS);
            for (final SimNode node : world().nodes) {
                assertEquals(0, node.table.sendingFlows(), "sending flows of node " + node.id);
                assertEquals(0, node.table.receivingFlows(), "receiving flows of node " + node.id);
                for (final FlowLoop loop : node.loops) {
                    forgotten += loop.counters().value(CounterType.FLOW_FORGOTTEN_EVENTS);
                    recalled += loop.counters().value(CounterType.FLOW_RECALLED_EVENTS);
                    assertEquals(0, loop.counters().value(CounterType.FLOW_REFUSED_EVENTS));
                }
            }
            assertEquals(0, world().leftovers(), "buffers and frames in use at the end");
        }
    }
}
