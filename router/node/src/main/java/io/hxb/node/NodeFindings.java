package io.hxb.node;

import io.hxb.counter.NodeFinding;
import io.hxb.frame.MisconfigurationFlyweight;
import io.hxb.trunk.Port;
import io.hxb.trunk.discovery.Discovery;
import io.hxb.trunk.discovery.MisconfigurationLog;
import io.hxb.trunk.discovery.MisconfigurationReport;
import io.hxb.trunk.discovery.MissingNeighbours;

import java.util.ArrayList;
import java.util.List;

/**
 * What is wrong with the links of a node and with those who are connected to them. Owned by the
 * node's first loop.
 */
final class NodeFindings {
    private static final long FINDING_AGE_NS = 10_000_000_000L;

    private final List<Port> ports;
    private final Discovery discovery;
    private final MisconfigurationLog misconfigurationLog;

    /**
     * Findings of one node.
     *
     * @param ports the node's ports, by link index.
     * @param discovery knows who is heard.
     * @param misconfigurationLog what neighbours and strangers report.
     */
    NodeFindings(
            final List<Port> ports,
            final Discovery discovery,
            final MisconfigurationLog misconfigurationLog) {
        this.ports = ports;
        this.discovery = discovery;
        this.misconfigurationLog = misconfigurationLog;
    }

    /** What is wrong now, what strangers cause last. */
    List<NodeFinding> list(final long nowNs) {
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
                                    ? NodeFinding.Kind.FOREIGN_TRAFFIC
                                    : NodeFinding.Kind.MISMATCH,
                            misconfigurationReport.text()));
        }
        return findings;
    }
}
