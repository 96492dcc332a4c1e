package io.hxb.session;

import io.hxb.frame.Nonce;
import io.hxb.frame.SessionFlyweight;
import io.hxb.time.Deadline;

import java.util.random.RandomGenerator;

/**
 * What this node has agreed with one other, and what it sends it next. Guarded by the lock of
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
 *  unproven  anything else               the peer has restarted, or     our pending nonce, if
 *                                        somebody replays               asked, which asks nothing
 * </pre>
 *
 * <p>Only a message with our pending nonce, or with that of a session which the peer is not yet
 * known to have, changes what is sealed and opened. The nonce is random and used once: nothing
 * recorded earlier contains it. One pending nonce serves all messages until a session begins, so
 * replays cannot displace a true exchange; nor do answers delay our own request. What is unproven
 * is answered by what requests nothing: a peer that did send a request goes on, another ignores it.
 * So a replay costs an answer, and never a session.
 *
 * <p>Frames may be lost at any moment, so that each end has another session. A node that cannot
 * open what the other sends requests its session now and then ({@link ResyncRequest}). The answer
 * names the session that the other seals by; a new one begins only if that is not known here.
 */
final class SessionPeer {
    static final int ATTEMPTS = 8;

    private static final long ANSWER_PAUSE_NS = 1_000_000L;

    private final int node;
    private final PeerSessions sessions = new PeerSessions();
    private final HandshakeRetry handshakeRetry = new HandshakeRetry();
    private final ResyncRequest resyncRequest = new ResyncRequest();
    private Nonce pending = Nonce.NONE;
    // Said once.
    private HandshakeMessage answer;
    private Cooldown answers = Cooldown.NONE;
    private boolean isListed;

    SessionPeer(final int node) {
        this.node = node;
    }

    int node() {
        return node;
    }

    /** Its sessions, for loops to read. */
    PeerSessions sessions() {
        return sessions;
    }

    /** True if {@link #resyncRequest} would change nothing; any thread may look. */
    boolean isDoubted(final int link) {
        return resyncRequest.isRaised(link);
    }

    /**
     * Asks for a new session, unless that is being done.
     *
     * @return true if that is news.
     */
    boolean begin(final ClusterKey key, final int link) {
        resyncRequest.end();
        if (!handshakeRetry.isOpen()) {
            handshakeRetry.start(HandshakeMessage.first(key, link), ATTEMPTS, 0);
            return true;
        }
        return !handshakeRetry.isForConfirmation() && handshakeRetry.join(ATTEMPTS, link);
    }

    /**
     * A frame that proves nothing suggests that the peer has another session than we.
     *
     * @return true if that is news.
     */
    boolean doubt(final int link) {
        return resyncRequest.raise(link);
    }

    /**
     * Requests the peer's session once if that is due and no handshake is under way.
     *
     * @param isAllowed false if enough requests have been sent to others lately.
     * @return true if it is requested.
     */
    boolean requestResyncIfDue(final ClusterKey key, final boolean isAllowed, final long nowNs) {
        if (handshakeRetry.isOpen() || !resyncRequest.isDue(nowNs)) {
            return false;
        }
        if (!isAllowed) {
            resyncRequest.postpone(nowNs);
            return false;
        }
        handshakeRetry.start(
                HandshakeMessage.first(key, resyncRequest.link()), 1, resyncRequest.sentCount());
        resyncRequest.onSent(nowNs);
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
    boolean onMessage(
            final ReceivedHandshake receivedHandshake, final SessionMaker maker, final long nowNs) {
        final boolean isFresh = !pending.isNone() && receivedHandshake.echo().equals(pending);
        if (isFresh) {
            final boolean isDoubted =
                    resyncRequest.isPending() && !receivedHandshake.isEstablished();
            final Nonce own = pending;
            pending = Nonce.NONE;
            handshakeRetry.end();
            resyncRequest.end();
            if (isDoubted
                    && sessions.isConfirmed()
                    && sessions.canOpen(receivedHandshake.sealingSession())) {
                // It seals by what is known here: somebody else sent what could not be opened.
                return false;
            }
            sessions.begin(maker.make(receivedHandshake.key(), own, receivedHandshake.nonce()));
        }
        if (sessions.isNewestOf(receivedHandshake.echo(), receivedHandshake.nonce())) {
            return sessions.newest().key().id() == receivedHandshake.key().id()
                    ? onKnown(receivedHandshake, isFresh)
                    : onOtherKey(receivedHandshake, maker);
        }
        if (receivedHandshake.isAsking() && answers.isOver(ANSWER_PAUSE_NS, nowNs)) {
            answers = new Cooldown(nowNs);
            answer =
                    new HandshakeMessage(
                            receivedHandshake.nonce(),
                            false,
                            false,
                            receivedHandshake.key(),
                            receivedHandshake.link());
        }
        return false;
    }

    private boolean onKnown(final ReceivedHandshake receivedHandshake, final boolean isFresh) {
        final boolean isBegun = receivedHandshake.isEstablished() && confirm(sessions.newest());
        if (sessions.isConfirmed()) {
            if (receivedHandshake.isAsking()) {
                answer = known(receivedHandshake, false);
            }
        } else if (receivedHandshake.isAsking() || isFresh) {
            handshakeRetry.start(known(receivedHandshake, true), ATTEMPTS, 0);
        }
        return isBegun;
    }

    // While keys are changed both may ask at once, by different keys, and each answers by the key
    // that it was asked by: then both make a session of the same nonces and different keys. That
    // of the lower key id holds. It replaces the other once and never the other way round.
    private boolean onOtherKey(
            final ReceivedHandshake receivedHandshake, final SessionMaker maker) {
        final Session newest = sessions.newest();
        if (receivedHandshake.isEstablished()
                && !sessions.isConfirmed()
                && receivedHandshake.key().id() < newest.key().id()) {
            sessions.begin(
                    maker.make(receivedHandshake.key(), newest.own(), receivedHandshake.nonce()));
            return onKnown(receivedHandshake, true);
        }
        if (receivedHandshake.isAsking() && newest.key().id() < receivedHandshake.key().id()) {
            answer =
                    new HandshakeMessage(
                            receivedHandshake.nonce(),
                            true,
                            !sessions.isConfirmed(),
                            newest.key(),
                            receivedHandshake.link());
        }
        return false;
    }

    private static HandshakeMessage known(
            final ReceivedHandshake receivedHandshake, final boolean isAsking) {
        return new HandshakeMessage(
                receivedHandshake.nonce(),
                true,
                isAsking,
                receivedHandshake.key(),
                receivedHandshake.link());
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
        if (handshakeRetry.isForConfirmation()) {
            handshakeRetry.end();
        }
        return true;
    }

    /** True while there is something to send or do, now or later. */
    boolean isActive() {
        return answer != null
                || handshakeRetry.isOpen()
                || sessions.hasRest()
                || resyncRequest.isRaised();
    }

    /** True if there is something to send now. */
    boolean isDue(final long nowNs) {
        return answer != null || handshakeRetry.isDue(nowNs);
    }

    /** When there is something to send or do again, if it is active. */
    long nextNs(final long nowNs) {
        if (isDue(nowNs)) {
            return nowNs;
        }
        long nextNs = nowNs + ResyncRequest.PAUSE_NS;
        if (handshakeRetry.isOpen()) {
            nextNs = Deadline.earlier(nextNs, handshakeRetry.dueNs());
        } else if (resyncRequest.isRaised()) {
            nextNs = Deadline.earlier(nextNs, resyncRequest.dueNs());
        }
        return sessions.hasRest() ? Deadline.earlier(nextNs, sessions.restNs()) : nextNs;
    }

    /** Forgets the previous session once nothing sealed by it can be in flight. */
    void rest(final long nowNs) {
        sessions.rest(nowNs);
    }

    /** Link over which the next message is sent, or {@link Sessions#ROUTED}. */
    int link() {
        return answer != null ? answer.link() : handshakeRetry.link();
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
        final HandshakeMessage handshakeMessage =
                answer != null ? answer : handshakeRetry.next(ring, nowNs);
        answer = null;
        if (!handshakeMessage.isEstablished() && pending.isNone()) {
            pending = Nonce.random(random);
        }
        message.nonce(handshakeMessage.isEstablished() ? sessions.newest().own() : pending)
                .echo(handshakeMessage.echo())
                .sealingSession(sessions.sendingId())
                .flags(
                        (handshakeMessage.isAsking() ? SessionFlyweight.FLAG_ASK : 0)
                                | (handshakeMessage.isEstablished()
                                        ? SessionFlyweight.FLAG_ESTABLISHED
                                        : 0));
        return handshakeMessage.key();
    }

    /** Ends what has to do with keys that are not in the ring any more. */
    void keepOnly(final KeyRing ring) {
        if (sessions.keepOnly(ring)) {
            handshakeRetry.end();
            answer = null;
        }
        if (answer != null && ring.indexOf(answer.key().id()) < 0) {
            answer = null;
        }
        handshakeRetry.keepOnly(ring);
    }

    /** Makes a session. */
    @FunctionalInterface
    interface SessionMaker {
        /** The session made of these nonces. */
        Session make(ClusterKey key, Nonce own, Nonce peer);
    }
}
