package io.hxb.node;

/**
 * Decides for how long a loop that has nothing to do leaves its sockets alone while bulk data
 * flows: what arrives meanwhile is received together, and what has been acknowledged meanwhile is
 * followed by longer trains. Owned by that loop.
 *
 * <p>Whether data is bulk shows in what a pause brings: of a flow whose window is open, more the
 * longer it lasts; of an exchange of messages one, however long it lasts. So a short pause is
 * tried, and pauses grow as long as each brings many frames. One that brings few ends them, and the
 * next try comes later each time. While lone messages are about there are no pauses.
 */
final class BulkPause {
    /** The first pause; long enough for some frames of any flow that costs a CPU much. */
    static final long MIN_NS = 100_000;

    /** The longest pause: less than a tenth of what the buffers of sockets hold at 1 Gbit/s. */
    static final long MAX_NS = 500_000;

    /** Frames between two pauses, below which there is no bulk. */
    private static final long FEW_FRAMES = 6;

    /** Frames between two pauses, beyond which the next pause is shorter or longer. */
    private static final long SOME_FRAMES = 128;

    private static final long MANY_FRAMES = 256;

    /** Time without lone messages before pauses. */
    private static final long LONE_NS = 10_000_000;

    private final PollPauseTrials tries = new PollPauseTrials();
    private long pauseNs;
    private long framesSeen;
    private long loneSeen;

    /**
     * The loop has nothing to do.
     *
     * @param frames that it has received and sent, since any start.
     * @param loneFrames of these, those that waited for nothing else, and for which nothing may
     *     wait.
     * @return how long it should pause, 0 if it should wait for the next frame.
     */
    long pauseNs(final long frames, final long loneFrames, final long nowNs) {
        final long moved = frames - framesSeen;
        framesSeen = frames;
        final boolean isDue = tries.isDue(nowNs);
        if (loneFrames != loneSeen) {
            loneSeen = loneFrames;
            pauseNs = 0;
            tries.restFor(LONE_NS, nowNs);
        } else if (pauseNs > 0) {
            adapt(moved, nowNs);
        } else if (moved > 0 && isDue) {
            pauseNs = MIN_NS;
        }
        return pauseNs;
    }

    private void adapt(final long moved, final long nowNs) {
        if (moved < FEW_FRAMES) {
            pauseNs = 0;
            tries.onFailure(nowNs);
        } else {
            tries.onSuccess();
            if (moved < SOME_FRAMES) {
                pauseNs = Math.min(2 * pauseNs, MAX_NS);
            } else if (moved > MANY_FRAMES) {
                pauseNs = Math.max(pauseNs / 2, MIN_NS);
            }
        }
    }
}
