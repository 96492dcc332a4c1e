package io.hxb.session;

import io.hxb.frame.Nonce;
import io.hxb.frame.SessionFlyweight;
import io.hxb.time.Deadline;

import java.util.random.RandomGenerator;

/**
 * What this node has agreed with one other, and what it says to it next. Guarded by the lock of
 * {@link Sessions}, but for what of its parts every loop reads.
 *
 * <pre>
 *            heard                       what it means                  answer
 *  fresh     echo is our pending nonce   the peer lives and heard us    a session begins; asks
 *                                                                       whether the peer has it
 *  known     both nonces and the key     the peer has it, too           if asked
 *            are those of the newest
 *            session
 *  crossed   the nonces are, the key     each took the other's answer   which session we have,
 *            is not                      under another key: the lower   if it holds and we are
 *                                        key holds                      asked
 *  unproven  anything else               the peer has begun anew, or    our pending nonce, if
 *                                        somebody replays               asked, which asks nothing
 * </pre>
 *
 * <p>Only a message with our pending nonce, or with that of a session which the peer is not yet
 * known to have, changes what is sealed and opened. The nonce is random and used once: nothing
 * recorded earlier contains it. One pending nonce serves all messages until a session begins, so
 * replays cannot displace a true exchange; nor do answers stand in the way of our own question.
 * What is unproven is answered by what asks nothing: a peer that did ask goes on, one that did not
 * ignores it. So a replay costs an answer, and never a session.
 *
 * <p>Frames may be lost at any moment, so that each end has another session. Whoever cannot open
 * what the other sends asks it now and then ({@link Doubt}); the answer names the session that the
 * other seals by, and only if that is not known here a new one begins.
 */
final class Peer {
    static final int ATTEMPTS = 8;

    private static final long ANSWER_PAUSE_NS = 1_000_000L;

    private final int node;
    private final PeerSessions sessions = new PeerSessions();
    private final Question question = new Question();
    private final Doubt doubt = new Doubt();
    private Nonce pending = Nonce.NONE;
    // Said once.
    private Saying answer;
    private Pause answers = Pause.NONE;
    private boolean isListed;

    Peer(final int node) {
        this.node = node;
    }

    int node() {
        return node;
    }

    /** Its sessions, for loops to read. */
    PeerSessions sessions() {
        return sessions;
    }

    /** True if {@link #doubt} would change nothing; any thread may look. */
    boolean isDoubted(final int link) {
        return doubt.isRaised(link);
    }

    /**
     * Asks for a new session, unless that is being done.
     *
     * @return true if that is news.
     */
    boolean begin(final ClusterKey key, final int link) {
        doubt.end();
        if (!question.isOpen()) {
            question.ask(Saying.first(key, link), ATTEMPTS, 0);
            return true;
        }
        return !question.isForConfirmation() && question.join(ATTEMPTS, link);
    }

    /**
     * A frame that proves nothing says that the peer has another session than we.
     *
     * @return true if that is news.
     */
    boolean doubt(final int link) {
        return doubt.raise(link);
    }

    /**
     * Asks the peer once if it is doubted, not asked anyway, and was not asked a short while ago.
     *
     * @param isAllowed false if enough others have been asked lately.
     * @return true if it is asked.
     */
    boolean askIfDoubted(final ClusterKey key, final boolean isAllowed, final long nowNs) {
        if (question.isOpen() || !doubt.isDue(nowNs)) {
            return false;
        }
        if (!isAllowed) {
            doubt.postpone(nowNs);
            return false;
        }
        question.ask(Saying.first(key, doubt.link()), 1, doubt.asked());
        doubt.ask(nowNs);
        return true;
    }

    /**
     * Notes that it is on the list of peers for which something is due; false if it was already.
     */
    boolean enlist() {
        final boolean isNew = !isListed;
        isListed = true;
        return isNew;
    }

    /** Notes that it was removed from the list. */
    void unlist() {
        isListed = false;
    }

    /**
     * Handles an authentic message.
     *
     * @param maker makes a session.
     * @return true if a session has begun that the peer has, too.
     */
    boolean onMessage(final Heard heard, final SessionMaker maker, final long nowNs) {
        final boolean isFresh = !pending.isNone() && heard.echo().equals(pending);
        if (isFresh) {
            final boolean isDoubted = doubt.isAsking() && !heard.isEstablished();
            final Nonce own = pending;
            pending = Nonce.NONE;
            question.end();
            doubt.end();
            if (isDoubted && sessions.isConfirmed() && sessions.canOpen(heard.sealingSession())) {
                // It seals by what is known here: somebody else sent what could not be opened.
                return false;
            }
            sessions.begin(maker.make(heard.key(), own, heard.nonce()));
        }
        if (sessions.isNewestOf(heard.echo(), heard.nonce())) {
            return sessions.newest().key().id() == heard.key().id()
                    ? onKnown(heard, isFresh)
                    : onOtherKey(heard, maker);
        }
        if (heard.isAsking() && answers.isOver(ANSWER_PAUSE_NS, nowNs)) {
            answers = new Pause(nowNs);
            answer = new Saying(heard.nonce(), false, false, heard.key(), heard.link());
        }
        return false;
    }

    private boolean onKnown(final Heard heard, final boolean isFresh) {
        final boolean isBegun = heard.isEstablished() && confirm(sessions.newest());
        if (sessions.isConfirmed()) {
            if (heard.isAsking()) {
                answer = known(heard, false);
            }
        } else if (heard.isAsking() || isFresh) {
            question.ask(known(heard, true), ATTEMPTS, 0);
        }
        return isBegun;
    }

    // While keys are changed both may ask at once, by different keys, and each answers by the key
    // that it was asked by: then both make a session of the same nonces and different keys. That
    // of the lower key id holds. It replaces the other once and never the other way round.
    private boolean onOtherKey(final Heard heard, final SessionMaker maker) {
        final Session newest = sessions.newest();
        if (heard.isEstablished()
                && !sessions.isConfirmed()
                && heard.key().id() < newest.key().id()) {
            sessions.begin(maker.make(heard.key(), newest.own(), heard.nonce()));
            return onKnown(heard, true);
        }
        if (heard.isAsking() && newest.key().id() < heard.key().id()) {
            answer =
                    new Saying(
                            heard.nonce(),
                            true,
                            !sessions.isConfirmed(),
                            newest.key(),
                            heard.link());
        }
        return false;
    }

    private static Saying known(final Heard heard, final boolean isAsking) {
        return new Saying(heard.nonce(), true, isAsking, heard.key(), heard.link());
    }

    /**
     * The peer has that session.
     *
     * @return true if that was not known.
     */
    boolean confirm(final Session session) {
        if (!sessions.confirm(session)) {
            return false;
        }
        if (question.isForConfirmation()) {
            question.end();
        }
        return true;
    }

    /** True while there is something to send or do, now or later. */
    boolean isActive() {
        return answer != null || question.isOpen() || sessions.hasRest() || doubt.isRaised();
    }

    /** True if there is something to send now. */
    boolean isDue(final long nowNs) {
        return answer != null || question.isDue(nowNs);
    }

    /** When there is something to send or do again, if it is active. */
    long nextNs(final long nowNs) {
        if (isDue(nowNs)) {
            return nowNs;
        }
        long nextNs = nowNs + Doubt.PAUSE_NS;
        if (question.isOpen()) {
            nextNs = Deadline.earlier(nextNs, question.dueNs());
        } else if (doubt.isRaised()) {
            nextNs = Deadline.earlier(nextNs, doubt.dueNs());
        }
        return sessions.hasRest() ? Deadline.earlier(nextNs, sessions.restNs()) : nextNs;
    }

    /** Forgets the previous session once nothing sealed by it can be in flight. */
    void rest(final long nowNs) {
        sessions.rest(nowNs);
    }

    /** Link over which the next message is sent, or {@link Sessions#ROUTED}. */
    int link() {
        return answer != null ? answer.link() : question.link();
    }

    /**
     * Writes the message that is due.
     *
     * @return the key to seal it with.
     */
    ClusterKey write(
            final SessionFlyweight message,
            final KeyRing ring,
            final RandomGenerator random,
            final long nowNs) {
        final Saying saying = answer != null ? answer : question.next(ring, nowNs);
        answer = null;
        if (!saying.isEstablished() && pending.isNone()) {
            pending = Nonce.random(random);
        }
        message.nonce(saying.isEstablished() ? sessions.newest().own() : pending)
                .echo(saying.echo())
                .sealingSession(sessions.sendingId())
                .flags(
                        (saying.isAsking() ? SessionFlyweight.FLAG_ASK : 0)
                                | (saying.isEstablished() ? SessionFlyweight.FLAG_ESTABLISHED : 0));
        return saying.key();
    }

    /** Ends what has to do with keys that are not in the ring any more. */
    void keepOnly(final KeyRing ring) {
        if (sessions.keepOnly(ring)) {
            question.end();
            answer = null;
        }
        if (answer != null && ring.indexOf(answer.key().id()) < 0) {
            answer = null;
        }
        question.keepOnly(ring);
    }

    /** Makes a session. */
    @FunctionalInterface
    interface SessionMaker {
        /** The session made of these nonces. */
        Session make(ClusterKey key, Nonce own, Nonce peer);
    }
}
