package io.hxb.tool.plan;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.Lattice;
import io.hxb.fabric.LinkWeights;
import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.lattice.LatticeGraph;
import io.hxb.fabric.plan.RoutingAlgorithm;
import io.hxb.fabric.plan.RoutingOptions;
import io.hxb.fabric.route.PathSelection;
import io.hxb.fabric.vlan.PathPacking;
import io.hxb.fabric.vlan.PlanKind;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.VlanPlanner;
import io.hxb.fabric.vlan.tree.DoubleStarTrees;
import io.hxb.fabric.vlan.tree.LatticeTrees;
import io.hxb.fabric.vlan.tree.RouteTrees;
import io.hxb.fabric.vlan.tree.SourceTrees;
import io.hxb.fabric.vlan.tree.TopTrees;
import io.hxb.fabric.vlan.tree.TreeMaker;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Option;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** How a VLAN plan finds its paths: by name, with its options. Picocli fills it. */
final class VlanRouting {
    /** Routings that make trees themselves, in addition to those of {@link RoutingAlgorithm}. */
    private static final List<String> OWN =
            List.of(
                    "auto",
                    "dimension-order",
                    "tops",
                    "double-star",
                    "updown-tree",
                    "shortest-tree");

    @Option(
            names = "--routing",
            paramLabel = "NAME",
            defaultValue = "auto",
            description =
                    "route by dimension-order (mesh, torus, hyper-crossbar), tops (fat "
                            + "tree, VBFT, Clos), double-star (Myrinet-Clos), updown-tree or "
                            + "shortest-tree (any graph), or an algorithm of 'hxb plan routes'; "
                            + "auto: what suits the graph (default: ${DEFAULT-VALUE})")
    private String name;

    @Option(
            names = "--order",
            paramLabel = "DIMENSIONS",
            description =
                    "dimension-order: take the dimensions in this order, such as yx or zxy "
                            + "(default: x first; with --ties table the shortest dimension first)")
    private String order;

    @Option(
            names = "--ties",
            paramLabel = "balanced|table",
            defaultValue = "balanced",
            description =
                    "dimension-order: choose the path to the opposite switch of a ring so "
                            + "that links are balanced, or as in table 1 of the paper (table) "
                            + "(default: ${DEFAULT-VALUE})")
    private LatticeTrees.Ties ties;

    @Option(
            names = "--spread",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "double-star: let the hosts of one switch use this many trees "
                            + "(default: ${DEFAULT-VALUE})")
    private int spread;

    @Option(
            names = "--root",
            paramLabel = "SWITCH",
            defaultValue = "0",
            description =
                    "updown-tree and others: put the switch of this number at the root "
                            + "(default: ${DEFAULT-VALUE})")
    private int root;

    /** Picocli makes it. */
    VlanRouting() {}

    /** What was chosen, {@code auto} replaced. */
    String name(final SwitchGraph graph, final Lattice crossbar) {
        if (!name.equals("auto")) {
            return name;
        }
        if (crossbar != null || lattice(graph) != null) {
            return "dimension-order";
        }
        if (DoubleStarTrees.matches(graph) && hasHostsEverywhere(graph)) {
            return "double-star";
        }
        return hasTwoLevels(graph) ? "tops" : "updown-tree";
    }

    /**
     * Plans a graph.
     *
     * @param crossbar the nodes when the graph is a generated hyper-crossbar, otherwise null.
     */
    VlanPlan plan(final VlanPlanner planner, final SwitchGraph graph, final Lattice crossbar) {
        final String chosen = name(graph, crossbar);
        checkNumbers(chosen, graph);
        if (OWN.contains(chosen)) {
            return planner.plan(graph, maker(chosen, graph, crossbar), chosen);
        }
        final PathSelection selection =
                LinkWeights.of(graph).areEven()
                        ? PathSelection.LOW_PORT
                        : PathSelection.HIGH_PHYSICAL;
        final RoutingOptions options =
                RoutingOptions.DEFAULTS.withRoot(root).withSelection(selection);
        final RouteSet routes =
                algorithm(chosen)
                        .routing(graph, options)
                        .staticRoutes(options.selection(), options.seed());
        if (routes.isPerHost()) {
            throw new UsageException(
                    chosen
                            + " has a path for each host, and a VLAN plan has trees of switches:"
                            + " leave --routing out, or take updown-tree");
        }
        try {
            return planner.plan(graph, new RouteTrees(routes, chosen), chosen);
        } catch (final GraphException e) {
            if (planner.kind() == PlanKind.SWITCH_TAGGED) {
                throw e;
            }
            return PathPacking.plan(planner, routes, chosen);
        }
    }

    private void checkNumbers(final String chosen, final SwitchGraph graph) {
        if (root < 0 || root >= graph.switchCount()) {
            throw new UsageException(
                    "--root must be a switch 0.." + (graph.switchCount() - 1) + ": " + root);
        }
        if (spread < 1) {
            throw new UsageException("--spread must be 1 or more: " + spread);
        }
        final boolean hasRoot = chosen.equals("updown-tree") || !OWN.contains(chosen);
        if (root != 0 && !hasRoot) {
            throw new UsageException(chosen + " has no root: --root does nothing, leave it out");
        }
        if (spread != 1 && !chosen.equals("double-star")) {
            throw new UsageException(
                    "--spread is for double-star, not " + chosen + ": leave it out");
        }
    }

    private static RoutingAlgorithm algorithm(final String chosen) {
        try {
            return RoutingAlgorithm.of(chosen);
        } catch (final GraphException e) {
            throw new UsageException(
                    "there is no routing '"
                            + chosen
                            + "'; there are "
                            + String.join(", ", OWN)
                            + ", "
                            + String.join(", ", RoutingAlgorithm.names()),
                    e);
        }
    }

    private TreeMaker maker(final String chosen, final SwitchGraph graph, final Lattice crossbar) {
        return switch (chosen) {
            case "tops" -> new TopTrees();
            case "double-star" -> new DoubleStarTrees(spread);
            case "updown-tree" -> SourceTrees.upDown(root);
            case "shortest-tree" -> SourceTrees.shortest();
            default ->
                    crossbar != null
                            ? LatticeTrees.ofCrossbar(crossbar, order(crossbar))
                            : latticeTrees(LatticeGraph.of(graph).lattice());
        };
    }

    private TreeMaker latticeTrees(final Lattice lattice) {
        return LatticeTrees.of(lattice, order(lattice), ties);
    }

    private int[] order(final Lattice lattice) {
        final String letters = "xyzuvwabcdefghij";
        final int[] dimensions = new int[lattice.dimensions()];
        if (order != null && order.length() != dimensions.length) {
            throw new UsageException(
                    "--order "
                            + order
                            + " names "
                            + order.length()
                            + " dimensions, a "
                            + lattice
                            + " has "
                            + dimensions.length
                            + ": "
                            + letters.substring(0, dimensions.length));
        }
        for (int i = 0; i < dimensions.length; i++) {
            dimensions[i] = order == null ? i : letters.indexOf(order.charAt(i));
        }
        // Table 1 of the paper has as many VLANs as its lattices have lines of the shorter extent.
        return order == null && ties == LatticeTrees.Ties.TABLE
                ? IntStream.range(0, dimensions.length)
                        .boxed()
                        .sorted(Comparator.comparingInt(lattice::extent))
                        .mapToInt(Integer::intValue)
                        .toArray()
                : dimensions;
    }

    private static Lattice lattice(final SwitchGraph graph) {
        try {
            return LatticeGraph.of(graph).lattice();
        } catch (final GraphException e) {
            return null;
        }
    }

    private static boolean hasHostsEverywhere(final SwitchGraph graph) {
        return Arrays.stream(graph.hostCounts()).allMatch(count -> count > 0);
    }

    /** Whether there are switches without hosts, and all links lead to one. */
    private static boolean hasTwoLevels(final SwitchGraph graph) {
        final int[] hosts = graph.hostCounts();
        for (int link = 0; link < graph.linkCount(); link++) {
            if (hosts[graph.source(2 * link)] > 0 && hosts[graph.target(2 * link)] > 0) {
                return false;
            }
        }
        return !hasHostsEverywhere(graph);
    }
}
