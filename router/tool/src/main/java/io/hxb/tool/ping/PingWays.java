package io.hxb.tool.ping;

import io.hxb.tool.cluster.Cluster;
import io.hxb.tool.measure.Pair;
import io.hxb.tool.measure.RoundTripResult;
import io.hxb.tool.report.ToolException;
import io.hxb.tool.trace.NodeTrace;
import io.hxb.tool.trace.TracedPath;

import java.util.ArrayList;
import java.util.List;

/**
 * The ways of frames between the nodes of a pair, traced when its round trips have ended.
 * Immutable; the JSON fields are the components.
 *
 * @param from where frames were sent.
 * @param to where they were sent to.
 * @param ways the one of the most frames first; empty if there is a problem.
 * @param error why nothing is known; empty if there are ways.
 */
record PingWays(String from, String to, List<TracedPath> ways, String error) {
    /** Pairs whose ways are traced: each takes a tenth of a second. */
    static final int MAX_PAIRS = 4;

    private static final int MAX_WAYS = 4;

    /** Copies the list. */
    PingWays {
        ways = List.copyOf(ways);
    }

    /** Those of the first pairs of which messages were answered. Blocks for 2 seconds at most. */
    static List<PingWays> of(
            final Cluster cluster, final List<Pair> pairs, final RoundTripResult result) {
        final List<PingWays> all = new ArrayList<>();
        for (int i = 0; i < pairs.size() && all.size() < MAX_PAIRS; i++) {
            final RoundTripResult.Trip trip = result.trips().get(i);
            if (trip.sent() > trip.lost() && pairs.get(i).from() != pairs.get(i).to()) {
                all.add(of(cluster, pairs.get(i), trip));
            }
        }
        return all;
    }

    private static PingWays of(
            final Cluster cluster, final Pair pair, final RoundTripResult.Trip trip) {
        try {
            final List<TracedPath> ways = NodeTrace.ways(cluster, pair.from(), pair.to());
            return new PingWays(trip.from(), trip.to(), ways, "");
        } catch (final ToolException e) {
            // The round trips are what was asked for; what they show does not depend on it.
            return new PingWays(trip.from(), trip.to(), List.of(), String.valueOf(e.getMessage()));
        }
    }

    /** Lines for people. */
    String text() {
        if (ways.isEmpty()) {
            return from + " -> " + to + " via: " + error + "\n";
        }
        final StringBuilder text = new StringBuilder();
        for (final TracedPath way : ways.subList(0, Math.min(MAX_WAYS, ways.size()))) {
            text.append(from + " -> " + to + " via " + way.path() + ", " + way.percent() + "%\n");
        }
        if (ways.size() > MAX_WAYS) {
            text.append(from + " -> " + to + " via " + (ways.size() - MAX_WAYS) + " other ways\n");
        }
        return text.toString();
    }
}
