package io.hxb.tool.graph;

import io.hxb.config.ConfigException;
import io.hxb.config.Quantity;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.config.yaml.Problems;
import io.hxb.config.yaml.YamlSection;
import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;

import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Reads the cabling of a network of switches. Used by one thread.
 *
 * <pre>{@code
 * rate: 10gbit                                # of links without their own; optional
 * switches:
 *   leaf1: [swp1, swp2, swp48]                # its ports; empty: any
 *   spine1:
 * links:
 *   - [leaf1.swp1, spine1.swp1]               # ports are optional: [leaf1, spine1]
 *   - {from: leaf1.swp2, to: spine1.swp2, rate: 40gbit}
 * hosts:
 *   node1: leaf1.swp48                        # or {port: leaf1.swp48, mac: "02:00:00:00:00:01", rate: 1gbit}
 * }</pre>
 */
public final class CablingYaml {
    private final Problems problems;
    private final SwitchGraphBuilder builder = new SwitchGraphBuilder();
    private final Map<String, List<String>> ports = new LinkedHashMap<>();
    private final Map<String, Integer> cableLines = new HashMap<>();
    private long rateBps;

    /** One end of a cable: a switch, and the port when it is named. */
    private record End(int node, String port) {}

    private CablingYaml(final Problems problems) {
        this.problems = problems;
    }

    /**
     * Reads the text of a file.
     *
     * @param file its name in messages.
     * @param hostsPerSwitch hosts on every switch when the text names no hosts.
     * @throws ConfigException with every problem and its line.
     */
    public static SwitchGraph parse(
            final String text, final String file, final int hostsPerSwitch) {
        final Problems problems = new Problems(file);
        final Optional<Node> root = ClusterConfigYaml.compose(text, file, problems);
        if (root.isEmpty() && problems.isEmpty()) {
            problems.add(1, "is empty; write at least switches and links");
        }
        if (root.isEmpty()) {
            throw problems.exception();
        }
        return new CablingYaml(problems).read(root.get(), hostsPerSwitch);
    }

    private SwitchGraph read(final Node root, final int hostsPerSwitch) {
        final YamlSection section = new YamlSection(problems, "", 1, root);
        rateBps = section.value("rate", 0L, Quantity::parseRateBps);
        readSwitches(section);
        readLinks(section);
        readHosts(section, hostsPerSwitch);
        section.finish();
        if (!problems.isEmpty()) {
            throw problems.exception();
        }
        try {
            return builder.build();
        } catch (final GraphException e) {
            e.getMessage().lines().forEach(line -> problems.add(section.line("links"), line));
            throw problems.exception();
        }
    }

    private void readSwitches(final YamlSection section) {
        if (!section.has("switches")) {
            problems.add(
                    1, "switches are missing; name each with its ports, such as 'leaf1: [swp1]'");
            return;
        }
        final YamlSection switches = section.section("switches");
        for (final String name : switches.keys()) {
            ports.put(name, switches.texts(name, List.of()));
            builder.addSwitch(name);
        }
    }

    private void readLinks(final YamlSection section) {
        final Node node = section.take("links");
        if (node == null) {
            return;
        }
        if (!(node instanceof SequenceNode list)) {
            problems.add(node, "links must be a list such as - [leaf1.swp1, spine1.swp1]");
            return;
        }
        for (final Node item : list.getValue()) {
            if (item instanceof MappingNode) {
                final YamlSection link = new YamlSection(problems, "links.", 1, item);
                final String from = link.text("from", null);
                final String to = link.text("to", null);
                final long rate = link.value("rate", rateBps, Quantity::parseRateBps);
                link.finish();
                addLink(item, from, to, rate);
            } else if (item instanceof SequenceNode ends && ends.getValue().size() == 2) {
                addLink(item, word(ends.getValue().get(0)), word(ends.getValue().get(1)), rateBps);
            } else {
                problems.add(item, "a link has two ends, such as [leaf1.swp1, spine1.swp1]");
            }
        }
    }

    private static String word(final Node node) {
        return node instanceof ScalarNode scalar ? scalar.getValue() : null;
    }

    private void addLink(final Node place, final String from, final String to, final long rate) {
        if (from == null || to == null) {
            problems.add(
                    place, "a link has two ends, from and to; a cable with one end is dangling");
            return;
        }
        final End first = end(place, from);
        final End second = end(place, to);
        if (first == null || second == null) {
            return;
        }
        if (first.node == second.node) {
            problems.add(
                    place,
                    "the link from "
                            + from
                            + " to "
                            + to
                            + " joins a switch with itself; correct an end");
            return;
        }
        builder.addLink(first.node, first.port, second.node, second.port, rate);
    }

    /** The switch and port of {@code leaf1.swp1}; names of switches and ports may have dots. */
    private End end(final Node place, final String text) {
        String name = text;
        while (!ports.containsKey(name)) {
            final int dot = name.lastIndexOf('.');
            if (dot < 0) {
                problems.add(
                        place,
                        "the end "
                                + text
                                + " is at no switch of the list; add the switch or correct it");
                return null;
            }
            name = name.substring(0, dot);
        }
        final String port =
                name.length() == text.length() ? null : text.substring(name.length() + 1);
        final List<String> known = ports.get(name);
        if (port != null && !known.isEmpty() && !known.contains(port)) {
            problems.add(
                    place,
                    "switch "
                            + name
                            + " has no port "
                            + port
                            + "; it has "
                            + String.join(", ", known));
            return null;
        }
        final Integer other =
                port == null ? null : cableLines.putIfAbsent(text, Problems.line(place));
        if (other != null) {
            problems.add(
                    place,
                    "port " + text + " has a cable already, in line " + other + "; correct one");
            return null;
        }
        return new End(builder.findSwitch(name), port);
    }

    private void readHosts(final YamlSection section, final int hostsPerSwitch) {
        final Node node = section.take("hosts");
        if (node == null) {
            builder.addHosts(hostsPerSwitch);
            return;
        }
        final YamlSection hosts = section.section("hosts");
        for (final String name : hosts.keys()) {
            final Node value = hosts.take(name);
            if (value instanceof MappingNode) {
                final YamlSection host = hosts.section(name);
                addHost(
                        value,
                        name,
                        host.text("port", null),
                        host.value("mac", 0L, CablingYaml::parseMac),
                        host.value("rate", rateBps, Quantity::parseRateBps));
                host.finish();
            } else if (value instanceof ScalarNode scalar) {
                addHost(value, name, scalar.getValue(), 0, rateBps);
            } else {
                hosts.problem(name, "must be a switch and port, such as leaf1.swp48");
            }
        }
    }

    private void addHost(
            final Node place,
            final String name,
            final String port,
            final long mac,
            final long rate) {
        if (port == null) {
            problems.add(place, "host " + name + " is at no port; write port: leaf1.swp48");
            return;
        }
        final End end = end(place, port);
        if (end != null) {
            builder.addHost(name, end.node, end.port, mac, rate);
        }
    }

    /**
     * Reads {@code 02:00:00:00:00:01}.
     *
     * @throws IllegalArgumentException if it is not a MAC address.
     */
    public static long parseMac(final String text) {
        if (!text.matches("[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5}")) {
            throw new IllegalArgumentException(
                    "must be a MAC address such as 02:00:00:00:00:01, not '" + text + "'");
        }
        return Long.parseLong(text.replaceAll("[:-]", ""), 16);
    }
}
