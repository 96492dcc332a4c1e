package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.link.sim.SimFaults;
import io.hxb.testing.Seeds;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Remote memory through relays that lose, reorder and damage frames, in virtual time. */
@Tag("simulation")
@Tag("search")
class RemoteMemorySimulationTest {
    private static final long SECOND = 1_000_000_000L;
    private static final int SEEDS = Integer.getInteger("hxb.sim.remoteSeeds", 16 * Seeds.TIMES);
    private static final long ONLY_SEED = Long.getLong("hxb.sim.seed", -1);
    private static final int OPERATIONS = 60;

    @FunctionalInterface
    private interface Run {
        void of(long seed) throws Exception;
    }

    private static void withEachSeed(final Run run) {
        for (long seed = 0; seed < SEEDS; seed++) {
            if (ONLY_SEED < 0 || ONLY_SEED == seed) {
                try {
                    run.of(seed);
                } catch (final Exception | AssertionError e) {
                    throw new AssertionError("replay by -Dhxb.sim.seed=" + seed, e);
                }
            }
        }
    }

    private static Shape shape(final long seed) {
        return switch ((int) (seed % 4)) {
            case 0 -> Shape.of(2, 2, 2);
            case 1 -> Shape.of(3, 2);
            case 2 -> Shape.of(4);
            default -> Shape.of(2, 3);
        };
    }

    private static SimFaults faults(final SplittableRandom random) {
        return SimFaults.NONE
                .withDelay(5_000 + random.nextInt(50_000), random.nextInt(50_000))
                .withLoss(random.nextInt(11) / 100.0, random.nextInt(6) / 100.0)
                .withReordering(random.nextInt(30) / 100.0, 200_000)
                .withCorruption(random.nextInt(3) / 100.0);
    }

    private static List<RemoteProgram> programs(final RemoteCluster cluster, final long seed)
            throws Exception {
        final List<RemoteProgram> programs = new ArrayList<>();
        final int nodes = cluster.members.size();
        for (int node = 0; node < nodes; node++) {
            programs.add(new RemoteProgram(node, nodes, cluster.members.get(node), seed));
        }
        RemoteProgram.meet(programs);
        return programs;
    }

    @Test
    void shouldPerformEverythingOnceAndInOrderThroughLossyRelays() {
        withEachSeed(
                seed -> {
                    // given
                    final SplittableRandom random = new SplittableRandom(seed);
                    final int links = 1 + random.nextInt(3);
                    try (RemoteCluster cluster =
                            new RemoteCluster(seed, shape(seed), links, faults(random))) {
                        final List<RemoteProgram> programs = programs(cluster, seed);
                        assertTrue(
                                cluster.runUntil(cluster::allNeighboursKnown, () -> {}, 5 * SECOND),
                                "neighbours");
                        // when
                        programs.forEach(program -> program.left = OPERATIONS);
                        final boolean isDone =
                                cluster.runUntil(
                                        () -> areDone(programs),
                                        () -> programs.forEach(RemoteProgram::turn),
                                        120 * SECOND);
                        // then
                        assertTrue(isDone, "progress");
                        check(programs);
                        assertEquals(0, cluster.leftovers(), "buffers not given back");
                    }
                });
    }

    private static boolean areDone(final List<RemoteProgram> programs) {
        return programs.stream().allMatch(RemoteProgram::isDone)
                && sum(programs, true) == sum(programs, false);
    }

    private static long sum(final List<RemoteProgram> programs, final boolean isNotified) {
        return programs.stream()
                .mapToLong(program -> isNotified ? program.received : program.notified)
                .sum();
    }

    private static void check(final List<RemoteProgram> programs) {
        long counters = 0;
        long added = 0;
        for (final RemoteProgram program : programs) {
            program.checkGuard();
            programs.forEach(program::checkPartOf);
            counters += program.counter();
            added += program.added;
        }
        assertEquals(added, counters, "each addition once");
    }

    @Test
    void shouldGoOnWhileLinksFailAndHeal() {
        withEachSeed(
                seed -> {
                    // given
                    final SplittableRandom random = new SplittableRandom(seed);
                    try (RemoteCluster cluster =
                            new RemoteCluster(
                                    seed,
                                    Shape.of(2, 2),
                                    2,
                                    SimFaults.NONE.withDelay(20_000, 20_000))) {
                        final List<RemoteProgram> programs = programs(cluster, seed);
                        cluster.runUntil(cluster::allNeighboursKnown, () -> {}, 5 * SECOND);
                        programs.forEach(program -> program.left = OPERATIONS);
                        // when
                        for (int i = 0; i < 8; i++) {
                            final int node = random.nextInt(4);
                            final int link = random.nextInt(4);
                            cluster.cut(node, link, true);
                            cluster.runUntil(
                                    () -> false,
                                    () -> programs.forEach(RemoteProgram::turn),
                                    random.nextInt(20_000_000));
                            cluster.cut(node, link, false);
                            programs.forEach(program -> program.left += 10);
                        }
                        final boolean isDone =
                                cluster.runUntil(
                                        () -> areDone(programs),
                                        () -> programs.forEach(RemoteProgram::turn),
                                        120 * SECOND);
                        // then
                        assertTrue(isDone, "progress");
                        check(programs);
                        assertEquals(0, cluster.leftovers(), "buffers not given back");
                    }
                });
    }

    @Test
    void shouldEndAllOperationsWhenANodeRestarts() {
        withEachSeed(
                seed -> {
                    // given
                    final SplittableRandom random = new SplittableRandom(seed);
                    try (RemoteCluster cluster =
                            new RemoteCluster(seed, Shape.of(3), 2, faults(random))) {
                        final List<RemoteProgram> programs = programs(cluster, seed);
                        cluster.runUntil(cluster::allNeighboursKnown, () -> {}, 5 * SECOND);
                        programs.forEach(program -> program.mayFail = true);
                        programs.forEach(program -> program.left = OPERATIONS);
                        cluster.runUntil(
                                () -> false,
                                () -> programs.forEach(RemoteProgram::turn),
                                random.nextInt(30_000_000));
                        // when
                        cluster.restart(2);
                        programs.remove(2);
                        final boolean isDone =
                                cluster.runUntil(
                                        () -> programs.stream().allMatch(RemoteProgram::isDone),
                                        () -> programs.forEach(RemoteProgram::turn),
                                        120 * SECOND);
                        // then
                        assertTrue(isDone, "progress");
                        programs.forEach(RemoteProgram::checkGuard);
                        assertEquals(0, cluster.leftovers(), "buffers not given back");
                    }
                });
    }
}
