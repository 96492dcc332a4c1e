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
        return spec.cabling().isPresent() ? cables(spec, spec.cabling().get()) : lines(spec);
    }

    private static String lines(final LabSpec spec) {
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
        if (node == first) {
            addBridge(script, spec, bridge);
        }
        addPort(script, spec, bridge, node, dimension, link);
    }

    private static String cables(final LabSpec spec, final LabCabling cabling) {
        final StringBuilder script = new StringBuilder();
        for (final LabCabling.Cable cable : cabling.cables()) {
            final LabCabling.End first = cable.first();
            final LabCabling.End second = cable.second();
            if (spec.wiring() == Wiring.BRIDGE) {
                final String bridge = LabNames.bridge(0, first.link(), first.node());
                addBridge(script, spec, bridge);
                addPort(script, spec, bridge, first.node(), 0, first.link());
                addPort(script, spec, bridge, second.node(), 0, second.link());
            } else {
                script.append("link add ");
                addNic(script, spec, first.node(), 0, first.link()).append(" type veth peer name ");
                addNic(script, spec, second.node(), 0, second.link()).append('\n');
            }
        }
        return script.toString();
    }

    private static void addBridge(
            final StringBuilder script, final LabSpec spec, final String bridge) {
        script.append("link add ").append(bridge).append(" mtu ").append(spec.mtuBytes());
        script.append(" up type bridge stp_state 0 forward_delay 0 mcast_snooping 0\n");
    }

    private static void addPort(
            final StringBuilder script,
            final LabSpec spec,
            final String bridge,
            final int node,
            final int dimension,
            final int link) {
        final String port = LabNames.port(dimension, link, node);
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

    /** In a node's namespace: brings its NICs up. */
    static String nodeLinks(final LabSpec spec, final int node) {
        final StringBuilder script = new StringBuilder("link set lo up\n");
        for (final String nic : LabNames.nics(spec, node)) {
            script.append("link set ").append(nic).append(" up\n");
        }
        return script.toString();
    }

    /** In a node's namespace: shapes what the node sends. Empty without a rate. */
    static String nodeShapers(final LabSpec spec, final int node) {
        final StringBuilder script = new StringBuilder();
        if (spec.rateBps() > 0) {
            for (final String nic : LabNames.nics(spec, node)) {
                addShaper(script, spec, nic);
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
        if (spec.cabling().isPresent() || spec.rateBps() == 0) {
            return "";
        }
        for (int dimension = 0; dimension < spec.shape().dimensions(); dimension++) {
            if (spec.shape().extent(dimension) <= 2) {
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

    /** Where {@link #setCable} has to be done. */
    static String cableNamespace(final LabSpec spec, final LabCabling.Cable cable) {
        return spec.hasPorts()
                ? LabNames.switchNamespace(spec.name())
                : LabNames.namespace(spec.name(), cable.first().node());
    }

    /**
     * Takes the carrier of both NICs of a cable away, or gives it back.
     *
     * @param state up or down.
     */
    static String setCable(final LabSpec spec, final LabCabling.Cable cable, final String state) {
        if (!spec.hasPorts()) {
            return "link set " + LabNames.nic(0, cable.first().link()) + " " + state + "\n";
        }
        final StringBuilder script = new StringBuilder();
        for (final LabCabling.End end : List.of(cable.first(), cable.second())) {
            script.append("link set ").append(LabNames.port(0, end.link(), end.node()));
            script.append(" ").append(state).append('\n');
        }
        return script.toString();
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
