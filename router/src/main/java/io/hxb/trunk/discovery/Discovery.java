package io.hxb.trunk.discovery;

import io.hxb.frame.ComplaintFlyweight;
import io.hxb.frame.DropReason;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.HelloFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.linux.Memory;
import io.hxb.routing.DimensionOrder;
import io.hxb.topology.Shape;
import io.hxb.trunk.NodeIdentity;
import io.hxb.trunk.Port;
import io.hxb.trunk.health.TrunkHealth;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Finds the neighbours on every link by hello frames, learns their link addresses, and says in
 * words what is wrong with the cabling. Loops hand it link-local frames; one of them drives {@link
 * #doWork}. Locked, because it runs a few times a second, never per data frame.
 */
public final class Discovery {
    private static final long FAST_INTERVAL_NS = 100_000_000L;
    private static final long FAST_FOR_NS = 5_000_000_000L;
    private static final long COMPLAINT_INTERVAL_NS = 1_000_000_000L;
    private static final int MISSED_HELLOS = 5;
    private static final long NEVER = Long.MIN_VALUE;

    private final NodeIdentity self;
    private final long helloIntervalNs;
    private final Port[] ports;
    private final Complainer complainer;
    private final long[][] heardNs;
    private final int[][] incarnations;
    private final long[] helloDueNs;
    private final long[] complaintDueNs;
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final FrameHeaderFlyweight outgoing = new FrameHeaderFlyweight();
    private final HelloFlyweight hello = new HelloFlyweight();
    private final ComplaintFlyweight complaint = new ComplaintFlyweight();
    private final DiscoveryCounters counters;
    private final int[] pendingKind;
    private final long[] pendingSubject;
    private volatile long startNs = NEVER;
    // Read without the lock, so that a turn with nothing due does not take it.
    private volatile long nextDueNs;
    private final TrunkHealth health;
    private int known;

    /**
     * Makes the discovery of one node.
     *
     * @param self who this node is.
     * @param helloIntervalNs time between hello frames once all neighbours are known.
     * @param ports its ports, by link index, {@code [links]}.
     * @param health told of the neighbours that are found, and handed their status frames.
     * @param complaints where complaints go.
     */
    public Discovery(
            final NodeIdentity self,
            final long helloIntervalNs,
            final Port[] ports,
            final TrunkHealth health,
            final Complaints complaints) {
        this.self = self;
        this.helloIntervalNs = helloIntervalNs;
        this.health = health;
        this.ports = ports.clone();
        complainer = new Complainer(self, complaints);
        heardNs = new long[ports.length][Shape.MAX_EXTENT];
        incarnations = new int[ports.length][Shape.MAX_EXTENT];
        helloDueNs = new long[ports.length];
        complaintDueNs = new long[ports.length];
        counters = new DiscoveryCounters(ports.length);
        pendingKind = new int[ports.length];
        pendingSubject = new long[ports.length];
        for (final long[] times : heardNs) {
            Arrays.fill(times, NEVER);
        }
    }

    /** What it has counted. */
    public DiscoveryCounters counters() {
        return counters;
    }

    /** The health of the links to the neighbours that were found. */
    public TrunkHealth health() {
        return health;
    }

    /** Neighbours heard on all links together, of {@link #expectedNeighbours()}. */
    public synchronized int knownNeighbours() {
        return known;
    }

    /** Neighbours there should be on all links together. */
    public int expectedNeighbours() {
        int expected = 0;
        for (final Port port : ports) {
            expected += self.shape().extent(port.dimension()) - 1;
        }
        return expected;
    }

    /** Neighbours that are heard on one link. */
    public synchronized int knownNeighbours(final int linkIndex) {
        int count = 0;
        for (final long heard : heardNs[linkIndex]) {
            count += heard == NEVER ? 0 : 1;
        }
        return count;
    }

    /**
     * Which neighbours are missing.
     *
     * @return one a port at most, and one a dimension for those that no link hears.
     */
    public synchronized List<Silence> silences() {
        final List<Silence> silences = new ArrayList<>();
        for (int dimension = 0; dimension < self.shape().dimensions(); dimension++) {
            final List<Port> trunk = trunk(dimension);
            final List<Integer> gone = neighbours(dimension);
            gone.removeIf(neighbour -> trunk.stream().anyMatch(port -> hears(port, neighbour)));
            if (!gone.isEmpty() && !trunk.isEmpty()) {
                silences.add(new Silence(false, goneText(dimension, trunk, gone)));
            }
            for (final Port port : trunk) {
                final List<Integer> missing = neighbours(dimension);
                missing.removeIf(neighbour -> hears(port, neighbour) || gone.contains(neighbour));
                if (!missing.isEmpty()) {
                    silences.add(new Silence(true, missingText(port, missing)));
                }
            }
        }
        return silences;
    }

    /** The same in words. */
    public List<String> silentNeighbours() {
        return silences().stream().map(Silence::text).toList();
    }

    private List<Port> trunk(final int dimension) {
        return Arrays.stream(ports).filter(port -> port.dimension() == dimension).toList();
    }

    private List<Integer> neighbours(final int dimension) {
        final List<Integer> neighbours = new ArrayList<>();
        for (int i = 0; i < self.shape().extent(dimension); i++) {
            if (i != Shape.coordinate(self.here(), dimension)) {
                neighbours.add(i);
            }
        }
        return neighbours;
    }

    private boolean hears(final Port port, final int neighbour) {
        return heardNs[port.link().index()][neighbour] != NEVER;
    }

    private String goneText(
            final int dimension, final List<Port> trunk, final List<Integer> neighbours) {
        final boolean isOne = trunk.size() == 1;
        return (isOne
                        ? trunk.getFirst().label() + " does not hear "
                        : "no link of "
                                + trunk.getFirst().label().replaceAll("\\..*", "")
                                + " hears ")
                + names(dimension, neighbours)
                + " from ("
                + self.shape().format(self.here())
                + "): start "
                + (neighbours.size() == 1 ? "that node" : "those nodes")
                + " if not running, else plug "
                + String.join(" ", trunk.stream().map(port -> port.link().name()).toList())
                + " into the switch"
                + (isOne ? "" : "es")
                + " of that line";
    }

    private String missingText(final Port port, final List<Integer> neighbours) {
        return port.label()
                + " of ("
                + self.shape().format(self.here())
                + ") does not hear "
                + names(port.dimension(), neighbours)
                + ", which other links hear: plug the cables of "
                + port.label()
                + " (here "
                + port.link().name()
                + ") at both ends into the switch of that line";
    }

    private String names(final int dimension, final List<Integer> neighbours) {
        final List<String> names = new ArrayList<>();
        for (final int neighbour : neighbours) {
            final long there = Shape.withCoordinate(self.here(), dimension, neighbour);
            names.add("(" + self.shape().format(there) + ")");
        }
        return String.join(" ", names);
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
            return;
        }
        final int type = Memory.getUnsignedByte(headerAddress + FrameHeaderFlyweight.TYPE_OFFSET);
        if (type == FrameType.LINK_STATUS) {
            health.onStatus(linkIndex, headerAddress, sourceAddress, nowNs);
        } else {
            onOwnFrame(port, headerAddress, sourceAddress, nowNs);
        }
    }

    private synchronized void onOwnFrame(
            final Port port, final long headerAddress, final long sourceAddress, final long nowNs) {
        header.wrap(headerAddress);
        if (header.type() == FrameType.HELLO) {
            onHello(port, sourceAddress, nowNs);
        } else if (header.type() == FrameType.COMPLAINT) {
            complainer.onComplaint(
                    port, header.source(), complaint.wrap(header.bodyAddress()), nowNs);
        }
    }

    private void onHello(final Port port, final long sourceAddress, final long nowNs) {
        counters.helloReceived[port.link().index()]++;
        hello.wrap(header.bodyAddress());
        final long source = header.source();
        final int dimension = port.dimension();
        final int kind = complainer.misplacement(port, source, hello);
        if (kind != 0) {
            complainer.onMisplaced(port, kind, source, hello, nowNs);
            queueComplaint(port.link().index(), kind, source, nowNs);
            if (kind != ComplaintFlyweight.MTU_DIFFERS) {
                return;
            }
        }
        final int neighbour = Shape.coordinate(source, dimension);
        final int index = port.link().index();
        final boolean isNew = heardNs[index][neighbour] == NEVER;
        final boolean isChanged =
                isNew
                        || incarnations[index][neighbour] != hello.incarnation()
                        || port.link().learned(neighbour) != sourceAddress;
        heardNs[index][neighbour] = nowNs;
        incarnations[index][neighbour] = hello.incarnation();
        known += isNew ? 1 : 0;
        if (isChanged) {
            helloDueNs[index] = nowNs;
            nextDueNs = nowNs;
        }
        health.onHello(port, neighbour, sourceAddress, hello.incarnation(), nowNs);
    }

    /**
     * A frame arrived whose header is not right; says so when it is one of another version or
     * cluster.
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
            complainer.onOtherVersion(port, Memory.getUnsignedByte(headerAddress), nowNs);
            queueComplaint(linkIndex, ComplaintFlyweight.OTHER_VERSION, 0, nowNs);
        } else if (reason == DropReason.CLUSTER) {
            complainer.onOtherCluster(port, header.wrap(headerAddress).clusterId(), nowNs);
        }
    }

    private void queueComplaint(
            final int linkIndex, final int kind, final long subject, final long nowNs) {
        pendingKind[linkIndex] = kind;
        pendingSubject[linkIndex] = subject;
        nextDueNs = Math.min(nextDueNs, Math.max(complaintDueNs[linkIndex], nowNs));
    }

    /**
     * Sends the hello and complaint frames that are due and forgets neighbours that are silent.
     *
     * @param senders the calling loop's senders by link index, {@code [links]}.
     * @param share the calling loop's share of the pool.
     * @return frames queued.
     */
    public int doWork(
            final long nowNs,
            final LinkSender[] senders,
            final BufferPool pool,
            final BufferPool.Share share) {
        return startNs == NEVER || nextDueNs - nowNs <= 0
                ? sendDue(nowNs, senders, pool, share)
                : 0;
    }

    private synchronized int sendDue(
            final long nowNs,
            final LinkSender[] senders,
            final BufferPool pool,
            final BufferPool.Share share) {
        if (startNs == NEVER) {
            start(nowNs);
        }
        int sent = 0;
        long dueNs = nowNs + helloIntervalNs;
        for (final Port port : ports) {
            final int index = port.link().index();
            expire(port, nowNs);
            if (helloDueNs[index] - nowNs <= 0) {
                sent += sendHello(port, senders[index], pool, share);
                helloDueNs[index] = nowNs + intervalNs(nowNs);
            }
            if (pendingKind[index] != 0 && complaintDueNs[index] - nowNs <= 0) {
                sent += sendComplaint(index, senders[index], pool, share);
                complaintDueNs[index] = nowNs + COMPLAINT_INTERVAL_NS;
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
        Arrays.fill(complaintDueNs, nowNs);
    }

    private long intervalNs(final long nowNs) {
        final boolean isStarting = nowNs - startNs < FAST_FOR_NS && known < expectedNeighbours();
        return isStarting ? Math.min(FAST_INTERVAL_NS, helloIntervalNs) : helloIntervalNs;
    }

    private void expire(final Port port, final long nowNs) {
        final int index = port.link().index();
        final long limitNs = MISSED_HELLOS * helloIntervalNs;
        final int extent = self.shape().extent(port.dimension());
        for (int neighbour = 0; neighbour < extent; neighbour++) {
            final long heard = heardNs[index][neighbour];
            if (heard != NEVER && nowNs - heard > limitNs) {
                heardNs[index][neighbour] = NEVER;
                known--;
            }
        }
    }

    private int sendHello(
            final Port port,
            final LinkSender sender,
            final BufferPool pool,
            final BufferPool.Share share) {
        final int id = share.acquire();
        if (id == BufferPool.NONE) {
            return 0;
        }
        linkLocal(pool.headerAddress(id), FrameType.HELLO);
        hello.wrap(outgoing.bodyAddress())
                .clear()
                .fingerprint(self.fingerprint())
                .node(self.shape().node(self.here()))
                .dimension(port.dimension())
                .linkNumber(port.number())
                .shape(packedExtents(self.shape()))
                .dimensions(self.shape().dimensions())
                .incarnation(self.incarnation())
                .mtuBytes(port.link().mtuBytes())
                .name(self.hostName());
        counters.helloSent[port.link().index()]++;
        return broadcast(sender, id, hello.length(), share);
    }

    private int sendComplaint(
            final int linkIndex,
            final LinkSender sender,
            final BufferPool pool,
            final BufferPool.Share share) {
        final int id = share.acquire();
        if (id == BufferPool.NONE) {
            return 0;
        }
        linkLocal(pool.headerAddress(id), FrameType.COMPLAINT);
        complaint
                .wrap(outgoing.bodyAddress())
                .clear()
                .kind(pendingKind[linkIndex])
                .coordinates(self.here())
                .otherCoordinates(pendingSubject[linkIndex])
                .dimension(ports[linkIndex].dimension())
                .linkNumber(ports[linkIndex].number());
        return broadcast(sender, id, ComplaintFlyweight.LENGTH, share);
    }

    private static long packedExtents(final Shape shape) {
        long packed = 0;
        for (int dimension = 0; dimension < shape.dimensions(); dimension++) {
            packed = Shape.withCoordinate(packed, dimension, shape.extent(dimension) - 1);
        }
        return packed;
    }

    private void linkLocal(final long headerAddress, final int type) {
        outgoing.wrap(headerAddress)
                .clear()
                .type(type)
                .hopLimit(1)
                .order(DimensionOrder.DEFAULT)
                .clusterId(self.clusterId())
                .sourceIncarnation(self.incarnation())
                .source(self.here())
                .destination(FrameHeaderFlyweight.ANY_DESTINATION);
    }

    private int broadcast(
            final LinkSender sender,
            final int id,
            final int bodyBytes,
            final BufferPool.Share share) {
        outgoing.bodyLength(bodyBytes);
        final boolean isTaken =
                sender.offer(
                        Link.BROADCAST,
                        outgoing.address(),
                        FrameHeaderFlyweight.LENGTH + bodyBytes,
                        0,
                        0,
                        share,
                        id);
        if (!isTaken) {
            share.release(id);
        }
        return isTaken ? 1 : 0;
    }
}
