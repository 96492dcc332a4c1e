package io.hxb.tool.graph;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The graph of what {@code lldpcli -f json show neighbors details} printed on every system, joined
 * as one object: {@code {"leaf1": {"lldp": ...}, "leaf2": {"lldp": ...}}}. A cable may be reported
 * by one end or by both. Systems that announce an enabled Bridge or Router are switches, except for
 * those that are known to be hosts or have a single neighbour. Used by one thread.
 */
public final class LldpNeighbours {
    private final Map<String, LldpReport.Kind> kinds = new LinkedHashMap<>();
    private final Map<String, Set<String>> neighbours = new HashMap<>();
    private final Set<String> reporters = new HashSet<>();

    private LldpNeighbours() {}

    /**
     * Reads the reports.
     *
     * @param file its name in messages.
     * @param hostsPerSwitch hosts on each switch when no system is a host.
     * @param hostNames systems that are hosts whatever they announce. Unless it is empty, all
     *     others that announce Bridge or Router are switches.
     * @throws GraphException with what is wrong.
     */
    public static SwitchGraph parse(
            final String file,
            final String text,
            final int hostsPerSwitch,
            final Set<String> hostNames) {
        try {
            return new LldpNeighbours()
                    .build(
                            LldpNames.unify(LldpJson.read(file, text)),
                            hostsPerSwitch,
                            new LinkedHashSet<>(hostNames));
        } catch (final GraphException e) {
            throw new GraphException(
                    e.getMessage()
                            .lines()
                            .map(line -> line.startsWith(file + ":") ? line : file + ": " + line)
                            .toList());
        }
    }

    private SwitchGraph build(
            final List<LldpReport> reports, final int hostsPerSwitch, final Set<String> hostNames) {
        final List<LldpCables.Cable> cables = LldpCables.of(reports);
        reports.forEach(this::addSystems);
        for (final LldpCables.Cable cable : cables) {
            addNeighbour(cable.report().system(), cable.secondSystem());
            addNeighbour(cable.secondSystem(), cable.report().system());
        }
        final Set<String> hosts = hosts(hostNames);
        final NodeCables nodes = new NodeCables();
        // What only a report that was overruled names is not part of the network.
        kinds.keySet().stream()
                .filter(neighbours::containsKey)
                .forEach(name -> nodes.addSystem(name, hosts.contains(name)));
        for (final LldpCables.Cable cable : cables) {
            if (hosts.contains(cable.report().system()) && hosts.contains(cable.secondSystem())) {
                throw new GraphException(
                        "neither "
                                + cable.report().system()
                                + " nor "
                                + cable.secondSystem()
                                + " is a switch, by what they announce or --host-names; run lldpd"
                                + " on the switches, too");
            }
            nodes.addCable(first(cable), second(cable), 0);
        }
        return nodes.build(hostsPerSwitch);
    }

    private void addSystems(final LldpReport report) {
        reporters.add(report.system());
        kinds.putIfAbsent(report.system(), LldpReport.Kind.UNKNOWN);
        kinds.merge(
                report.neighbour().name(),
                report.neighbour().kind(),
                (a, b) -> a.compareTo(b) < 0 ? a : b);
    }

    private void addNeighbour(final String system, final String other) {
        neighbours.computeIfAbsent(system, key -> new LinkedHashSet<>()).add(other);
    }

    private static NodeCables.End first(final LldpCables.Cable cable) {
        final LldpReport.Neighbour own = cable.answer() == null ? null : cable.answer().neighbour();
        return end(cable.report().system(), cable.firstPort(), own);
    }

    private static NodeCables.End second(final LldpCables.Cable cable) {
        return end(cable.secondSystem(), cable.secondPort(), cable.report().neighbour());
    }

    private static NodeCables.End end(
            final String system, final String port, final LldpReport.Neighbour announced) {
        final String bond = announced == null ? "" : announced.aggregate();
        return new NodeCables.End(
                system,
                port,
                announced == null ? 0 : announced.mac(),
                bond.isEmpty() ? null : bond);
    }

    private Set<String> hosts(final Set<String> hostNames) {
        for (final String name : hostNames) {
            if (!kinds.containsKey(name)) {
                throw new GraphException("--host-names: there is no system '" + name + "'");
            }
        }
        final Set<String> hosts = new LinkedHashSet<>(hostNames);
        final Set<String> unknown = new LinkedHashSet<>();
        kinds.forEach(
                (name, kind) -> {
                    if (kind == LldpReport.Kind.UNKNOWN && reporters.contains(name)) {
                        unknown.add(name);
                    } else if (kind == LldpReport.Kind.OTHER || kind == LldpReport.Kind.UNKNOWN) {
                        hosts.add(name);
                    }
                });
        if (hostNames.isEmpty()) {
            addEdges(hosts, unknown);
        }
        // What no other system describes is a switch if it has a host or several neighbours.
        for (final String name : unknown) {
            final Set<String> others = neighbours.getOrDefault(name, Set.of());
            if (others.size() == 1 && !hosts.containsAll(others)) {
                hosts.add(name);
            }
        }
        return hosts;
    }

    /**
     * Adds hypervisors and other hosts that forward, which announce what switches do: those with a
     * single neighbour. One that reports itself is a switch as long as nothing else is a host.
     */
    private void addEdges(final Set<String> hosts, final Set<String> unknown) {
        final List<String> single = new ArrayList<>();
        kinds.forEach(
                (name, kind) -> {
                    if (!hosts.contains(name)
                            && !unknown.contains(name)
                            && neighbours.getOrDefault(name, Set.of()).size() == 1) {
                        single.add(name);
                    }
                });
        single.sort(Comparator.comparing(reporters::contains));
        for (final String name : single) {
            final String other = neighbours.get(name).iterator().next();
            final boolean isLeaf =
                    reporters.contains(name)
                            && kinds.get(name) == LldpReport.Kind.BRIDGE
                            && hosts.isEmpty();
            if (!isLeaf && !hosts.contains(other)) {
                hosts.add(name);
            }
        }
    }
}
