package io.hxb.tool.graph;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraphBuilder;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Reads Graphviz DOT: nodes and edges with their attributes, subgraphs as sets of nodes. Takes time
 * in proportion to the text and to the edges that it stands for; nesting, attributes and edges have
 * limits. Used by one thread. Source: graphviz.org, DOT Language.
 */
final class DotReader {
    /** Subgraphs within one another. */
    static final int MAX_DEPTH = 32;

    /** Attributes of one node, edge or default. */
    static final int MAX_ATTRIBUTES = 64;

    /** Edges, those of products of subgraphs included. */
    static final int MAX_EDGES = SwitchGraphBuilder.MAX_LINKS + SwitchGraphBuilder.MAX_HOSTS;

    /** Nodes. */
    static final int MAX_NODES = SwitchGraphBuilder.MAX_SWITCHES + SwitchGraphBuilder.MAX_HOSTS;

    private final DotWords words;
    private final Map<String, Map<String, String>> nodes = new LinkedHashMap<>();
    private final List<Edge> edges = new ArrayList<>();

    /** The only edge between two nodes of a strict graph. */
    private final Map<List<String>, Edge> onlyEdges = new HashMap<>();

    private boolean isStrict;
    private boolean isDirected;

    /**
     * An edge between two nodes. Immutable.
     *
     * @param attributes must not be changed.
     */
    record Edge(String from, String to, Map<String, String> attributes) {}

    /** The ends of an edge on one side: one node with or without a port, or those of a subgraph. */
    private record End(Collection<String> nodes, String port) {}

    /** Defaults of nodes and edges; copied by each subgraph. */
    private record Defaults(Map<String, String> node, Map<String, String> edge) {
        Defaults copy() {
            return new Defaults(new LinkedHashMap<>(node), new LinkedHashMap<>(edge));
        }
    }

    private DotReader(final DotWords words) {
        this.words = words;
    }

    /**
     * Reads a graph.
     *
     * @param file its name in messages.
     * @throws GraphException {@code file:line: what is wrong}.
     */
    static DotReader read(final String file, final String text) {
        final DotReader reader = new DotReader(new DotWords(file, text));
        reader.readGraph();
        return reader;
    }

    /** Attributes of each node by its name, in the order of the text. */
    Map<String, Map<String, String>> nodes() {
        return nodes;
    }

    /** The edges in the order of the text. */
    List<Edge> edges() {
        return edges;
    }

    /** Whether an edge is an arc from one node to the other. */
    boolean isDirected() {
        return isDirected;
    }

    private void readGraph() {
        isStrict = words.skip("strict");
        isDirected = words.is("digraph");
        if (!words.skip("graph") && !words.skip("digraph")) {
            throw words.expected("'graph' or 'digraph'");
        }
        if (!words.is("{")) {
            words.name();
        }
        words.take("{");
        readStatements(new Defaults(Map.of(), Map.of()).copy(), new LinkedHashSet<>(), 1);
        if (!words.isAtEnd()) {
            throw words.expected("nothing after the graph");
        }
    }

    // Until the brace that closes the graph or subgraph; adds its nodes to those of it.
    private void readStatements(
            final Defaults defaults, final Set<String> members, final int depth) {
        if (depth > MAX_DEPTH) {
            throw words.problem(
                    "subgraphs are nested more than " + MAX_DEPTH + " deep; nest fewer");
        }
        while (!words.skip("}")) {
            if (!words.skip(";")) {
                readStatement(defaults, members, depth);
            }
        }
    }

    private void readStatement(
            final Defaults defaults, final Set<String> members, final int depth) {
        if (words.skip("graph")) {
            readAttributes(new LinkedHashMap<>());
        } else if (words.skip("node")) {
            readAttributes(defaults.node);
        } else if (words.skip("edge")) {
            readAttributes(defaults.edge);
        } else if (words.is("{") || words.is("subgraph")) {
            readEdges(readSubgraph(defaults, members, depth), defaults, members, depth);
        } else {
            final String name = words.name();
            if (words.skip("=")) {
                words.name();
            } else {
                readNodeOrEdges(name, defaults, members, depth);
            }
        }
    }

    private void readNodeOrEdges(
            final String name,
            final Defaults defaults,
            final Set<String> members,
            final int depth) {
        final End first = readNode(name, defaults, members);
        if (words.isEdge()) {
            readEdges(first, defaults, members, depth);
        } else {
            readAttributes(nodes.get(name));
        }
    }

    private End readNode(final String name, final Defaults defaults, final Set<String> members) {
        if (!nodes.containsKey(name)) {
            requireAtMost(nodes.size() + 1L, MAX_NODES, "nodes");
            nodes.put(name, new LinkedHashMap<>(defaults.node));
        }
        members.add(name);
        String port = null;
        if (words.skip(":")) {
            port = words.name();
            if (words.skip(":")) {
                words.name();
            }
        }
        return new End(List.of(name), port);
    }

    private End readSubgraph(final Defaults defaults, final Set<String> members, final int depth) {
        if (words.skip("subgraph") && !words.is("{")) {
            words.name();
        }
        words.take("{");
        final Set<String> inner = new LinkedHashSet<>();
        readStatements(defaults.copy(), inner, depth + 1);
        members.addAll(inner);
        return new End(inner, null);
    }

    private void readEdges(
            final End first, final Defaults defaults, final Set<String> members, final int depth) {
        final List<End> ends = new ArrayList<>();
        ends.add(first);
        while (words.isEdge()) {
            words.takeEdge();
            ends.add(
                    words.is("{") || words.is("subgraph")
                            ? readSubgraph(defaults, members, depth)
                            : readNode(words.name(), defaults, members));
        }
        final Map<String, String> attributes = new LinkedHashMap<>(defaults.edge);
        readAttributes(attributes);
        for (int i = 1; i < ends.size(); i++) {
            addEdges(ends.get(i - 1), ends.get(i), attributes);
        }
    }

    private void addEdges(final End from, final End to, final Map<String, String> attributes) {
        requireAtMost(
                edges.size() + (long) from.nodes.size() * to.nodes.size(), MAX_EDGES, "edges");
        Map<String, String> all = attributes;
        if (from.port != null || to.port != null) {
            all = new LinkedHashMap<>(attributes);
            putIfAbsent(all, "tailport", from.port);
            putIfAbsent(all, "headport", to.port);
        }
        for (final String tail : from.nodes) {
            for (final String head : to.nodes) {
                addEdge(new Edge(tail, head, all));
            }
        }
    }

    /** In a strict graph, further edges between two nodes change the attributes of the first. */
    private void addEdge(final Edge edge) {
        if (!isStrict) {
            edges.add(edge);
            return;
        }
        final boolean isSorted = isDirected || edge.from.compareTo(edge.to) <= 0;
        final List<String> ends =
                isSorted ? List.of(edge.from, edge.to) : List.of(edge.to, edge.from);
        final Edge first = onlyEdges.get(ends);
        if (first == null) {
            final Edge only = new Edge(edge.from, edge.to, new LinkedHashMap<>(edge.attributes));
            onlyEdges.put(ends, only);
            edges.add(only);
        } else {
            first.attributes.putAll(edge.attributes);
        }
    }

    private static void putIfAbsent(
            final Map<String, String> attributes, final String key, final String value) {
        if (value != null) {
            attributes.putIfAbsent(key, value);
        }
    }

    private void readAttributes(final Map<String, String> into) {
        while (words.skip("[")) {
            while (!words.skip("]")) {
                final String key = words.name();
                into.put(key, words.skip("=") ? words.name() : "true");
                if (into.size() > MAX_ATTRIBUTES) {
                    throw words.problem("there are more than " + MAX_ATTRIBUTES + " attributes");
                }
                if (!words.skip(",")) {
                    words.skip(";");
                }
            }
        }
    }

    private void requireAtMost(final long count, final int max, final String what) {
        if (count > max) {
            throw words.problem(
                    String.format(
                            Locale.ROOT, "a graph has at most %d %s; make it smaller", max, what));
        }
    }
}
