package io.hxb.tool.init;

import io.hxb.config.Dimensions;
import io.hxb.config.LinkPlan;
import io.hxb.config.Quantity;
import io.hxb.tool.init.NeighbourSurvey.Nic;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What users should know of cables, although a cluster file can be written. Stateless. */
final class CableNotes {
    private static final int MAX_NAMES = 8;

    private CableNotes() {}

    /**
     * Cables that are not used, links of one dimension that differ, and MAC addresses that several
     * NICs have.
     *
     * @param cabling null if nobody was heard.
     */
    static List<String> of(final NeighbourSurvey known, final Cabling cabling) {
        final List<String> notes = new ArrayList<>();
        if (cabling != null) {
            unused(known, cabling, notes);
            for (int dimension = 0; dimension < cabling.extents().size(); dimension++) {
                speeds(known, cabling, dimension, notes);
                mtus(known, cabling, dimension, notes);
            }
        }
        macs(known, notes);
        return notes;
    }

    private static void unused(
            final NeighbourSurvey known, final Cabling cabling, final List<String> notes) {
        final Set<DiscoveredPort> used = new TreeSet<>();
        for (int dimension = 0; dimension < cabling.extents().size(); dimension++) {
            used.addAll(ports(cabling, dimension));
        }
        for (final Set<DiscoveredPort> segment : Cabling.segments(known)) {
            if (segment.stream().noneMatch(used::contains)) {
                notes.add(
                        "the cable of "
                                + names(known, segment)
                                + " is not used: a dimension has "
                                + LinkPlan.MAX_LINKS_PER_DIMENSION
                                + " links at most, and as many as the line with the fewest");
            }
        }
    }

    private static void speeds(
            final NeighbourSurvey known,
            final Cabling cabling,
            final int dimension,
            final List<String> notes) {
        final SortedMap<Integer, List<DiscoveredPort>> bySpeed = new TreeMap<>();
        for (final DiscoveredPort port : ports(cabling, dimension)) {
            if (known.speedMbps(port) > 0) {
                bySpeed.computeIfAbsent(known.speedMbps(port), _ -> new ArrayList<>()).add(port);
            }
        }
        if (bySpeed.size() > 1) {
            final int slowest = bySpeed.firstKey();
            notes.add(
                    "links of dimension "
                            + Dimensions.name(dimension)
                            + " have different speeds: "
                            + names(known, bySpeed.get(slowest))
                            + " at "
                            + rate(slowest)
                            + ", others at "
                            + bySpeed.keySet().stream()
                                    .skip(1)
                                    .map(CableNotes::rate)
                                    .collect(Collectors.joining(" and "))
                            + "; replace the cable or NIC, or leave the slow ones out of links:"
                            + " (on all nodes as many)");
        }
    }

    private static String rate(final int megabits) {
        return Quantity.formatRate(megabits * 1_000_000L);
    }

    private static void mtus(
            final NeighbourSurvey known,
            final Cabling cabling,
            final int dimension,
            final List<String> notes) {
        final SortedMap<Integer, List<DiscoveredPort>> byMtu = new TreeMap<>();
        for (final DiscoveredPort port : ports(cabling, dimension)) {
            final Nic nic = known.nics().get(port);
            if (nic != null) {
                byMtu.computeIfAbsent(nic.mtuBytes(), _ -> new ArrayList<>()).add(port);
            }
        }
        if (byMtu.size() > 1) {
            notes.add(
                    "links of dimension "
                            + Dimensions.name(dimension)
                            + " have different MTUs: "
                            + names(known, byMtu.get(byMtu.firstKey()))
                            + " of "
                            + byMtu.firstKey()
                            + ", others of up to "
                            + byMtu.lastKey()
                            + "; ip link set NIC mtu "
                            + byMtu.lastKey());
        }
    }

    private static void macs(final NeighbourSurvey known, final List<String> notes) {
        final Map<String, List<DiscoveredPort>> byMac = new TreeMap<>();
        known.nics()
                .forEach(
                        (port, nic) ->
                                byMac.computeIfAbsent(nic.mac(), _ -> new ArrayList<>()).add(port));
        byMac.forEach(
                (mac, same) -> {
                    if (same.size() > 1) {
                        notes.add(
                                names(known, same)
                                        + " have one MAC address, "
                                        + mac.replaceAll("(..)(?!$)", "$1:")
                                        + ": switches send frames for one to the other; ip link"
                                        + " set NIC address ADDRESS");
                    }
                });
    }

    private static List<DiscoveredPort> ports(final Cabling cabling, final int dimension) {
        final List<DiscoveredPort> ports = new ArrayList<>();
        for (int node = 0; node < cabling.machines().size(); node++) {
            final String machine = cabling.machines().get(node);
            cabling.links()
                    .get(node)
                    .get(dimension)
                    .forEach(nic -> ports.add(new DiscoveredPort(machine, nic)));
        }
        return ports;
    }

    private static String names(final NeighbourSurvey known, final Iterable<DiscoveredPort> ports) {
        final List<String> names = new ArrayList<>();
        ports.forEach(port -> names.add(port.nic() + " of " + known.name(port.machine())));
        return names.stream().limit(MAX_NAMES).collect(Collectors.joining(", "))
                + (names.size() > MAX_NAMES ? ", ..." : "");
    }
}
