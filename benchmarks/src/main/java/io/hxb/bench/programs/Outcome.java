package io.hxb.bench.programs;

import java.util.Locale;

/**
 * How a program ended. Immutable.
 *
 * @param problem what was wrong; empty if nothing.
 * @param figure what it has done, for a table.
 * @param pauseMs its longest pause; NaN if it does not show that.
 */
record Outcome(String problem, String figure, double pauseMs) {
    /** One that ended with success. */
    static Outcome good(final String figure, final double pauseMs) {
        return new Outcome("", figure, pauseMs);
    }

    /** One that did not. */
    static Outcome bad(final String problem) {
        return new Outcome(problem, "", Double.NaN);
    }

    /** The same, or a failure if its longest pause is known and longer than this. */
    Outcome within(final double maxPauseMs) {
        return isGood() && pauseMs > maxPauseMs
                ? new Outcome(
                        String.format(Locale.ROOT, "a pause of %.0f ms", pauseMs), figure, pauseMs)
                : this;
    }

    /** True if it ended with success. */
    boolean isGood() {
        return problem.isEmpty();
    }
}
