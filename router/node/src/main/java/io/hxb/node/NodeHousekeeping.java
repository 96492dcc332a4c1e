package io.hxb.node;

import io.hxb.counter.Counters;
import io.hxb.counter.NodeFinding;
import io.hxb.frame.MisconfigurationFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.LinkSender;
import io.hxb.link.LinkWatch;
import io.hxb.node.loop.Interest;
import io.hxb.node.loop.Loop;
import io.hxb.node.loop.Registration;
import io.hxb.time.Deadline;
import io.hxb.trunk.Port;
import io.hxb.trunk.discovery.Discovery;
import io.hxb.trunk.discovery.MisconfigurationLog;
import io.hxb.trunk.discovery.MisconfigurationReport;
import io.hxb.trunk.discovery.MissingNeighbours;
import io.hxb.trunk.health.HealthLoop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;

/**
 * What a node does a few times per second, in addition to the upkeep of the loop's own links: hello
 * frames, news of its NICs, heartbeat and findings. Owned by the node's first loop.
 */
final class NodeHousekeeping implements Housekeeping {
    private static final Logger LOGGER = LoggerFactory.getLogger(NodeHousekeeping.class);
    private static final LinkLog LINK_LOG = LinkLog.ofThisProcess();
    private static final long LOOK_INTERVAL_NS = 1_000_000_000L;
    private static final long HEARTBEAT_INTERVAL_NS = 200_000_000L;
    private static final long FINDING_AGE_NS = 10_000_000_000L;

    private final NodeParts parts;
    private final Discovery discovery;
    private final MisconfigurationLog misconfigurationLog;
    private final Counters counters;
    private final List<Port> ports;
    private final LinkWatch watch;
    private final Loop loop;
    private final LinkSender[] senders;
    private final BufferPool.Share share;
    private final HealthLoop health;
    private final LinkHousekeeping links;
    private final SessionSender courier;
    private final LinkEventCounter board;
    private final LinkEventDispatcher news;
    private final NodeCounters nodeCounters;
    private final boolean[] wasUp;
    private final KeyWatch keys;
    private final Runnable[] everyBeat;
    private final Runnable copyCounters;
    private Registration registration = Registration.NONE;
    private boolean isLookDue = true;
    private int changesSeen;
    private int neighbourChangesSeen;
    private long lookNs;
    private long heartbeatNs;
    private long beatNs;

    /**
     * Makes the upkeep of a node.
     *
     * @param loop the node's first loop.
     * @param senders of that loop, by link index, {@code [links]}.
     * @param share of that loop.
     * @param health that loop's part in the health of the links.
     * @param links that loop's links.
     * @param courier sends SESSION frames over that loop.
     */
    NodeHousekeeping(
            final NodeParts parts,
            final Loop loop,
            final LinkSender[] senders,
            final BufferPool.Share share,
            final HealthLoop health,
            final LinkHousekeeping links,
            final SessionSender courier) {
        this.parts = parts;
        this.loop = loop;
        this.senders = senders;
        this.share = share;
        this.health = health;
        this.links = links;
        this.courier = courier;
        board = parts.links().board();
        discovery = parts.neighbourhood().discovery();
        misconfigurationLog = parts.neighbourhood().complaints();
        counters = parts.counters();
        ports = parts.links().ports();
        watch = parts.links().watch();
        news =
                new LinkEventDispatcher(
                        parts.self(),
                        ports,
                        parts.epochClock(),
                        LOGGER,
                        LINK_LOG,
                        parts.contexts().linkEvents(),
                        loop::wakeUp);
        parts.neighbourhood().health().addListener(news);
        nodeCounters = new NodeCounters(parts, news);
        wasUp = new boolean[ports.size()];
        keys =
                new KeyWatch(
                        parts.config().security(),
                        parts.neighbourhood().sessions(),
                        System.getenv());
        everyBeat =
                new Runnable[] {
                    () -> counters.heartbeat(parts.epochClock().time()),
                    () -> LINK_LOG.doWork(LOGGER),
                    () -> misconfigurationLog.doWork(beatNs)
                };
        copyCounters = nodeCounters::publish;
    }

    @Override
    public void start() {
        links.start();
        if (watch.descriptor() >= 0) {
            registration =
                    loop.register(
                            watch.descriptor(),
                            Interest.READABLE,
                            (isReadable, isWritable) -> hear());
        }
    }

    private void hear() {
        if (watch.poll()) {
            board.onNews();
        }
    }

    @Override
    public void doWork(final long nowNs) {
        links.doWork(nowNs);
        if (news.isWaiting()) {
            Housekeeping.alone(news::doWork);
        }
        final int changes = board.changes();
        isLookDue |= changes != changesSeen;
        changesSeen = changes;
        if (isLookDue || nowNs - heartbeatNs >= 0) {
            heartbeatNs = nowNs + HEARTBEAT_INTERVAL_NS;
            beat(nowNs);
        }
        courier.doWork(nowNs);
        discovery.doWork(nowNs, senders, share);
    }

    private void beat(final long nowNs) {
        beatNs = nowNs;
        for (final Runnable part : everyBeat) {
            Housekeeping.alone(part);
        }
        final int neighbourChanges = discovery.changes();
        if (isLookDue || nowNs - lookNs >= 0 || neighbourChanges != neighbourChangesSeen) {
            isLookDue = false;
            neighbourChangesSeen = neighbourChanges;
            lookNs = nowNs + LOOK_INTERVAL_NS;
            Housekeeping.alone(keys::look);
            for (int i = 0; i < ports.size(); i++) {
                final int index = i;
                Housekeeping.alone(() -> lookAtLink(index));
            }
            Housekeeping.alone(parts.links().relay()::refresh);
            Housekeeping.alone(() -> counters.findings(findings(nowNs)));
        }
        Housekeeping.alone(copyCounters);
    }

    @Override
    public void stop() {
        registration.cancel();
        links.stop();
        Housekeeping.alone(copyCounters);
        Housekeeping.alone(() -> LINK_LOG.flush(LOGGER));
    }

    @Override
    public long nextDeadlineNs() {
        final long dueNs = Deadline.earlier(discovery.nextDeadlineNs(), heartbeatNs);
        return Deadline.earlier(
                links.nextDeadlineNs(), Deadline.earlier(dueNs, courier.nextDeadlineNs()));
    }

    @Override
    public boolean hasNews() {
        return news.isWaiting()
                || links.hasNews()
                || courier.hasNews()
                || board.changes() != changesSeen;
    }

    // Each loop makes its own links follow their NICs; here the consequences for the node are
    // reported.
    private void lookAtLink(final int index) {
        final boolean isUp = ports.get(index).link().isUp();
        if (isUp != wasUp[index]) {
            wasUp[index] = isUp;
            health.note();
            nodeCounters.onStateChanged(index);
            reportState(ports.get(index), isUp);
        }
    }

    private void reportState(final Port port, final boolean isUp) {
        final String line =
                String.format(
                        "link %s %s (%s) of node %d",
                        isUp ? "up" : "down", port.label(), port.link().name(), parts.nodeId());
        if (isUp) {
            LINK_LOG.recovered(LOGGER, line);
        } else {
            LINK_LOG.failed(LOGGER, line);
        }
    }

    private List<NodeFinding> findings(final long nowNs) {
        final List<NodeFinding> findings = new ArrayList<>();
        for (final Port port : ports) {
            if (!port.link().isUp()) {
                findings.add(
                        new NodeFinding(
                                NodeFinding.Kind.LINK_DOWN,
                                "link " + port.label() + " (" + port.link().name() + ") is down",
                                "set it up (ip link set "
                                        + port.link().name()
                                        + " up) and check its cable"));
            }
        }
        // What strangers cause comes last, so that it is left out first when there is no room.
        final List<MissingNeighbours> silences = discovery.silences(nowNs);
        for (final MissingNeighbours missingNeighbours : silences) {
            findings.add(
                    NodeFinding.of(
                            missingNeighbours.isPartial()
                                    ? NodeFinding.Kind.HALF_HEARD
                                    : NodeFinding.Kind.NOT_HEARD,
                            missingNeighbours.text()));
        }
        final int known = discovery.knownNeighbours();
        final int expected = discovery.expectedNeighbours();
        if (silences.isEmpty() && known < expected) {
            findings.add(
                    new NodeFinding(
                            NodeFinding.Kind.LOOKING,
                            "hears " + known + " of " + expected + " neighbours so far",
                            "look again in a second"));
        }
        for (final MisconfigurationReport misconfigurationReport :
                misconfigurationLog.recent(nowNs, FINDING_AGE_NS)) {
            findings.add(
                    NodeFinding.of(
                            misconfigurationReport.kind() == MisconfigurationFlyweight.OTHER_CLUSTER
                                    ? NodeFinding.Kind.STRANGER
                                    : NodeFinding.Kind.MISMATCH,
                            misconfigurationReport.text()));
        }
        return findings;
    }
}
