package io.hxb.session;

import io.hxb.frame.SessionFlyweight;

import java.util.random.RandomGenerator;

/**
 * What this node has agreed with one other node, and what it tells it next. Guarded by the lock of
 * {@link Sessions}, except for the sessions themselves, which every loop reads.
 *
 * <pre>
 *            heard                       what it means                  answer
 *  fresh     echo is our pending nonce   the peer lives and heard us    a session begins; says so
 *  known     both nonces are those of    the peer has it, too           if asked
 *            the newest session
 *  unproven  no echo, or that of a the peer has begun again, or    our pending nonce, once
 *            session                     somebody replays
 *  stale     anything else               the peer answers a replay      as unproven, but only
 *                                                                       without a session
 * </pre>
 *
 * <p>Only a message with our pending nonce changes what is sealed and opened, and that nonce is
 * random, used once and was never in a session: nothing recorded earlier contains it. One pending
 * nonce serves all messages until a session begins, so replays cannot displace a true exchange; nor
 * do answers stand in the way of our own question.
 */
final class Peer {
    /** Time for which frames sealed by the previous session may be in flight. */
    static final long REST_NS = 2_000_000_000L;

    static final long FIRST_REPEAT_NS = 2_000_000L;
    static final long MAX_REPEAT_NS = 500_000_000L;
    static final int ATTEMPTS = 8;

    private static final long ANSWER_PAUSE_NS = 1_000_000L;

    private final int node;
    private volatile Session newest;
    private volatile Session previous;
    private volatile Session sending;
    private boolean isConfirmed;
    private Nonce pending = Nonce.NONE;
    private boolean hasRest;
    private boolean isResting;
    private long restNs;
    private boolean isListed;
    // Repeated until it is answered.
    private Saying question;
    private int attempts;
    private int attemptsLeft;
    private long dueNs;
    private boolean isDueNow;
    private Pause hurries = Pause.NONE;
    // This question expresses a doubt: a peer that has not restarted keeps its session.
    private boolean isDoubting;
    // Said once.
    private Saying answer;
    private Pause answers = Pause.NONE;

    Peer(final int node) {
        this.node = node;
    }

    int node() {
        return node;
    }

    /** The session that began last; null if there is none. */
    Session newest() {
        return newest;
    }

    /** The previous one, whose frames may still be in flight; null if there is none. */
    Session previous() {
        return previous;
    }

    /** The newest session that the peer is known to have, by which frames are sealed; or null. */
    Session sending() {
        return sending;
    }

    /**
     * Asks for a new session, unless it is doing so already.
     *
     * @param max times to ask.
     * @return true if it was not.
     */
    boolean begin(final ClusterKey key, final int link, final int max) {
        isDoubting = false;
        if (attemptsLeft == 0) {
            ask(Saying.first(key, link), max);
            return true;
        }
        if (!question.isEstablished()) {
            attemptsLeft = Math.max(attemptsLeft, max);
            if (link != Sessions.ROUTED && question.link() == Sessions.ROUTED) {
                // Without a session there may be no route to a neighbour.
                question = Saying.first(question.key(), link);
                isDueNow = true;
                return true;
            }
        }
        return false;
    }

    /**
     * A frame that proves nothing suggests that the peer has another session: asks once, and not
     * again soon.
     *
     * @return true if it asks.
     */
    boolean hurry(final ClusterKey key, final int link, final long nowNs) {
        if (attemptsLeft > 0 || !hurries.isOver(MAX_REPEAT_NS, nowNs)) {
            return false;
        }
        hurries = new Pause(nowNs);
        begin(key, link, 1);
        isDoubting = true;
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

    private void ask(final Saying saying, final int max) {
        question = saying;
        attempts = 0;
        attemptsLeft = max;
        isDueNow = true;
    }

    /**
     * Handles an authentic message.
     *
     * @param key it was sealed with.
     * @param link it came over, or {@link Sessions#ROUTED}.
     * @param incarnation of the peer's node.
     * @param maker makes a session.
     * @return true if a session has begun that the peer has, too.
     */
    boolean onMessage(
            final SessionFlyweight message,
            final ClusterKey key,
            final int link,
            final int incarnation,
            final SessionMaker maker,
            final long nowNs) {
        final Nonce said = new Nonce(message.nonceLow(), message.nonceHigh());
        final Nonce heard = new Nonce(message.echoLow(), message.echoHigh());
        final boolean isAsked = message.hasFlag(SessionFlyweight.FLAG_ASK);
        final boolean isFresh = !pending.isNone() && heard.equals(pending);
        if (isFresh && isDoubting && isConfirmed && newest.peerIncarnation() == incarnation) {
            pending = Nonce.NONE;
            attemptsLeft = 0;
            return false;
        }
        if (isFresh) {
            promote(maker.make(key, pending, said));
        }
        if (newest != null && newest.isOf(heard, said)) {
            final boolean isBegun =
                    message.hasFlag(SessionFlyweight.FLAG_ESTABLISHED) && confirm(newest);
            if (isAsked || (isFresh && !isConfirmed)) {
                final Saying known = new Saying(said, true, !isConfirmed, key, link);
                if (isConfirmed) {
                    answer = known;
                } else {
                    ask(known, ATTEMPTS);
                }
            }
            return isBegun;
        }
        final boolean isStale = !heard.isNone() && !isOwn(newest, heard) && !isOwn(previous, heard);
        if (isAsked && !(isStale && sending != null) && answers.isOver(ANSWER_PAUSE_NS, nowNs)) {
            answers = new Pause(nowNs);
            answer = new Saying(said, false, true, key, link);
        }
        return false;
    }

    private static boolean isOwn(final Session session, final Nonce nonce) {
        return session != null && session.own().equals(nonce);
    }

    private void promote(final Session session) {
        if (isConfirmed) {
            previous = newest;
        }
        newest = session;
        isConfirmed = false;
        hasRest = false;
        isResting = false;
        pending = Nonce.NONE;
        attemptsLeft = 0;
    }

    /**
     * The peer has that session.
     *
     * @return true if that was not known.
     */
    boolean confirm(final Session session) {
        if (isConfirmed || session != newest) {
            return false;
        }
        isConfirmed = true;
        sending = session;
        hasRest = true;
        isResting = false;
        if (attemptsLeft > 0 && question.isEstablished()) {
            attemptsLeft = 0;
        }
        return true;
    }

    /** True while there is something to send or do, now or later. */
    boolean isActive() {
        return answer != null || attemptsLeft > 0 || hasRest;
    }

    /** True if there is something to send now. */
    boolean isDue(final long nowNs) {
        return answer != null || (attemptsLeft > 0 && (isDueNow || dueNs - nowNs <= 0));
    }

    /** When there is something to send or do again, if it is active. */
    long nextNs(final long nowNs) {
        if (isDue(nowNs)) {
            return nowNs;
        }
        if (attemptsLeft == 0) {
            return restNs;
        }
        return isResting && restNs - dueNs < 0 ? restNs : dueNs;
    }

    /** Forgets the previous session once nothing sealed by it can be in flight. */
    void rest(final long nowNs) {
        if (hasRest && !isResting) {
            isResting = true;
            restNs = nowNs + REST_NS;
        } else if (hasRest && restNs - nowNs <= 0) {
            hasRest = false;
            isResting = false;
            previous = null;
        }
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
        final Saying saying = answer != null ? answer : nextQuestion(ring, nowNs);
        answer = null;
        if (!saying.isEstablished() && pending.isNone()) {
            pending = Nonce.random(random);
        }
        final Nonce own = saying.isEstablished() ? newest.own() : pending;
        message.nonce(own.low(), own.high())
                .echo(saying.echo().low(), saying.echo().high())
                .flags(
                        (saying.isAsking() ? SessionFlyweight.FLAG_ASK : 0)
                                | (saying.isEstablished() ? SessionFlyweight.FLAG_ESTABLISHED : 0));
        return saying.key();
    }

    private Saying nextQuestion(final KeyRing ring, final long nowNs) {
        if (question.echo().isNone()) {
            // The peer may have only one of two keys.
            final ClusterKey key = ring.keys().get(attempts % ring.keys().size());
            question = Saying.first(key, question.link());
        }
        isDueNow = false;
        dueNs = nowNs + Math.min(MAX_REPEAT_NS, FIRST_REPEAT_NS << Math.min(attempts, 10));
        attempts++;
        attemptsLeft--;
        return question;
    }

    /** Ends everything that uses keys which are no longer in the ring. */
    void keepOnly(final KeyRing ring) {
        if (!isOf(ring, sending)) {
            sending = null;
        }
        if (!isOf(ring, previous)) {
            previous = null;
        }
        if (!isOf(ring, newest)) {
            newest = null;
            isConfirmed = false;
            hasRest = false;
            isResting = false;
            attemptsLeft = 0;
        }
        if (answer != null && ring.indexOf(answer.key().id()) < 0) {
            answer = null;
        }
        if (attemptsLeft > 0 && ring.indexOf(question.key().id()) < 0) {
            attemptsLeft = 0;
        }
    }

    private static boolean isOf(final KeyRing ring, final Session session) {
        return session != null && ring.indexOf(session.key().id()) >= 0;
    }

    /** Makes a session. */
    @FunctionalInterface
    interface SessionMaker {
        /** The session made of these nonces. */
        Session make(ClusterKey key, Nonce own, Nonce peer);
    }

    /**
     * The time when something was done last. Immutable.
     *
     * @param sinceNs when, or {@code Long.MIN_VALUE} for never.
     */
    private record Pause(long sinceNs) {
        static final Pause NONE = new Pause(Long.MIN_VALUE);

        boolean isOver(final long lengthNs, final long nowNs) {
            return sinceNs == Long.MIN_VALUE || nowNs - sinceNs >= lengthNs;
        }
    }
}
