package io.hxb.bench.programs;

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

    boolean isGood() {
        return problem.isEmpty();
    }
}
