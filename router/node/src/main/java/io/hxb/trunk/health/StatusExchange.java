package io.hxb.trunk.health;

import io.hxb.config.TrunkConfig;
import io.hxb.frame.LinkStatusFlyweight;

/**
 * What this node and one neighbour report to each other about the links between them by status
 * frames: announcements, questions, heartbeats, and how much was sent. Guarded by the lock of
 * {@link TrunkHealth}. Sets of links have a bit for the number of each.
 *
 * <p>Each side numbers its announcements about the links, from any number but 0, and repeats them
 * until the other acknowledges the number. A link is used by both while neither says that it has
 * failed, so both agree once both have heard. Who has not seen an announcement cannot acknowledge
 * it.
 *
 * <p>Without a key anybody may say anything in the neighbour's name, so nothing that was believed
 * holds for ever against whoever is really there. A status frame that acknowledges nothing of what
 * was said proves nothing and changes nothing, but it is answered by acknowledging it, by which the
 * two agree again, whatever one of them has forgotten. If what the neighbour says is older than
 * what is believed, or contradicts it, it is asked; if it stays with that, it is right.
 */
final class StatusExchange {
    private static final long FIRST_REPEAT_NS = 2_000_000;

    /** Minimum time between two answers to status frames that prove nothing. */
    private static final long ECHO_NS = 10_000_000;

    /** Time for which the neighbour has to stay with what contradicts what is believed. */
    private static final long DISPUTE_NS = 200_000_000;

    /** Time between two questions to a neighbour that reported failed links. */
    private static final long CONFIRM_NS = 250_000_000;

    private static final long LONG_DEAD_NS = 10_000_000_000L;
    private static final int LONG_DEAD_FACTOR = 5;

    /** In place of a number: nothing has been heard of the other. */
    private static final int NONE = 0;

    private final TrunkConfig config;
    private final KeepaliveProbe keepaliveProbe;
    private final CountReports marks;
    // What was said first to this incarnation of the neighbour, and last.
    private int firstSequence;
    private int sequence;
    private int acknowledged;
    private boolean isAnswered;
    private long saidFailed;
    private int saidWeights;
    private long repeatNs;
    private long repeatDelayNs = FIRST_REPEAT_NS;
    private int peerSequence = NONE;
    private long peerFailed;
    private long answerLinks;
    private long beatNs;
    private long beatLinks;
    private long deadSinceNs;
    // Number of a status frame that proved nothing, and the link on which it arrived.
    private int unproven = NONE;
    private int unprovenLink;
    private long echoNs;
    // What is written on that link in place of what is acknowledged.
    private int echo = NONE;
    private boolean isDisputed;
    private long disputedNs;
    private long askNs;

    /**
     * Nothing has been said.
     *
     * @param links number of links in the trunk.
     * @param start the number before that of the first announcement.
     */
    StatusExchange(final TrunkConfig config, final int links, final int start, final long nowNs) {
        this.config = config;
        sequence = following(start);
        firstSequence = sequence;
        acknowledged = sequence;
        keepaliveProbe = new KeepaliveProbe(config.silenceNs(), config.heartbeatNs(), nowNs);
        marks = new CountReports(links, nowNs);
        beatNs = nowNs;
        echoNs = nowNs;
        askNs = nowNs;
    }

    /**
     * The neighbour is a new incarnation, which has said nothing and forgotten what it was told.
     */
    void restart(final long nowNs) {
        sequence = following(sequence);
        firstSequence = sequence;
        acknowledged = sequence;
        isAnswered = false;
        saidFailed = 0;
        saidWeights = 0;
        peerSequence = NONE;
        peerFailed = 0;
        answerLinks = 0;
        unproven = NONE;
        isDisputed = false;
        keepaliveProbe.restart(nowNs);
    }

    private static int following(final int number) {
        return number + 1 == NONE ? 1 : number + 1;
    }

    /** Announces this node's opinion of the links, if that differs from the last announcement. */
    void announce(final long failed, final int weights, final long nowNs) {
        if (failed != saidFailed || weights != saidWeights) {
            saidFailed = failed;
            saidWeights = weights;
            sequence = following(sequence);
            repeatNs = nowNs;
            repeatDelayNs = FIRST_REPEAT_NS;
        }
    }

    /** A link has failed: its first heartbeat is due immediately. */
    void onFailed(final long nowNs) {
        beatNs = nowNs;
    }

    /**
     * False if a status frame contradicts an earlier one, or acknowledges what was never announced.
     */
    boolean isConsistent(final LinkStatusFlyweight status) {
        return isOfWhatWasSaid(status.acknowledgement())
                && status.sequence() != NONE
                && (status.sequence() != peerSequence || status.failed() == peerFailed);
    }

    private boolean isOfWhatWasSaid(final int acknowledgement) {
        return acknowledgement == NONE
                ? !isAnswered
                : Integer.compareUnsigned(acknowledgement - firstSequence, sequence - firstSequence)
                        <= 0;
    }

    /** Ignores a status frame that is not consistent, but sees to it that both ends agree again. */
    void onContradiction(final LinkStatusFlyweight status, final long nowNs) {
        if (status.sequence() == NONE) {
            return;
        }
        if (!isOfWhatWasSaid(status.acknowledgement())) {
            unproven = status.sequence();
            unprovenLink = status.linkNumber();
        } else {
            dispute(nowNs);
        }
    }

    // Frames may overtake each other, so the neighbour is asked before anything is forgotten.
    private void dispute(final long nowNs) {
        if (!isDisputed || nowNs - disputedNs > 2 * DISPUTE_NS) {
            isDisputed = true;
            disputedNs = nowNs;
            askNs = nowNs;
        } else if (nowNs - disputedNs >= DISPUTE_NS) {
            isDisputed = false;
            peerSequence = NONE;
            peerFailed = 0;
        }
    }

    /** True if the neighbour should get an answer, or a question, now. */
    boolean hasDoubts(final long nowNs) {
        return (unproven != NONE && echoNs - nowNs <= 0) || (isDisputed && askNs - nowNs <= 0);
    }

    /**
     * Accepts a consistent status frame.
     *
     * @param allLinks all links of the trunk.
     * @return true if its statement about the links is at least as new as what is known.
     */
    boolean onStatus(final LinkStatusFlyweight status, final long allLinks, final long nowNs) {
        assert isConsistent(status) : "a contradiction must not be taken in";
        final int acknowledgement = status.acknowledgement();
        if (acknowledgement != NONE) {
            isAnswered = true;
            acknowledged = acknowledgement - acknowledged > 0 ? acknowledgement : acknowledged;
        }
        if (peerSequence != NONE && status.sequence() - peerSequence < 0) {
            dispute(nowNs);
        } else {
            isDisputed = false;
        }
        final boolean isFirst = peerSequence == NONE;
        final int news = status.sequence() - peerSequence;
        if (isFirst || news > 0) {
            peerSequence = status.sequence();
            peerFailed = status.failed();
            answerLinks |= 1L << status.linkNumber();
        }
        if (status.isAsking()) {
            answerLinks = allLinks;
        }
        return isFirst || news >= 0;
    }

    /** Notes the result of one look at the links; see {@link KeepaliveProbe#look}. */
    void look(final boolean isHeard, final int sentFrames, final long nowNs) {
        keepaliveProbe.look(isHeard, sentFrames, nowNs);
    }

    /**
     * Links on which a status frame is due, apart from questions.
     *
     * @param good links in use.
     * @param addressed links where the neighbour's address is known.
     * @param sentFrames frames sent to the neighbour so far, modulo 2^32.
     * @param receivedFrames frames received from it so far, modulo 2^32.
     * @param beatIntervalNs time between two heartbeats on a link that is not used.
     */
    long due(
            final long good,
            final long addressed,
            final int sentFrames,
            final int receivedFrames,
            final long beatIntervalNs,
            final long nowNs) {
        keepaliveProbe.rest();
        long due = (answerLinks & addressed) | doubts(good == 0 ? addressed : good, nowNs);
        answerLinks = 0;
        if (sequence != acknowledged && repeatNs - nowNs <= 0) {
            due |= good == 0 ? addressed : good;
            repeatNs = nowNs + repeatDelayNs;
            repeatDelayNs = Math.min(config.heartbeatNs(), 2 * repeatDelayNs);
        }
        beatLinks = 0;
        if (beatNs - nowNs <= 0) {
            beatLinks = addressed & ~good;
            due |= beatLinks;
            beatNs = nowNs + (isLongDead(good, nowNs) ? LONG_DEAD_FACTOR : 1) * beatIntervalNs;
        }
        return due | marks.due(good, sentFrames, receivedFrames, nowNs);
    }

    private long doubts(final long reached, final long nowNs) {
        long due = 0;
        echo = NONE;
        if (unproven != NONE && echoNs - nowNs <= 0) {
            echo = unproven;
            unproven = NONE;
            echoNs = nowNs + ECHO_NS;
            due = 1L << unprovenLink;
        }
        isDisputed &= nowNs - disputedNs <= 2 * DISPUTE_NS;
        if ((isDisputed || peerFailed != 0) && askNs - nowNs <= 0) {
            keepaliveProbe.inquire();
            askNs = nowNs + (isDisputed ? ECHO_NS : CONFIRM_NS);
            due |= reached;
        }
        return due;
    }

    /** Of the links on which a status frame is due, those on which it is a heartbeat. */
    long beatLinks() {
        return beatLinks;
    }

    private boolean isLongDead(final long good, final long nowNs) {
        if (good != 0) {
            deadSinceNs = nowNs;
        }
        return nowNs - deadSinceNs > LONG_DEAD_NS;
    }

    /** True if the neighbour has to be asked now, or to be given up. */
    boolean isQuestionDue(final long good, final long nowNs) {
        return keepaliveProbe.isWaiting() && good != 0 && keepaliveProbe.dueNs() - nowNs <= 0;
    }

    /**
     * True if a neighbour for which a question is due has left enough of them unanswered.
     *
     * @param isLate whether answers may be late.
     * @param awayNs longest time for which either end has lately waited for a CPU.
     */
    boolean isUnanswered(final boolean isLate, final long awayNs, final long nowNs) {
        return keepaliveProbe.isExhausted(isLate, awayNs, nowNs);
    }

    /** The same for a neighbour that is heard, but not by what only it can send. */
    void inquire() {
        keepaliveProbe.inquire();
    }

    /** The status frames sent next, on all links, ask for an answer. */
    void ask(final long nowNs) {
        keepaliveProbe.ask(nowNs);
    }

    /** Time in ns until something is due again, 0 or more; at most {@code maxNs}. */
    long dueInNs(final long good, final long addressed, final long nowNs, final long maxNs) {
        if (answerLinks != 0) {
            return 0;
        }
        long dueNs = maxNs;
        if (sequence != acknowledged) {
            dueNs = Math.min(dueNs, repeatNs - nowNs);
        }
        if (unproven != NONE) {
            dueNs = Math.min(dueNs, echoNs - nowNs);
        }
        if (isDisputed || peerFailed != 0) {
            dueNs = Math.min(dueNs, askNs - nowNs);
        }
        if ((addressed & ~good) != 0) {
            dueNs = Math.min(dueNs, beatNs - nowNs);
        }
        if (keepaliveProbe.isWaiting() && good != 0) {
            dueNs = Math.min(dueNs, keepaliveProbe.dueNs() - nowNs);
        }
        return Math.max(0, dueNs);
    }

    /** Writes what is said on a link. */
    void write(final LinkStatusFlyweight status, final int number) {
        final boolean isEcho = echo != NONE && number == unprovenLink;
        status.asking(keepaliveProbe.isAsking())
                .sequence(sequence)
                .acknowledgement(isEcho ? echo : peerSequence)
                .failed(saidFailed);
    }
}
