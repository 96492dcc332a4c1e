package io.hxb.config;

/**
 * Times by which the routes of flows are judged; they are among the keys of {@code flow}.
 * Immutable.
 *
 * @param silenceNs a route on which frames were lost for this time, and none arrived, is avoided.
 * @param retryNs longest time between two tries of a route that is avoided; the first comes sooner.
 * @param partitionTimeoutNs a peer that was not heard for this time, and to which no route has led
 *     for half of it, is unreachable.
 */
public record RouteConfig(long silenceNs, long retryNs, long partitionTimeoutNs) {
    /** The defaults. */
    public static final RouteConfig DEFAULT = new RouteConfig(30_000_000, 200_000_000, 800_000_000);

    /** Checks the values. */
    public RouteConfig {
        new Check()
                .duration("routeSilence", silenceNs, 1_000_000, 60_000_000_000L)
                .duration("routeRetry", retryNs, 1_000_000, 60_000_000_000L)
                .duration("partitionTimeout", partitionTimeoutNs, 10_000_000, 3_600_000_000_000L)
                .done();
    }
}
