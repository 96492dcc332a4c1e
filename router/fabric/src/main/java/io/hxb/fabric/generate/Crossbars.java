package io.hxb.fabric.generate;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.Lattice;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;

import java.util.Arrays;
import java.util.Locale;

/** Graphs whose rows are fully connected: hyper-crossbar, HyperX and dragonfly. Pure. */
public final class Crossbars {
    private Crossbars() {}

    /**
     * A hyper-crossbar: every line of nodes along a dimension has a crossbar switch. Numbers: first
     * the nodes as relays with one host each, dimension 0 fastest; then the switches of dimension 0
     * by their line (the number of the line's node 0 in the lattice without that dimension), then
     * those of dimension 1 and so on.
     *
     * @param extents nodes in each dimension, {@code [dimensions]}.
     */
    public static SwitchGraph hyperCrossbar(final int... extents) {
        final Lattice nodes = Lattice.mesh(extents);
        final SwitchGraphBuilder builder = new SwitchGraphBuilder();
        builder.addSwitches(nodes.switchCount()).addHosts(1);
        for (int dimension = 0; dimension < extents.length; dimension++) {
            final int first = builder.switchCount();
            builder.addSwitches(nodes.switchCount() / extents[dimension]);
            int stride = 1;
            for (int lower = 0; lower < dimension; lower++) {
                stride *= extents[lower];
            }
            for (int node = 0; node < nodes.switchCount(); node++) {
                final int line = node % stride + node / (stride * extents[dimension]) * stride;
                builder.addLink(node, first + line);
            }
        }
        return builder.build();
    }

    /**
     * A HyperX: the switches that differ in one coordinate only are linked with each other.
     *
     * @param extents switches in each dimension, {@code [dimensions]}.
     */
    public static SwitchGraph hyperX(final int hostsPerSwitch, final int... extents) {
        final Lattice nodes = Lattice.mesh(extents);
        final double perSwitch = Arrays.stream(extents).mapToDouble(extent -> extent - 1).sum() / 2;
        SwitchGraphBuilder.requireRoom(
                nodes.switchCount(),
                nodes.switchCount() * perSwitch,
                (double) nodes.switchCount() * hostsPerSwitch);
        final SwitchGraphBuilder builder = new SwitchGraphBuilder();
        builder.addSwitches(nodes.switchCount());
        for (int node = 0; node < nodes.switchCount(); node++) {
            for (int dimension = 0; dimension < extents.length; dimension++) {
                for (int other = nodes.neighbour(node, dimension, 1);
                        other >= 0;
                        other = nodes.neighbour(other, dimension, 1)) {
                    builder.addLink(node, other);
                }
            }
        }
        return builder.addHosts(hostsPerSwitch).build();
    }

    /**
     * A dragonfly: groups of fully connected switches, one link between any two groups.
     *
     * @param switchesPerGroup at least 1.
     * @param globalLinks links of a switch to other groups, at least 1; there are {@code
     *     switchesPerGroup * globalLinks + 1} groups. Source: Kim et al., ISCA 2008, section 3.
     */
    public static SwitchGraph dragonfly(
            final int switchesPerGroup, final int globalLinks, final int hostsPerSwitch) {
        if (switchesPerGroup < 1 || globalLinks < 1) {
            throw new GraphException(
                    "a dragonfly needs switches in its groups and links between them");
        }
        // As doubles: products of nine-digit numbers overflow anything else.
        final double switches = (1.0 * switchesPerGroup * globalLinks + 1) * switchesPerGroup;
        if (switches > SwitchGraphBuilder.MAX_SWITCHES) {
            throw new GraphException(
                    String.format(
                            Locale.ROOT,
                            "a dragonfly of %.4g switches is too large, a graph has at most %d",
                            switches,
                            SwitchGraphBuilder.MAX_SWITCHES));
        }
        SwitchGraphBuilder.requireRoom(
                switches,
                switches * (switchesPerGroup - 1 + globalLinks) / 2,
                switches * hostsPerSwitch);
        final int groups = switchesPerGroup * globalLinks + 1;
        final SwitchGraphBuilder builder = new SwitchGraphBuilder();
        builder.addSwitches((int) switches);
        for (int group = 0; group < groups; group++) {
            final int first = group * switchesPerGroup;
            for (int a = 0; a < switchesPerGroup; a++) {
                for (int b = a + 1; b < switchesPerGroup; b++) {
                    builder.addLink(first + a, first + b);
                }
            }
            for (int other = group + 1; other < groups; other++) {
                // Link g of a group leads to the group g + 1 further on.
                final int out = (other - group - 1) / globalLinks;
                final int back = (groups - (other - group) - 1) / globalLinks;
                builder.addLink(first + out, other * switchesPerGroup + back);
            }
        }
        return builder.addHosts(hostsPerSwitch).build();
    }
}
