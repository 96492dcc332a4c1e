package io.hxb.tool.lab;

import io.hxb.topology.Shape;

import java.util.List;

/**
 * Plans what {@code ip -batch} and {@code tc -batch} have to do for a raw lab, as text, as pure
 * functions. One line a command; every text runs in one process. Stateless.
 */
final class LabScripts {
    private LabScripts() {}

    /** Makes the namespace of the switches, without IPv6 as the others. */
    static String switchNamespace(final LabSpec spec) {
        final StringBuilder script = new StringBuilder();
        addNamespace(script, LabNames.switchNamespace(spec.name()));
        return script.toString();
    }

    /**
     * Makes the namespaces of the nodes, without IPv6, whose autoconfiguration would send frames of
     * its own.
     */
    static String namespaces(final LabSpec spec) {
        final StringBuilder script = new StringBuilder();
        for (int node = 0; node < spec.shape().nodeCount(); node++) {
            addNamespace(script, LabNames.namespace(spec.name(), node));
        }
        return script.toString();
    }

    private static void addNamespace(final StringBuilder script, final String namespace) {
        final String switchOff = "/proc/sys/net/ipv6/conf/default/disable_ipv6";
        script.append("netns add ").append(namespace).append('\n');
        script.append("netns exec ").append(namespace);
        script.append(" sh -c \"[ ! -e ")
                .append(switchOff)
                .append(" ] || echo 1 >")
                .append(switchOff)
                .append("\"\n");
    }

    /** Writes into the switches' namespace which process the lab belongs to. */
    static String owner(final LabState state) {
        return "link set lo alias " + state.ownerMark() + "\n";
    }

    /**
     * In the switch namespace: makes the bridges and all veth pairs, the far ends in the nodes; or
     * both ends in nodes, without bridges.
     */
    static String switches(final LabSpec spec) {
        final StringBuilder script = new StringBuilder();
        final Shape shape = spec.shape();
        for (int node = 0; node < shape.nodeCount(); node++) {
            for (int dimension = 0; dimension < shape.dimensions(); dimension++) {
                for (int link = 0; link < spec.linkCount(); link++) {
                    if (spec.wiring() == Wiring.BRIDGE) {
                        addPort(script, spec, node, dimension, link);
                    } else {
                        addPair(script, spec, node, dimension, link);
                    }
                }
            }
        }
        return script.toString();
    }

    private static void addPort(
            final StringBuilder script,
            final LabSpec spec,
            final int node,
            final int dimension,
            final int link) {
        final int first = LabNames.firstNodeOfLine(spec.shape(), node, dimension);
        final String bridge = LabNames.bridge(dimension, link, first);
        final String port = LabNames.port(dimension, link, node);
        if (node == first) {
            script.append("link add ").append(bridge).append(" mtu ").append(spec.mtuBytes());
            script.append(" up type bridge stp_state 0 forward_delay 0 mcast_snooping 0\n");
        }
        script.append("link add ").append(port).append(" mtu ").append(spec.mtuBytes());
        script.append(" master ").append(bridge).append(" type veth peer name ");
        addNic(script, spec, node, dimension, link).append('\n');
        script.append("link set ").append(port).append(" up\n");
    }

    private static void addPair(
            final StringBuilder script,
            final LabSpec spec,
            final int node,
            final int dimension,
            final int link) {
        final Shape shape = spec.shape();
        final int first = LabNames.firstNodeOfLine(shape, node, dimension);
        if (node != first) {
            script.append("link add ");
            addNic(script, spec, first, dimension, link).append(" type veth peer name ");
            addNic(script, spec, node, dimension, link).append('\n');
        }
    }

    private static StringBuilder addNic(
            final StringBuilder script,
            final LabSpec spec,
            final int node,
            final int dimension,
            final int link) {
        script.append(LabNames.nic(dimension, link)).append(" mtu ").append(spec.mtuBytes());
        script.append(" address ").append(LabNames.mac(dimension, link, node));
        return script.append(" netns ").append(LabNames.namespace(spec.name(), node));
    }

    /** In each node's namespace: brings its NICs up. The same text for all nodes. */
    static String nodeLinks(final LabSpec spec) {
        final StringBuilder script = new StringBuilder("link set lo up\n");
        for (int dimension = 0; dimension < spec.shape().dimensions(); dimension++) {
            for (int link = 0; link < spec.linkCount(); link++) {
                script.append("link set ").append(LabNames.nic(dimension, link)).append(" up\n");
            }
        }
        return script.toString();
    }

    /** In each node's namespace: shapes what the node sends. Empty without a rate. */
    static String nodeShapers(final LabSpec spec) {
        final StringBuilder script = new StringBuilder();
        if (spec.rateBps() > 0) {
            for (int dimension = 0; dimension < spec.shape().dimensions(); dimension++) {
                for (int link = 0; link < spec.linkCount(); link++) {
                    addShaper(script, spec, LabNames.nic(dimension, link));
                }
            }
        }
        return script.toString();
    }

    /**
     * In the switch namespace: shapes what a port sends to its node, on lines of more than two
     * nodes, where several senders could otherwise fill one receiver's link beyond its rate.
     */
    static String switchShapers(final LabSpec spec) {
        final StringBuilder script = new StringBuilder();
        for (int dimension = 0; dimension < spec.shape().dimensions(); dimension++) {
            if (spec.rateBps() == 0 || spec.shape().extent(dimension) <= 2) {
                continue;
            }
            for (int node = 0; node < spec.shape().nodeCount(); node++) {
                for (int link = 0; link < spec.linkCount(); link++) {
                    addShaper(script, spec, LabNames.port(dimension, link, node));
                }
            }
        }
        return script.toString();
    }

    private static void addShaper(
            final StringBuilder script, final LabSpec spec, final String nic) {
        script.append("qdisc add dev ")
                .append(nic)
                .append(" root ")
                .append(spec.wire().shaper(spec.rateBps(), spec.mtuBytes()))
                .append('\n');
    }

    /** Removes namespaces, and with them all NICs and shapers inside. */
    static String removal(final List<String> namespaces) {
        final StringBuilder script = new StringBuilder();
        for (final String namespace : namespaces) {
            script.append("netns del ").append(namespace).append('\n');
        }
        return script.toString();
    }
}
