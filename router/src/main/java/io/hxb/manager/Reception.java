package io.hxb.manager;

import io.hxb.session.ClusterKey;
import io.hxb.session.KeyRing;
import io.netty.channel.Channel;

import java.security.SecureRandom;

/**
 * What all connections of a manager share: the manager, its keys, and who has not begun a session
 * yet. Owned by the manager's thread.
 */
final class Reception {
    private final HostManager manager;
    private final KeyRing keys;
    private final RequestWait wait;
    private final Strangers strangers;
    private final SecureRandom random = new SecureRandom();

    Reception(final HostManager manager, final KeyRing keys, final RequestWait wait) {
        this.manager = manager;
        this.keys = keys;
        this.wait = wait;
        strangers = new Strangers(manager.counts());
    }

    HostManager manager() {
        return manager;
    }

    Strangers strangers() {
        return strangers;
    }

    /** The key of a fingerprint, null if the manager has no such key. */
    ClusterKey key(final int id) {
        return keys.keys().stream().filter(key -> key.id() == id).findAny().orElse(null);
    }

    /** 16 random bytes. */
    byte[] nonce() {
        final byte[] nonce = new byte[ManagerMessage.PEER_LENGTH];
        random.nextBytes(nonce);
        return nonce;
    }

    /** Begins the session of a connection; null if there are too many. */
    ManagerSession open(final Channel channel, final boolean mayChange) {
        final ManagerSession session = manager.open(mayChange);
        if (session != null) {
            strangers.remove(channel);
        }
        return session;
    }

    /** A program's request has been answered. */
    void onRequest() {
        wait.onRequest();
    }

    /** Counts. */
    void count(final ManagerCount count) {
        count(count, 1);
    }

    /** Counts several at once. */
    void count(final ManagerCount count, final long amount) {
        manager.counts().add(count, amount);
    }
}
