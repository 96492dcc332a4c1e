package io.hxb.tool.map;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;
import io.hxb.linkstate.NodeGraph;
import io.hxb.linkstate.PublishedMap;
import io.hxb.tool.graph.DotGraph;
import io.hxb.tool.report.UsageException;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * A map as a graph for {@code hxb plan --graph} and {@code hxb lab up --graph}: a switch for each
 * node that is reached, a link for each cable. Stateless.
 */
final class MapExport {
    private static final long BPS_PER_MBPS = 1_000_000;

    private MapExport() {}

    /**
     * Checks that a file of that name is read back as what is written.
     *
     * @throws UsageException if its ending stands for something else.
     */
    static void check(final Path file) {
        if (ending(file).matches("yaml|yml|json|graphml")) {
            throw new UsageException(
                    "--export "
                            + file
                            + ": this ending stands for another kind of file; .dot and .gv are"
                            + " Graphviz, others, such as .edges, a list of edges");
        }
    }

    private static String ending(final Path file) {
        final String name = file.toString();
        return name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
    }

    /** The text of a file. */
    static String text(final CableMap map, final Path file) {
        return ending(file).matches("dot|gv") ? DotGraph.format(graph(map), null) : edges(map);
    }

    private static SwitchGraph graph(final CableMap map) {
        final SwitchGraphBuilder builder = new SwitchGraphBuilder();
        for (final PublishedMap.KnownNode node : map.reached()) {
            builder.addSwitch(name(node.number()));
        }
        for (final NodeGraph.Edge edge : edgesReached(map)) {
            for (int i = 0; i < edge.links(); i++) {
                builder.addLink(
                        builder.findSwitch(name(edge.one())),
                        null,
                        builder.findSwitch(name(edge.other())),
                        null,
                        ofOne(edge) * BPS_PER_MBPS);
            }
        }
        return builder.build();
    }

    // By number, or by name if numbers are missing: each number up to the last is a switch.
    private static String edges(final CableMap map) {
        final List<PublishedMap.KnownNode> nodes = map.reached();
        final boolean isByNumber =
                nodes.size() == 1 || nodes.getLast().number() == nodes.size() - 1;
        final StringBuilder text =
                new StringBuilder("# cables of cluster ")
                        .append(map.cluster())
                        .append(": two nodes, Mbit/s\n# switches ")
                        .append(nodes.size())
                        .append('\n');
        for (final NodeGraph.Edge edge : edgesReached(map)) {
            final String one = isByNumber ? Integer.toString(edge.one()) : name(edge.one());
            final String other = isByNumber ? Integer.toString(edge.other()) : name(edge.other());
            final String line = one + ' ' + other + ' ' + ofOne(edge) + '\n';
            text.append(line.repeat(edge.links()));
        }
        return text.toString();
    }

    private static String name(final int node) {
        return "node" + node;
    }

    private static long ofOne(final NodeGraph.Edge edge) {
        return Math.max(1, edge.capacityMbps() / edge.links());
    }

    private static List<NodeGraph.Edge> edgesReached(final CableMap map) {
        final List<Integer> reached =
                map.reached().stream().map(PublishedMap.KnownNode::number).toList();
        return map.map().edges().stream().filter(edge -> reached.contains(edge.one())).toList();
    }
}
