package io.hxb.trunk.health;

import io.hxb.config.TrunkConfig;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.LinkStatusFlyweight;
import io.hxb.topology.Shape;
import io.hxb.trunk.LinkState;
import io.hxb.trunk.NodeIdentity;
import io.hxb.trunk.Port;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The health of a node's links to its neighbours: judged by what arrives, told to the neighbours by
 * status frames, healed by heartbeats. Every loop works on it through a {@link HealthLoop}; locked,
 * because that is at most once a millisecond, never per frame.
 *
 * <p>Source: RI2N/UDP, failures are found by the receiver from the data itself, and told by frames
 * that are repeated until they are acknowledged. Added: a neighbour says how many frames it has
 * sent over each link, so that a link that was not used is not taken for dead.
 */
public final class TrunkHealth {
    /** Time between two looks at the links of a trunk that carries frames. */
    static final long CHECK_NS = 500_000;

    private static final long NS_A_BEATING_LINK = 50_000;
    private static final long NS_A_LINK_LOOKED_AT = 5_000;
    private static final int HELLOS_UNHEARD = 5;

    private final NodeIdentity self;
    private final TrunkConfig config;
    private final long helloIntervalNs;
    private final Port[] ports;
    private final Port[][] trunks;
    private final HeardFrames[] heard;
    private final TrunkPartner[][] partners;
    private final List<TrunkPartner> known = new ArrayList<>();
    private final List<HealthLoop> loops = new ArrayList<>();
    private final LinkEvents events = new LinkEvents();
    private final Patience patience = new Patience();
    private final HealthCounters counters;
    // When each link to each neighbour was excluded last; written before exclusions is.
    private final int[][] excluded;
    private final HealthLoop[] readers;
    private final boolean[] isDrained;
    private final int[] drains;
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private final LinkStatusFlyweight status = new LinkStatusFlyweight();
    private long lookedNs;
    private boolean hasLooked;
    // Read without the lock, so that a turn with nothing due does not take it.
    private volatile long lookNs;
    private volatile long dueNs;
    // The loop that has said when work is due again: it wakes for it, whoever keeps time.
    private volatile HealthLoop planner;
    private volatile boolean isStarted;
    private volatile int exclusions;

    /**
     * Makes the health of one node's links.
     *
     * @param self who this node is.
     * @param config when a link counts as failed and when as healed.
     * @param helloIntervalNs time between two hello frames of a neighbour.
     * @param ports its ports, by link index, {@code [links]}.
     */
    public TrunkHealth(
            final NodeIdentity self,
            final TrunkConfig config,
            final long helloIntervalNs,
            final Port[] ports) {
        this.self = self;
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
        heard = new HeardFrames[ports.length];
        Arrays.setAll(heard, i -> new HeardFrames(ports[i]));
        partners = new TrunkPartner[dimensions][Shape.MAX_EXTENT];
        counters = new HealthCounters(ports.length, dimensions);
        excluded = new int[ports.length][Shape.MAX_EXTENT];
        readers = new HealthLoop[ports.length];
        isDrained = new boolean[ports.length];
        drains = new int[ports.length];
    }

    /** Where to learn of links that fail and recover. */
    public LinkEvents events() {
        return events;
    }

    /** What it has counted. */
    public HealthCounters counters() {
        return counters;
    }

    /** What all its links share: how long a silence may last. */
    Patience patience() {
        return patience;
    }

    /** Where the frames of each link are counted, {@code [links]}. */
    public HeardFrames[] heard() {
        return heard.clone();
    }

    /** Neighbours of one dimension that are reached by at least one of its links. */
    public int reachedNeighbours(final int dimension) {
        int count = 0;
        for (int i = 0; i < self.shape().extent(dimension); i++) {
            count += isReached(dimension, i) ? 1 : 0;
        }
        return count;
    }

    private boolean isReached(final int dimension, final int neighbour) {
        for (final Port port : trunks[dimension]) {
            if (port.isUsable(neighbour)) {
                return true;
            }
        }
        return false;
    }

    /** Lets a loop take part; before it starts. */
    synchronized void add(final HealthLoop loop) {
        loops.add(loop);
        for (final int link : loop.received()) {
            readers[link] = loop;
        }
    }

    /** A right hello of a neighbour arrived. */
    public synchronized void onHello(
            final Port port,
            final int neighbour,
            final long sourceAddress,
            final int incarnation,
            final long nowNs) {
        port.learn(neighbour, sourceAddress);
        heard[port.link().index()].learn(neighbour, sourceAddress);
        TrunkPartner partner = partners[port.dimension()][neighbour];
        if (partner == null) {
            partner =
                    new TrunkPartner(
                            this, config, trunks[port.dimension()], heard, neighbour, nowNs);
            partners[port.dimension()][neighbour] = partner;
            known.add(partner);
        }
        partner.onHello(port.number(), incarnation, nowNs);
        dueNs = nowNs;
    }

    /** The NIC of a link has refused frames. */
    synchronized void onSendErrors(final int linkIndex, final long nowNs) {
        final Port port = ports[linkIndex];
        for (final TrunkPartner partner : known) {
            if (partner.dimension == port.dimension()) {
                partner.onSendErrors(port.number(), nowNs);
            }
        }
        dueNs = nowNs;
    }

    /**
     * A valid status frame arrived. What is wrong with it is counted, and it is forgotten.
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
        final long difference = header.source() ^ self.here();
        if (difference == 0
                || (difference & ~(0xFFL << (8 * port.dimension()))) != 0
                || status.neighbour() != self.here()
                || status.dimension() != port.dimension()
                || status.linkNumber() != port.number()
                || status.links() != trunks[port.dimension()].length) {
            counters.statusBad[linkIndex]++;
            return;
        }
        final int neighbour = Shape.coordinate(header.source(), port.dimension());
        final TrunkPartner partner = partners[port.dimension()][neighbour];
        if (partner == null
                || port.link().learned(neighbour) == 0
                || header.sourceIncarnation() != partner.incarnation
                || header.destinationIncarnation() != self.incarnation()) {
            counters.statusStale[linkIndex]++;
        } else if (port.link().learned(neighbour) != sourceAddress
                || !partner.onStatus(status, nowNs)) {
            counters.statusBad[linkIndex]++;
        } else {
            counters.statusReceived[linkIndex]++;
            dueNs = nowNs;
        }
    }

    /** True if {@link #work} may have something to do: it is time, or frames came and went. */
    boolean isDue(final long nowNs, final boolean isNoted) {
        return !isStarted || dueNs - nowNs <= 0 || (isNoted && lookNs - nowNs <= 0);
    }

    /**
     * Looks at all links and sends what is due.
     *
     * @return status frames queued.
     */
    synchronized int work(final long nowNs, final HealthLoop loop) {
        isStarted = true;
        planner = loop;
        final boolean isLook = !hasLooked || nowNs - lookedNs >= CHECK_NS;
        if (isLook) {
            hasLooked = true;
            lookedNs = nowNs;
            lookAtLoops();
            patience.look(nowNs);
            for (int i = 0; i < known.size(); i++) {
                known.get(i).look(nowNs);
            }
        }
        int beating = 0;
        for (int i = 0; i < known.size(); i++) {
            beating += known.get(i).beatingLinks();
        }
        final long beatNs = Math.max(config.heartbeatNs(), beating * NS_A_BEATING_LINK);
        int sent = 0;
        long soonestNs = helloIntervalNs;
        for (int i = 0; i < known.size(); i++) {
            final TrunkPartner partner = known.get(i);
            final long links = partner.due(nowNs, sentFrames(partner), beatNs);
            sent += links == 0 ? 0 : send(partner, links, loop);
            soonestNs = partner.dueInNs(nowNs, soonestNs);
        }
        lookNs = nowNs + Math.max(CHECK_NS, ports.length * NS_A_LINK_LOOKED_AT);
        dueNs = nowNs + soonestNs;
        return sent;
    }

    // A link whose sockets have not been read to their end may have frames waiting: it is not
    // silent.
    private void lookAtLoops() {
        for (int link = 0; link < readers.length; link++) {
            if (readers[link] != null) {
                final int now = readers[link].drains(link);
                isDrained[link] = now != drains[link];
                drains[link] = now;
            }
        }
    }

    /** True if frames that have arrived on a link since the last look have been received. */
    boolean isDrained(final LinkHealth link) {
        return isDrained[link.port.link().index()];
    }

    /** How often all that waited on a link has been received. */
    int drains(final LinkHealth link) {
        final int index = link.port.link().index();
        return readers[index] == null ? 0 : readers[index].drains(index);
    }

    /** Ends the sleep of the loop that receives on a link. */
    void wake(final LinkHealth link) {
        final HealthLoop reader = readers[link.port.link().index()];
        if (reader != null) {
            reader.wake();
        }
    }

    /** Time after which a link on which nothing is heard of a neighbour counts as failed. */
    long unheardNs() {
        return HELLOS_UNHEARD * helloIntervalNs;
    }

    /** Frames that this node has sent to a neighbour over all links, status frames apart. */
    int sentFrames(final TrunkPartner partner) {
        int frames = 0;
        for (int number = 0; number < partner.links.length; number++) {
            frames += sentFrames(partner, number);
        }
        return frames;
    }

    private int sentFrames(final TrunkPartner partner, final int number) {
        final Port port = trunks[partner.dimension][number];
        int frames = port.bypass().sentFrames(partner.neighbour);
        for (int i = 0; i < loops.size(); i++) {
            frames += loops.get(i).trunk(partner.dimension).sentFrames(number, partner.neighbour);
        }
        return frames;
    }

    // Frames that are still in the node must not be missed by the neighbour.
    private int queuedFrames(final Port port) {
        int frames = 0;
        for (int i = 0; i < loops.size(); i++) {
            frames += loops.get(i).queuedFrames(port);
        }
        return frames;
    }

    private int send(final TrunkPartner partner, final long links, final HealthLoop loop) {
        final Port[] trunk = trunks[partner.dimension];
        loop.flush(trunk);
        int sent = 0;
        for (int number = 0; number < trunk.length; number++) {
            if ((links >>> number & 1) == 0) {
                continue;
            }
            final LinkStatusFlyweight body = loop.prepare(trunk.length);
            if (body == null) {
                break;
            }
            partner.write(body, number);
            for (int i = 0; i < trunk.length; i++) {
                final int handedOver = sentFrames(partner, i) - queuedFrames(trunk[i]);
                body.sentFrames(i, handedOver + partner.links[i].beatsSent);
            }
            // What this loop has queued there goes before the status frame.
            body.sentFrames(number, body.sentFrames(number) + loop.queuedFrames(trunk[number]) + 1)
                    .neighbour(
                            Shape.withCoordinate(
                                    self.here(), partner.dimension, partner.neighbour));
            if (loop.send(trunk[number], partner, self)) {
                partner.links[number].beatsSent++;
                counters.statusSent[trunk[number].link().index()]++;
                sent++;
            }
        }
        return sent;
    }

    /** Tells everybody what has become of a link, if it has changed. */
    void publish(final TrunkPartner partner, final LinkHealth link, final long nowNs) {
        final Port port = link.port;
        final LinkState before = port.state(link.neighbour);
        final LinkState now = link.state();
        if (before == now) {
            return;
        }
        port.set(link.neighbour, now, link.stateReason());
        if (now == LinkState.UNKNOWN) {
            return;
        }
        final int index = port.link().index();
        final boolean isLast =
                now == LinkState.FAILED && !isReached(partner.dimension, partner.neighbour);
        if (now == LinkState.FAILED && before == LinkState.GOOD) {
            link.isMissed = true;
            counters.excluded[index]++;
            counters.trunksLost[partner.dimension] += isLast ? 1 : 0;
            final int number = exclusions + 1;
            excluded[index][link.neighbour] = number;
            exclusions = number;
        } else if (now == LinkState.GOOD) {
            counters.recovered[index] += link.isMissed ? 1 : 0;
            link.isMissed = false;
        }
        events.tell(
                new LinkEvent(
                        nowNs,
                        index,
                        port.dimension(),
                        port.number(),
                        link.neighbour,
                        now,
                        link.stateReason(),
                        isLast));
        if (now == LinkState.FAILED) {
            for (final HealthLoop loop : loops) {
                loop.wake();
            }
        }
    }

    /** Links to neighbours excluded since start. */
    int exclusions() {
        return exclusions;
    }

    /** True if a link to a neighbour was excluded after the first {@code seen} exclusions. */
    boolean isExcludedSince(final int linkIndex, final int neighbour, final int seen) {
        final int when = excluded[linkIndex][neighbour];
        return when != 0 && when - seen > 0;
    }

    /** When {@link #work} has something to do again, whatever happens. */
    long dueNs() {
        return dueNs;
    }

    /** True if that loop was the last to {@link #work}: others may sleep past what it found due. */
    boolean isPlanner(final HealthLoop loop) {
        return planner == loop;
    }

    /** When {@link #work} should look again after frames came or went. */
    long lookNs() {
        return lookNs;
    }
}
