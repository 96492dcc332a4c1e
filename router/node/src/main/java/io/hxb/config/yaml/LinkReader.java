package io.hxb.config.yaml;

import io.hxb.config.Backend;
import io.hxb.config.ClusterKeys;
import io.hxb.config.Dimensions;
import io.hxb.config.LinkConfig;
import io.hxb.config.LinkPlan;
import io.hxb.os.nic.NicFinder;
import io.hxb.topology.Shape;

import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads where the links of all nodes are plugged in. Used once, by one thread. */
final class LinkReader {
    private static final long MAX_CHECKED = 100_000;

    private final YamlSection root;
    private final Shape shape;
    private final Backend backend;
    private final String key;
    private int problemCount;

    LinkReader(final YamlSection root, final Shape shape, final Backend backend) {
        this.root = root;
        this.shape = shape;
        this.backend = backend;
        key = shape != null && shape.isAnyCabling() ? "nics" : "links";
    }

    /** The plan; null when problems were found. */
    LinkPlan read() {
        final String netns = root.read(ClusterKeys.NETNS);
        final YamlSection udp = root.section("udp");
        final String host = udp.read(ClusterKeys.UDP_HOST);
        final int basePort = udp.read(ClusterKeys.UDP_BASE_PORT);
        udp.finish();
        final boolean hasLinks = root.has(key);
        final YamlSection overrides = root.section("nodes");
        if (shape == null) {
            overrides.keys().forEach(overrides::take);
            return null;
        }
        if (!hasLinks) {
            problem(root, key, "is missing; write " + example());
            overrides.keys().forEach(overrides::take);
            return null;
        }
        final List<List<String>> endpoints = endpoints(root);
        final Map<Long, LinkPlan.NodeOverride> nodes = nodes(overrides, endpoints);
        if (problemCount > 0) {
            return null;
        }
        final LinkPlan plan =
                root.build(null, () -> new LinkPlan(endpoints, netns, host, basePort, nodes));
        if (plan != null) {
            checkPlan(plan);
        }
        return plan;
    }

    private String example() {
        if (shape.isAnyCabling()) {
            return "NIC names such as nics: [eth1, eth2]";
        }
        return backend.usesNics()
                ? "NIC names such as links: {x: [eth0, eth1], y: [eth2]}"
                : "the links in each dimension such as links: 1";
    }

    private Map<Long, LinkPlan.NodeOverride> nodes(
            final YamlSection section, final List<List<String>> endpoints) {
        final Map<Long, LinkPlan.NodeOverride> nodes = new LinkedHashMap<>();
        for (final String place : section.keys()) {
            final YamlSection node = section.section(place);
            final List<List<String>> own = node.has(key) ? endpoints(node) : List.of();
            final String host = node.text("host", "");
            final String netns = node.text("netns", "");
            node.finish();
            try {
                final long coordinates = shape.parseCoordinates(place);
                nodes.put(coordinates, new LinkPlan.NodeOverride(own, host, netns));
            } catch (final IllegalArgumentException e) {
                problem(section, place, "is not a node: " + e.getMessage());
            }
            if (!shape.isAnyCabling() && !own.isEmpty() && !counts(own).equals(counts(endpoints))) {
                problem(
                        node,
                        "links",
                        "has "
                                + counts(own)
                                + " links a dimension, all other nodes have "
                                + counts(endpoints)
                                + "; give each node as many");
            }
        }
        return nodes;
    }

    private static List<Integer> counts(final List<List<String>> endpoints) {
        return endpoints.stream().map(List::size).toList();
    }

    /** {@code links} of one section: a number, a list a dimension, or a mapping by dimension. */
    private List<List<String>> endpoints(final YamlSection section) {
        if (shape.isAnyCabling()) {
            return List.of(trunk(section, key));
        }
        final List<List<String>> endpoints = new ArrayList<>();
        if (section.take("links") instanceof MappingNode) {
            final YamlSection links = section.section("links");
            for (int dimension = 0; dimension < shape.dimensions(); dimension++) {
                final String name = Dimensions.name(dimension);
                if (links.has(name)) {
                    endpoints.add(trunk(links, name));
                } else {
                    problem(
                            links,
                            name,
                            "is missing; the shape " + shape + " has dimension " + name);
                    endpoints.add(List.of(""));
                }
            }
            links.finish();
            return endpoints;
        }
        if (section.take("links") instanceof ScalarNode || shape.dimensions() == 1) {
            final List<String> same = trunk(section, "links");
            return Collections.nCopies(shape.dimensions(), same);
        }
        problem(
                section,
                "links",
                "must be a number, or a mapping by dimension such as {x: [eth0], y: [eth1]}");
        return Collections.nCopies(shape.dimensions(), List.of(""));
    }

    /** The links of one dimension: a number of UDP links, or a list of endpoints. */
    private List<String> trunk(final YamlSection section, final String name) {
        final List<String> words = section.texts(name, List.of(), this::lasting);
        final boolean isCount = words.size() == 1 && words.getFirst().matches("\\d{1,9}");
        final int count = isCount ? Integer.parseInt(words.getFirst()) : words.size();
        if (count < 1 || count > LinkPlan.MAX_LINKS_PER_DIMENSION) {
            problem(
                    section,
                    name,
                    "must be 1.."
                            + LinkPlan.MAX_LINKS_PER_DIMENSION
                            + (shape.isAnyCabling() ? " NICs: " : " links in a dimension: ")
                            + count);
            return List.of("");
        }
        if (isCount) {
            if (backend.usesNics()) {
                problem(section, name, "must name the NICs of raw links, such as [eth0, eth1]");
            }
            return Collections.nCopies(count, "");
        }
        for (final String word : words) {
            if (backend.usesNics() && !isNic(word)) {
                problem(section, name, "has '" + word + "', which cannot be the name of a NIC");
            } else if (!backend.usesNics() && !isAddress(word)) {
                problem(
                        section,
                        name,
                        "must be addresses such as 10.0.0.1:20000, not '" + word + "'");
            }
        }
        return words;
    }

    private static boolean isNic(final String word) {
        if (NicFinder.isByPath(word)) {
            return NicFinder.isPath(word.substring(NicFinder.PATH_PREFIX.length()));
        }
        return NicFinder.isByMac(word)
                ? NicFinder.isMac(word.substring(NicFinder.MAC_PREFIX.length()))
                : word.matches("[^\\s/:]{1,32}");
    }

    /** A NIC that is given by its MAC address, or by where it is plugged in. */
    private String lasting(final YamlSection nic) {
        if (nic.has("path")) {
            return byPath(nic);
        }
        final String mac = nic.text("mac", "");
        nic.finish();
        if (backend.usesNics() && NicFinder.isMac(mac)) {
            return NicFinder.byMac(mac);
        }
        problem(
                nic,
                "mac",
                backend.usesNics()
                        ? "must be a MAC address such as 02:00:00:00:00:0a: '" + mac + "'"
                        : "is for the NICs of raw links");
        return "";
    }

    private String byPath(final YamlSection nic) {
        final String path = nic.text("path", "");
        if (nic.has("mac")) {
            problem(nic, "mac", "belongs to another NIC than path: give one of them");
        }
        nic.finish();
        if (backend.usesNics() && NicFinder.isPath(path)) {
            return NicFinder.byPath(path);
        }
        problem(
                nic,
                "path",
                backend.usesNics()
                        ? "must be a path such as pci-0000:03:00.0 (ID_PATH of udev) or"
                                + " /sys/devices/pci0000:00/0000:00:14.0/usb1/1-2/1-2:1.0: '"
                                + path
                                + "'"
                        : "is for the NICs of raw links");
        return "";
    }

    private static boolean isAddress(final String word) {
        final int colon = word.lastIndexOf(':');
        final String port = word.substring(colon + 1);
        return colon > 0
                && port.matches("\\d{1,5}")
                && Integer.parseInt(port) >= 1
                && Integer.parseInt(port) <= 65_535;
    }

    /** Nothing may be used by two links: no NIC by one node, no address by the whole cluster. */
    private void checkPlan(final LinkPlan plan) {
        final long links = (long) shape.nodeCount() * plan.linkCount();
        final Map<String, String> users = new HashMap<>();
        for (int node = 0; node < shape.nodeCount(); node++) {
            final boolean isSpecial = plan.nodes().containsKey(shape.coordinates(node));
            if (links > MAX_CHECKED && node > 0 && node < shape.nodeCount() - 1 && !isSpecial) {
                continue;
            }
            if (!checkNode(plan, node, users)) {
                return;
            }
        }
    }

    private boolean checkNode(
            final LinkPlan plan, final int node, final Map<String, String> users) {
        final boolean isRaw = backend.usesNics();
        if (isRaw) {
            users.clear();
        }
        for (final LinkConfig link : plan.resolve(shape, backend, node)) {
            final String what = isRaw ? link.nic() : link.host() + ":" + link.port();
            final String user = link.label() + " of node " + shape.format(shape.coordinates(node));
            if (isRaw && what.length() > 15 && !NicFinder.isLasting(what)) {
                problem(root, key, "name NIC '" + what + "', longer than 15 letters");
                return false;
            }
            if (!isRaw && link.port() > 65_535) {
                root.problem(
                        "udp",
                        "needs ports up to "
                                + link.port()
                                + " for "
                                + user
                                + "; lower basePort or give nodes hosts of their own");
                return false;
            }
            final String other = users.putIfAbsent(what, user);
            if (other != null) {
                root.problem(
                        key,
                        "give "
                                + what
                                + " twice, to "
                                + other
                                + " and to "
                                + user
                                + "; change one");
                return false;
            }
        }
        return true;
    }

    private void problem(final YamlSection section, final String key, final String text) {
        problemCount++;
        section.problem(key, text);
    }
}
