package io.hxb.trunk.discovery;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.frame.DropReason;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.HelloFlyweight;
import io.hxb.frame.MisconfigurationFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.linux.Memory;
import io.hxb.session.KeyRing;
import io.hxb.session.Sessions;
import io.hxb.topology.Shape;
import io.hxb.trunk.NodeIdentity;
import io.hxb.trunk.Port;
import io.hxb.trunk.health.TrunkHealth;

import java.util.Arrays;
import java.util.List;

/**
 * Finds the neighbours on every link by hello frames, learns their link addresses, and describes
 * what is wrong with the cabling. Loops hand it link-local frames; one of them drives {@link
 * #doWork}. Locked, because it runs a few times a second, never per data frame.
 */
public final class Discovery {
    private static final long FAST_INTERVAL_NS = 100_000_000L;
    private static final long FAST_FOR_NS = 5_000_000_000L;
    private static final long MISCONFIGURATION_INTERVAL_NS = 1_000_000_000L;
    private static final int MISSED_HELLOS = 5;

    // Newcomers are answered immediately, but nobody can make this node answer more often than
    // this.
    private static final long MIN_HELLO_NS = 10_000_000L;
    private static final long NEVER = Long.MIN_VALUE;

    private final NodeIdentity self;
    private final long helloIntervalNs;
    private final Port[] ports;
    private final MisconfigurationDetector misconfigurationDetector;
    private final HeardNeighbours heard;
    private final DiscoverySender output;
    private final TrunkHealth health;
    private final Sessions sessions;
    // By link: a node there has shown that it does not hear this node at the address known for it.
    private final boolean[] isUnheard;
    private final boolean[] hasOtherKey;
    private final long[] otherKeyNs;
    private final long[] helloDueNs;
    private final long[] helloSentNs;
    private final long[] misconfigurationDueNs;
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final HelloFlyweight hello = new HelloFlyweight();
    private final MisconfigurationFlyweight misconfiguration = new MisconfigurationFlyweight();
    private final CounterBlock counters;
    private final int[] pendingKind;
    private final long[] pendingSubject;
    private long lookedNs;
    private volatile long startNs = NEVER;
    // Read without the lock, so that a turn with nothing due does not take it.
    private volatile long nextDueNs;

    /**
     * Makes the discovery of one node.
     *
     * @param self who this node is.
     * @param sessions by which its frames are sealed.
     * @param helloIntervalNs time between hello frames once all neighbours are known.
     * @param ports its ports, by link index, {@code [links]}.
     * @param health learns of the neighbours that are found, and gets their status frames.
     * @param misconfigurationLog where misconfigurations go.
     */
    public Discovery(
            final NodeIdentity self,
            final Sessions sessions,
            final long helloIntervalNs,
            final Port[] ports,
            final TrunkHealth health,
            final MisconfigurationLog misconfigurationLog) {
        this.self = self;
        this.helloIntervalNs = helloIntervalNs;
        this.health = health;
        this.ports = ports.clone();
        misconfigurationDetector = new MisconfigurationDetector(self, misconfigurationLog);
        heard = new HeardNeighbours(self, this.ports);
        this.sessions = sessions;
        output = new DiscoverySender(self, sessions, sessions.newLoop());
        isUnheard = new boolean[ports.length];
        hasOtherKey = new boolean[ports.length];
        otherKeyNs = new long[ports.length];
        helloDueNs = new long[ports.length];
        helloSentNs = new long[ports.length];
        misconfigurationDueNs = new long[ports.length];
        counters = health.counters();
        pendingKind = new int[ports.length];
        pendingSubject = new long[ports.length];
    }

    /**
     * Neighbours heard on all links together, of {@link #expectedNeighbours()}; with any cabling,
     * links that hear somebody.
     */
    public synchronized int knownNeighbours() {
        return self.shape().isAnyCabling() ? heard.linksWithNeighbours() : heard.count();
    }

    /** Neighbours expected on all links together; with any cabling, links. */
    public int expectedNeighbours() {
        if (self.shape().isAnyCabling()) {
            return ports.length;
        }
        int expected = 0;
        for (final Port port : ports) {
            expected += self.shape().extent(port.dimension()) - 1;
        }
        return expected;
    }

    /** Neighbours that are heard on one link. */
    public synchronized int knownNeighbours(final int linkIndex) {
        return heard.count(linkIndex);
    }

    /**
     * True if a neighbour is heard on a link.
     *
     * @param neighbour its coordinate in the dimension of the link, 0 to 255.
     */
    public synchronized boolean isHeard(final int linkIndex, final int neighbour) {
        return heard.hears(linkIndex, neighbour);
    }

    /**
     * Which neighbours are missing, though they could have been heard for as long as it takes to
     * forget one.
     *
     * @return at most one entry per port, and one per dimension for those that no link hears.
     */
    public synchronized List<MissingNeighbours> silences(final long nowNs) {
        if (startNs == NEVER) {
            return List.of();
        }
        heard.look(nowNs);
        return heard.silences(MISSED_HELLOS * helloIntervalNs, nowNs);
    }

    /** The neighbours that are not heard now, as text. */
    public synchronized List<String> silentNeighbours() {
        return heard.silences(0, lookedNs).stream().map(MissingNeighbours::text).toList();
    }

    /** Changes whenever a neighbour is heard for the first time on a link, or forgotten. */
    public synchronized int changes() {
        return heard.changes();
    }

    /**
     * A valid link-local frame arrived.
     *
     * @param linkIndex link it arrived on.
     * @param headerAddress its header.
     * @param sourceAddress link address it came from.
     */
    public void onFrame(
            final int linkIndex,
            final long headerAddress,
            final long sourceAddress,
            final long nowNs) {
        final Port port = ports[linkIndex];
        if (sourceAddress == port.link().localAddress()) {
            onOwnAddress(port, headerAddress, nowNs);
            return;
        }
        final int type = Memory.getUnsignedByte(headerAddress + FrameHeaderFlyweight.TYPE_OFFSET);
        if (type == FrameType.LINK_STATUS) {
            health.onStatus(linkIndex, headerAddress, sourceAddress, nowNs);
        } else {
            onOwnFrame(port, headerAddress, sourceAddress, nowNs);
        }
    }

    // A frame of this node that has come back, or one of a node whose NIC has the same address.
    private synchronized void onOwnAddress(
            final Port port, final long headerAddress, final long nowNs) {
        header.wrap(headerAddress);
        if (header.type() == FrameType.HELLO && header.source() != self.here()) {
            misconfigurationDetector.onSameAddress(
                    port, header.source(), hello.wrap(header.bodyAddress()), nowNs);
        }
    }

    private synchronized void onOwnFrame(
            final Port port, final long headerAddress, final long sourceAddress, final long nowNs) {
        header.wrap(headerAddress);
        if (header.type() == FrameType.HELLO) {
            onHello(port, sourceAddress, nowNs);
        } else if (header.type() == FrameType.MISCONFIGURATION) {
            misconfigurationDetector.onMisconfiguration(
                    port, header.source(), misconfiguration.wrap(header.bodyAddress()), nowNs);
        }
    }

    private void onHello(final Port port, final long sourceAddress, final long nowNs) {
        counters.increment(CounterType.LINK_HELLO_RECEIVED_FRAMES, port.link().index());
        hello.wrap(header.bodyAddress());
        final long source = header.source();
        final int dimension = port.dimension();
        final int kind = misconfigurationDetector.misplacement(port, source, hello);
        if (kind != 0) {
            misconfigurationDetector.onMisplaced(port, kind, source, hello, nowNs);
            queueMisconfiguration(port.link().index(), kind, source, nowNs);
            if (kind != MisconfigurationFlyweight.MTU_DIFFERS) {
                return;
            }
        }
        final int neighbour = Shape.coordinate(source, dimension);
        final int index = port.link().index();
        if (sessions.isOn() && hello.receiver() == FrameHeaderFlyweight.ANY_DESTINATION) {
            onUnproven(port, neighbour, sourceAddress, nowNs);
            return;
        }
        final long known = port.link().learned(neighbour);
        if (!isBelieved(port, neighbour, known, sourceAddress, nowNs)) {
            return;
        }
        // A node that has just started, or restarted, is answered immediately.
        if (heard.onHello(index, neighbour, hello.incarnation(), nowNs) || known != sourceAddress) {
            sendHelloSoon(index, nowNs);
        }
        health.onHello(
                port, neighbour, hello.linkNumber(), sourceAddress, hello.incarnation(), nowNs);
    }

    // A node that broadcasts hellos looks for neighbours: it gets a session, and then a hello
    // sealed by it.
    private void onUnproven(
            final Port port, final int neighbour, final long sourceAddress, final long nowNs) {
        final int index = port.link().index();
        final int node = self.shape().node(header.source());
        isUnheard[index] |= port.link().learned(neighbour) != sourceAddress;
        if (!sessions.hasSession(node)) {
            sessions.want(node, index);
        } else if (sessions.incarnation(node) != hello.incarnation()) {
            sessions.doubt(node, index);
        } else if (heard.mayAnswer(index, neighbour, helloIntervalNs, nowNs)) {
            sendHelloSoon(index, nowNs);
        }
    }

    private void sendHelloSoon(final int index, final long nowNs) {
        final long earliestNs = helloSentNs[index] + MIN_HELLO_NS;
        final long soonNs = earliestNs - nowNs > 0 ? earliestNs : nowNs;
        if (soonNs - helloDueNs[index] < 0) {
            helloDueNs[index] = soonNs;
        }
        nextDueNs = Math.min(nextDueNs, helloDueNs[index]);
    }

    // A neighbour that is heard stays where it is: otherwise a single frame would turn its frames
    // to its sender. With a key, a session with its new incarnation proves that the old one
    // is no more.
    private boolean isBelieved(
            final Port port,
            final int neighbour,
            final long known,
            final long sourceAddress,
            final long nowNs) {
        final int index = port.link().index();
        final long limitNs = MISSED_HELLOS * helloIntervalNs;
        final boolean isPossible = port.link().mayHave(neighbour, sourceAddress);
        if (isPossible
                && (known == sourceAddress || !heard.isHeard(index, neighbour, limitNs, nowNs))) {
            return true;
        }
        if (isPossible
                && isOfNewestSession()
                && heard.mayRestart(index, neighbour, hello.incarnation(), limitNs, nowNs)) {
            heard.onRestart(index, neighbour, nowNs);
            return true;
        }
        if (!isPossible || heard.onRival(index, neighbour, nowNs)) {
            misconfigurationDetector.onOtherAddress(
                    port, header.source(), hello, known, sourceAddress, nowNs);
            queueMisconfiguration(
                    index, MisconfigurationFlyweight.DUPLICATE_COORDINATE, header.source(), nowNs);
        }
        return false;
    }

    private boolean isOfNewestSession() {
        return sessions.isOn()
                && sessions.incarnation(self.shape().node(header.source())) == hello.incarnation();
    }

    /**
     * A frame arrived whose header is not valid; reports if it is of another version or cluster.
     *
     * @param reason of {@link DropReason}.
     * @param lengthBytes bytes that are there.
     */
    public synchronized void onInvalid(
            final int linkIndex,
            final int reason,
            final long headerAddress,
            final int lengthBytes,
            final long sourceAddress,
            final long nowNs) {
        final Port port = ports[linkIndex];
        if (reason == DropReason.VERSION && lengthBytes > 0) {
            misconfigurationDetector.onOtherVersion(
                    port, Memory.getUnsignedByte(headerAddress), nowNs);
            queueMisconfiguration(linkIndex, MisconfigurationFlyweight.OTHER_VERSION, 0, nowNs);
        } else if (reason == DropReason.CLUSTER) {
            misconfigurationDetector.onOtherCluster(
                    port, header.wrap(headerAddress).clusterId(), nowNs);
        }
    }

    /**
     * A link-local frame arrived whose seal is not valid; reports if it is a hello, which names its
     * sender's keys.
     *
     * @param reason of {@link DropReason}.
     */
    public void onNotOpened(
            final int linkIndex,
            final int reason,
            final long headerAddress,
            final long sourceAddress,
            final long nowNs) {
        final Port port = ports[linkIndex];
        final boolean isOfOthers = reason == DropReason.UNSEALED || reason == DropReason.SEAL;
        if (isOfOthers && sourceAddress != port.link().localAddress()) {
            onOtherKey(port, headerAddress, nowNs);
        }
        if (reason == DropReason.SEAL || reason == DropReason.NO_SESSION) {
            doubt(port, headerAddress);
        }
    }

    // A neighbour may have another session than we, and then there is no route to it but this link.
    private void doubt(final Port port, final long headerAddress) {
        final long source = Memory.getLong(headerAddress + FrameHeaderFlyweight.SOURCE_OFFSET);
        final int node = self.shape().node(source);
        final int neighbour = node < 0 ? -1 : Shape.coordinate(source, port.dimension());
        if (neighbour >= 0
                && Shape.withCoordinate(self.here(), port.dimension(), neighbour) == source) {
            sessions.doubt(node, port.link().index());
        }
    }

    private synchronized void onOtherKey(
            final Port port, final long headerAddress, final long nowNs) {
        header.wrap(headerAddress);
        if (header.type() != FrameType.HELLO
                || !HelloFlyweight.isValid(header.bodyAddress(), header.bodyLength())) {
            return;
        }
        hello.wrap(header.bodyAddress());
        final KeyRing ring = sessions.ring();
        final int index = port.link().index();
        // A forged hello that claims to have our own key shows nothing, and one misconfiguration
        // per
        // second is enough.
        if (hello.keyId() != ring.id(0)
                && (!hasOtherKey[index]
                        || nowNs - otherKeyNs[index] >= MISCONFIGURATION_INTERVAL_NS)) {
            hasOtherKey[index] = true;
            otherKeyNs[index] = nowNs;
            misconfigurationDetector.onOtherKey(port, hello, ring, nowNs);
        }
    }

    private void queueMisconfiguration(
            final int linkIndex, final int kind, final long subject, final long nowNs) {
        pendingKind[linkIndex] = kind;
        pendingSubject[linkIndex] = subject;
        nextDueNs = Math.min(nextDueNs, Math.max(misconfigurationDueNs[linkIndex], nowNs));
    }

    /**
     * Sends the hello and misconfiguration frames that are due and forgets neighbours that are
     * silent.
     *
     * @param senders the calling loop's senders by link index, {@code [links]}.
     * @param share the calling loop's share of the pool.
     * @return frames queued.
     */
    public int doWork(final long nowNs, final LinkSender[] senders, final BufferPool.Share share) {
        return startNs == NEVER || nextDueNs - nowNs <= 0 ? sendDue(nowNs, senders, share) : 0;
    }

    private synchronized int sendDue(
            final long nowNs, final LinkSender[] senders, final BufferPool.Share share) {
        if (startNs == NEVER) {
            start(nowNs);
        }
        heard.look(nowNs);
        lookedNs = nowNs;
        int sent = 0;
        long dueNs = nowNs + helloIntervalNs;
        for (final Port port : ports) {
            final int index = port.link().index();
            heard.expire(port, MISSED_HELLOS * helloIntervalNs, nowNs);
            if (helloDueNs[index] - nowNs <= 0) {
                sent += sendHello(port, senders[index], share);
                helloSentNs[index] = nowNs;
                helloDueNs[index] = nowNs + intervalNs(nowNs);
            }
            if (pendingKind[index] != 0 && misconfigurationDueNs[index] - nowNs <= 0) {
                sent += sendMisconfiguration(port, senders[index], share);
                misconfigurationDueNs[index] = nowNs + MISCONFIGURATION_INTERVAL_NS;
                pendingKind[index] = 0;
            }
            dueNs = helloDueNs[index] - dueNs < 0 ? helloDueNs[index] : dueNs;
        }
        nextDueNs = dueNs;
        return sent;
    }

    /** When {@link #doWork} has something to do again. */
    public long nextDeadlineNs() {
        return nextDueNs;
    }

    private void start(final long nowNs) {
        startNs = nowNs;
        nextDueNs = nowNs;
        Arrays.fill(helloDueNs, nowNs);
        Arrays.fill(helloSentNs, nowNs - MIN_HELLO_NS);
        Arrays.fill(misconfigurationDueNs, nowNs);
    }

    private long intervalNs(final long nowNs) {
        final boolean isStarting =
                nowNs - startNs < FAST_FOR_NS && knownNeighbours() < expectedNeighbours();
        return isStarting ? Math.min(FAST_INTERVAL_NS, helloIntervalNs) : helloIntervalNs;
    }

    private int sendHello(final Port port, final LinkSender sender, final BufferPool.Share share) {
        if (!sessions.isOn()) {
            return sendHelloTo(
                    port, FrameHeaderFlyweight.ANY_DESTINATION, Link.BROADCAST, sender, share);
        }
        final int index = port.link().index();
        final int dimension = port.dimension();
        int sent = 0;
        boolean isMissing = false;
        for (int i = 0; i < self.shape().extent(dimension); i++) {
            final long receiver = Shape.withCoordinate(self.here(), dimension, i);
            if (receiver != self.here()) {
                isMissing |= !heard.hears(port, i);
                if (sessions.hasSession(self.shape().node(receiver)) && mayBeThere(port, i)) {
                    final boolean isKnown = !isUnheard[index] && port.link().learned(i) != 0;
                    final int coordinate = isKnown ? i : Link.BROADCAST;
                    sent += sendHelloTo(port, receiver, coordinate, sender, share);
                }
            }
        }
        isUnheard[index] = false;
        return isMissing
                ? sent
                        + sendHelloTo(
                                port,
                                FrameHeaderFlyweight.ANY_DESTINATION,
                                Link.BROADCAST,
                                sender,
                                share)
                : sent;
    }

    // With any cabling most nodes that there are sessions with are elsewhere.
    private boolean mayBeThere(final Port port, final int neighbour) {
        return !self.shape().isAnyCabling()
                || heard.hears(port, neighbour)
                || heard.hasAsked(
                        port.link().index(), neighbour, MISSED_HELLOS * helloIntervalNs, lookedNs);
    }

    private int sendHelloTo(
            final Port port,
            final long receiver,
            final int coordinate,
            final LinkSender sender,
            final BufferPool.Share share) {
        final int id = share.acquire();
        if (id == BufferPool.NONE) {
            return 0;
        }
        counters.increment(CounterType.LINK_HELLO_SENT_FRAMES, port.link().index());
        return output.sendHello(port, receiver, coordinate, sender, share, id);
    }

    /**
     * Sends the SESSION frame that is due to a neighbour; see {@link Sessions#pollDue}.
     *
     * @param node id of the neighbour.
     * @param link over which it is one.
     * @param id buffer of the pool; goes back to the share once the frame is sent, or at once.
     */
    public synchronized void sendSession(
            final int node,
            final int link,
            final long nowNs,
            final LinkSender[] senders,
            final BufferPool.Share share,
            final int id) {
        final Port port = ports[link];
        final int neighbour = Shape.coordinate(self.shape().coordinates(node), port.dimension());
        final boolean isKnown = !isUnheard[link] && port.link().learned(neighbour) != 0;
        output.sendSession(
                node, isKnown ? neighbour : Link.BROADCAST, senders[link], share, id, nowNs);
    }

    /** A session has begun: the other node soon gets a hello sealed by it. */
    public synchronized void onSessionBegun(final long nowNs) {
        if (startNs != NEVER) {
            for (final Port port : ports) {
                sendHelloSoon(port.link().index(), nowNs);
            }
        }
    }

    private int sendMisconfiguration(
            final Port port, final LinkSender sender, final BufferPool.Share share) {
        final int id = share.acquire();
        final int index = port.link().index();
        return id == BufferPool.NONE
                ? 0
                : output.sendMisconfiguration(
                        port, pendingKind[index], pendingSubject[index], sender, share, id);
    }
}
