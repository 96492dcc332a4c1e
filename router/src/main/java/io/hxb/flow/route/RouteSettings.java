package io.hxb.flow.route;

/**
 * Times by which routes are judged. Immutable.
 *
 * @param silenceNs a route is taken for broken when frames have been lost on it for so long and
 *     none arrived.
 * @param retryNs longest time between two tries of a broken route; the first comes sooner.
 * @param partitionNs a peer that was not heard for so long, and to which no route has led for half
 *     of it, is unreachable.
 */
public record RouteSettings(long silenceNs, long retryNs, long partitionNs) {
    /** What holds when nobody says otherwise. */
    public static final RouteSettings DEFAULT =
            new RouteSettings(30_000_000L, 200_000_000L, 800_000_000L);

    /** Checks the values. */
    public RouteSettings {
        if (silenceNs < 1 || retryNs < 1 || partitionNs < 1) {
            throw new IllegalArgumentException(
                    "times must be positive: " + silenceNs + ", " + retryNs + ", " + partitionNs);
        }
    }
}
