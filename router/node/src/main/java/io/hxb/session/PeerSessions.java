package io.hxb.session;

import io.hxb.frame.Nonce;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The sessions with one peer that are in use. Changed under the lock of {@link Sessions}, read by
 * every loop.
 */
final class PeerSessions {
    /** Time that frames sealed by the session before may be under way. */
    static final long REST_NS = 2_000_000_000L;

    private volatile Session newest;
    private volatile Session previous;
    private volatile Session sending;
    private boolean isConfirmed;
    // Counted from the first look at the clock after the newest session was confirmed.
    private boolean hasRest;
    private boolean isResting;
    private long restNs;

    /** The session that began last; null if there is none. */
    Session newest() {
        return newest;
    }

    /** The one before, whose frames may still be under way; null if there is none. */
    Session previous() {
        return previous;
    }

    /** The newest session that the peer is known to have, which frames are sealed by; or null. */
    Session sending() {
        return sending;
    }

    /** True if the peer is known to have the newest session. */
    boolean isConfirmed() {
        return isConfirmed;
    }

    /** Id of the session that frames are sealed by, 0 for none. */
    int sendingId() {
        return sending == null ? 0 : sending.id();
    }

    /** True if frames that are sealed by the session with that id can be opened. */
    boolean canOpen(final int id) {
        return (newest != null && newest.id() == id) || (previous != null && previous.id() == id);
    }

    /** All that frames can be sealed or opened by. */
    Set<Session> inUse() {
        final Set<Session> all = new LinkedHashSet<>();
        for (final Session session : Arrays.asList(newest, previous, sending)) {
            if (session != null) {
                all.add(session);
            }
        }
        return all;
    }

    /** True if the newest session was made of these nonces. */
    boolean isNewestOf(final Nonce own, final Nonce peer) {
        return newest != null && newest.isOf(own, peer);
    }

    /** A session has begun; whether the peer has it, too, is to be seen. */
    void begin(final Session session) {
        if (isConfirmed) {
            previous = newest;
        }
        newest = session;
        isConfirmed = false;
        hasRest = false;
        isResting = false;
    }

    /**
     * The peer has that session.
     *
     * @return true if that is news.
     */
    boolean confirm(final Session session) {
        if (isConfirmed || session != newest) {
            return false;
        }
        isConfirmed = true;
        sending = session;
        hasRest = true;
        isResting = false;
        return true;
    }

    /** True while the previous session is to be forgotten some time. */
    boolean hasRest() {
        return hasRest;
    }

    /** When the previous session is to be forgotten, once {@link #rest} has been asked. */
    long restNs() {
        return restNs;
    }

    /** Forgets the previous session once nothing sealed by it can be under way. */
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

    /**
     * Ends the sessions of keys that are not in the ring any more.
     *
     * @return true if the newest was one of them.
     */
    boolean keepOnly(final KeyRing ring) {
        if (!isOf(ring, sending)) {
            sending = null;
        }
        if (!isOf(ring, previous)) {
            previous = null;
        }
        if (isOf(ring, newest)) {
            return false;
        }
        newest = null;
        isConfirmed = false;
        hasRest = false;
        isResting = false;
        return true;
    }

    private static boolean isOf(final KeyRing ring, final Session session) {
        return session != null && ring.indexOf(session.key().id()) >= 0;
    }
}
