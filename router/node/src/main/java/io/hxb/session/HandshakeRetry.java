package io.hxb.session;

/**
 * Sends one handshake message again and again, in growing intervals, until the peer answers or the
 * attempts are used up. Guarded by the lock of {@link Sessions}.
 */
final class HandshakeRetry {
    static final long FIRST_REPEAT_NS = 2_000_000L;
    static final long MAX_REPEAT_NS = 500_000_000L;

    private static final int MAX_DOUBLINGS = 10;

    private HandshakeMessage handshakeMessage;
    private int attempts;
    private int attemptsLeft;
    private int keyTurn;
    private long dueNs;
    private boolean isDueNow;

    /**
     * Starts with another message.
     *
     * @param max number of attempts.
     * @param firstKey which key of the ring begins, for who knows nothing of the peer; modulo their
     *     number.
     */
    void start(final HandshakeMessage what, final int max, final int firstKey) {
        handshakeMessage = what;
        attempts = 0;
        attemptsLeft = max;
        keyTurn = firstKey;
        isDueNow = true;
    }

    /** True while there are attempts left. */
    boolean isOpen() {
        return attemptsLeft > 0;
    }

    /** True if it is to confirm that the peer has our newest session, too. */
    boolean isForConfirmation() {
        return isOpen() && handshakeMessage.isEstablished();
    }

    /**
     * A session is requested once more.
     *
     * @param max minimum number of attempts.
     * @param link over which the peer is a neighbour, or {@link Sessions#ROUTED}.
     * @return true if it is due now because of that.
     */
    boolean join(final int max, final int link) {
        attemptsLeft = Math.max(attemptsLeft, max);
        if (link == Sessions.ROUTED || handshakeMessage.link() != Sessions.ROUTED) {
            return false;
        }
        // To a neighbour there may be no route before there is a session.
        handshakeMessage = HandshakeMessage.first(handshakeMessage.key(), link);
        isDueNow = true;
        return true;
    }

    /** Ends the attempts. */
    void end() {
        attemptsLeft = 0;
    }

    /** True if an attempt is due. */
    boolean isDue(final long nowNs) {
        return isOpen() && (isDueNow || dueNs - nowNs <= 0);
    }

    /** When the next attempt is due, if it is open. */
    long dueNs() {
        return dueNs;
    }

    /** Over which it goes, or {@link Sessions#ROUTED}. */
    int link() {
        return handshakeMessage.link();
    }

    /** The message to send now; the next attempt is later. */
    HandshakeMessage next(final KeyRing ring, final long nowNs) {
        if (handshakeMessage.echo().isNone()) {
            // The peer may have only one of two keys.
            final ClusterKey key = ring.keys().get(keyTurn % ring.keys().size());
            handshakeMessage = HandshakeMessage.first(key, handshakeMessage.link());
            keyTurn++;
        }
        isDueNow = false;
        dueNs =
                nowNs
                        + Math.min(
                                MAX_REPEAT_NS,
                                FIRST_REPEAT_NS << Math.min(attempts, MAX_DOUBLINGS));
        attempts++;
        attemptsLeft--;
        return handshakeMessage;
    }

    /** Ends if it is sealed by a key that is not in the ring any more. */
    void keepOnly(final KeyRing ring) {
        if (isOpen() && ring.indexOf(handshakeMessage.key().id()) < 0) {
            end();
        }
    }
}
