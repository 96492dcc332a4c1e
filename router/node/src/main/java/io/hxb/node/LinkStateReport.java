package io.hxb.node;

import io.hxb.recorder.RecordedEvent;
import io.hxb.recorder.RecorderRing;
import io.hxb.trunk.Port;
import io.hxb.trunk.health.HealthLoop;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;

/**
 * Reports the links of a node that have gone up or down. Each loop makes its own links follow their
 * NICs; here the consequences for the node are reported. Owned by the node's first loop.
 */
final class LinkStateReport {
    private static final Logger LOGGER = LoggerFactory.getLogger(NodeHousekeeping.class);

    private final int nodeId;
    private final List<Port> ports;
    private final HealthLoop health;
    private final NodeCounters counters;
    private final LinkLog log;
    private final RecorderRing events;
    private final boolean[] wasUp;
    private final int[] mtuBytes;

    /**
     * Reports of links that are not up yet.
     *
     * @param ports the node's ports, by link index.
     * @param health the first loop's part in the health of the links.
     * @param counters count the changes.
     * @param log where the changes are reported.
     * @param events of the node's first loop.
     */
    LinkStateReport(
            final int nodeId,
            final List<Port> ports,
            final HealthLoop health,
            final NodeCounters counters,
            final LinkLog log,
            final RecorderRing events) {
        this.events = events;
        mtuBytes = new int[ports.size()];
        this.nodeId = nodeId;
        this.ports = ports;
        this.health = health;
        this.counters = counters;
        this.log = log;
        wasUp = new boolean[ports.size()];
    }

    /** Looks at all links. */
    void look(final long nowNs) {
        for (int i = 0; i < wasUp.length; i++) {
            final int index = i;
            Housekeeping.alone(() -> look(index, nowNs));
        }
    }

    private void look(final int index, final long nowNs) {
        final boolean isUp = ports.get(index).link().isUp();
        record(ports.get(index), index, isUp, nowNs);
        if (isUp != wasUp[index]) {
            wasUp[index] = isUp;
            health.note();
            counters.onStateChanged(index);
            report(ports.get(index), isUp);
        }
    }

    private void record(final Port port, final int index, final boolean isUp, final long nowNs) {
        final long link = RecordedEvent.link(port.dimension(), port.number());
        final int before = mtuBytes[index];
        mtuBytes[index] = isUp ? port.link().mtuBytes() : before;
        if (isUp != wasUp[index] && isUp) {
            events.record(RecordedEvent.LINK_UP, nowNs, link, mtuBytes[index]);
        } else if (isUp != wasUp[index]) {
            events.record(RecordedEvent.LINK_DOWN, nowNs, link);
        } else if (mtuBytes[index] != before) {
            events.record(RecordedEvent.LINK_MTU_CHANGED, nowNs, link, mtuBytes[index], before);
        }
    }

    private void report(final Port port, final boolean isUp) {
        final String line =
                String.format(
                        "link %s %s (%s) of node %d",
                        isUp ? "up" : "down", port.label(), port.link().name(), nodeId);
        if (isUp) {
            log.recovered(LOGGER, line);
        } else {
            log.failed(LOGGER, line);
        }
    }
}
