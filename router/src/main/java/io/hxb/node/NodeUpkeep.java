package io.hxb.node;

import io.hxb.context.ContextManager;
import io.hxb.counter.Counters;
import io.hxb.counter.NodeFinding;
import io.hxb.frame.ComplaintFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.link.Link;
import io.hxb.link.LinkSender;
import io.hxb.link.raw.LinkMonitor;
import io.hxb.node.loop.DescriptorHandle;
import io.hxb.node.loop.LoopDriver;
import io.hxb.node.loop.LoopTask;
import io.hxb.trunk.Port;
import io.hxb.trunk.discovery.Complaint;
import io.hxb.trunk.discovery.Complaints;
import io.hxb.trunk.discovery.Discovery;
import io.hxb.trunk.discovery.Silence;
import io.netty.channel.IoRegistration;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What a node does a few times a second: hello frames, looking after its NICs, heartbeat and
 * findings. Owned by the node's first loop.
 */
final class NodeUpkeep {
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
    private final LinkSender[] senders;
    private final BufferPool.Share share;
    private final LinkNews news;
    private final NodeCounters nodeCounters;
    private final boolean[] wasUp;
    private LinkMonitor monitor;
    private IoRegistration registration;
    private Consumer<Link> relink = link -> {};
    private boolean isRefreshDue = true;
    private boolean isLinkChanged;
    private long refreshNs;
    private long heartbeatNs;

    NodeUpkeep(final NodeParts parts, final LinkSender[] senders, final BufferPool.Share share) {
        this.parts = parts;
        this.senders = senders;
        this.share = share;
        discovery = parts.discovery();
        complaints = parts.complaints();
        counters = parts.counters();
        ports = parts.ports();
        news =
                new LinkNews(
                        parts.config().shape(),
                        parts.here(),
                        ports,
                        parts.epochClock(),
                        LOGGER,
                        LINK_LOG);
        discovery.health().events().add(news);
        nodeCounters = new NodeCounters(parts, news);
        wasUp = new boolean[ports.size()];
    }

    /** Counts contexts, too; before it starts. */
    void contexts(final ContextManager contexts) {
        nodeCounters.contexts(contexts);
        news.applications(contexts.linkEvents(), contexts::onLinkEvents);
    }

    /**
     * Waits for events of the NICs from now on.
     *
     * @param onRelink told of links whose descriptors have changed.
     */
    void start(final LoopDriver driver, final Consumer<Link> onRelink) {
        relink = onRelink;
        news.onWaiting(driver::wakeUp);
        monitor = parts.linkMonitor();
        if (monitor != null) {
            registration =
                    driver.register(
                            new DescriptorHandle(monitor.descriptor(), parts.errorHandler()) {
                                @Override
                                protected void onReady(
                                        final boolean isReadable, final boolean isWritable) {
                                    isRefreshDue |= monitor.poll();
                                }
                            });
        }
    }

    void doWork(final long nowNs) {
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
        discovery.doWork(nowNs, senders, parts.pool(), share);
    }

    /** Leaves the last values behind, for those who look at a node that has stopped. */
    void stop() {
        if (registration != null) {
            registration.cancel();
        }
        nodeCounters.readKernelDrops();
        nodeCounters.copy();
        LINK_LOG.flush(LOGGER);
    }

    long nextDeadlineNs() {
        return LoopTask.earlier(discovery.nextDeadlineNs(), heartbeatNs);
    }

    /** True if there is something to tell at once. */
    boolean hasNews() {
        return news.isWaiting();
    }

    /** True once after a link went up or down. */
    boolean takeLinkChange() {
        final boolean isChange = isLinkChanged;
        isLinkChanged = false;
        return isChange;
    }

    private void refresh() {
        refreshLinks();
        if (parts.kernelRelay() != null) {
            parts.kernelRelay().refresh();
        }
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
                isLinkChanged = true;
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
