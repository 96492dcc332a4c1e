package io.hxb.node;

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
    private final boolean[] wasUp;

    /**
     * Reports of links that are not up yet.
     *
     * @param ports the node's ports, by link index.
     * @param health the first loop's part in the health of the links.
     * @param counters count the changes.
     * @param log where the changes are reported.
     */
    LinkStateReport(
            final int nodeId,
            final List<Port> ports,
            final HealthLoop health,
            final NodeCounters counters,
            final LinkLog log) {
        this.nodeId = nodeId;
        this.ports = ports;
        this.health = health;
        this.counters = counters;
        this.log = log;
        wasUp = new boolean[ports.size()];
    }

    /** Looks at all links. */
    void look() {
        for (int i = 0; i < wasUp.length; i++) {
            final int index = i;
            Housekeeping.alone(() -> look(index));
        }
    }

    private void look(final int index) {
        final boolean isUp = ports.get(index).link().isUp();
        if (isUp != wasUp[index]) {
            wasUp[index] = isUp;
            health.note();
            counters.onStateChanged(index);
            report(ports.get(index), isUp);
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
