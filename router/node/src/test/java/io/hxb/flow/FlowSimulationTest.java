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

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Whole clusters of flows over bad links; -Dhxb.sim.seeds=N runs more, -Dhxb.sim.seed=S one. */
@Tag("simulation")
@Tag("search")
class FlowSimulationTest {
    @Test
    void shouldDeliverExactlyOnceInOrderWhateverTheLinksDo() {
        SimSeeds.run(SimSeeds.COUNT, FlowSimulationTest::run, FlowSimulationTest::checkAll);
    }

    private static void checkAll(final List<Tally> tallies) {
        final Tally all = new Tally();
        tallies.forEach(all::add);
        all.check();
        System.out.println("simulation: " + tallies.size() + " seeds, " + all);
    }

    private static Tally run(final long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final int nodeCount = 2 + random.nextInt(2);
        final int links = 1 + random.nextInt(4);
        final int loops = 1 + random.nextInt(2);
        final FlowSetup setup = setup(random);
        try (SimWorld world = new SimWorld(seed, nodeCount, links, loops, setup, faults(random))) {
            final List<SimContext> contexts = new ArrayList<>();
            final int perNode = 1 + random.nextInt(2);
            for (int node = 0; node < nodeCount; node++) {
                for (int id = 0; id < perNode; id++) {
                    contexts.add(world.open(node, id, 4 + random.nextInt(128)));
                }
            }
            exchange(world, contexts, random);
            return new Tally(world);
        }
    }

    private static void exchange(
            final SimWorld world, final List<SimContext> contexts, final SplittableRandom random) {
        final int total = 20 + random.nextInt(200);
        final boolean isMostlySmall = random.nextBoolean();
        final SimContext sleeper =
                random.nextInt(20) == 0 ? contexts.get(random.nextInt(contexts.size())) : null;
        if (sleeper != null) {
            sleeper.capacityFrames = 0;
        }
        final long wakesNs = world.nowNs() + 60 * SimWorld.SECOND;
        final Runnable app =
                () -> {
                    for (final SimContext context : contexts) {
                        if (context == sleeper && world.nowNs() - wakesNs >= 0) {
                            context.capacityFrames = 32;
                        }
                        act(context, contexts, total, isMostlySmall, random);
                    }
                };
        final boolean isDone =
                world.runUntil(() -> isAllDone(contexts, total), 300 * SimWorld.SECOND, app);

        assertTrue(isDone, () -> "no progress: " + describe(contexts));
        assertEquals(contexts.size() * (long) total, received(contexts));
        for (final SimContext context : contexts) {
            assertEquals(0, context.gaps);
            assertFalse(context.lateStart);
            assertEquals(total, context.statusCounts.getOrDefault(PmStatus.OK, 0));
            assertTrue(context.peerStatus.isEmpty(), "no flow ended");
        }
        assertEquals(0, world.leftovers(), "buffers and frames in use at the end");
    }

    private static void act(
            final SimContext context,
            final List<SimContext> contexts,
            final int total,
            final boolean isMostlySmall,
            final SplittableRandom random) {
        final int burst = random.nextInt(16);
        final boolean isToOne = burst % 2 == 0;
        SimContext to = null;
        for (int i = 0; i < burst && context.submitted < total && context.hasFreeSlot(); i++) {
            if (to == null || !isToOne) {
                to = contexts.get(random.nextInt(contexts.size()));
            }
            final int length =
                    isMostlySmall && random.nextInt(10) > 0
                            ? random.nextInt(64)
                            : random.nextInt(1_500);
            context.send(to.node.id, to.id, length);
        }
        context.release(random.nextInt(8));
    }

    private static boolean isAllDone(final List<SimContext> contexts, final int total) {
        for (final SimContext context : contexts) {
            if (context.submitted < total || !context.isIdle()) {
                return false;
            }
        }
        return received(contexts) == contexts.size() * (long) total;
    }

    private static long received(final List<SimContext> contexts) {
        return contexts.stream().mapToLong(context -> context.received).sum();
    }

    private static String describe(final List<SimContext> contexts) {
        final StringBuilder text = new StringBuilder();
        for (final SimContext context : contexts) {
            text.append(context.node.id)
                    .append('.')
                    .append(context.id)
                    .append(" submitted ")
                    .append(context.submitted)
                    .append(" done ")
                    .append(context.done)
                    .append(" received ")
                    .append(context.received)
                    .append(" held ")
                    .append(context.heldFrames())
                    .append(' ')
                    .append(context.peerStatus)
                    .append("; ");
        }
        return text.toString();
    }

    private static FlowSetup setup(final SplittableRandom random) {
        final int window = 4 << random.nextInt(7);
        final FlowConfig config =
                FlowConfig.DEFAULT
                        .withWindowFrames(window)
                        .withAckEveryFrames(1 + random.nextInt(Math.min(16, window / 2)))
                        .withReorderingThresholdFrames(3 + random.nextInt(Math.min(64, window - 3)))
                        .withAckDelayNs(random.nextBoolean() ? 1_000 : 200_000);
        final FlowSizes sizes =
                new FlowSizes(1_500, 64 + random.nextInt(192), random.nextInt(16), 8, 64);
        return new FlowSetup(config, sizes, -random.nextInt(64));
    }

    private static SimFaults faults(final SplittableRandom random) {
        return SimFaults.NONE
                .withDelay(1_000 + random.nextInt(200_000), random.nextInt(50_000))
                .withRate(random.nextBoolean() ? 0 : 1_000_000_000L, 64)
                .withLoss(random.nextDouble() * 0.1, random.nextDouble() * 0.05)
                .withReordering(random.nextDouble() * 0.5, random.nextInt(2_000_000))
                .withTrains(
                        random.nextBoolean() ? 1 : 2 + random.nextInt(44),
                        random.nextDouble() * 0.1,
                        random.nextDouble());
    }

    /** Shows that the faults happened that were survived. */
    private static final class Tally {
        private long lost;
        private long duplicated;
        private long reordered;
        private long resent;
        private long duplicates;
        private long stalls;
        private long shared;
        private long blocked;
        private long staged;
        private long trains;
        private long lostTrains;
        private long cutTrains;

        Tally() {}

        Tally(final SimWorld world) {
            lost = world.network.lostFrames();
            duplicated = world.network.duplicatedFrames();
            reordered = world.network.reorderedFrames();
            trains = world.network.trains();
            lostTrains = world.network.lostTrains();
            cutTrains = world.network.cutTrains();
            for (final SimNode node : world.nodes) {
                staged += node.contexts.values().stream().mapToLong(c -> c.staged).sum();
                for (final FlowLoop loop : node.loops) {
                    resent += loop.counters().value(CounterType.FLOW_RESENT_FRAMES);
                    duplicates += loop.counters().value(CounterType.FLOW_DUPLICATE_FRAMES);
                    stalls += loop.counters().value(CounterType.FLOW_WINDOW_STALLS_EVENTS);
                    shared += loop.counters().value(CounterType.FLOW_SHARED_FRAMES);
                    blocked += loop.counters().value(CounterType.FLOW_BLOCKED_EVENTS);
                }
            }
        }

        void add(final Tally other) {
            lost += other.lost;
            duplicated += other.duplicated;
            reordered += other.reordered;
            resent += other.resent;
            duplicates += other.duplicates;
            stalls += other.stalls;
            shared += other.shared;
            blocked += other.blocked;
            staged += other.staged;
            trains += other.trains;
            lostTrains += other.lostTrains;
            cutTrains += other.cutTrains;
        }

        void check() {
            for (final long count :
                    new long[] {
                        lost,
                        duplicated,
                        reordered,
                        resent,
                        duplicates,
                        stalls,
                        shared,
                        blocked,
                        staged,
                        trains,
                        lostTrains,
                        cutTrains
                    }) {
                assertTrue(count > 0, this::toString);
            }
        }

        @Override
        public String toString() {
            return ("lost %d duplicated %d reordered %d resent %d duplicates %d stalls %d shared %d"
                            + " blocked %d staged %d trains %d of them lost %d and cut %d")
                    .formatted(
                            lost,
                            duplicated,
                            reordered,
                            resent,
                            duplicates,
                            stalls,
                            shared,
                            blocked,
                            staged,
                            trains,
                            lostTrains,
                            cutTrains);
        }
    }
}
