package io.hxb.observe.view;

import io.hxb.counter.NeighbourCounts;
import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.NodeState;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The last readings and rates, and what differs from those before. Links are numbered through, in
 * the order of their nodes. Owned by {@link LiveNetwork}.
 */
final class NetworkState {
    private static final double NS_PER_S = 1e9;

    private List<NodeReading> nodes = List.of();
    private List<LinkReading> links = List.of();
    private int[] firstLink = {};
    private List<NodeReading> ratedNodes = List.of();
    private List<LinkReading> ratedLinks = List.of();
    private long ratedNs;
    private boolean isRated;
    private long[][] nodeRates = {};
    private long[][] linkRates = {};
    // By link, and by the id of the neighbour.
    private List<Map<Integer, long[]>> neighbourRates = List.of();

    List<NodeReading> nodes() {
        return nodes;
    }

    List<LinkReading> links() {
        return links;
    }

    /** Number of the first link of the node at {@code index}. */
    int firstLink(final int index) {
        return firstLink[index];
    }

    /** The rates of the node at {@code index}, see {@link Rates}. */
    long[] nodeRates(final int index) {
        return nodeRates[index];
    }

    /** The rates of a link, see {@link Rates}. */
    long[] linkRates(final int link) {
        return linkRates[link];
    }

    /** The rates of each neighbour of a link with which there was traffic, by id. */
    Map<Integer, long[]> neighbourRates(final int link) {
        return neighbourRates.get(link);
    }

    /**
     * Takes new readings.
     *
     * @return what has changed; empty if {@link Changes#isOther} is true, as everything has.
     */
    Changes apply(final List<NodeReading> readings) {
        if (!hasSamePlaces(readings)) {
            replace(readings);
            return new Changes(true, List.of(), List.of(), false);
        }
        final List<NodeChange> changedNodes = new ArrayList<>();
        final List<LinkChange> changedLinks = new ArrayList<>();
        final List<LinkReading> now = flat(readings);
        boolean hasFindings = false;
        for (int i = 0; i < readings.size(); i++) {
            if (readings.get(i).state() != nodes.get(i).state()) {
                changedNodes.add(new NodeChange(i, nodes.get(i).state()));
            }
            hasFindings |= !readings.get(i).findings().equals(nodes.get(i).findings());
        }
        for (int i = 0; i < now.size(); i++) {
            if (!now.get(i).health().equals(links.get(i).health())) {
                changedLinks.add(new LinkChange(i, links.get(i).health().condition()));
            }
        }
        nodes = List.copyOf(readings);
        links = now;
        return new Changes(false, changedNodes, changedLinks, hasFindings);
    }

    /**
     * Computes the rates since the last call, from the last readings.
     *
     * @return what has changed.
     */
    RateChanges rate(final long nowNs) {
        final double seconds = Math.max(1, nowNs - ratedNs) / NS_PER_S;
        final List<Integer> changedLinks = new ArrayList<>();
        final List<Integer> changedNodes = new ArrayList<>();
        final List<NeighbourOf> changedNeighbours = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            rateLinks(i, seconds, changedLinks);
            final long[] rates = rates(i, seconds);
            if (!Arrays.equals(rates, nodeRates[i])) {
                nodeRates[i] = rates;
                changedNodes.add(i);
            }
        }
        for (int link = 0; link < links.size() && isRated; link++) {
            rateNeighbours(link, seconds, changedNeighbours);
        }
        ratedNodes = nodes;
        ratedLinks = links;
        ratedNs = nowNs;
        isRated = true;
        return new RateChanges(changedNodes, changedLinks, changedNeighbours);
    }

    private void rateNeighbours(
            final int link, final double seconds, final List<NeighbourOf> changed) {
        final Map<Integer, NeighbourCounts> before = byNode(ratedLinks.get(link));
        final Map<Integer, NeighbourCounts> now = byNode(links.get(link));
        final Map<Integer, long[]> known = neighbourRates.get(link);
        // A node that was started again may have no traffic yet with some it had before.
        final Set<Integer> neighbours = new TreeSet<>(known.keySet());
        neighbours.addAll(now.keySet());
        for (final int node : neighbours) {
            final NeighbourCounts none = new NeighbourCounts(0, node, 0, 0, 0, 0);
            final long[] rates =
                    Rates.of(
                            before.getOrDefault(node, none), now.getOrDefault(node, none), seconds);
            if (!Arrays.equals(rates, known.put(node, rates))) {
                changed.add(new NeighbourOf(link, node));
            }
        }
    }

    private static Map<Integer, NeighbourCounts> byNode(final LinkReading link) {
        final Map<Integer, NeighbourCounts> byNode = new HashMap<>();
        link.neighbours().forEach(each -> byNode.put(each.node(), each));
        return byNode;
    }

    private void rateLinks(final int index, final double seconds, final List<Integer> changed) {
        final NodeReading node = nodes.get(index);
        for (int i = 0; i < node.links().size(); i++) {
            final int link = firstLink[index] + i;
            final long[] rates;
            if (node.heard().isPresent()) {
                rates = Rates.told(node, i);
            } else if (isRated) {
                rates = Rates.of(ratedLinks.get(link), links.get(link), seconds);
            } else {
                rates = new long[Rates.LINK_COUNT];
            }
            if (!Arrays.equals(rates, linkRates[link])) {
                linkRates[link] = rates;
                changed.add(link);
            }
        }
    }

    private long[] rates(final int index, final double seconds) {
        final NodeReading node = nodes.get(index);
        if (node.heard().isPresent()) {
            return Rates.told(node);
        }
        return isRated
                ? Rates.of(ratedNodes.get(index), node, seconds)
                : new long[Rates.NODE_COUNT];
    }

    private void replace(final List<NodeReading> readings) {
        nodes = List.copyOf(readings);
        links = flat(readings);
        firstLink = new int[nodes.size()];
        for (int i = 1; i < nodes.size(); i++) {
            firstLink[i] = firstLink[i - 1] + nodes.get(i - 1).links().size();
        }
        nodeRates = new long[nodes.size()][Rates.NODE_COUNT];
        linkRates = new long[links.size()][Rates.LINK_COUNT];
        neighbourRates = links.stream().<Map<Integer, long[]>>map(link -> new TreeMap<>()).toList();
        isRated = false;
    }

    private boolean hasSamePlaces(final List<NodeReading> readings) {
        if (readings.size() != nodes.size()) {
            return false;
        }
        for (int i = 0; i < readings.size(); i++) {
            if (!hasSamePlaces(readings.get(i), nodes.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean hasSamePlaces(final NodeReading one, final NodeReading other) {
        if (one.node() != other.node()
                || one.heard().isPresent() != other.heard().isPresent()
                || one.links().size() != other.links().size()) {
            return false;
        }
        for (int i = 0; i < one.links().size(); i++) {
            if (!one.links().get(i).place().equals(other.links().get(i).place())) {
                return false;
            }
        }
        return true;
    }

    private static List<LinkReading> flat(final List<NodeReading> readings) {
        final List<LinkReading> links = new ArrayList<>();
        readings.forEach(node -> links.addAll(node.links()));
        return links;
    }

    /**
     * What differs from the readings before. Immutable.
     *
     * @param isOther whether there are other nodes or links: everything is new.
     * @param nodes nodes in another state.
     * @param links links that fare differently.
     * @param hasFindings whether nodes report other problems.
     */
    record Changes(
            boolean isOther, List<NodeChange> nodes, List<LinkChange> links, boolean hasFindings) {
        boolean isEmpty() {
            return !isOther && nodes.isEmpty() && links.isEmpty() && !hasFindings;
        }
    }

    /** The index of a node, and its state before. Immutable. */
    record NodeChange(int index, NodeState from) {}

    /** The number of a link, and its condition before. Immutable. */
    record LinkChange(int link, LinkCondition from) {}

    /** A neighbour on a link: the link's number, the neighbour's id. Immutable. */
    record NeighbourOf(int link, int node) {}

    /** Indexes of nodes, numbers of links, and neighbours, whose rates have changed. Immutable. */
    record RateChanges(List<Integer> nodes, List<Integer> links, List<NeighbourOf> neighbours) {
        boolean isEmpty() {
            return nodes.isEmpty() && links.isEmpty() && neighbours.isEmpty();
        }
    }
}
