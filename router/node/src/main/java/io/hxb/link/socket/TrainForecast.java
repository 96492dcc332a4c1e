package io.hxb.link.socket;

/**
 * What trains are expected to be like, from those that have arrived: frames of a train, and bytes
 * of each. Owned by the loop that owns the link.
 */
final class TrainForecast {
    /** Messages after which pieces that no train has needed are given up. */
    private static final int PERIOD_MESSAGES = 64;

    private final int maxFrames;
    private final int minSegmentBytes;
    private final int maxSegmentBytes;
    private int frames = 1;
    private int segmentBytes;

    // What the trains of this period were like.
    private int seenMessages;
    private int seenFrames = 1;
    private int lastSegmentBytes;

    /** Expects no trains: single frames of up to {@code maxSegmentBytes}. */
    TrainForecast(final int maxFrames, final int minSegmentBytes, final int maxSegmentBytes) {
        this.maxFrames = maxFrames;
        this.minSegmentBytes = minSegmentBytes;
        this.maxSegmentBytes = maxSegmentBytes;
        segmentBytes = maxSegmentBytes;
    }

    /** Frames of a message, 1 or more. */
    int frames() {
        return frames;
    }

    /** Bytes of each frame but the last. */
    int segmentBytes() {
        return segmentBytes;
    }

    /** A message with frames of that size has arrived. */
    void onMessage(final int itsFrames, final int itsSegmentBytes) {
        if (itsFrames > 1 && itsSegmentBytes >= minSegmentBytes) {
            learn(itsFrames, itsSegmentBytes);
        }
        if (++seenMessages >= PERIOD_MESSAGES) {
            forget();
        }
    }

    // Two trains of one size in a row set the size, so that sources that alternate do not.
    private void learn(final int itsFrames, final int itsSegmentBytes) {
        final boolean isFirst = frames == 1;
        if ((isFirst || itsSegmentBytes == lastSegmentBytes)
                && itsSegmentBytes <= maxSegmentBytes) {
            segmentBytes = itsSegmentBytes;
        }
        lastSegmentBytes = itsSegmentBytes;
        seenFrames = Math.max(seenFrames, Math.min(itsFrames, maxFrames));
        frames = Math.max(frames, seenFrames);
    }

    private void forget() {
        frames = seenFrames;
        if (seenFrames == 1) {
            segmentBytes = maxSegmentBytes;
        }
        seenFrames = 1;
        seenMessages = 0;
    }
}
