package io.hxb.tool.map;

import io.hxb.linkstate.NodeGraph;
import io.hxb.linkstate.PublishedMap;
import io.hxb.observe.live.NodeState;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** What is wrong with the cables of a map, a sentence each. Stateless. */
final class MapFindings {
    /** Sentences about nodes that are the only way between others; further ones are counted. */
    static final int MAX_CUT_NODES = 8;

    private MapFindings() {}

    /**
     * Finds them.
     *
     * @param graph of the map.
     */
    static List<String> of(final CableMap map, final CableGraph graph) {
        // Two nodes of this machine may report the same.
        final Set<String> sentences = new LinkedHashSet<>();
        if (map.state() != NodeState.RUNNING) {
            sentences.add(
                    "node "
                            + map.here()
                            + " is "
                            + map.state()
                            + ": this is how its map was "
                            + Sentences.seconds(map.ageMs())
                            + " ago");
        }
        if (map.state() == NodeState.STOPPED) {
            // Its last record takes back its cables.
            return List.copyOf(sentences);
        }
        if (map.state() == NodeState.RUNNING) {
            map.nics().forEach((node, nics) -> addNics(sentences, map, node, nics));
        }
        addUnreached(sentences, map);
        addCutNodes(sentences, graph);
        addOnlyCable(sentences, graph);
        return List.copyOf(sentences);
    }

    private static void addNics(
            final Set<String> sentences,
            final CableMap map,
            final int node,
            final List<LocalNic> nics) {
        final SortedMap<Integer, List<LocalNic>> byPartner = new TreeMap<>();
        for (final LocalNic nic : nics) {
            final String name = nic.name() + " of node " + node;
            if (nic.isDown()) {
                sentences.add(
                        name
                                + " is down or has no carrier: plug in its cable, or ip link set "
                                + nic.name()
                                + " up");
            } else if (nic.partners().isEmpty()) {
                sentences.add(
                        name
                                + " hears no other node: plug its cable into a NIC of another node,"
                                + " and start the node there");
            } else if (nic.partners().size() > 1) {
                sentences.add(
                        name
                                + " hears "
                                + Sentences.nodes(nic.partners())
                                + ": a switch or bridge joins them, and they share what the NIC"
                                + " carries");
            } else {
                byPartner
                        .computeIfAbsent(nic.partners().getFirst(), key -> new ArrayList<>())
                        .add(nic);
            }
        }
        byPartner.forEach((partner, list) -> addMtus(sentences, map, node, partner, list));
    }

    private static void addMtus(
            final Set<String> sentences,
            final CableMap map,
            final int node,
            final int partner,
            final List<LocalNic> nics) {
        final NavigableSet<Integer> mtus = new TreeSet<>();
        nics.forEach(nic -> mtus.add(nic.link().mtuBytes()));
        if (mtus.size() > 1) {
            sentences.add(
                    "the "
                            + Sentences.count(nics.size())
                            + " cables between "
                            + Math.min(node, partner)
                            + " and "
                            + Math.max(node, partner)
                            + " have different MTUs ("
                            + String.join(", ", mtus.stream().map(String::valueOf).toList())
                            + "): give the NICs at their ends the same one");
        } else if (nics.size() == 1) {
            edge(map, node, partner)
                    .filter(edge -> edge.mtuBytes() < mtus.first())
                    .ifPresent(
                            edge ->
                                    sentences.add(
                                            "the cable between "
                                                    + node
                                                    + " and "
                                                    + partner
                                                    + " has an MTU of "
                                                    + mtus.first()
                                                    + " at node "
                                                    + node
                                                    + " and of "
                                                    + edge.mtuBytes()
                                                    + " at node "
                                                    + partner
                                                    + ": give both NICs the same one"));
        }
    }

    private static Optional<NodeGraph.Edge> edge(
            final CableMap map, final int node, final int partner) {
        return map.edges(node).stream()
                .filter(edge -> edge.links() == 1)
                .filter(edge -> edge.one() == partner || edge.other() == partner)
                .findFirst();
    }

    private static void addUnreached(final Set<String> sentences, final CableMap map) {
        for (final PublishedMap.KnownNode node : map.running()) {
            if (!node.isReached()) {
                sentences.add(
                        "node "
                                + node.number()
                                + " is known, but has not been reached for "
                                + Sentences.seconds(map.unreachedMs(node))
                                + ": look after the node and its cables");
            }
        }
    }

    private static void addCutNodes(final Set<String> sentences, final CableGraph graph) {
        final List<Integer> cutNodes = graph.cutNodes();
        cutNodes.stream().limit(MAX_CUT_NODES).forEach(node -> sentences.add(cutNode(graph, node)));
        final int rest = cutNodes.size() - MAX_CUT_NODES;
        if (rest > 0) {
            sentences.add(
                    Sentences.nodes(cutNodes.subList(MAX_CUT_NODES, cutNodes.size()))
                            + (rest == 1 ? " is" : " are")
                            + " the only way between others, too");
        }
    }

    private static String cutNode(final CableGraph graph, final int node) {
        final List<NavigableSet<Integer>> parts = graph.partsWithout(node);
        final boolean isAllSingle = parts.stream().allMatch(part -> part.size() == 1);
        final StringBuilder text = new StringBuilder();
        if (isAllSingle) {
            final NavigableSet<Integer> all = new TreeSet<>();
            parts.forEach(all::addAll);
            text.append(Sentences.nodes(all));
            text.append(all.size() == 2 ? " reach each other" : " reach one another");
        } else {
            // The largest part is the network, and the others depend on this node.
            final NavigableSet<Integer> largest = largest(parts);
            final NavigableSet<Integer> others = new TreeSet<>();
            parts.stream().filter(part -> !part.equals(largest)).forEach(others::addAll);
            text.append(Sentences.nodes(others))
                    .append(others.size() == 1 ? " reaches " : " reach ")
                    .append(Sentences.nodes(largest));
        }
        text.append(" through node ").append(node).append(" only");
        example(graph, parts)
                .ifPresent(
                        example ->
                                text.append(": one more cable, for example ")
                                        .append(example)
                                        .append(", would make a ring"));
        return text.toString();
    }

    private static NavigableSet<Integer> largest(final List<NavigableSet<Integer>> parts) {
        NavigableSet<Integer> largest = parts.getFirst();
        for (final NavigableSet<Integer> part : parts) {
            largest = part.size() > largest.size() ? part : largest;
        }
        return largest;
    }

    // Between two parts, at the nodes with the fewest cables.
    private static Optional<String> example(
            final CableGraph graph, final List<NavigableSet<Integer>> parts) {
        final List<Integer> ends =
                parts.stream()
                        .map(part -> emptiest(graph, part))
                        .flatMap(Optional::stream)
                        .limit(2)
                        .sorted()
                        .toList();
        return ends.size() < 2
                ? Optional.empty()
                : Optional.of(ends.getFirst() + "-" + ends.getLast());
    }

    private static Optional<Integer> emptiest(
            final CableGraph graph, final NavigableSet<Integer> part) {
        return part.stream()
                .filter(node -> graph.cables(node) < CableAdvice.MAX_CABLES)
                .min((one, other) -> Integer.compare(graph.cables(one), graph.cables(other)));
    }

    private static void addOnlyCable(final Set<String> sentences, final CableGraph graph) {
        final List<Integer> nodes = graph.nodes();
        if (nodes.size() == 2 && graph.cables(nodes.getFirst(), nodes.getLast()) == 1) {
            sentences.add(
                    Sentences.nodes(nodes)
                            + " have one cable between them: a second one would join them when it"
                            + " fails");
        }
    }
}
