package io.hxb.session;

import io.hxb.frame.Nonce;
import io.hxb.frame.SealFlyweight;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The keys by which frames between this node and one peer are sealed, and what has been sent and
 * received under them. Made from a fresh nonce of each, so that no recorded frame is valid. Any
 * thread may read; each loop counts what it sends itself.
 */
final class Session {
    private static final int MARK_SHIFT = 24;

    // A cache line and its neighbour for each loop.
    private static final int STRIDE = 16;

    private final ClusterKey key;
    private final Nonce own;
    private final Nonce peer;
    private final int peerIncarnation;
    private final SessionOrigin origin;
    private final int id;
    private final int mark;
    private final byte[] sendKeys;
    private final byte[] receiveKeys;
    private final long[] sent;
    private final AtomicReferenceArray<ReplayWindow> received =
            new AtomicReferenceArray<>(SealFlyweight.MAX_LOOPS);

    /**
     * Derives the keys.
     *
     * @param clusterId of the cluster.
     * @param here node id of this node.
     * @param there node id of the peer, another one.
     * @param own nonce of this node.
     * @param peer nonce of the peer.
     * @param peerIncarnation of the peer's node.
     * @param loops number of loops that seal.
     */
    Session(
            final ClusterKey key,
            final int clusterId,
            final int here,
            final int there,
            final Nonce own,
            final Nonce peer,
            final int peerIncarnation,
            final int loops) {
        assert here != there : "a node has no session with itself";
        this.key = key;
        this.own = own;
        this.peer = peer;
        this.peerIncarnation = peerIncarnation;
        final boolean isLow = here < there;
        origin =
                new SessionOrigin(
                        key.id(),
                        Math.min(here, there),
                        Math.max(here, there),
                        isLow ? own : peer,
                        isLow ? peer : own);
        final SessionKeys keys = SessionKeys.derive(key, clusterId, origin);
        id = keys.id();
        mark = id >>> MARK_SHIFT;
        sendKeys = isLow ? keys.up() : keys.down();
        receiveKeys = isLow ? keys.down() : keys.up();
        sent = new long[(loops + 1) * STRIDE];
    }

    ClusterKey key() {
        return key;
    }

    Nonce own() {
        return own;
    }

    /** True if it was made of these nonces. */
    boolean isOf(final Nonce ownNonce, final Nonce peerNonce) {
        return own.equals(ownNonce) && peer.equals(peerNonce);
    }

    /** What it was made of. */
    SessionOrigin origin() {
        return origin;
    }

    Nonce peer() {
        return peer;
    }

    int peerIncarnation() {
        return peerIncarnation;
    }

    /** By what both ends name it to one another; not 0, and hardly ever that of another. */
    int id() {
        return id;
    }

    /** Stands in every frame that is sealed by this session; others may have the same. */
    int mark() {
        return mark;
    }

    byte[] sendMacKey() {
        return SessionKeys.macKey(sendKeys);
    }

    byte[] receiveMacKey() {
        return SessionKeys.macKey(receiveKeys);
    }

    byte[] sendCipherKey() {
        return SessionKeys.cipherKey(sendKeys);
    }

    byte[] receiveCipherKey() {
        return SessionKeys.cipherKey(receiveKeys);
    }

    /** The number of the next frame of a loop; called only by that loop. */
    long nextCount(final int loop) {
        return ++sent[(loop + 1) * STRIDE];
    }

    /**
     * Accepts a frame whose seal is valid.
     *
     * @return false if it was accepted before, or is too old to know.
     */
    boolean take(final int loop, final long count) {
        ReplayWindow window = received.getAcquire(loop);
        if (window == null) {
            received.compareAndSet(loop, null, new ReplayWindow());
            window = received.getAcquire(loop);
        }
        return window.take(count);
    }
}
