package io.hxb.tool.graph;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Collects systems and the cables between them, for formats that do not keep hosts apart: a cable
 * between two switches is a link, one between a switch and a host is that host. A host with several
 * cables is one host for each, except for the cables of a bond to one switch. Used by one thread.
 */
public final class NodeCables {
    private final Map<String, Boolean> isHost = new LinkedHashMap<>();
    private final List<Cable> cables = new ArrayList<>();

    /**
     * One end of a cable. Immutable.
     *
     * @param system name of the switch or host.
     * @param port its name, or null.
     * @param mac 48 bits, 0 when it is not known.
     * @param bond the name of the aggregate that the port belongs to, or null.
     */
    public record End(String system, String port, long mac, String bond) {
        /** An end of which no more is known than its place. */
        public End(final String system, final String port) {
            this(system, port, 0, null);
        }

        /** As text: {@code leaf1.swp1}. */
        @Override
        public String toString() {
            return port == null ? system : system + "." + port;
        }
    }

    private record Cable(End first, End second, long rateBps) {
        Cable reversed() {
            return new Cable(/* first= */ second, /* second= */ first, rateBps);
        }
    }

    /** Starts without systems. */
    public NodeCables() {}

    /** Adds a system; the order of the systems is that of the switches. */
    public void addSystem(final String name, final boolean host) {
        isHost.merge(name, host, Boolean::logicalOr);
    }

    /**
     * Adds a cable between systems that were or will be added.
     *
     * @param rateBps bit/s, 0 when it is not known.
     */
    public void addCable(final End first, final End second, final long rateBps) {
        cables.add(new Cable(first, second, rateBps));
    }

    /**
     * Makes the graph.
     *
     * @param hostsPerSwitch hosts on each switch when no system is a host.
     * @throws GraphException naming every problem.
     */
    public SwitchGraph build(final int hostsPerSwitch) {
        final SwitchGraphBuilder builder = new SwitchGraphBuilder();
        isHost.forEach(
                (name, host) -> {
                    if (!host) {
                        builder.addSwitch(name);
                    }
                });
        if (!isHost.containsValue(true)) {
            builder.addHosts(hostsPerSwitch);
        }
        final Map<String, List<Cable>> ofHosts = new LinkedHashMap<>();
        for (final Cable cable : cables) {
            final boolean isFirstHost = isHost.get(cable.first.system);
            final boolean isSecondHost = isHost.get(cable.second.system);
            if (isFirstHost && isSecondHost) {
                throw new GraphException(
                        "hosts '"
                                + cable.first.system
                                + "' and '"
                                + cable.second.system
                                + "' have a link; hosts are on switches");
            }
            if (isFirstHost || isSecondHost) {
                final Cable fromHost = isFirstHost ? cable : cable.reversed();
                ofHosts.computeIfAbsent(fromHost.first.system, name -> new ArrayList<>())
                        .add(fromHost);
            } else {
                builder.addLink(
                        builder.findSwitch(cable.first.system),
                        cable.first.port,
                        builder.findSwitch(cable.second.system),
                        cable.second.port,
                        cable.rateBps);
            }
        }
        ofHosts.forEach((name, own) -> addHosts(builder, name, attachments(own)));
        checkHostsAreConnected(ofHosts.keySet());
        return builder.build();
    }

    private void checkHostsAreConnected(final Set<String> connected) {
        isHost.forEach(
                (name, host) -> {
                    if (host && !connected.contains(name)) {
                        throw new GraphException(
                                "host '" + name + "' has no cable to a switch; add it");
                    }
                });
    }

    /** The cables of a host, those of a bond to one switch together. */
    private static List<List<Cable>> attachments(final List<Cable> own) {
        final List<List<Cable>> attachments = new ArrayList<>();
        final Map<String, List<Cable>> bonds = new HashMap<>();
        for (final Cable cable : own) {
            final String bond = bond(cable.first);
            final List<Cable> known =
                    bond == null ? null : bonds.get(bond + "\0" + cable.second.system);
            if (known == null) {
                final List<Cable> fresh = new ArrayList<>(List.of(cable));
                attachments.add(fresh);
                if (bond != null) {
                    bonds.put(bond + "\0" + cable.second.system, fresh);
                }
            } else {
                known.add(cable);
            }
        }
        return attachments;
    }

    /** Ports with one MAC address are a bond, too, although nothing else shows it. */
    private static String bond(final End end) {
        if (end.bond != null) {
            return end.bond;
        }
        return end.mac == 0 ? null : Long.toHexString(end.mac);
    }

    private static void addHosts(
            final SwitchGraphBuilder builder,
            final String name,
            final List<List<Cable>> attachments) {
        final Set<String> names = new HashSet<>();
        for (int i = 0; i < attachments.size(); i++) {
            final List<Cable> cables = attachments.get(i);
            final End host = cables.getFirst().first;
            final End at = cables.getFirst().second;
            String own = host.port == null ? name + "." + (i + 1) : host.toString();
            own = attachments.size() == 1 ? name : own;
            own = names.add(own) ? own : own + "." + (i + 1);
            // Frames of a bond carry its own address, which no port announces.
            builder.addHost(
                    own,
                    builder.findSwitch(at.system),
                    at.port,
                    host.bond != null ? 0 : host.mac,
                    cables.stream().mapToLong(Cable::rateBps).sum());
        }
    }
}
