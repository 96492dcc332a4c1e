package io.hxb.tool.graph;

import io.hxb.config.Quantity;
import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * Reads GraphML: nodes are switches, those whose attribute {@code type} or {@code function} is
 * {@code host} are hosts; an edge may have {@code sourceport}, {@code targetport} and the attribute
 * {@code rate}. Nodes are called by their ids. Used by one thread. Source: GraphML Primer,
 * graphml.graphdrawing.org.
 */
final class GraphMl {
    private static final int MAX_NODES = DotReader.MAX_NODES;
    private static final int MAX_EDGES = DotReader.MAX_EDGES;
    private static final int MAX_TEXT_LENGTH = 1 << 16;

    private final String file;
    private final XMLStreamReader xml;

    /** Names of attributes by the ids of their keys. */
    private final Map<String, String> keys = new HashMap<>();

    private final Map<String, Map<String, String>> nodes = new LinkedHashMap<>();
    private final List<Edge> edges = new ArrayList<>();
    private boolean isDirected;
    private boolean hasGraph;

    /** Attributes of the node or edge that is being read. */
    private Map<String, String> attributes = new HashMap<>();

    private record Edge(String from, String to, int line, Map<String, String> attributes) {}

    private GraphMl(final String file, final XMLStreamReader xml) {
        this.file = file;
        this.xml = xml;
    }

    /**
     * Reads a graph.
     *
     * @param hostsPerSwitch hosts on each switch when no node is a host.
     * @param hostNames nodes that are hosts, too.
     * @throws GraphException {@code file:line: what is wrong}.
     */
    static SwitchGraph parse(
            final String file,
            final String text,
            final int hostsPerSwitch,
            final Set<String> hostNames) {
        final XMLInputFactory factory = XMLInputFactory.newFactory();
        // Neither entities that grow nor files of others.
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_COALESCING, true);
        try {
            final GraphMl reader =
                    new GraphMl(file, factory.createXMLStreamReader(new StringReader(text)));
            reader.read();
            return reader.build(hostsPerSwitch, hostNames);
        } catch (final XMLStreamException e) {
            final int line = e.getLocation() == null ? 1 : e.getLocation().getLineNumber();
            throw new GraphException(file + ":" + Math.max(1, line) + ": is not XML: " + reason(e));
        }
    }

    /** The parser's message without its own place. */
    private static String reason(final XMLStreamException e) {
        final String message = String.valueOf(e.getMessage());
        final int at = message.indexOf("Message: ");
        return (at < 0 ? message : message.substring(at + "Message: ".length()))
                .lines()
                .findFirst()
                .orElse("");
    }

    private GraphException problem(final String what) {
        return new GraphException(
                file + ":" + Math.max(1, xml.getLocation().getLineNumber()) + ": " + what);
    }

    private void read() throws XMLStreamException {
        while (xml.hasNext()) {
            if (xml.next() == XMLStreamConstants.START_ELEMENT) {
                readElement(xml.getLocalName());
            }
        }
        if (!hasGraph) {
            throw problem("has no <graph>: this is another kind of file than GraphML");
        }
    }

    private void readElement(final String name) throws XMLStreamException {
        switch (name) {
            case "key" -> {
                final String called = xml.getAttributeValue(null, "attr.name");
                keys.put(required("id"), called == null ? "" : called);
            }
            case "graph" -> {
                isDirected |= "directed".equals(xml.getAttributeValue(null, "edgedefault"));
                hasGraph = true;
            }
            case "node" -> {
                attributes = new HashMap<>();
                if (nodes.putIfAbsent(required("id"), attributes) != null) {
                    throw problem("node '" + required("id") + "' is there twice; rename one");
                }
                requireAtMost(nodes.size(), MAX_NODES, "nodes");
            }
            case "edge" -> readEdge();
            case "data" -> {
                final String key = keys.getOrDefault(required("key"), "");
                if (key.matches("type|function|mac|rate|sourceport|targetport")) {
                    attributes.put(key, text());
                }
            }
            case "hyperedge" ->
                    throw problem("a hyperedge joins more than two nodes; add a switch instead");
            default -> {
                // Ports, descriptions and what drawing programs add.
            }
        }
    }

    private void readEdge() {
        attributes = new HashMap<>();
        for (final String port : List.of("sourceport", "targetport")) {
            if (xml.getAttributeValue(null, port) != null) {
                attributes.put(port, xml.getAttributeValue(null, port));
            }
        }
        edges.add(
                new Edge(
                        required("source"),
                        required("target"),
                        xml.getLocation().getLineNumber(),
                        attributes));
        requireAtMost(edges.size(), MAX_EDGES, "edges");
    }

    private void requireAtMost(final int count, final int max, final String what) {
        if (count > max) {
            throw problem("a graph has at most " + max + " " + what + "; make it smaller");
        }
    }

    private String required(final String attribute) {
        final String value = xml.getAttributeValue(null, attribute);
        if (value == null) {
            throw problem("<" + xml.getLocalName() + "> has no " + attribute + "; add it");
        }
        return value;
    }

    private String text() throws XMLStreamException {
        final String text = xml.getElementText().strip();
        if (text.length() > MAX_TEXT_LENGTH) {
            throw problem("an attribute has more than " + MAX_TEXT_LENGTH + " characters");
        }
        return text;
    }

    private SwitchGraph build(final int hostsPerSwitch, final Set<String> hostNames) {
        final NodeCables cables = new NodeCables();
        final Set<String> hosts = new HashSet<>(hostNames);
        nodes.forEach(
                (name, of) -> {
                    final boolean isHost =
                            "host".equalsIgnoreCase(of.get("type"))
                                    || "host".equalsIgnoreCase(of.get("function"))
                                    || hosts.contains(name);
                    cables.addSystem(name, isHost);
                });
        final NodeEdges ends = new NodeEdges(isDirected);
        for (final Edge edge : edges) {
            try {
                final String rate = edge.attributes.get("rate");
                ends.add(
                        end(edge.from, edge.attributes.get("sourceport")),
                        end(edge.to, edge.attributes.get("targetport")),
                        rate == null ? 0 : Quantity.parseRateBps(rate));
            } catch (final IllegalArgumentException e) {
                throw new GraphException(file + ":" + edge.line + ": " + e.getMessage());
            }
        }
        ends.addTo(cables);
        try {
            return cables.build(hostsPerSwitch);
        } catch (final GraphException e) {
            throw new GraphException(
                    e.getMessage().lines().map(line -> file + ": " + line).toList());
        }
    }

    private NodeCables.End end(final String node, final String port) {
        final Map<String, String> of = nodes.get(node);
        if (of == null) {
            throw new IllegalArgumentException(
                    "an edge ends at '" + node + "', which is no node; add the node or correct it");
        }
        final String mac = of.get("mac");
        return new NodeCables.End(node, port, mac == null ? 0 : CablingYaml.parseMac(mac), null);
    }
}
