package io.hxb.trunk.health;

/**
 * Asks a neighbour whether it is there, when it is sent frames and is silent on all links. Whoever
 * shares its CPUs with busy programs answers late: how late it was before is waited for several
 * times over, as TCP's retransmission timer follows the round trips. Guarded by the lock of {@link
 * TrunkHealth}.
 *
 * <p>Source: RFC 6298, section 2, for the factor of the variance.
 */
final class KeepaliveProbe {
    /** Number of times that a silent neighbour is asked before it is given up. */
    private static final int TIMES = 3;

    /** The same where its answers may be late. */
    private static final int PATIENT_TIMES = 4 * TIMES;

    /** An answer that took longer shows that the neighbour was away, not that it is slow. */
    private static final long MAX_DELAY_NS = 250_000_000;

    /** The maximum of what is waited for because answers were late: a partition is told in 1 s. */
    private static final long MAX_WAIT_NS = 750_000_000;

    /** What is assumed of a neighbour that has just started, and compiles its code. */
    private static final long FIRST_DELAY_NS = 50_000_000;

    private static final long FIRST_NS = 3_000_000_000L;

    private static final int DELAY_FACTOR = 4;

    /**
     * Where a loop has waited for its CPU for that long, others run there. The waits seen so far do
     * not bound the next one: between waits of 10 ms, Linux was seen to leave a ready loop of high
     * priority without a CPU for 370 ms.
     */
    private static final long STARVED_NS = 5_000_000;

    private static final long MEMORY_NS = 10_000_000_000L;

    private final long silenceNs;
    private final long intervalNs;
    private long askedNs;
    // How long the neighbour took to answer, the longest of the last seconds.
    private long answerNs;
    private long answeredNs;
    private long startedNs;
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
    KeepaliveProbe(final long silenceNs, final long intervalNs, final long nowNs) {
        this.silenceNs = silenceNs;
        this.intervalNs = intervalNs;
        startedNs = nowNs;
    }

    /** The neighbour is a new incarnation, of which no answer is expected yet. */
    void restart(final long nowNs) {
        isWaiting = false;
        startedNs = nowNs;
    }

    /**
     * Notes the result of one look.
     *
     * @param isHeard whether anything has arrived from the neighbour.
     * @param sentFrames frames sent to it so far, modulo 2^32.
     */
    void look(final boolean isHeard, final int sentFrames, final long nowNs) {
        if (answerNs != 0 && nowNs - answeredNs > MEMORY_NS) {
            answerNs /= 2;
            answeredNs = nowNs;
        }
        if (isHeard) {
            if (isWaiting && times > 0) {
                onAnswer(nowNs - askedNs, nowNs);
            }
            isWaiting = false;
            sentWhenHeard = sentFrames;
        } else if (!isWaiting && sentFrames != sentWhenHeard) {
            isWaiting = true;
            waitingSinceNs = nowNs;
            times = 0;
        }
    }

    private void onAnswer(final long tookNs, final long nowNs) {
        if (tookNs >= answerNs && tookNs <= MAX_DELAY_NS) {
            answerNs = tookNs;
            answeredNs = nowNs;
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
     * @param awayNs longest time for which either end has lately waited for a CPU.
     */
    boolean isExhausted(final boolean isLate, final long awayNs, final long nowNs) {
        final long waitNs =
                awayNs >= STARVED_NS
                        ? MAX_WAIT_NS
                        : Math.min(MAX_WAIT_NS, DELAY_FACTOR * expectedDelayNs());
        return times >= (isLate ? PATIENT_TIMES : TIMES) && nowNs - askedNs >= waitNs;
    }

    private long expectedDelayNs() {
        return askedNs - startedNs < FIRST_NS ? Math.max(answerNs, FIRST_DELAY_NS) : answerNs;
    }

    /** The status frames sent next ask. */
    void ask(final long nowNs) {
        if (times == 0) {
            askedNs = nowNs;
        }
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
