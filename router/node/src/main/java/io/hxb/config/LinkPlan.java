package io.hxb.config;

import io.hxb.topology.Shape;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What every node's links are plugged into. Immutable.
 *
 * <p>An endpoint is a NIC name for raw links, {@code mac:} and a MAC address or {@code path:} and a
 * path, {@code host:port} or nothing for UDP; {@code {node}} in it stands for the node id and
 * {@code {link}} for the link's index in the node.
 *
 * @param endpoints endpoint of each link, {@code [dimensions][links]}, 1 to 8 links per dimension;
 *     an empty one uses the UDP pattern.
 * @param netns network namespace of each node, empty for that of the process.
 * @param udpHost host of UDP endpoints that are empty.
 * @param udpBasePort port of node 0's first link; see {@link #resolve}.
 * @param nodes what is different on single nodes, by coordinate vector.
 */
public record LinkPlan(
        List<List<String>> endpoints,
        String netns,
        String udpHost,
        int udpBasePort,
        Map<Long, NodeOverride> nodes) {

    /** Max links of one node in one dimension. */
    public static final int MAX_LINKS_PER_DIMENSION = 8;

    /** Max links of one node: their indexes are 0 to this - 1. */
    public static final int MAX_LINKS = Shape.MAX_DIMENSIONS * MAX_LINKS_PER_DIMENSION;

    /** Default of {@link #udpHost()}. */
    public static final String DEFAULT_UDP_HOST = "127.0.0.1";

    /** Default of {@link #udpBasePort()}. */
    public static final int DEFAULT_UDP_BASE_PORT = 20_000;

    /**
     * What is different on one node. Immutable.
     *
     * @param endpoints as in {@link LinkPlan#endpoints}, in a hyper-crossbar with the same counts;
     *     empty for no change.
     * @param host host of its UDP links; empty for no change.
     * @param netns its network namespace; empty for no change.
     */
    public record NodeOverride(List<List<String>> endpoints, String host, String netns) {
        /** Copies the lists. */
        public NodeOverride {
            endpoints = copy(endpoints);
        }
    }

    /** Copies the lists and checks the values. */
    public LinkPlan {
        endpoints = copy(endpoints);
        nodes = Collections.unmodifiableMap(new LinkedHashMap<>(nodes));
        final Check check =
                new Check().that(!endpoints.isEmpty(), "links", "must name a dimension");
        ClusterKeys.UDP_BASE_PORT.check(check, null, udpBasePort);
        for (int dimension = 0; dimension < endpoints.size(); dimension++) {
            check.that(
                    isValidCount(endpoints.get(dimension).size()),
                    "links",
                    "must be 1.."
                            + MAX_LINKS_PER_DIMENSION
                            + " in each dimension, in "
                            + Dimensions.name(dimension)
                            + " there are "
                            + endpoints.get(dimension).size());
        }
        for (final NodeOverride override : nodes.values()) {
            check.that(
                    override.endpoints.isEmpty()
                            || (override.endpoints.size() == endpoints.size()
                                    && override.endpoints.stream()
                                            .allMatch(trunk -> isValidCount(trunk.size()))),
                    "nodes",
                    "must have 1.."
                            + MAX_LINKS_PER_DIMENSION
                            + " links in each dimension: "
                            + override.endpoints);
        }
        check.done();
    }

    /** True if every node has as many links in each dimension as all others. */
    boolean isUniform() {
        return nodes.values().stream()
                .allMatch(
                        override ->
                                override.endpoints.isEmpty()
                                        || counts(override.endpoints).equals(counts(endpoints)));
    }

    /** A plan of UDP links on this machine, with the same number of links in each dimension. */
    public static LinkPlan udp(
            final int dimensions, final int linksPerDimension, final int basePort) {
        final List<List<String>> endpoints = new ArrayList<>();
        for (int dimension = 0; dimension < dimensions; dimension++) {
            endpoints.add(Collections.nCopies(linksPerDimension, ""));
        }
        return new LinkPlan(endpoints, "", DEFAULT_UDP_HOST, basePort, Map.of());
    }

    /**
     * A plan of NICs that have the same names on all nodes.
     *
     * @param nics their names, {@code [dimensions][links]}; {@code {node}} stands for the node id.
     * @param netns network namespace of each node, such as {@code lab-{node}}; may be empty.
     */
    public static LinkPlan raw(final List<List<String>> nics, final String netns) {
        return new LinkPlan(nics, netns, DEFAULT_UDP_HOST, DEFAULT_UDP_BASE_PORT, Map.of());
    }

    /** Links of {@code dimension}. */
    public int linkCount(final int dimension) {
        return endpoints.get(dimension).size();
    }

    /** Links of one node; of that with the most, where they differ. */
    public int linkCount() {
        int most = count(endpoints);
        for (final NodeOverride override : nodes.values()) {
            most = Math.max(most, count(override.endpoints));
        }
        return most;
    }

    private static int count(final List<List<String>> endpoints) {
        return endpoints.stream().mapToInt(List::size).sum();
    }

    /** Network namespace of {@code node}, or empty for that of the process. */
    public String netns(final Shape shape, final int node) {
        final NodeOverride override = nodes.get(shape.coordinates(node));
        final String pattern =
                override == null || override.netns.isEmpty() ? netns : override.netns;
        return pattern.replace("{node}", Integer.toString(node));
    }

    /**
     * The links of one node, in the order of their index: dimension 0 first. A UDP link without an
     * endpoint of its own gets port {@code udpBasePort + node * links + link}, or {@code
     * udpBasePort + link} when each node has a host of its own.
     *
     * @param node node id, 0 to nodeCount - 1.
     */
    public List<LinkConfig> resolve(final Shape shape, final Backend backend, final int node) {
        final NodeOverride override = nodes.get(shape.coordinates(node));
        final boolean hasOwn = override != null && !override.endpoints.isEmpty();
        final List<List<String>> own = hasOwn ? override.endpoints : endpoints;
        final boolean hasHost = override != null && !override.host.isEmpty();
        final String host = hasHost ? override.host : udpHost;
        final int firstPort =
                udpBasePort + (hasHost || host.contains("{node}") ? 0 : node * linkCount());
        final List<LinkConfig> links = new ArrayList<>();
        for (int dimension = 0; dimension < own.size(); dimension++) {
            for (int number = 0; number < own.get(dimension).size(); number++) {
                final int index = links.size();
                final String endpoint = expand(own.get(dimension).get(number), node, index);
                links.add(
                        backend.usesNics()
                                ? new LinkConfig(index, dimension, number, endpoint, "", 0)
                                : udp(
                                        index,
                                        dimension,
                                        number,
                                        endpoint.isEmpty()
                                                ? expand(host, node, index)
                                                        + ":"
                                                        + (firstPort + index)
                                                : endpoint));
            }
        }
        return links;
    }

    private static LinkConfig udp(
            final int index, final int dimension, final int number, final String endpoint) {
        final int colon = endpoint.lastIndexOf(':');
        return new LinkConfig(
                index,
                dimension,
                number,
                "",
                endpoint.substring(0, Math.max(colon, 0)),
                Integer.parseInt(endpoint.substring(colon + 1)));
    }

    static List<Integer> counts(final List<List<String>> endpoints) {
        return endpoints.stream().map(List::size).toList();
    }

    static boolean isValidCount(final int links) {
        return links >= 1 && links <= MAX_LINKS_PER_DIMENSION;
    }

    private static String expand(final String pattern, final int node, final int link) {
        return pattern.replace("{node}", Integer.toString(node))
                .replace("{link}", Integer.toString(link));
    }

    private static List<List<String>> copy(final List<List<String>> endpoints) {
        return endpoints.stream().map(List::copyOf).toList();
    }
}
