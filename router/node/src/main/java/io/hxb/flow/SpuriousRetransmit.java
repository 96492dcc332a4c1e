package io.hxb.flow;

/**
 * The last copy of a frame that was acknowledged sooner than a round trip takes. Owned by the loop
 * of the flow.
 *
 * <p>Usually the frame itself has arrived late, and those after it arrive now. If nothing arrives
 * until the timer runs out once more, they are lost, and the round trip is short because the queues
 * in which it was measured were lost with them: then the copy did arrive.
 */
final class SpuriousRetransmit {
    private int order;
    private long sentNs;
    private long ageNs;
    private long route;
    private boolean isPresent;

    /** Makes one for a flow without copies. */
    SpuriousRetransmit() {}

    /**
     * A copy was acknowledged too soon.
     *
     * @param copyOrder its place among all transmissions of the flow.
     * @param copySentNs when it was sent.
     * @param copyAgeNs how long ago that was.
     * @param copyRoute the route it took.
     */
    void note(
            final int copyOrder,
            final long copySentNs,
            final long copyAgeNs,
            final long copyRoute) {
        order = copyOrder;
        sentNs = copySentNs;
        ageNs = copyAgeNs;
        route = copyRoute;
        isPresent = true;
    }

    /** A frame that was sent only once has arrived, or the flow begins again. */
    void forget() {
        isPresent = false;
    }

    /** True if only such copies have arrived since the last {@link #forget}. */
    boolean isPresent() {
        return isPresent;
    }

    /** Its place among all transmissions of the flow. */
    int order() {
        return order;
    }

    /** When it was sent. */
    long sentNs() {
        return sentNs;
    }

    /** Time from then until it was acknowledged, in ns. */
    long ageNs() {
        return ageNs;
    }

    /** The route it took. */
    long route() {
        return route;
    }
}
