package io.hxb.tool.measure;

/**
 * How round trips are made. Immutable.
 *
 * @param lengthBytes payload of a message, 4 or more.
 * @param count round trips to each node, 0 until the user stops them.
 * @param intervalNs from the start of one to the start of the next, 0 for back to back.
 * @param timeoutNs an answer that takes longer counts as lost.
 * @param limitNs time after which no more are made back to back to a node, 0 for no limit.
 */
public record PingPlan(int lengthBytes, long count, long intervalNs, long timeoutNs, long limitNs) {
    private static final long WARM_UP = 200;

    /** Of a limited time, how much there is to warm up. */
    private static final int WARM_UP_PART = 4;

    /** One without a limit of time. */
    public PingPlan(
            final int lengthBytes, final long count, final long intervalNs, final long timeoutNs) {
        this(lengthBytes, count, intervalNs, timeoutNs, 0);
    }

    /** True if each round trip is reported as it happens. */
    public boolean isPaced() {
        return intervalNs > 0;
    }

    /** The round trips that are made before, and do not count. */
    PingPlan warmUp() {
        return new PingPlan(
                lengthBytes,
                count == 0 ? WARM_UP : Math.min(WARM_UP, count),
                intervalNs,
                timeoutNs,
                limitNs / WARM_UP_PART);
    }

    /**
     * True if another is made, back to back: one at least is.
     *
     * @param made so far.
     * @param elapsedNs since the first.
     */
    boolean isAnotherDue(final long made, final long elapsedNs) {
        final boolean isInTime = limitNs == 0 || elapsedNs < limitNs;
        return made == 0 || (isInTime && (count == 0 || made < count));
    }
}
