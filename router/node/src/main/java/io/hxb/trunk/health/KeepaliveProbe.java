package io.hxb.trunk.health;

/**
 * When to probe a neighbour that frames are sent to and that is silent on all links, and when to
 * give it up. A neighbour that shares its CPUs with busy programs replies late. The wait is a
 * multiple of the delay of earlier replies, as TCP's retransmission timer follows the round trips.
 * Guarded by the lock of {@link TrunkHealth}.
 *
 * <p>Source: RFC 6298, section 2, for the factor of the variance.
 */
final class KeepaliveProbe {
    /** Number of probes to a silent neighbour before it is given up. */
    private static final int MAX_PROBES = 3;

    /** The same where its replies may be late. */
    private static final int MAX_PROBES_WHERE_LATE = 4 * MAX_PROBES;

    /** A reply that took longer shows that the neighbour was away, not that it is slow. */
    private static final long MAX_DELAY_NS = 250_000_000;

    /** Maximum wait because replies were late: a partition is reported within 1 s. */
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
    private long firstSentNs;
    // Longest delay of a reply within the last seconds.
    private long replyDelayNs;
    private long replyDelaySinceNs;
    private long startedNs;
    private int sentWhenHeard;
    private boolean isWaiting;
    private long waitingSinceNs;
    private int sentCount;
    private long nextNs;
    private boolean isReplyRequested;

    /**
     * Prepares to probe.
     *
     * @param silenceNs time after which the first probe is due.
     * @param intervalNs time from then on between two probes.
     */
    KeepaliveProbe(final long silenceNs, final long intervalNs, final long nowNs) {
        this.silenceNs = silenceNs;
        this.intervalNs = intervalNs;
        startedNs = nowNs;
    }

    /** The neighbour is a new incarnation, of which no reply is expected yet. */
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
        if (replyDelayNs != 0 && nowNs - replyDelaySinceNs > MEMORY_NS) {
            replyDelayNs /= 2;
            replyDelaySinceNs = nowNs;
        }
        if (isHeard) {
            if (isWaiting && sentCount > 0) {
                onReply(nowNs - firstSentNs, nowNs);
            }
            isWaiting = false;
            sentWhenHeard = sentFrames;
        } else if (!isWaiting && sentFrames != sentWhenHeard) {
            isWaiting = true;
            waitingSinceNs = nowNs;
            sentCount = 0;
        }
    }

    private void onReply(final long tookNs, final long nowNs) {
        if (tookNs >= replyDelayNs && tookNs <= MAX_DELAY_NS) {
            replyDelayNs = tookNs;
            replyDelaySinceNs = nowNs;
        }
    }

    /** True while frames have been sent since the neighbour was heard last. */
    boolean isWaiting() {
        return isWaiting;
    }

    /** When a probe is due, or the neighbour is to be given up; while {@link #isWaiting}. */
    long dueNs() {
        return sentCount == 0 ? waitingSinceNs + silenceNs : nextNs;
    }

    /**
     * True if enough probes have been sent to give the neighbour up.
     *
     * @param isLate whether CPUs are so busy that its replies may be late.
     * @param awayNs longest time for which either end has lately waited for a CPU.
     * @param roundTripNs last time measured from an announcement to its acknowledgement.
     */
    boolean isExhausted(
            final boolean isLate, final long awayNs, final long roundTripNs, final long nowNs) {
        final long waitNs =
                awayNs >= STARVED_NS
                        ? MAX_WAIT_NS
                        : Math.min(
                                MAX_WAIT_NS,
                                DELAY_FACTOR * Math.max(roundTripNs, expectedDelayNs()));
        return sentCount >= (isLate ? MAX_PROBES_WHERE_LATE : MAX_PROBES)
                && nowNs - firstSentNs >= waitNs;
    }

    private long expectedDelayNs() {
        return firstSentNs - startedNs < FIRST_NS
                ? Math.max(replyDelayNs, FIRST_DELAY_NS)
                : replyDelayNs;
    }

    /** The status frames sent next are a probe. */
    void send(final long nowNs) {
        if (sentCount == 0) {
            firstSentNs = nowNs;
        }
        sentCount++;
        isReplyRequested = true;
        nextNs = nowNs + intervalNs;
    }

    /** The status frames sent next request a reply, though the neighbour is heard. */
    void requestReply() {
        isReplyRequested = true;
    }

    /** The status frames sent next request no reply. */
    void requestNoReply() {
        isReplyRequested = false;
    }

    /** True if status frames request a reply. */
    boolean isReplyRequested() {
        return isReplyRequested;
    }
}
