package io.hxb.flow.route;

/**
 * How many frames may be on their way on one path beside the default route: as many as wait
 * nowhere for long. Owned by one loop.
 *
 * <p>The window grows while the round trip stays near the shortest one seen, and shrinks when the
 * shortest of several is more than {@link #TARGET_NS} longer, or frames are lost. Single long ones
 * show a CPU that was busy, not a queue. Source: S. Shalunov et al., Low Extra Delay Background
 * Transport (LEDBAT), RFC 6817, for a window by delay; its target is longer, as its queues are.
 */
final class PathWindow {
    /** Frames that may always be on their way, so that the path is measured. */
    static final int MIN_FRAMES = 4;

    /** Largest window. */
    static final int MAX_FRAMES = 4_096;

    /** Delay by queues up to which a path gets more. */
    static final long TARGET_NS = 8_000_000L;

    private static final int FIRST_FRAMES = 32;
    private static final int MIN_SAMPLES = 16;
    private static final long FORGET_NS = 10_000_000_000L;
    private static final long SILENCE_NS = 200_000_000L;
    private static final long LOSS_NS = 10_000_000L;
    private static final long FIRST_PAUSE_NS = 20_000_000L;
    private static final long MAX_PAUSE_NS = 1_000_000_000L;

    private int windowFrames = FIRST_FRAMES;
    private int inFlight;
    private boolean isStarting = true;
    private boolean isMeasured;
    private long shortestNs;
    private long shortestSinceNs;
    private long recentNs;
    private int samples;
    private long heardNs;
    private long lossNs;
    private boolean hasLoss;
    private long pauseNs;
    private long pausedUntilNs;
    private boolean isPaused;

    /** Frames that may be on their way. */
    int windowFrames() {
        return windowFrames;
    }

    /** Frames that are. */
    int inFlight() {
        return inFlight;
    }

    /** True if the path may get another frame. */
    boolean mayTake(final long nowNs) {
        if (isPaused && pausedUntilNs - nowNs > 0) {
            return false;
        }
        if (inFlight > 0 && nowNs - heardNs > SILENCE_NS) {
            // They were lost with their flows, or the path is dead, which others find out.
            inFlight = 0;
            windowFrames = MIN_FRAMES;
        }
        return inFlight < windowFrames;
    }

    /** A frame has left. */
    void onSent(final long nowNs) {
        if (inFlight == 0) {
            heardNs = nowNs;
        }
        inFlight++;
    }

    /** A frame that was sent once, and waited for its acknowledgement that long, has arrived. */
    void onArrived(final long roundTripNs, final long nowNs) {
        onGone(nowNs);
        recentNs = samples == 0 ? roundTripNs : Math.min(recentNs, roundTripNs);
        samples++;
        if (samples >= Math.max(MIN_SAMPLES, windowFrames / 2)) {
            samples = 0;
            adapt(nowNs);
        }
    }

    /** A frame that was sent more than once has arrived. */
    void onGone(final long nowNs) {
        inFlight = Math.max(0, inFlight - 1);
        heardNs = nowNs;
    }

    private void adapt(final long nowNs) {
        if (!isMeasured || recentNs < shortestNs || nowNs - shortestSinceNs > FORGET_NS) {
            isMeasured = true;
            shortestNs = recentNs;
            shortestSinceNs = nowNs;
        }
        final long queueNs = recentNs - shortestNs;
        if (queueNs > TARGET_NS) {
            isStarting = false;
            windowFrames = Math.max(MIN_FRAMES, windowFrames - windowFrames / 4);
        } else if (queueNs < TARGET_NS / 2) {
            final int more = isStarting ? windowFrames : Math.max(1, windowFrames / 8);
            windowFrames = Math.min(MAX_FRAMES, windowFrames + more);
        }
    }

    /** A frame counts as lost. */
    void onLost(final long nowNs) {
        inFlight = Math.max(0, inFlight - 1);
        if (!hasLoss || nowNs - lossNs > LOSS_NS) {
            hasLoss = true;
            lossNs = nowNs;
            isStarting = false;
            windowFrames = Math.max(MIN_FRAMES, windowFrames / 2);
        }
    }

    /** A relay needs the path for frames whose shortest way it is: it rests, ever longer. */
    void onBusy(final long nowNs) {
        if (isPaused && pausedUntilNs - nowNs > 0) {
            return;
        }
        final boolean isSoon = isPaused && nowNs - pausedUntilNs < 2 * pauseNs;
        pauseNs = isSoon ? Math.min(MAX_PAUSE_NS, 2 * pauseNs) : FIRST_PAUSE_NS;
        pausedUntilNs = nowNs + pauseNs;
        isPaused = true;
    }
}
