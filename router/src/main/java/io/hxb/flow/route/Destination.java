package io.hxb.flow.route;

import io.hxb.routing.Route;

/** What is known of the routes to one destination that has trouble. Owned by one loop. */
final class Destination {
    private static final int STATISTICS = 8;

    final int node;
    final long coordinates;

    /** Configured orders that work, as bits. */
    long usable;

    /** The route when no configured order works; {@link Route#NONE} when none does. */
    long alternative = Route.NONE;

    /** A better route that may be tried, or NONE. */
    long candidate = Route.NONE;

    /** The way back of what the peer had to send again, or NONE. */
    long answer = Route.NONE;

    long answerUntilNs;

    /** A route of which nothing bad was known when the book had {@link #soundVersion}, or NONE. */
    long sound = Route.NONE;

    int soundVersion;
    int next;
    int version;
    int shift;
    long checkNs;
    long troubleNs;
    boolean isCutOff;

    private final long[] routes = new long[STATISTICS];
    private final int[] lost = new int[STATISTICS];
    private final long[] sinceNs = new long[STATISTICS];
    private int victim;

    Destination(final int node, final long coordinates) {
        this.node = node;
        this.coordinates = coordinates;
    }

    /**
     * A frame was lost on a route.
     *
     * @return true if several have been, none arrived, for {@code silenceNs}; counts anew then.
     */
    boolean onLost(final long route, final long nowNs, final long silenceNs) {
        int place = place(route);
        if (place < 0) {
            place = victim;
            victim = (victim + 1) % STATISTICS;
            routes[place] = route;
            lost[place] = 0;
        }
        if (lost[place]++ == 0) {
            sinceNs[place] = nowNs;
        }
        final boolean isSilent = lost[place] >= 2 && nowNs - sinceNs[place] >= silenceNs;
        if (isSilent) {
            lost[place] = 0;
        }
        return isSilent;
    }

    /** A frame arrived by a route. */
    void onArrived(final long route) {
        final int place = place(route);
        if (place >= 0) {
            lost[place] = 0;
        }
    }

    private int place(final long route) {
        for (int place = 0; place < STATISTICS; place++) {
            if (routes[place] == route && lost[place] > 0) {
                return place;
            }
        }
        return -1;
    }
}
