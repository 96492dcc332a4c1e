package io.hxb.tool.graph;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads the cabling from what {@code lldpcli -f json show neighbors} printed on every system,
 * joined as one object: {@code {"leaf1": {"lldp": ...}, "leaf2": {"lldp": ...}}}. Systems that
 * announce an enabled Bridge or Router are switches, the others hosts. A cable may be reported by
 * one end or by both. Used by one thread.
 */
final class LldpNeighbours {
    private final Map<String, Boolean> isSwitch = new LinkedHashMap<>();
    private final Map<String, String> macs = new LinkedHashMap<>();
    private final Set<Cable> cables = new LinkedHashSet<>();
    private final String file;

    private record End(String system, String port) {}

    /** Ends in the order of their names, so that both reports are equal. */
    private record Cable(End first, End second) {
        static Cable of(final End a, final End b) {
            final int order = (a.system + "\0" + a.port).compareTo(b.system + "\0" + b.port);
            return order <= 0 ? new Cable(a, b) : new Cable(b, a);
        }
    }

    private LldpNeighbours(final String file) {
        this.file = file;
    }

    static SwitchGraph parse(final String file, final String text, final int hostsPerSwitch) {
        final LldpNeighbours neighbours = new LldpNeighbours(file);
        try {
            neighbours.read(JsonMapper.builder().build().readTree(text));
            return neighbours.build(hostsPerSwitch);
        } catch (final JacksonException e) {
            throw new GraphException(
                    file
                            + ":"
                            + (e.getLocation() == null ? 1 : e.getLocation().getLineNr())
                            + ": is not JSON: "
                            + e.getOriginalMessage());
        } catch (final GraphException e) {
            throw e;
        } catch (final IllegalArgumentException e) {
            throw new GraphException(file + ": " + e.getMessage());
        }
    }

    private void read(final JsonNode root) {
        if (!root.isObject() || root.has("lldp")) {
            throw new GraphException(
                    file
                            + ": must be one object with the output of lldpcli of each system by"
                            + " its name: {\"leaf1\": {\"lldp\": ...}, ...}");
        }
        for (final Map.Entry<String, JsonNode> system : root.properties()) {
            final JsonNode interfaces = system.getValue().path("lldp").path("interface");
            if (interfaces.isMissingNode() && !system.getValue().has("lldp")) {
                throw new GraphException(
                        file
                                + ": "
                                + system.getKey()
                                + " has no member lldp; give lldpcli's JSON there");
            }
            // One interface alone is an object, several are a list of objects.
            if (interfaces.isArray()) {
                interfaces.forEach(entry -> readInterfaces(system.getKey(), entry));
            } else {
                readInterfaces(system.getKey(), interfaces);
            }
        }
    }

    private void readInterfaces(final String system, final JsonNode entry) {
        for (final Map.Entry<String, JsonNode> local : entry.properties()) {
            final JsonNode chassis = local.getValue().path("chassis");
            for (final Map.Entry<String, JsonNode> remote : chassis.properties()) {
                if (!remote.getValue().isObject()) {
                    throw new GraphException(
                            file
                                    + ": the neighbour at "
                                    + system
                                    + "."
                                    + local.getKey()
                                    + " has no name");
                }
                final boolean isBridge = isBridge(remote.getValue().path("capability"));
                isSwitch.merge(remote.getKey(), isBridge, Boolean::logicalOr);
                isSwitch.putIfAbsent(system, false);
                final JsonNode port = local.getValue().path("port");
                final End there = new End(remote.getKey(), portName(port));
                if (port.path("id").path("type").asString("").equals("mac")) {
                    macs.put(remote.getKey(), port.path("id").path("value").asString(""));
                }
                cables.add(Cable.of(new End(system, local.getKey()), there));
            }
        }
    }

    private static boolean isBridge(final JsonNode capability) {
        final List<JsonNode> all = new ArrayList<>();
        if (capability.isArray()) {
            capability.forEach(all::add);
        } else {
            all.add(capability);
        }
        return all.stream()
                .anyMatch(
                        one ->
                                one.path("type").asString("").matches("Bridge|Router")
                                        && one.path("enabled").asBoolean(false));
    }

    /** The name of an interface, where its id is a MAC address the description. */
    private static String portName(final JsonNode port) {
        final String id = port.path("id").path("value").asString("");
        final String description = port.path("descr").asString("");
        final boolean isMac = port.path("id").path("type").asString("").equals("mac");
        return isMac && !description.isEmpty() ? description : id;
    }

    private SwitchGraph build(final int hostsPerSwitch) {
        for (final Cable cable : cables) {
            if (!isSwitch.get(cable.first.system) && !isSwitch.get(cable.second.system)) {
                throw new GraphException(
                        file
                                + ": neither "
                                + cable.first.system
                                + " nor "
                                + cable.second.system
                                + " announces an enabled Bridge; run lldpd on the switches, too");
            }
        }
        final SwitchGraphBuilder builder = new SwitchGraphBuilder();
        isSwitch.forEach(
                (name, is) -> {
                    if (is) {
                        builder.addSwitch(name);
                    }
                });
        final Map<String, Integer> linksOfHosts = new LinkedHashMap<>();
        for (final Cable cable : cables) {
            for (final End end : List.of(cable.first, cable.second)) {
                linksOfHosts.merge(end.system, 1, Integer::sum);
            }
        }
        if (!isSwitch.containsValue(false)) {
            builder.addHosts(hostsPerSwitch);
        }
        cables.forEach(cable -> addCable(builder, cable, linksOfHosts));
        try {
            return builder.build();
        } catch (final GraphException e) {
            throw new GraphException(
                    e.getMessage().lines().map(line -> file + ": " + line).toList());
        }
    }

    private void addCable(
            final SwitchGraphBuilder builder, final Cable cable, final Map<String, Integer> links) {
        final int first = builder.findSwitch(cable.first.system);
        final int second = builder.findSwitch(cable.second.system);
        if (first >= 0 && second >= 0) {
            builder.addLink(first, cable.first.port, second, cable.second.port, 0);
            return;
        }
        final End host = first < 0 ? cable.first : cable.second;
        final End at = first < 0 ? cable.second : cable.first;
        // A host with several cables is one host for each of them.
        final boolean isSingle = links.get(host.system) == 1;
        final String mac = macs.get(host.system);
        builder.addHost(
                isSingle ? host.system : host.system + "." + host.port,
                Math.max(first, second),
                at.port,
                isSingle && mac != null ? CablingYaml.parseMac(mac) : 0,
                0);
    }
}
