package io.hxb.trunk.health;

import io.hxb.config.TrunkConfig;
import io.hxb.frame.LinkStatusFlyweight;

/**
 * What this node and one neighbour report to each other about the links between them by status
 * frames: announcements, probes, heartbeats, and how much was sent. Guarded by the lock of {@link
 * TrunkHealth}. Sets of links have a bit for the number of each.
 *
 * <p>Each side numbers its announcements about the links, from any number but 0, and repeats them
 * until the other acknowledges the number. A link is used by both while neither reports that it has
 * failed, so both agree once both have heard. Who has not seen an announcement cannot acknowledge
 * it.
 *
 * <p>Without a key anybody may send anything in the neighbour's name, so nothing that was accepted
 * holds forever against the real neighbour. A status frame that acknowledges nothing of what was
 * announced proves nothing and changes nothing, but it is answered by acknowledging it, by which
 * the two agree again, whatever one of them has forgotten. If the neighbour's report is older than
 * what is believed, or contradicts it, it is asked; if it stays with that, it is right.
 */
final class StatusExchange {
    private final KeepaliveProbe keepaliveProbe;
    private final CountReports marks;
    private final OwnAnnouncements own;
    private final PeerAnnouncements peer;
    private final UnprovenEcho echo;
    private final UnusedLinkBeats beats;

    /** Links on which the neighbour waits for an answer. */
    private long answerLinks;

    /**
     * Nothing has been announced.
     *
     * @param links number of links in the trunk.
     * @param start the number before that of the first announcement.
     */
    StatusExchange(final TrunkConfig config, final int links, final int start, final long nowNs) {
        keepaliveProbe = new KeepaliveProbe(config.silenceNs(), config.heartbeatNs(), nowNs);
        marks = new CountReports(links, nowNs);
        own = new OwnAnnouncements(start, config.heartbeatNs());
        peer = new PeerAnnouncements(nowNs);
        echo = new UnprovenEcho(nowNs);
        beats = new UnusedLinkBeats(nowNs);
    }

    /**
     * The neighbour is a new incarnation, which has announced nothing and forgotten all
     * announcements.
     */
    void restart(final long nowNs) {
        own.restart();
        peer.restart();
        echo.restart();
        answerLinks = 0;
        keepaliveProbe.restart(nowNs);
    }

    /** Announces this node's opinion of the links, if that differs from the last announcement. */
    void announce(final long failed, final int weights, final long nowNs) {
        own.announce(failed, weights, nowNs);
    }

    /** True if the neighbour has acknowledged what was announced last. */
    boolean isAgreed() {
        return !own.isOpen();
    }

    /** A link has failed: its first heartbeat is due immediately. */
    void onFailed(final long nowNs) {
        beats.onFailed(nowNs);
    }

    /**
     * False if a status frame contradicts an earlier one, or acknowledges what was never announced.
     */
    boolean isConsistent(final LinkStatusFlyweight status) {
        return own.isPossible(status.acknowledgement()) && peer.isConsistent(status);
    }

    /**
     * Ignores a status frame that is not consistent, but sees to it that both ends agree again.
     *
     * @param number of the link it arrived on.
     */
    void onContradiction(final LinkStatusFlyweight status, final int number, final long nowNs) {
        if (status.sequence() == OwnAnnouncements.NONE) {
            return;
        }
        if (own.isPossible(status.acknowledgement())) {
            peer.dispute(nowNs);
        } else {
            echo.onUnproven(status.sequence(), number);
        }
    }

    /** True if a reply to the neighbour, or a request for one, is due. */
    boolean hasDoubts(final long nowNs) {
        return echo.isDue(nowNs) || peer.isDisputeDue(nowNs);
    }

    /**
     * Accepts a consistent status frame.
     *
     * @param number of the link it arrived on.
     * @param allLinks all links of the trunk.
     * @return true if its statement about the links is at least as new as what is known.
     */
    boolean onStatus(
            final LinkStatusFlyweight status,
            final int number,
            final long allLinks,
            final long nowNs) {
        assert isConsistent(status) : "a contradiction must not be taken in";
        own.onAcknowledged(status.acknowledgement(), nowNs);
        final int news = peer.onStatus(status, nowNs);
        if (news > 0) {
            answerLinks |= 1L << number;
        }
        if (status.isAsking()) {
            answerLinks = allLinks;
        }
        return news >= 0;
    }

    /** Notes the result of one look at the links; see {@link KeepaliveProbe#look}. */
    void look(final boolean isHeard, final int sentFrames, final long nowNs) {
        own.look(nowNs);
        keepaliveProbe.look(isHeard, sentFrames, nowNs);
    }

    /**
     * Links on which a status frame is due, apart from probes.
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
        keepaliveProbe.requestNoReply();
        final long reached = good == 0 ? addressed : good;
        long due = (answerLinks & addressed) | echo.take(nowNs);
        answerLinks = 0;
        if (peer.takeDueRequest(nowNs)) {
            keepaliveProbe.requestReply();
            due |= reached;
        }
        if (own.takeDue(nowNs)) {
            due |= reached;
        }
        due |= beats.take(good, addressed, beatIntervalNs, nowNs);
        return due | marks.due(good, sentFrames, receivedFrames, nowNs);
    }

    /** Of the links on which a status frame is due, those on which it is a heartbeat. */
    long beatLinks() {
        return beats.taken();
    }

    /** True if a probe is due, or the neighbour has to be given up. */
    boolean isProbeDue(final long good, final long nowNs) {
        return keepaliveProbe.isWaiting() && good != 0 && keepaliveProbe.dueNs() - nowNs <= 0;
    }

    /**
     * True if a neighbour to which a probe is due has not replied to enough of them.
     *
     * @param isLate whether replies may be late.
     * @param awayNs longest time for which either end has lately waited for a CPU.
     */
    boolean isUnanswered(final boolean isLate, final long awayNs, final long nowNs) {
        return keepaliveProbe.isExhausted(isLate, awayNs, own.roundTripNs(), nowNs);
    }

    /** The status frames sent next request a reply, though the neighbour is heard. */
    void requestReply() {
        keepaliveProbe.requestReply();
    }

    /** The status frames sent next, on all links, are a probe. */
    void probe(final long nowNs) {
        keepaliveProbe.send(nowNs);
    }

    /** Time in ns until something is due again, 0 or more; at most {@code maxNs}. */
    long dueInNs(final long good, final long addressed, final long nowNs, final long maxNs) {
        if (answerLinks != 0) {
            return 0;
        }
        long dueNs = maxNs;
        if (own.isOpen()) {
            dueNs = Math.min(dueNs, own.dueNs() - nowNs);
        }
        if (echo.isWaiting()) {
            dueNs = Math.min(dueNs, echo.dueNs() - nowNs);
        }
        if (peer.needsRequest()) {
            dueNs = Math.min(dueNs, peer.requestNs() - nowNs);
        }
        if ((addressed & ~good) != 0) {
            dueNs = Math.min(dueNs, beats.dueNs() - nowNs);
        }
        if (keepaliveProbe.isWaiting() && good != 0) {
            dueNs = Math.min(dueNs, keepaliveProbe.dueNs() - nowNs);
        }
        return Math.max(0, dueNs);
    }

    /** Writes what is announced on a link. */
    void write(final LinkStatusFlyweight status, final int number) {
        status.asking(keepaliveProbe.isReplyRequested())
                .sequence(own.sequence())
                .acknowledgement(echo.acknowledgement(number, peer.sequence()))
                .failed(own.failed());
    }
}
