package io.hxb.session;

import io.hxb.config.SecurityConfig;
import io.hxb.crypto.Cmac;
import io.hxb.crypto.MacInput;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.SealFlyweight;
import io.hxb.frame.SessionFlyweight;
import io.hxb.routing.DimensionOrder;
import io.hxb.topology.Shape;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.random.RandomGenerator;

/**
 * The sessions of one node with all others, and the SESSION frames by which they begin. Any thread
 * may call it; locked, because that happens when a session begins or is renewed, never per frame.
 * Frames are sealed and opened by the {@link FrameSeals} of each loop.
 *
 * <p>Its memory is bounded by the nodes of the shape: a peer is made for a frame that is authentic,
 * or because this node wants to talk.
 */
public final class Sessions {
    /** In place of a link: the frame is routed as all others are. */
    public static final int ROUTED = -1;

    /** Requests a second, for all peers together, that frames which prove nothing may cause. */
    private static final int MAX_RESYNC_REQUESTS = 100;

    private static final long SECOND_NS = 1_000_000_000L;

    /** Frames of a loop after which a session is renewed. */
    static final long RENEW_FRAMES = 1L << 32;

    private final Identity self;
    private final int here;
    private final SecurityConfig.Mode mode;
    private final RandomGenerator random;
    private final AtomicReferenceArray<SessionPeer> peers;
    private final List<SessionPeer> active = new ArrayList<>();
    private final List<Runnable> wakeUps = new ArrayList<>();
    private final List<FrameSeals> loops = new ArrayList<>();
    private final MacInput input = new MacInput();
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final SessionFlyweight message = new SessionFlyweight();
    private Runnable driver = () -> {};
    private volatile Keys keys;
    private final AtomicInteger begun = new AtomicInteger();
    private volatile long nextNs = Long.MAX_VALUE;
    private volatile boolean hasNews;
    private int resyncRequests;
    private long resyncRequestsNs;

    /**
     * How this node appears in its frames. Immutable.
     *
     * @param shape shape of the cluster.
     * @param coordinates of this node.
     * @param clusterId of the cluster.
     * @param incarnation of this node.
     */
    public record Identity(Shape shape, long coordinates, int clusterId, int incarnation) {}

    /**
     * Makes the sessions of one node, of which there are none yet.
     *
     * @param mode NONE exactly if there is no key.
     * @param random source of nonces: it must be unpredictable.
     */
    public Sessions(
            final Identity self,
            final SecurityConfig.Mode mode,
            final KeyRing ring,
            final RandomGenerator random) {
        if ((mode == SecurityConfig.Mode.NONE) != ring.isEmpty()) {
            throw new IllegalArgumentException(mode + " with " + ring.keys().size() + " keys");
        }
        this.self = self;
        this.mode = mode;
        this.random = random;
        here = self.shape().node(self.coordinates());
        keys = new Keys(ring, self.clusterId());
        peers =
                new AtomicReferenceArray<>(
                        mode == SecurityConfig.Mode.NONE ? 0 : self.shape().nodeCount());
    }

    /** True if there is a key: every frame has to be sealed. */
    public boolean isOn() {
        return mode != SecurityConfig.Mode.NONE;
    }

    /** True if payload is encrypted. */
    public boolean isEncrypting() {
        return mode == SecurityConfig.Mode.ENCRYPT;
    }

    /** The keys in use. */
    public KeyRing ring() {
        return keys.ring;
    }

    Keys keys() {
        return keys;
    }

    Identity self() {
        return self;
    }

    int here() {
        return here;
    }

    /** The sessions of a node without a key. */
    public static Sessions off(final Identity self) {
        return new Sessions(self, SecurityConfig.Mode.NONE, KeyRing.NONE, new SplittableRandom());
    }

    /** Makes the seals of one loop, before the loop starts. */
    public synchronized FrameSeals newLoop() {
        if (loops.size() == SealFlyweight.MAX_LOOPS) {
            throw new IllegalStateException("too many loops: " + loops.size());
        }
        final FrameSeals loop = new FrameSeals(this, loops.size());
        loops.add(loop);
        return loop;
    }

    /**
     * Adds what any thread calls when a session has begun, so that waiting frames are tried again.
     */
    public synchronized void addListener(final Runnable wakeUp) {
        wakeUps.add(wakeUp);
    }

    /** Sets what wakes the loop that sends SESSION frames; before it starts. */
    public synchronized void driver(final Runnable wakeUp) {
        driver = wakeUp;
    }

    /** Sessions that have begun so far, modulo 2^32. */
    public int begun() {
        return begun.get();
    }

    /** What is known of a node, or null. */
    SessionPeer peer(final int node) {
        return peers.get(node);
    }

    private SessionPeer makePeer(final int node) {
        SessionPeer peer = peers.get(node);
        if (peer == null) {
            peer = new SessionPeer(node);
            peers.set(node, peer);
        }
        return peer;
    }

    /** True if frames to a node can be sealed. */
    public boolean hasSession(final int node) {
        final SessionPeer peer = isOn() ? peers.get(node) : null;
        return peer != null && peer.sessions().sending() != null;
    }

    /** What the sessions were made of by which frames are sealed and opened now. */
    public synchronized List<SessionOrigin> origins() {
        final List<SessionOrigin> origins = new ArrayList<>();
        for (int node = 0; node < peers.length(); node++) {
            if (peers.get(node) != null) {
                peers.get(node).sessions().inUse().forEach(each -> origins.add(each.origin()));
            }
        }
        return origins;
    }

    /** Incarnation of a node with which there is a session, otherwise 0. */
    public int incarnation(final int node) {
        final SessionPeer peer = isOn() ? peers.get(node) : null;
        final Session session = peer == null ? null : peer.sessions().sending();
        return session == null ? 0 : session.peerIncarnation();
    }

    /**
     * A session with a node is wanted: an exchange begins, unless one is under way.
     *
     * @param link over which the node is a neighbour, or {@link #ROUTED}.
     */
    public synchronized void want(final int node, final int link) {
        if (node != here) {
            final SessionPeer peer = makePeer(node);
            if (peer.begin(keys.ring.keys().getFirst(), link)) {
                activate(peer);
            }
        }
    }

    /**
     * A frame that proves nothing suggests that a node has another session: a request to it is due,
     * unless one was sent a short while ago. Does nothing without a key.
     *
     * @param link over which the node is a neighbour, or {@link #ROUTED}.
     */
    public void doubt(final int node, final int link) {
        if (!isOn()) {
            return;
        }
        final SessionPeer known = peers.get(node);
        if (node != here && (known == null || !known.isDoubted(link))) {
            raiseDoubt(node, link);
        }
    }

    private synchronized void raiseDoubt(final int node, final int link) {
        final SessionPeer peer = makePeer(node);
        if (peer.doubt(link)) {
            activate(peer);
        }
    }

    private void activate(final SessionPeer peer) {
        if (peer.enlist()) {
            active.add(peer);
        }
        hasNews = true;
        driver.run();
    }

    /** A frame sealed by the newest session has been opened. */
    void onUsed(final SessionPeer peer, final Session session) {
        final PeerSessions of = peer.sessions();
        if (of.sending() != session && of.newest() == session) {
            confirm(peer, session);
        }
    }

    private synchronized void confirm(final SessionPeer peer, final Session session) {
        if (peer.confirm(session)) {
            onBegun(peer);
        }
    }

    private void onBegun(final SessionPeer peer) {
        begun.incrementAndGet();
        activate(peer);
        wakeUps.forEach(Runnable::run);
    }

    /**
     * Handles a SESSION frame that has been checked and opened.
     *
     * @param headerAddress its header.
     * @param link link it arrived on if it is link-local, else {@link #ROUTED}.
     * @param timeNs now.
     */
    public synchronized void onFrame(final long headerAddress, final int link, final long timeNs) {
        header.wrap(headerAddress);
        message.wrap(header.bodyAddress());
        final int node = self.shape().node(header.source());
        final int index = keys.ring.indexOf(message.keyId());
        if (message.receiver() != self.coordinates()
                || node < 0
                || node == here
                || index < 0
                || message.mode() != mode.code()) {
            return;
        }
        final int incarnation = header.sourceIncarnation();
        final SessionPeer peer = makePeer(node);
        final boolean isBegun =
                peer.onMessage(
                        ReceivedHandshake.of(message, keys.ring.keys().get(index), link),
                        (key, own, theirs) ->
                                new Session(
                                        key,
                                        self.clusterId(),
                                        here,
                                        node,
                                        own,
                                        theirs,
                                        incarnation,
                                        loops.size()),
                        timeNs);
        if (isBegun) {
            onBegun(peer);
        } else if (peer.isActive()) {
            activate(peer);
        }
    }

    /**
     * The next node to which a SESSION frame is due: {@link #write} it and send it.
     *
     * @return node id, or -1 for none.
     */
    public int pollDue(final long timeNs) {
        final long dueNs = nextNs;
        final boolean isDue = hasNews || (dueNs != Long.MAX_VALUE && dueNs - timeNs <= 0);
        return isDue ? findDue(timeNs) : -1;
    }

    private synchronized int findDue(final long timeNs) {
        if (timeNs - resyncRequestsNs >= SECOND_NS) {
            resyncRequestsNs = timeNs;
            resyncRequests = 0;
        }
        final ClusterKey key = keys.ring.keys().getFirst();
        long soonestNs = Long.MAX_VALUE;
        for (int i = active.size() - 1; i >= 0; i--) {
            final SessionPeer peer = active.get(i);
            peer.rest(timeNs);
            if (peer.requestResyncIfDue(key, resyncRequests < MAX_RESYNC_REQUESTS, timeNs)) {
                resyncRequests++;
            }
            if (peer.isDue(timeNs)) {
                return peer.node();
            }
            if (!peer.isActive()) {
                active.remove(i).unlist();
            } else {
                final long dueNs = peer.nextNs(timeNs);
                soonestNs =
                        soonestNs == Long.MAX_VALUE || dueNs - soonestNs < 0 ? dueNs : soonestNs;
            }
        }
        nextNs = soonestNs;
        hasNews = false;
        return -1;
    }

    /** True if {@link #pollDue} has a node now. */
    public boolean hasNews() {
        return hasNews;
    }

    /**
     * When {@link #pollDue} has something again, unless there is news before; {@code
     * Long.MAX_VALUE} for never.
     */
    public long nextDeadlineNs() {
        return nextNs;
    }

    /** Link over which the frame that is due to a node is sent, or {@link #ROUTED}. */
    public synchronized int link(final int node) {
        return peers.get(node).link();
    }

    /**
     * Writes the SESSION frame that is due to a node, sealed. The caller writes the route.
     *
     * @param headerAddress where to, with room for header, body and trailer.
     * @return its length in bytes.
     */
    public synchronized int write(final int node, final long headerAddress, final long timeNs) {
        final SessionPeer peer = peers.get(node);
        final boolean isRouted = peer.link() == ROUTED;
        final long there = self.shape().coordinates(node);
        header.wrap(headerAddress)
                .clear()
                .type(FrameType.SESSION)
                .flags(FrameHeaderFlyweight.FLAG_SEALED)
                .hopLimit(1)
                .order(DimensionOrder.DEFAULT)
                .clusterId(self.clusterId())
                .sourceIncarnation(self.incarnation())
                .source(self.coordinates())
                .destination(isRouted ? there : FrameHeaderFlyweight.ANY_DESTINATION)
                .bodyLength(SessionFlyweight.LENGTH);
        message.wrap(header.bodyAddress()).clear().receiver(there).mode(mode.code());
        final KeyRing ring = keys.ring;
        final ClusterKey key = peer.write(message, ring, random, timeNs);
        message.keyId(key.id());
        final int index = ring.indexOf(key.id());
        message.otherKeyId(ring.id(1 - index));
        final int length = FrameHeaderFlyweight.LENGTH + SessionFlyweight.LENGTH;
        keys.seal(input, index, headerAddress, length);
        return length + SealFlyweight.LENGTH;
    }

    /**
     * Changes the keys while the node runs: sessions of keys that are gone end, and all others are
     * made again under the first key.
     *
     * @param ring at least one key.
     */
    public synchronized void change(final KeyRing ring) {
        if (ring.isEmpty()) {
            throw new IllegalArgumentException("a node that has a key needs one");
        }
        if (ring.equals(keys.ring)) {
            return;
        }
        keys = new Keys(ring, self.clusterId());
        for (int node = 0; node < peers.length(); node++) {
            final SessionPeer peer = peers.get(node);
            if (peer != null) {
                final Session newest = peer.sessions().newest();
                peer.keepOnly(ring);
                if (newest != null) {
                    peer.begin(ring.keys().getFirst(), ROUTED);
                    activate(peer);
                }
            }
        }
    }

    /** A key ring and the codes by its keys. The codes are used under the lock only. */
    static final class Keys {
        private final KeyRing ring;
        private final int clusterId;
        private final Cmac[] macs;

        Keys(final KeyRing ring, final int clusterId) {
            this.ring = ring;
            this.clusterId = clusterId;
            macs = macs();
        }

        KeyRing ring() {
            return ring;
        }

        /** The codes by the keys of the ring, for one thread. */
        Cmac[] macs() {
            return ring.keys().stream().map(key -> key.clusterMac(clusterId)).toArray(Cmac[]::new);
        }

        private void seal(
                final MacInput input,
                final int index,
                final long headerAddress,
                final int lengthBytes) {
            FrameSeals.sealByKey(input, macs[index], ring.id(index), headerAddress, lengthBytes);
        }
    }
}
