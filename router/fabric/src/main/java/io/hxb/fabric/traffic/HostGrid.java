package io.hxb.fabric.traffic;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.Lattice;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.generate.Crossbars;
import io.hxb.fabric.lattice.LatticeGraph;

import java.util.Arrays;

/**
 * The coordinates of hosts in a mesh, torus, hypercube or hyper-crossbar: those of their switch,
 * and their place among the hosts of that switch, all of which have equally many. Immutable.
 */
final class HostGrid {
    private final Lattice lattice;
    private final int hostsPerSwitch;

    /** Hosts by switch and place, {@code [switches * hostsPerSwitch]}. */
    private final int[] hosts;

    /** The inverse, {@code [hosts]}. */
    private final int[] places;

    private HostGrid(final Lattice lattice, final SwitchGraph graph) {
        this.lattice = lattice;
        this.hostsPerSwitch = graph.hostCount() / lattice.switchCount();
        this.hosts = new int[graph.hostCount()];
        this.places = new int[graph.hostCount()];
        final int[] filled = new int[lattice.switchCount()];
        for (int host = 0; host < hosts.length; host++) {
            final int node = graph.hostSwitch(host);
            places[host] = node * hostsPerSwitch + filled[node]++;
            hosts[places[host]] = host;
        }
    }

    /**
     * Finds the coordinates.
     *
     * @param word the pattern that needs them, for messages.
     * @return null if the graph is not a mesh, torus or hyper-crossbar.
     * @throws GraphException if its switches have unequal numbers of hosts.
     */
    static HostGrid of(final SwitchGraph graph, final String word) {
        final Lattice crossbar = crossbar(graph);
        final Lattice lattice = crossbar == null ? lattice(graph) : crossbar;
        if (lattice == null) {
            return null;
        }
        final int[] counts = graph.hostCounts();
        for (int node = 0; node < lattice.switchCount(); node++) {
            if (counts[node] != counts[0] || counts[0] == 0) {
                throw new GraphException(
                        "'"
                                + word
                                + "' needs equally many hosts on every switch, and "
                                + graph.switchName(node)
                                + " has "
                                + counts[node]);
            }
        }
        return new HostGrid(lattice, graph);
    }

    private static Lattice lattice(final SwitchGraph graph) {
        try {
            return LatticeGraph.of(graph).lattice();
        } catch (final GraphException e) {
            return null;
        }
    }

    /** The nodes of a generated hyper-crossbar, or null when the graph is not one. */
    private static Lattice crossbar(final SwitchGraph graph) {
        final int nodes = graph.hostCount();
        if (nodes == 0 || nodes >= graph.switchCount() || graph.degree(0) > 16) {
            return null;
        }
        final int[] extents = new int[graph.degree(0)];
        long count = 1;
        for (int i = 0; i < extents.length; i++) {
            extents[i] = graph.degree(graph.target(graph.outgoing(0, i)));
            count = Math.min(1 << 20, count * extents[i]);
        }
        return count == nodes && isSame(graph, Crossbars.hyperCrossbar(extents))
                ? Lattice.mesh(extents)
                : null;
    }

    private static boolean isSame(final SwitchGraph graph, final SwitchGraph other) {
        if (graph.switchCount() != other.switchCount()
                || graph.linkCount() != other.linkCount()
                || !Arrays.equals(graph.hostCounts(), other.hostCounts())) {
            return false;
        }
        for (int node = 0; node < graph.hostCount(); node++) {
            if (graph.degree(node) != other.degree(node)) {
                return false;
            }
            for (int i = 0; i < graph.degree(node); i++) {
                if (graph.target(graph.outgoing(node, i))
                        != other.target(other.outgoing(node, i))) {
                    return false;
                }
            }
        }
        return true;
    }

    /**
     * Every host sends as many coordinates ahead as the rule has it, round each dimension.
     *
     * @param isTornado half way round, {@code ceil(k / 2) - 1}; else to the next one.
     * @return the destination of each host, {@code [hosts]}.
     */
    int[] ahead(final boolean isTornado) {
        final int[] destinations = new int[hosts.length];
        final int[] coordinates = new int[lattice.dimensions()];
        for (int host = 0; host < destinations.length; host++) {
            final int node = places[host] / hostsPerSwitch;
            for (int dimension = 0; dimension < coordinates.length; dimension++) {
                final int extent = lattice.extent(dimension);
                final int step = isTornado ? (extent + 1) / 2 - 1 : 1;
                coordinates[dimension] = (lattice.coordinate(node, dimension) + step) % extent;
            }
            destinations[host] = at(lattice.node(coordinates), host);
        }
        return destinations;
    }

    /**
     * The halves of the address are exchanged: those of the coordinates, or, with an odd number of
     * dimensions of one extent that is a power of two, those of the bits of the switch's number.
     * Where both are possible they are the same.
     *
     * @return the destination of each host, {@code [hosts]}.
     * @throws GraphException if the halves differ.
     */
    int[] transposed(final String word) {
        final int dimensions = lattice.dimensions();
        final int bits = Integer.numberOfTrailingZeros(lattice.switchCount());
        final boolean hasHalves = dimensions % 2 == 0 && isRepeated(dimensions / 2);
        final boolean hasBits =
                isRepeated(1) && Integer.bitCount(lattice.switchCount()) == 1 && bits % 2 == 0;
        if (!hasHalves && !hasBits) {
            throw new GraphException(
                    "'"
                            + word
                            + "' exchanges the halves of the coordinates, and those of a "
                            + lattice
                            + " differ; 'host-"
                            + word
                            + "' exchanges the halves of a host number's bits instead");
        }
        final int[] destinations = new int[hosts.length];
        for (int host = 0; host < destinations.length; host++) {
            final int node = places[host] / hostsPerSwitch;
            final int to =
                    hasHalves ? exchanged(node) : TrafficPatterns.exchangeHalves(node, bits / 2);
            destinations[host] = at(to, host);
        }
        return destinations;
    }

    /** Whether the extents repeat after this number of dimensions. */
    private boolean isRepeated(final int period) {
        for (int dimension = period; dimension < lattice.dimensions(); dimension++) {
            if (lattice.extent(dimension) != lattice.extent(dimension - period)) {
                return false;
            }
        }
        return true;
    }

    private int exchanged(final int node) {
        final int[] coordinates = new int[lattice.dimensions()];
        for (int dimension = 0; dimension < coordinates.length; dimension++) {
            coordinates[(dimension + coordinates.length / 2) % coordinates.length] =
                    lattice.coordinate(node, dimension);
        }
        return lattice.node(coordinates);
    }

    /** The host of a switch with the same place as another host. */
    private int at(final int node, final int host) {
        return hosts[node * hostsPerSwitch + places[host] % hostsPerSwitch];
    }
}
