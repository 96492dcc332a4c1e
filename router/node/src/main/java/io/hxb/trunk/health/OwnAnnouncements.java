package io.hxb.trunk.health;

/**
 * What this node announces about the links to one neighbour, and whether the neighbour has
 * acknowledged it: repeated, less and less often, until it has. Guarded by the lock of {@link
 * TrunkHealth}.
 */
final class OwnAnnouncements {
    /** In place of a number: nothing has been heard from the other. */
    static final int NONE = 0;

    private static final long FIRST_REPEAT_NS = 2_000_000;

    /** A longer round trip is measured again: the neighbour was busy, or is far away. */
    private static final long LONG_ROUND_TRIP_NS = 10_000_000;

    private static final long MEASURE_NS = 10_000_000_000L;

    private final long maxRepeatNs;

    /** What was announced first to this incarnation of the neighbour, and last. */
    private int firstSequence;

    private int sequence;
    private int acknowledged;
    private boolean isAnswered;
    private long failed;
    private int weights;
    private long announcedNs;
    private long roundTripNs;
    private long repeatNs;
    private long repeatDelayNs = FIRST_REPEAT_NS;

    /**
     * Nothing has been announced.
     *
     * @param start the number before that of the first announcement.
     * @param maxRepeatNs longest time between two repetitions.
     */
    OwnAnnouncements(final int start, final long maxRepeatNs) {
        this.maxRepeatNs = maxRepeatNs;
        sequence = following(start);
        firstSequence = sequence;
        acknowledged = sequence;
    }

    /** The neighbour has forgotten all announcements. */
    void restart() {
        sequence = following(sequence);
        firstSequence = sequence;
        acknowledged = sequence;
        isAnswered = false;
        roundTripNs = 0;
        failed = 0;
        weights = 0;
    }

    private static int following(final int number) {
        return number + 1 == NONE ? 1 : number + 1;
    }

    /** Announces an opinion of the links, if that differs from the last announcement. */
    void announce(final long newFailed, final int newWeights, final long nowNs) {
        if (newFailed != failed || newWeights != weights) {
            failed = newFailed;
            weights = newWeights;
            number(nowNs);
        }
    }

    private void number(final long nowNs) {
        sequence = following(sequence);
        announcedNs = nowNs;
        repeatNs = nowNs;
        repeatDelayNs = FIRST_REPEAT_NS;
    }

    /** Announces the same again if the last round trip was long, and is long ago. */
    void look(final long nowNs) {
        if (!isOpen() && roundTripNs > LONG_ROUND_TRIP_NS && nowNs - announcedNs > MEASURE_NS) {
            number(nowNs);
        }
    }

    /** Time from the last announcement that was acknowledged until then; 0 if there was none. */
    long roundTripNs() {
        return roundTripNs;
    }

    /** True if the neighbour may acknowledge that: it was announced to this incarnation. */
    boolean isPossible(final int acknowledgement) {
        return acknowledgement == NONE
                ? !isAnswered
                : Integer.compareUnsigned(acknowledgement - firstSequence, sequence - firstSequence)
                        <= 0;
    }

    /** The neighbour acknowledges what it may. */
    void onAcknowledged(final int acknowledgement, final long nowNs) {
        if (acknowledgement != NONE) {
            isAnswered = true;
            if (isOpen() && acknowledgement == sequence) {
                roundTripNs = Math.max(1, nowNs - announcedNs);
            }
            acknowledged = acknowledgement - acknowledged > 0 ? acknowledgement : acknowledged;
        }
    }

    /** True if the last announcement is to be made now; after that it is repeated later. */
    boolean takeDue(final long nowNs) {
        if (!isOpen() || repeatNs - nowNs > 0) {
            return false;
        }
        repeatNs = nowNs + repeatDelayNs;
        repeatDelayNs = Math.min(maxRepeatNs, 2 * repeatDelayNs);
        return true;
    }

    /** True while the last announcement is not acknowledged; then it is due at {@link #dueNs}. */
    boolean isOpen() {
        return sequence != acknowledged;
    }

    long dueNs() {
        return repeatNs;
    }

    /** Number of the last announcement. */
    int sequence() {
        return sequence;
    }

    /** Links that it reports as failed. */
    long failed() {
        return failed;
    }
}
