package io.hxb.flow.route;

/**
 * What the routes of one loop have seen since start. Written by that loop with plain stores; others
 * may read and see each value at most a little late.
 */
@SuppressWarnings("checkstyle:VisibilityModifier")
public final class RouteCounters {
    /** Hops that a relay has reported broken, again each time it does after a try. */
    public long brokenHops;

    /** Routes on which nothing arrived any more. */
    public long silentRoutes;

    /** Frames sent by another route than the configured orders. */
    public long detouredFrames;

    /** Frames sent by a broken route to see if it works again. */
    public long probes;

    /** Broken routes that worked again. */
    public long returned;

    /** Answers about routes that were no answers to anything sent: forged, stale or damaged. */
    public long refusedAnswers;

    /** Times no route at all was left to a destination. */
    public long cutOff;

    /** Makes counters that are 0. */
    public RouteCounters() {}
}
