package io.hxb.trunk.health;

/**
 * Asks a neighbour whether it is there, when it is sent frames and is silent on all links. Guarded
 * by the lock of {@link TrunkHealth}.
 */
final class Question {
    /** Number of times that a silent neighbour is asked before it is given up. */
    private static final int TIMES = 3;

    /** The same where its answers may be late. */
    private static final int PATIENT_TIMES = 4 * TIMES;

    private final long silenceNs;
    private final long intervalNs;
    private int sentWhenHeard;
    private boolean isWaiting;
    private long waitingSinceNs;
    private int times;
    private long nextNs;
    private boolean isAsking;

    /**
     * Prepares to ask.
     *
     * @param silenceNs time after which the neighbour is asked first.
     * @param intervalNs time from then on between two questions.
     */
    Question(final long silenceNs, final long intervalNs) {
        this.silenceNs = silenceNs;
        this.intervalNs = intervalNs;
    }

    /** The neighbour is a new incarnation, of which no answer is expected yet. */
    void forget() {
        isWaiting = false;
    }

    /**
     * Notes the result of one look.
     *
     * @param isHeard whether anything has arrived from the neighbour.
     * @param sentFrames frames sent to it so far, modulo 2^32.
     */
    void look(final boolean isHeard, final int sentFrames, final long nowNs) {
        if (isHeard) {
            isWaiting = false;
            sentWhenHeard = sentFrames;
        } else if (!isWaiting && sentFrames != sentWhenHeard) {
            isWaiting = true;
            waitingSinceNs = nowNs;
            times = 0;
        }
    }

    /** True while frames have been sent since the neighbour was heard last. */
    boolean isWaiting() {
        return isWaiting;
    }

    /** When it is time to ask, or to give the neighbour up; while {@link #isWaiting}. */
    long dueNs() {
        return times == 0 ? waitingSinceNs + silenceNs : nextNs;
    }

    /**
     * True if the neighbour has been asked often enough to be given up.
     *
     * @param isLate whether CPUs are so busy that its answers may be late.
     */
    boolean isExhausted(final boolean isLate) {
        return times >= (isLate ? PATIENT_TIMES : TIMES);
    }

    /** The status frames sent next ask. */
    void ask(final long nowNs) {
        times++;
        isAsking = true;
        nextNs = nowNs + intervalNs;
    }

    /** The status frames sent next ask, though the neighbour is heard. */
    void inquire() {
        isAsking = true;
    }

    /** The status frames sent next do not ask. */
    void rest() {
        isAsking = false;
    }

    /** True if status frames ask. */
    boolean isAsking() {
        return isAsking;
    }
}
