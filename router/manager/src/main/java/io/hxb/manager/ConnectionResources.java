package io.hxb.manager;

import io.hxb.log.RateLimitedLog;
import io.hxb.session.ClusterKey;
import io.hxb.session.KeyRing;
import io.netty.channel.Channel;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.security.SecureRandom;

/**
 * What all connections of a manager share: the manager, its keys, and who has not begun a session
 * yet. Owned by the manager's thread.
 */
final class ConnectionResources {
    private static final Logger LOGGER = LoggerFactory.getLogger(ConnectionResources.class);

    private final HostManager manager;
    private final KeyRing keys;
    private final UnknownSenders unknownSenders;
    private final SecureRandom random = new SecureRandom();
    private final RateLimitedLog warnings;

    ConnectionResources(final HostManager manager, final KeyRing keys) {
        this(manager, keys, LOGGER);
    }

    /** As the other one, with the handler of errors. */
    ConnectionResources(final HostManager manager, final KeyRing keys, final Logger logger) {
        warnings = new RateLimitedLog(logger);
        this.manager = manager;
        this.keys = keys;
        unknownSenders = new UnknownSenders(manager.counts());
    }

    HostManager manager() {
        return manager;
    }

    UnknownSenders unknownSenders() {
        return unknownSenders;
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
            unknownSenders.remove(channel);
        }
        return session;
    }

    /**
     * A connection has failed: it is closed, and the log has the reason, a few times a minute. One
     * that its other end has broken off is no error of this manager's, so that one line is enough.
     */
    void onError(final Channel channel, final Throwable cause) {
        final String line = "the connection of " + channel.remoteAddress() + " is closed: " + cause;
        if (cause instanceof IOException) {
            warnings.warn("connection", 0, line, System.nanoTime());
        } else {
            warnings.warn("error", 0, line, cause, System.nanoTime());
        }
        final var ignored = channel.close();
    }

    /** Logs how many lines were left out; called every second. */
    void tick() {
        warnings.doWork(System.nanoTime());
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
