package io.hxb.node;

import io.hxb.counter.Counters;
import io.hxb.link.BufferPool;
import io.hxb.link.LinkSender;
import io.hxb.link.LinkWatch;
import io.hxb.node.loop.Interest;
import io.hxb.node.loop.Loop;
import io.hxb.node.loop.Registration;
import io.hxb.recorder.RecorderRing;
import io.hxb.time.Deadline;
import io.hxb.trunk.discovery.Discovery;
import io.hxb.trunk.discovery.MisconfigurationLog;
import io.hxb.trunk.health.HealthLoop;

import org.agrona.concurrent.EpochClock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Optional;

/**
 * What a node does a few times per second, in addition to the upkeep of the loop's own links: hello
 * frames, news of its NICs, heartbeat and findings. Owned by the node's first loop.
 */
final class NodeHousekeeping implements Housekeeping {
    private static final Logger LOGGER = LoggerFactory.getLogger(NodeHousekeeping.class);
    private static final LinkLog LINK_LOG = LinkLog.ofThisProcess();
    private static final long LOOK_INTERVAL_NS = 1_000_000_000L;
    private static final long HEARTBEAT_INTERVAL_NS = 200_000_000L;

    private final Loop loop;
    private final Discovery discovery;
    private final LinkWatch watch;
    private final LinkSender[] senders;
    private final BufferPool.Share share;
    private final LinkHousekeeping links;
    private final SessionSender sessionSender;
    private final LinkStateTask linkStates;
    private final Runnable tellNeighbours;
    private final Runnable tellStop;
    private final LinkEventCounter board;
    private final LinkEventDispatcher news;
    private final Runnable[] everyBeat;
    private final Runnable[] everyLook;
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
     * @param sessionSender sends SESSION frames over that loop.
     * @param gossip sends SUMMARY frames over that loop; empty if nobody wants to know.
     * @param linkStates keeps the map of cables over that loop; null in a hyper-crossbar.
     */
    NodeHousekeeping(
            final NodeParts parts,
            final Loop loop,
            final LinkSender[] senders,
            final BufferPool.Share share,
            final HealthLoop health,
            final LinkHousekeeping links,
            final SessionSender sessionSender,
            final Optional<GossipSender> gossip,
            final LinkStateTask linkStates) {
        this.linkStates = linkStates;
        this.loop = loop;
        this.senders = senders;
        this.share = share;
        this.links = links;
        this.sessionSender = sessionSender;
        tellNeighbours =
                gossip.<Runnable>map(sender -> () -> sender.doWork(beatNs)).orElse(() -> {});
        tellStop =
                gossip.<Runnable>map(sender -> () -> sender.stop(loop.clock().nowNs()))
                        .orElse(() -> {});
        final NodeLinks all = parts.links();
        final NeighbourLinks neighbours = parts.neighbourhood();
        final Counters counters = parts.counters();
        final EpochClock epochClock = parts.epochClock();
        final MisconfigurationLog misconfigurationLog = neighbours.misconfigurations();
        board = all.board();
        discovery = neighbours.discovery();
        watch = all.watch();
        final RecorderRing events = counters.ofLoop(0).events();
        news =
                new LinkEventDispatcher(
                        parts.self(),
                        all.ports(),
                        epochClock,
                        LOGGER,
                        LINK_LOG,
                        parts.contexts().linkEvents(),
                        loop::wakeUp,
                        events);
        neighbours.health().addListener(news);
        final NodeCounters nodeCounters = new NodeCounters(parts, news);
        final KeyWatch keys =
                new KeyWatch(parts.config().security(), neighbours.sessions(), System.getenv());
        final LinkStateReport states =
                new LinkStateReport(
                        parts.nodeId(), all.ports(), health, nodeCounters, LINK_LOG, events);
        final NodeFindings findings = new NodeFindings(all.ports(), discovery, misconfigurationLog);
        everyBeat =
                new Runnable[] {
                    () -> counters.heartbeat(epochClock.time()),
                    () -> LINK_LOG.doWork(LOGGER),
                    () -> misconfigurationLog.doWork(beatNs)
                };
        everyLook =
                new Runnable[] {
                    keys::look,
                    () -> states.look(beatNs),
                    all.relay()::refresh,
                    () -> counters.findings(findings.list(beatNs))
                };
        final CounterWatch counterWatch = new CounterWatch(counters, all.ports(), events);
        copyCounters =
                () -> {
                    nodeCounters.publish();
                    counterWatch.look(beatNs);
                };
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
        sessionSender.doWork(nowNs);
        discovery.doWork(nowNs, senders, share);
        if (linkStates != null) {
            linkStates.doWork(nowNs);
        }
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
            for (final Runnable part : everyLook) {
                Housekeeping.alone(part);
            }
        }
        Housekeeping.alone(copyCounters);
        Housekeeping.alone(tellNeighbours);
    }

    @Override
    public void beforeStop() {
        Housekeeping.alone(tellStop);
        if (linkStates != null) {
            Housekeeping.alone(() -> linkStates.stop(loop.clock().nowNs()));
        }
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
        final long otherNs = Deadline.earlier(dueNs, sessionSender.nextDeadlineNs());
        return Deadline.earlier(
                links.nextDeadlineNs(),
                linkStates == null
                        ? otherNs
                        : Deadline.earlier(otherNs, linkStates.nextDeadlineNs()));
    }

    @Override
    public boolean hasNews() {
        return news.isWaiting()
                || links.hasNews()
                || sessionSender.hasNews()
                || (linkStates != null && linkStates.hasNews())
                || board.changes() != changesSeen;
    }
}
