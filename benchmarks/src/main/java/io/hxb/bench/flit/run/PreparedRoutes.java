package io.hxb.bench.flit.run;

import io.hxb.bench.flit.core.RouteFunction;
import io.hxb.bench.flit.core.SimulationException;
import io.hxb.bench.flit.route.AdaptiveRoutes;
import io.hxb.bench.flit.route.CrossbarRoutes;
import io.hxb.bench.flit.route.StoredRoutes;
import io.hxb.fabric.GraphException;
import io.hxb.fabric.Lattice;
import io.hxb.fabric.RouteSet;
import io.hxb.fabric.plan.RoutingAlgorithm;
import io.hxb.fabric.plan.RoutingOptions;
import io.hxb.fabric.route.Routing;

import java.util.Arrays;

/**
 * The routes of an experiment, computed once and used by all its runs, at any time by any thread.
 */
public final class PreparedRoutes {
    private static final String CROSSBAR = "hyper-crossbar:";

    /** The paths of an algorithm that chooses them by itself. */
    private static final String OWN = "own";

    private final Experiment experiment;
    private final RouteSet stored;
    private final String paths;

    private PreparedRoutes(final Experiment experiment, final RouteSet stored, final String paths) {
        this.experiment = experiment;
        this.stored = stored;
        this.paths = paths;
    }

    /**
     * Computes the routes.
     *
     * @throws SimulationException or GraphException if the algorithm does not suit the graph or
     *     needs more virtual channels.
     */
    public static PreparedRoutes of(final Experiment experiment) {
        if (experiment.graph().hostCount() < 2) {
            throw new SimulationException(
                    "the graph ("
                            + experiment.graph()
                            + ") needs at least two hosts; give more with --hosts");
        }
        if (isCrossbarOrder(experiment)) {
            requireOwnPaths(experiment, "dimension-order on a hyper-crossbar");
            return new PreparedRoutes(experiment, null, OWN);
        }
        final Routing routing = routing(experiment);
        final int needed = routing.virtualChannels();
        if (needed > experiment.network().lanes()) {
            throw new SimulationException(
                    routing.name()
                            + " needs "
                            + needed
                            + " virtual channels here"
                            + remedy(experiment, needed));
        }
        if (experiment.selection().needsLattice()) {
            // Says which graph it would need.
            experiment.selection().on(experiment.graph(), experiment.network().lanes(), 1);
        }
        if (!routing.isAdaptive()) {
            requireOwnPaths(experiment, routing.name());
        }
        final boolean isAdaptive =
                routing.isAdaptive()
                        && (experiment.paths() == PathChoice.ADAPTIVE
                                || experiment.paths() == PathChoice.AUTO);
        return new PreparedRoutes(
                experiment,
                isAdaptive
                        ? null
                        : routing.staticRoutes(experiment.paths().selection(), experiment.seed()),
                isAdaptive
                        ? PathChoice.ADAPTIVE.word()
                        : routing.isAdaptive() ? experiment.paths().word() : OWN);
    }

    /** Refuses a choice of paths that would do nothing. */
    private static void requireOwnPaths(final Experiment experiment, final String name) {
        if (experiment.paths() != PathChoice.AUTO) {
            throw new SimulationException(
                    name
                            + " has one path for each pair, which it chooses by itself: --paths "
                            + experiment.paths().word()
                            + " does nothing, leave it out");
        }
    }

    private static boolean isCrossbarOrder(final Experiment experiment) {
        return experiment.algorithm() == RoutingAlgorithm.DIMENSION_ORDER
                && experiment.graphName().startsWith(CROSSBAR);
    }

    private static Routing routing(final Experiment experiment) {
        final RoutingOptions options =
                new RoutingOptions(
                        experiment.root(),
                        experiment.network().lanes(),
                        true,
                        experiment.paths().selection(),
                        experiment.seed());
        try {
            return experiment.algorithm().routing(experiment.graph(), options);
        } catch (final GraphException e) {
            final int enough = channelsOfItsOwnChoice(experiment, options);
            if (enough == 0) {
                throw e;
            }
            throw new GraphException(e.getMessage() + remedy(experiment, enough));
        }
    }

    /** Virtual channels of a routing that may choose them, 0 when it cannot work even so. */
    private static int channelsOfItsOwnChoice(
            final Experiment experiment, final RoutingOptions options) {
        try {
            return experiment
                    .algorithm()
                    .routing(experiment.graph(), options.withVirtualChannels(0))
                    .virtualChannels();
        } catch (final GraphException e) {
            return 0;
        }
    }

    private static String remedy(final Experiment experiment, final int needed) {
        return "; there are "
                + experiment.network().lanes()
                + ": give --vcs "
                + needed
                + ", or write vcs: "
                + needed
                + " in the experiment's file";
    }

    /** The paths that are taken: a {@link PathChoice}, or {@code own}. */
    public String paths() {
        return paths;
    }

    /** Whether all packets of a pair take the same path. */
    public boolean isDeterministic() {
        return stored != null || isCrossbarOrder(experiment);
    }

    /** Makes the function of one run. */
    RouteFunction function() {
        final int lanes = experiment.network().lanes();
        if (isCrossbarOrder(experiment)) {
            final int[] extents =
                    Arrays.stream(
                                    experiment
                                            .graphName()
                                            .substring(CROSSBAR.length())
                                            .split("[x,]", -1))
                            .mapToInt(Integer::parseInt)
                            .toArray();
            return new CrossbarRoutes(experiment.graph(), Lattice.mesh(extents), lanes);
        }
        if (stored != null) {
            return new StoredRoutes(stored, lanes, experiment.hasFreeCopies());
        }
        return new AdaptiveRoutes(routing(experiment), lanes, experiment.hasFreeCopies());
    }
}
