package io.hxb.tool.graph;

import io.hxb.config.Quantity;
import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;

import java.util.Map;
import java.util.Set;

/**
 * Graphviz DOT, read and written. Nodes are switches, those with {@code type=host} hosts; an edge
 * has {@code tailport} and {@code headport} (names of ports) and {@code rate} when they are known.
 * Stateless.
 */
public final class DotGraph {
    private DotGraph() {}

    /**
     * Reads a graph.
     *
     * @param file its name in messages.
     * @param hostsPerSwitch hosts on each switch when no node is a host.
     * @param hostNames nodes that are hosts, too.
     * @throws GraphException with what is wrong.
     */
    public static SwitchGraph parse(
            final String file,
            final String text,
            final int hostsPerSwitch,
            final Set<String> hostNames) {
        final DotReader reader = DotReader.read(file, text);
        try {
            return build(reader, hostsPerSwitch, hostNames);
        } catch (final IllegalArgumentException e) {
            throw new GraphException(
                    e.getMessage().lines().map(line -> file + ": " + line).toList());
        }
    }

    private static boolean isHost(final Map<String, String> attributes) {
        return "host".equalsIgnoreCase(attributes.get("type"))
                || "host".equalsIgnoreCase(attributes.get("function"));
    }

    private static SwitchGraph build(
            final DotReader reader, final int hostsPerSwitch, final Set<String> hostNames) {
        final NodeCables cables = new NodeCables();
        reader.nodes()
                .forEach(
                        (name, attributes) ->
                                cables.addSystem(
                                        name, isHost(attributes) || hostNames.contains(name)));
        final NodeEdges edges = new NodeEdges(reader.isDirected());
        for (final DotReader.Edge edge : reader.edges()) {
            final String rate = edge.attributes().get("rate");
            edges.add(
                    end(reader, edge.from(), edge.attributes().get("tailport")),
                    end(reader, edge.to(), edge.attributes().get("headport")),
                    rate == null ? 0 : Quantity.parseRateBps(rate));
        }
        edges.addTo(cables);
        return cables.build(hostsPerSwitch);
    }

    private static NodeCables.End end(
            final DotReader reader, final String node, final String port) {
        final String mac = reader.nodes().get(node).get("mac");
        return new NodeCables.End(node, port, mac == null ? 0 : CablingYaml.parseMac(mac), null);
    }

    /**
     * Writes a graph.
     *
     * @param loads of channels for labels, {@code [channels]}, or null.
     */
    public static String format(final SwitchGraph graph, final double[] loads) {
        final StringBuilder text = new StringBuilder("graph fabric {\n  node [shape=box];\n");
        for (int node = 0; node < graph.switchCount(); node++) {
            text.append("  ").append(quote(graph.switchName(node))).append(";\n");
        }
        for (int channel = 0; channel < graph.channelCount(); channel += 2) {
            text.append("  ").append(quote(graph.switchName(graph.source(channel))));
            text.append(" -- ").append(quote(graph.switchName(graph.target(channel))));
            text.append(" [tailport=").append(quote(graph.sourcePort(channel)));
            text.append(", headport=").append(quote(graph.targetPort(channel)));
            addRate(text, graph.linkRateBps(channel / 2));
            if (loads != null) {
                final String label =
                        LinkLoads.text(loads[channel]) + " / " + LinkLoads.text(loads[channel + 1]);
                text.append(", label=").append(quote(label));
                final double most = Math.max(loads[channel], loads[channel + 1]);
                text.append(", color=").append(quote(LinkLoads.colour(most, LinkLoads.max(loads))));
            }
            text.append("];\n");
        }
        for (int host = 0; host < graph.hostCount(); host++) {
            text.append("  ")
                    .append(quote(graph.hostName(host)))
                    .append(" [type=host, shape=ellipse");
            if (graph.hostMac(host) != 0) {
                text.append(", mac=").append(quote(mac(graph.hostMac(host))));
            }
            text.append("];\n  ").append(quote(graph.switchName(graph.hostSwitch(host))));
            text.append(" -- ").append(quote(graph.hostName(host)));
            text.append(" [tailport=").append(quote(graph.hostPort(host)));
            addRate(text, graph.hostRateBps(host));
            text.append("];\n");
        }
        return text.append("}\n").toString();
    }

    private static void addRate(final StringBuilder text, final long rateBps) {
        if (rateBps > 0) {
            text.append(", rate=").append(quote(Quantity.formatRate(rateBps)));
        }
    }

    private static String quote(final String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /** {@code 02:00:00:00:00:01}. */
    static String mac(final long mac) {
        final StringBuilder text = new StringBuilder();
        for (int shift = 40; shift >= 0; shift -= 8) {
            text.append(shift == 40 ? "" : ":").append(String.format("%02x", mac >> shift & 0xFF));
        }
        return text.toString();
    }
}
