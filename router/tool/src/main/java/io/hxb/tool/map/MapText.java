package io.hxb.tool.map;

import io.hxb.linkstate.NodeGraph;
import io.hxb.linkstate.PublishedMap;
import io.hxb.log.Printable;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A map as people read it: a line for each node. Stateless. */
final class MapText {
    private static final int MAX_NAME = 40;

    private MapText() {}

    /** The lines, without what is wrong. */
    static String of(final CableMap map) {
        final StringBuilder text = new StringBuilder();
        text.append("cluster ")
                .append(map.cluster())
                .append(", map of node ")
                .append(map.here())
                .append(" (")
                .append(map.state())
                .append("), ")
                .append(Sentences.seconds(map.ageMs()))
                .append(" old: ")
                .append(map.map().nodes().size())
                .append(" of at most ")
                .append(Sentences.counted(map.map().maxNodes(), "node"))
                .append(", ")
                .append(Sentences.counted(map.cables(), "cable"))
                .append("\n\n");
        final List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("node", "host", "told", "cables to", "NICs here"));
        for (final PublishedMap.KnownNode node : map.map().nodes()) {
            rows.add(
                    List.of(
                            Integer.toString(node.number()),
                            host(node),
                            Sentences.seconds(node.ageMs() + map.ageMs()) + " ago",
                            cables(map, node),
                            nics(map, node.number())));
        }
        return text.append(table(rows)).toString();
    }

    /** The host name that a node reports. */
    static String host(final PublishedMap.KnownNode node) {
        final String name = node.node().hostName();
        return name.isEmpty() ? "-" : Printable.of(name, MAX_NAME);
    }

    private static String cables(final CableMap map, final PublishedMap.KnownNode node) {
        if (node.node().isStopped()) {
            return "stopped";
        }
        final String cables =
                map.edges(node.number()).stream()
                        .map(edge -> cable(map, node.number(), edge))
                        .collect(Collectors.joining(", "));
        final String all = cables.isEmpty() ? "nobody" : cables;
        return node.isReached() ? all : all + " (not reached)";
    }

    private static String cable(final CableMap map, final int node, final NodeGraph.Edge edge) {
        final List<String> words = new ArrayList<>();
        if (edge.links() > 1) {
            words.add(Sentences.counted(edge.links(), "cable"));
        }
        // A NIC without a known rate counts as 1 Mbit/s.
        if (edge.capacityMbps() > edge.links()) {
            words.add(Sentences.rate(edge.capacityMbps()));
        }
        final boolean isOneMtu =
                map.map().edges().stream().mapToInt(NodeGraph.Edge::mtuBytes).distinct().count()
                        == 1;
        if (!isOneMtu) {
            words.add("MTU " + edge.mtuBytes());
        }
        final int partner = edge.one() == node ? edge.other() : edge.one();
        return partner + (words.isEmpty() ? "" : " (" + String.join(", ", words) + ")");
    }

    private static String nics(final CableMap map, final int node) {
        return map.nics().getOrDefault(node, List.of()).stream()
                .map(LocalNic::text)
                .collect(Collectors.joining(", "));
    }

    private static String table(final List<List<String>> rows) {
        final StringBuilder text = new StringBuilder();
        for (final List<String> row : rows) {
            final StringBuilder line = new StringBuilder();
            for (int column = 0; column < row.size(); column++) {
                line.append(row.get(column))
                        .append(" ".repeat(width(rows, column) - row.get(column).length() + 2));
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }

    private static int width(final List<List<String>> rows, final int column) {
        return rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0);
    }
}
