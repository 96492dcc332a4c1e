package io.hxb.flow.route;

/**
 * What the routes of one loop have seen since start. Written by the route table of that loop with
 * plain stores; others may read and see each value at most a little late.
 */
public final class RouteCounters {
    private long brokenHops;
    private long silentRoutes;
    private long detouredFrames;
    private long probes;
    private long returned;
    private long refusedAnswers;
    private long cutOff;

    RouteCounters() {}

    void onBrokenHop() {
        brokenHops++;
    }

    void onSilentRoute() {
        silentRoutes++;
    }

    void onDetour() {
        detouredFrames++;
    }

    void onProbe() {
        probes++;
    }

    void onReturned() {
        returned++;
    }

    void onRefusedAnswer() {
        refusedAnswers++;
    }

    void onCutOff() {
        cutOff++;
    }

    /** Hops that a relay has reported broken; counted again each time it does so after a try. */
    public long brokenHops() {
        return brokenHops;
    }

    /** Routes on which nothing arrived any more. */
    public long silentRoutes() {
        return silentRoutes;
    }

    /** Frames sent by another route than the configured orders. */
    public long detouredFrames() {
        return detouredFrames;
    }

    /** Frames sent by a broken route to find out whether it works again. */
    public long probes() {
        return probes;
    }

    /** Broken routes that worked again. */
    public long returned() {
        return returned;
    }

    /** Answers about routes that were no answers to anything sent: forged, stale or damaged. */
    public long refusedAnswers() {
        return refusedAnswers;
    }

    /** Times no route at all was left to a destination. */
    public long cutOff() {
        return cutOff;
    }
}
