package io.hxb.pm.rpc;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How many requests, and messages to many, a program has handed over for each peer that have not
 * ended: what bounds the memory that a slow peer costs. Any thread may call it.
 */
final class RpcWindow {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Long, Peer> peers = new HashMap<>();
    private boolean isClosed;

    /** One peer, as long as it has something or somebody waits for it. */
    private static final class Peer {
        private final Condition hasRoom;
        private int calls;
        private int published;
        private int waiters;

        Peer(final Condition hasRoom) {
            this.hasRoom = hasRoom;
        }
    }

    /** Takes room for a request; false if there is none. */
    boolean takeCall(final long key) {
        lock.lock();
        try {
            final Peer peer = peer(key);
            if (peer.calls >= RpcEndpoint.MAX_OUTSTANDING) {
                return false;
            }
            peer.calls++;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** The same, and waits for it; false if there is none in time, or the endpoint is closed. */
    boolean takeCall(final long key, final long timeoutNs) throws InterruptedException {
        lock.lockInterruptibly();
        final Peer peer = peer(key);
        peer.waiters++;
        try {
            long leftNs = timeoutNs;
            while (peer.calls >= RpcEndpoint.MAX_OUTSTANDING && leftNs > 0 && !isClosed) {
                leftNs = peer.hasRoom.awaitNanos(leftNs);
            }
            if (peer.calls >= RpcEndpoint.MAX_OUTSTANDING) {
                return false;
            }
            peer.calls++;
            return true;
        } finally {
            peer.waiters--;
            dropIfUnused(key, peer);
            lock.unlock();
        }
    }

    boolean takePublished(final long key) {
        lock.lock();
        try {
            final Peer peer = peer(key);
            if (peer.published >= RpcEndpoint.MAX_WAITING) {
                return false;
            }
            peer.published++;
            return true;
        } finally {
            lock.unlock();
        }
    }

    void onCallEnded(final long key) {
        lock.lock();
        try {
            final Peer peer = peer(key);
            peer.calls--;
            peer.hasRoom.signal();
            dropIfUnused(key, peer);
        } finally {
            lock.unlock();
        }
    }

    void onPublishedEnded(final long key) {
        lock.lock();
        try {
            final Peer peer = peer(key);
            peer.published--;
            dropIfUnused(key, peer);
        } finally {
            lock.unlock();
        }
    }

    int calls(final long key) {
        lock.lock();
        try {
            final Peer peer = peers.get(key);
            return peer == null ? 0 : peer.calls;
        } finally {
            lock.unlock();
        }
    }

    /** Ends all waits. */
    void close() {
        lock.lock();
        try {
            isClosed = true;
            peers.values().forEach(peer -> peer.hasRoom.signalAll());
        } finally {
            lock.unlock();
        }
    }

    private Peer peer(final long key) {
        return peers.computeIfAbsent(key, _ -> new Peer(lock.newCondition()));
    }

    private void dropIfUnused(final long key, final Peer peer) {
        if (peer.calls == 0 && peer.published == 0 && peer.waiters == 0) {
            peers.remove(key);
        }
    }
}
