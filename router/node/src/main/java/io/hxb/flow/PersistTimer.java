package io.hxb.flow;

/**
 * When the peer of one sending flow is asked next: to open the flow, or by a probe for window whose
 * announcement may have been lost. Owned by the loop of the flow.
 */
final class PersistTimer {
    private static final int NEW_ROUTE_RETRIES = 2;

    private final RttEstimator rttEstimator;
    private long retryNs;
    private int retries;
    private boolean isProbing;

    /** Route and time of the last OPEN. */
    private long openRoute;

    private long openSentNs;

    PersistTimer(final RttEstimator rttEstimator) {
        this.rttEstimator = rttEstimator;
    }

    /** Forgets what was sent, and ends probing. */
    void restart() {
        retries = 0;
        isProbing = false;
    }

    /** An answer came: the next OPEN is a first one again. */
    void onAnswer() {
        retries = 0;
    }

    /** Sets the time of the next OPEN or PROBE to {@code timeNs}. */
    void retryAt(final long timeNs) {
        retryNs = timeNs;
    }

    /** True if the next OPEN or PROBE is due. */
    boolean isDue(final long nowNs) {
        return retryNs - nowNs <= 0;
    }

    /** OPEN or PROBE was sent: the pause before the next one grows with their number. */
    void onSent(final long nowNs) {
        retryNs = nowNs + rttEstimator.retryNs(retries++);
    }

    /** OPEN was sent by {@code route}, or lost before it left the node. */
    void onOpen(final long route, final long nowNs) {
        openRoute = route;
        openSentNs = nowNs;
    }

    /** True if the frame was sent before. */
    boolean isRepeated() {
        return retries > 0;
    }

    /**
     * Another route was chosen: the pauses get shorter again, and the next OPEN counts as repeated.
     */
    void onNewRoute() {
        retries = Math.min(retries, NEW_ROUTE_RETRIES);
    }

    long openRoute() {
        return openRoute;
    }

    long openSentNs() {
        return openSentNs;
    }

    /**
     * Begins or ends probing.
     *
     * @param isShut true if nothing is in flight and what waits has no window.
     * @param isReturned true if the window was given back: then it is asked for immediately.
     */
    void onShut(final boolean isShut, final boolean isReturned, final long nowNs) {
        if (isShut && !isProbing) {
            retries = 0;
            retryNs = isReturned ? nowNs : nowNs + rttEstimator.retryNs(0);
        }
        isProbing = isShut;
    }

    /** The receiver takes more: no need to probe. */
    void onWindow() {
        isProbing = false;
    }

    /** The path has changed: if it probes, the next probe is due. */
    void onPathChanged(final long nowNs) {
        if (isProbing) {
            retryNs = nowNs;
        }
    }

    /** True while the window is shut and something waits: the peer takes nothing. */
    boolean isProbing() {
        return isProbing;
    }

    /** True if it is time for a probe. */
    boolean isProbeDue(final long nowNs) {
        return isProbing && isDue(nowNs);
    }

    /** When the next OPEN or PROBE is due. */
    long retryNs() {
        return retryNs;
    }

    /** When to probe, Long.MAX_VALUE for never. */
    long probeNs() {
        return isProbing ? retryNs : Long.MAX_VALUE;
    }
}
