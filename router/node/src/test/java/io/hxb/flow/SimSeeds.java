package io.hxb.flow;

import io.hxb.testing.Seeds;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongFunction;

/** Runs a simulation with many seeds, or with the one that {@code -Dhxb.sim.seed} names. */
final class SimSeeds {
    /** Seeds of the most frequent simulation; others run with a share of them. */
    static final int COUNT = Integer.getInteger("hxb.sim.seeds", 400 * Seeds.TIMES);

    private static final long ONE_SEED = Long.getLong("hxb.sim.seed", -1);

    private SimSeeds() {}

    /**
     * Runs the simulation of each seed from 0 to {@code count} - 1.
     *
     * @param simulation runs one seed; fails with a message that names it.
     * @param check of what they yielded together; not called for a single seed.
     */
    static <R> void run(
            final int count, final LongFunction<R> simulation, final Consumer<List<R>> check) {
        if (ONE_SEED >= 0) {
            final var _ = simulation.apply(ONE_SEED);
            return;
        }
        final List<R> results = new ArrayList<>();
        for (long seed = 0; seed < count; seed++) {
            try {
                results.add(simulation.apply(seed));
            } catch (final AssertionError | RuntimeException e) {
                throw new AssertionError(
                        "seed " + seed + " failed; replay it with -Dhxb.sim.seed=" + seed, e);
            }
        }
        check.accept(results);
    }
}
