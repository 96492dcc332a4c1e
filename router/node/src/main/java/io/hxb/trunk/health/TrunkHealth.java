package io.hxb.trunk.health;

import io.hxb.config.TrunkConfig;
import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.LinkStatusFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.LinkSender;
import io.hxb.session.Sessions;
import io.hxb.topology.Shape;
import io.hxb.trunk.NodeIdentity;
import io.hxb.trunk.Port;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * The health of a node's links to its neighbours: judged by what arrives, reported to the
 * neighbours by status frames, restored by heartbeats. Every loop works on it through a {@link
 * HealthLoop}; locked, because that happens at most once per millisecond, never per frame. The lock
 * guards all of its state, except where {@link HealthSchedule}, {@link Exclusions}, {@link
 * ReceivedFrameCounts} and {@link LoopTraffic} state otherwise.
 *
 * <p>Source: RI2N/UDP, failures are found by the receiver from the data itself, and reported by
 * frames that are repeated until they are acknowledged. Added: a neighbour reports how many frames
 * it has sent over each link, so that a link that was not used is not considered dead.
 */
public final class TrunkHealth {
    /** Time between two looks at the links of a trunk that carries frames. */
    static final long CHECK_NS = 500_000;

    private static final long NS_A_BEATING_LINK = 50_000;
    private static final long NS_A_LINK_LOOKED_AT = 5_000;
    private static final int HELLOS_UNHEARD = 5;

    private final NodeIdentity self;
    private final Sessions sessions;
    private final TrunkConfig config;
    private final long helloIntervalNs;
    private final Port[] ports;
    private final Port[][] trunks;
    private final ReceivedFrameCounts[] heard;
    private final NodeTraffic traffic;
    private final CounterBlock counters;
    private final Exclusions exclusions;
    private final LinkPublisher publisher;
    private final SilenceThreshold silenceThreshold = new SilenceThreshold();
    private final HealthParts parts;
    private final HealthSchedule plan = new HealthSchedule();
    // By dimension and coordinate; null where nobody has been heard.
    private final NeighbourHealth[][] neighbours;
    private final List<NeighbourHealth> known = new ArrayList<>();
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final LinkStatusFlyweight status = new LinkStatusFlyweight();
    private int frameBytes = Integer.MAX_VALUE;
    private long lookedNs;
    private boolean hasLooked;

    /**
     * Makes the health of one node's links, whose numbers can be predicted.
     *
     * @param self who this node is.
     * @param sessions by which status frames are sealed.
     * @param config when a link counts as failed and when as healed.
     * @param helloIntervalNs time between two hello frames of a neighbour.
     * @param ports its ports, by link index, {@code [links]}.
     */
    public TrunkHealth(
            final NodeIdentity self,
            final Sessions sessions,
            final TrunkConfig config,
            final long helloIntervalNs,
            final Port[] ports) {
        this(
                self,
                sessions,
                new SplittableRandom(self.incarnation()),
                KernelBacklog.NONE,
                config,
                helloIntervalNs,
                ports,
                CounterBlock.unpublished(ports.length, self.shape().dimensions()));
    }

    /**
     * Makes the health of one node's links.
     *
     * @param random of the first numbers in status frames.
     * @param kernel knows of frames that wait in the kernel.
     * @param counters of the node; written under the lock of this object.
     */
    public TrunkHealth(
            final NodeIdentity self,
            final Sessions sessions,
            final RandomGenerator random,
            final KernelBacklog kernel,
            final TrunkConfig config,
            final long helloIntervalNs,
            final Port[] ports,
            final CounterBlock counters) {
        this.self = self;
        this.counters = counters;
        this.sessions = sessions;
        this.config = config;
        this.helloIntervalNs = helloIntervalNs;
        this.ports = ports.clone();
        final int dimensions = self.shape().dimensions();
        trunks = new Port[dimensions][];
        for (int dimension = 0; dimension < dimensions; dimension++) {
            final int wanted = dimension;
            trunks[dimension] =
                    Arrays.stream(ports)
                            .filter(port -> port.dimension() == wanted)
                            .toArray(Port[]::new);
        }
        heard = new ReceivedFrameCounts[ports.length];
        Arrays.setAll(heard, i -> new ReceivedFrameCounts(ports[i]));
        neighbours = new NeighbourHealth[dimensions][Shape.MAX_EXTENT];
        exclusions = new Exclusions(ports.length);
        traffic = new NodeTraffic(trunks, ports.length);
        publisher = new LinkPublisher(trunks, traffic, counters, exclusions);
        parts =
                new HealthParts(
                        config,
                        HELLOS_UNHEARD * helloIntervalNs,
                        silenceThreshold,
                        traffic,
                        kernel,
                        publisher,
                        random);
    }

    /** Informs {@code listener} of links that fail and recover from now on. */
    public void addListener(final LinkListener listener) {
        publisher.add(listener);
    }

    /**
     * Sets the length of the heartbeats on links that do not have a smaller MTU; before loops take
     * part.
     *
     * @param bytes header and body of the longest frame that the flows send.
     */
    public synchronized void setFrameBytes(final int bytes) {
        frameBytes = bytes;
    }

    /** The counters of the node. */
    public CounterBlock counters() {
        return counters;
    }

    /** Where the frames of each link are counted, {@code [links]}. */
    public ReceivedFrameCounts[] heard() {
        return heard.clone();
    }

    /** Neighbours of one dimension that are reached by at least one of its links. */
    public int reachedNeighbours(final int dimension) {
        int count = 0;
        for (int i = 0; i < self.shape().extent(dimension); i++) {
            count += publisher.isReached(dimension, i) ? 1 : 0;
        }
        return count;
    }

    /** Lets a loop take part; before it starts. */
    synchronized void add(final LoopTraffic loop) {
        traffic.add(loop);
    }

    /** A loop's sender of status frames. */
    synchronized StatusSender newStatusSender(
            final LinkSender[] senders, final BufferPool.Share share) {
        return new StatusSender(
                self, sessions.newLoop(), trunks, traffic, counters, senders, share, frameBytes);
    }

    HealthSchedule plan() {
        return plan;
    }

    Exclusions exclusions() {
        return exclusions;
    }

    Port port(final int linkIndex) {
        return ports[linkIndex];
    }

    /**
     * A valid hello of a neighbour arrived.
     *
     * @param theirNumber number that the neighbour gives the link it was sent over.
     */
    public synchronized void onHello(
            final Port port,
            final int neighbour,
            final int theirNumber,
            final long sourceAddress,
            final int incarnation,
            final long nowNs) {
        port.learn(neighbour, sourceAddress);
        heard[port.link().index()].learn(neighbour, sourceAddress);
        NeighbourHealth from = neighbours[port.dimension()][neighbour];
        if (from == null) {
            from =
                    new NeighbourHealth(
                            parts,
                            trunks[port.dimension()],
                            heard,
                            neighbour,
                            self.shape().isAnyCabling(),
                            nowNs);
            neighbours[port.dimension()][neighbour] = from;
            known.add(from);
        }
        from.onHello(port.number(), theirNumber, incarnation, nowNs);
        plan.onDue(nowNs);
    }

    /** A loop has waited that long for its CPU since its last turn with work here. */
    synchronized void onAway(final long waitedNs, final long nowNs) {
        silenceThreshold.onAway(waitedNs, nowNs);
    }

    /** The NIC of a link has refused frames. */
    synchronized void onSendErrors(final int linkIndex, final long nowNs) {
        final Port port = ports[linkIndex];
        for (final NeighbourHealth neighbour : known) {
            if (neighbour.dimension() == port.dimension()) {
                neighbour.onSendErrors(port.number(), nowNs);
            }
        }
        plan.onDue(nowNs);
    }

    /**
     * A valid status frame arrived. If anything is wrong with it, that is counted, and it is
     * ignored.
     *
     * @param linkIndex link it arrived on.
     * @param headerAddress its header.
     * @param sourceAddress link address it came from.
     */
    public synchronized void onStatus(
            final int linkIndex,
            final long headerAddress,
            final long sourceAddress,
            final long nowNs) {
        final Port port = ports[linkIndex];
        header.wrap(headerAddress);
        status.wrap(header.bodyAddress());
        if (!isPlaced(port)) {
            counters.increment(CounterType.LINK_STATUS_BAD_FRAMES, linkIndex);
            return;
        }
        final int coordinate = Shape.coordinate(header.source(), port.dimension());
        final NeighbourHealth from = neighbours[port.dimension()][coordinate];
        final long learned = port.link().learned(coordinate);
        if (from == null
                || learned == 0
                || header.sourceIncarnation() != from.incarnation()
                || header.destinationIncarnation() != self.incarnation()) {
            counters.increment(CounterType.LINK_STATUS_STALE_FRAMES, linkIndex);
        } else if (learned != sourceAddress || !from.onStatus(status, port.number(), nowNs)) {
            counters.increment(CounterType.LINK_STATUS_BAD_FRAMES, linkIndex);
            if (from.hasDoubts(nowNs)) {
                plan.onDue(nowNs);
            }
        } else {
            counters.increment(CounterType.LINK_STATUS_RECEIVED_FRAMES, linkIndex);
            plan.onDue(nowNs);
        }
    }

    // True if the status frame is of another node of the line, and of the link it arrived on.
    private boolean isPlaced(final Port port) {
        final long difference = header.source() ^ self.here();
        return difference != 0
                && (difference & ~(0xFFL << (8 * port.dimension()))) == 0
                && status.neighbour() == self.here()
                && status.dimension() == port.dimension()
                && (self.shape().isAnyCabling()
                        || (status.linkNumber() == port.number()
                                && status.links() == trunks[port.dimension()].length));
    }

    /**
     * Looks at all links and sends what is due.
     *
     * @param loop the calling loop.
     * @param sender of that loop.
     * @return status frames queued.
     */
    synchronized int work(final long nowNs, final HealthLoop loop, final StatusSender sender) {
        plan.onWork(loop);
        if (!hasLooked || nowNs - lookedNs >= CHECK_NS) {
            hasLooked = true;
            lookedNs = nowNs;
            look(nowNs);
        }
        int beating = 0;
        for (int i = 0; i < known.size(); i++) {
            beating += known.get(i).beatingLinks();
        }
        final long beatNs = Math.max(config.heartbeatNs(), beating * NS_A_BEATING_LINK);
        int sent = 0;
        long soonestNs = helloIntervalNs;
        for (int i = 0; i < known.size(); i++) {
            final NeighbourHealth neighbour = known.get(i);
            final long links = neighbour.due(beatNs, nowNs);
            sent += links == 0 ? 0 : sender.send(neighbour, links);
            soonestNs = neighbour.dueInNs(nowNs, soonestNs);
        }
        plan.next(
                nowNs + Math.max(CHECK_NS, ports.length * NS_A_LINK_LOOKED_AT), nowNs + soonestNs);
        return sent;
    }

    private void look(final long nowNs) {
        traffic.look();
        silenceThreshold.look(nowNs);
        for (int i = 0; i < known.size(); i++) {
            known.get(i).look(nowNs);
        }
    }
}
