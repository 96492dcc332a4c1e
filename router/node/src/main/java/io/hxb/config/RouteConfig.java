package io.hxb.config;

import static io.hxb.config.ConfigKey.advanced;
import static io.hxb.config.Limits.range;
import static io.hxb.config.ValueType.DURATION;

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
    /** The keys. */
    static final ConfigSection<RouteConfig> KEYS =
            ConfigSection.<RouteConfig>of(
                    "flow",
                    v -> new RouteConfig(v.next(), v.next(), v.next()),
                    advanced(
                            "routeSilence",
                            DURATION,
                            30_000_000L,
                            RouteConfig::silenceNs,
                            range(1_000_000, 60_000_000_000L),
                            "Time after which a route is avoided if frames on it were lost and none"
                                    + " arrived."),
                    advanced(
                            "routeRetry",
                            DURATION,
                            200_000_000L,
                            RouteConfig::retryNs,
                            range(1_000_000, 60_000_000_000L),
                            "Maximum time between two frames that try a failed route."),
                    advanced(
                            "partitionTimeout",
                            DURATION,
                            800_000_000L,
                            RouteConfig::partitionTimeoutNs,
                            range(10_000_000, 3_600_000_000_000L),
                            "A peer is unreachable after this time without frames from it, if it"
                                    + " had no route for half of it."));

    /** The defaults. */
    public static final RouteConfig DEFAULT = KEYS.defaults();
}
