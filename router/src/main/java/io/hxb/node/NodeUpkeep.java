package io.hxb.node;

import io.hxb.counter.Counters;
import io.hxb.counter.NodeFinding;
import io.hxb.frame.ComplaintFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.link.LinkWatch;
import io.hxb.node.loop.Interest;
import io.hxb.node.loop.Loop;
import io.hxb.node.loop.LoopTask;
import io.hxb.node.loop.Registration;
import io.hxb.trunk.Port;
import io.hxb.trunk.discovery.Complaint;
import io.hxb.trunk.discovery.Complaints;
import io.hxb.trunk.discovery.Discovery;
import io.hxb.trunk.discovery.Silence;
import io.hxb.trunk.health.HealthLoop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What a node does a few times a second: hello frames, looking after its NICs, heartbeat and
 * findings. Owned by the node's first loop.
 */
final class NodeUpkeep implements Upkeep {
    private static final Logger LOGGER = LoggerFactory.getLogger(NodeUpkeep.class);
    private static final LinkLog LINK_LOG = LinkLog.ofThisProcess();
    private static final long REFRESH_INTERVAL_NS = 1_000_000_000L;
    private static final long HEARTBEAT_INTERVAL_NS = 200_000_000L;
    private static final long FINDING_AGE_NS = 10_000_000_000L;

    private final NodeParts parts;
    private final Discovery discovery;
    private final Complaints complaints;
    private final Counters counters;
    private final List<Port> ports;
    private final LinkWatch watch;
    private final Loop loop;
    private final LinkSender[] senders;
    private final BufferPool.Share share;
    private final HealthLoop health;
    private final Consumer<Link> relink;
    private final LinkNews news;
    private final NodeCounters nodeCounters;
    private final boolean[] wasUp;
    private Registration registration = Registration.NONE;
    private boolean isRefreshDue = true;
    private long refreshNs;
    private long heartbeatNs;

    /**
     * Makes the upkeep of a node.
     *
     * @param loop the node's first loop.
     * @param senders of that loop, by link index, {@code [links]}.
     * @param share of that loop.
     * @param health that loop's part in the health of the links.
     * @param relink told of links whose descriptors have changed.
     */
    NodeUpkeep(
            final NodeParts parts,
            final Loop loop,
            final LinkSender[] senders,
            final BufferPool.Share share,
            final HealthLoop health,
            final Consumer<Link> relink) {
        this.parts = parts;
        this.loop = loop;
        this.senders = senders;
        this.share = share;
        this.health = health;
        this.relink = relink;
        discovery = parts.neighbourhood().discovery();
        complaints = parts.neighbourhood().complaints();
        counters = parts.counters();
        ports = parts.links().ports();
        watch = parts.links().watch();
        news =
                new LinkNews(
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
    }

    @Override
    public void start() {
        if (watch.descriptor() >= 0) {
            registration =
                    loop.register(
                            watch.descriptor(),
                            Interest.READABLE,
                            (isReadable, isWritable) -> isRefreshDue |= watch.poll());
        }
    }

    @Override
    public void doWork(final long nowNs) {
        news.doWork();
        if (isRefreshDue || nowNs - heartbeatNs >= 0) {
            heartbeatNs = nowNs + HEARTBEAT_INTERVAL_NS;
            counters.heartbeat(parts.epochClock().time());
            LINK_LOG.doWork(LOGGER);
            if (isRefreshDue || nowNs - refreshNs >= 0) {
                isRefreshDue = false;
                refreshNs = nowNs + REFRESH_INTERVAL_NS;
                refresh();
                counters.findings(findings(nowNs));
                nodeCounters.readKernelDrops();
            }
            nodeCounters.copy();
        }
        discovery.doWork(nowNs, senders, parts.links().pool(), share);
    }

    @Override
    public void stop() {
        registration.cancel();
        nodeCounters.readKernelDrops();
        nodeCounters.copy();
        LINK_LOG.flush(LOGGER);
    }

    @Override
    public long nextDeadlineNs() {
        return LoopTask.earlier(discovery.nextDeadlineNs(), heartbeatNs);
    }

    @Override
    public boolean hasNews() {
        return news.isWaiting();
    }

    private void refresh() {
        refreshLinks();
        parts.links().relay().refresh();
    }

    private void refreshLinks() {
        for (int i = 0; i < ports.size(); i++) {
            final Link link = ports.get(i).link();
            if (link.refresh()) {
                relink.accept(link);
            }
            final boolean isUp = link.isUp();
            if (isUp != wasUp[i]) {
                wasUp[i] = isUp;
                health.note();
                nodeCounters.onStateChanged(i);
                tellState(ports.get(i), isUp);
            }
        }
    }

    private void tellState(final Port port, final boolean isUp) {
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
        for (final Complaint complaint : complaints.recent(nowNs, FINDING_AGE_NS)) {
            findings.add(
                    NodeFinding.of(
                            complaint.kind() == ComplaintFlyweight.OTHER_CLUSTER
                                    ? NodeFinding.Kind.STRANGER
                                    : NodeFinding.Kind.MISMATCH,
                            complaint.text()));
        }
        for (final Silence silence : discovery.silences()) {
            findings.add(
                    NodeFinding.of(
                            silence.isPartial()
                                    ? NodeFinding.Kind.HALF_HEARD
                                    : NodeFinding.Kind.NOT_HEARD,
                            silence.text()));
        }
        return findings;
    }
}
