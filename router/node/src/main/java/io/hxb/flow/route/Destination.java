package io.hxb.flow.route;

import io.hxb.routing.Route;

/** What is known of the routes to one destination that has trouble. Owned by one loop. */
final class Destination {
    private static final int STATISTICS = 8;
    private static final long CALM_NS = 1_000_000_000;
    private static final long ANSWER_NS = 1_000_000_000;

    private final int node;
    private final long coordinates;
    private final long allOrders;

    // Result of the last check of all routes, and when the next is due.
    private long usable;
    private long alternative = Route.NONE;
    private long candidate = Route.NONE;
    private int checkedVersion;
    private long checkNs;
    private int searches;
    private int lastOrder;
    private boolean isCutOff;
    private boolean isDetoured;
    private long troubleNs;

    // For a while, the return route of what the peer had to send again.
    private long answer = Route.NONE;
    private long answerUntilNs;

    // A route of which the book knew nothing bad when it had this version.
    private long sound = Route.NONE;
    private int soundVersion;

    // Frames lost on the routes used last, since one arrived.
    private final long[] routes = new long[STATISTICS];
    private final int[] lost = new int[STATISTICS];
    private final long[] sinceNs = new long[STATISTICS];
    private int victim;

    /**
     * A destination whose trouble begins now; all its orders count as sound until they are checked.
     *
     * @param allOrders the configured orders, as bits.
     * @param version of the book.
     */
    Destination(
            final int node,
            final long coordinates,
            final long allOrders,
            final int version,
            final long nowNs) {
        this.node = node;
        this.coordinates = coordinates;
        this.allOrders = allOrders;
        usable = allOrders;
        checkedVersion = version;
        checkNs = nowNs;
        troubleNs = nowNs;
    }

    int node() {
        return node;
    }

    long coordinates() {
        return coordinates;
    }

    /** There is trouble on the way to it. */
    void onTrouble(final long nowNs) {
        troubleNs = nowNs;
    }

    /** When the trouble was noticed last. */
    long troubleNs() {
        return troubleNs;
    }

    /** Has the routes checked with the next frame. */
    void checkSoon(final long nowNs) {
        checkNs = nowNs;
    }

    /** True if the routes have to be checked: the book has another version, or it is time. */
    boolean isCheckDue(final int version, final long nowNs) {
        return checkedVersion != version || checkNs - nowNs <= 0;
    }

    /** Varies from one search for other routes to the next. */
    int nextSearch() {
        return searches++ & 0xFFFF;
    }

    /**
     * Takes what a check has found.
     *
     * @param version of the book.
     * @param nextCheckNs when to check again at the latest.
     * @param usableOrders configured orders that work, as bits.
     * @param otherWay the cheapest other route when no order works, or {@link Route#NONE}.
     * @param better a route that may be tried, or NONE.
     * @return true if no route at all is left, and one was before.
     */
    boolean onChecked(
            final int version,
            final long nextCheckNs,
            final long usableOrders,
            final long otherWay,
            final long better) {
        assert (usableOrders & ~allOrders) == 0;
        assert usableOrders == 0 || otherWay == Route.NONE : "the orders go first";
        checkedVersion = version;
        checkNs = nextCheckNs;
        usable = usableOrders;
        alternative = otherWay;
        candidate = better;
        final boolean wasCutOff = isCutOff;
        isCutOff = !hasRoute();
        return isCutOff && !wasCutOff;
    }

    /** True if a route works, as far as is known. */
    boolean hasRoute() {
        return usable != 0 || alternative != Route.NONE;
    }

    /** True if its frames have taken another route than the configured ones, and still do. */
    boolean isDetoured() {
        return isDetoured;
    }

    /** Notes whether its frames take another route than the configured ones. */
    void detoured(final boolean value) {
        isDetoured = value;
    }

    /** True if a configured order works. */
    boolean hasOrder() {
        return usable != 0;
    }

    /** True if everything has worked for a second: nothing has to be remembered any more. */
    boolean isCalm(final long nowNs) {
        return usable == allOrders && nowNs - troubleNs >= CALM_NS && answer(nowNs) == Route.NONE;
    }

    /** Index of the order that the next frame takes, of those that work in turn. */
    int nextOrder() {
        assert hasOrder();
        do {
            lastOrder = lastOrder + 1 >= Long.bitCount(allOrders) ? 0 : lastOrder + 1;
        } while ((usable >>> lastOrder & 1) == 0);
        return lastOrder;
    }

    /** The route when no configured order works; {@link Route#NONE} when none does. */
    long alternative() {
        return alternative;
    }

    /** A better route that may be tried, once; or {@link Route#NONE}. */
    long takeCandidate() {
        final long route = candidate;
        candidate = Route.NONE;
        return route;
    }

    /** True if there is a better route that may be tried. */
    boolean hasCandidate() {
        return candidate != Route.NONE;
    }

    /** Answers to it get lost: for a second they take {@code route}. */
    void onAskedAgain(final long route, final long nowNs) {
        troubleNs = nowNs;
        answer = route;
        answerUntilNs = nowNs + ANSWER_NS;
    }

    /** The route of answers to it, or {@link Route#NONE} for that of other frames. */
    long answer(final long nowNs) {
        if (answer != Route.NONE && answerUntilNs - nowNs <= 0) {
            answer = Route.NONE;
        }
        return answer;
    }

    /** True if nothing bad was known of {@code route} when the book had {@code version}. */
    boolean isSound(final long route, final int version) {
        return route == sound && soundVersion == version;
    }

    /** Nothing bad is known of {@code route}, or of none with {@link Route#NONE}. */
    void onSound(final long route, final int version) {
        sound = route;
        soundVersion = version;
    }

    /**
     * A frame was lost on a route.
     *
     * @return true if several have been, none arrived, for {@code silenceNs}; in that case it
     *     counts from 0 again.
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
