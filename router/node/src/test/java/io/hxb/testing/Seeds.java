package io.hxb.testing;

import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;

/** Runs of one simulation with many seeds, on all CPUs: they have nothing in common. Stateless. */
public final class Seeds {
    /** How many times as much as every day a search tries; more in the profile outside. */
    public static final int TIMES = Integer.getInteger("hxb.test.searchTimes", 1);

    private Seeds() {}

    /**
     * Runs the seeds 0 to {@code count} - 1, in any order.
     *
     * @param run runs one seed and returns how much happened; any thread calls it.
     * @return the sum of what the runs returned.
     */
    public static long sum(final long count, final LongUnaryOperator run) {
        return LongStream.range(0, count).parallel().map(run).sum();
    }
}
