package io.hxb.sim.run;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.Lattice;
import io.hxb.fabric.RouteSet;
import io.hxb.fabric.lattice.LatticeGraph;
import io.hxb.fabric.plan.RoutingAlgorithm;
import io.hxb.fabric.plan.RoutingOptions;
import io.hxb.fabric.route.Routing;
import io.hxb.sim.flit.RouteFunction;
import io.hxb.sim.flit.SimulationException;
import io.hxb.sim.route.AdaptiveRoutes;
import io.hxb.sim.route.CrossbarRoutes;
import io.hxb.sim.route.LatticeRoutes;
import io.hxb.sim.route.RingRule;
import io.hxb.sim.route.StoredRoutes;

import java.util.Arrays;
import java.util.Locale;

/**
 * The routes of an experiment, computed once and used by all its runs, at any time by any thread.
 */
public final class PreparedRoutes {
    private static final String CROSSBAR = "hyper-crossbar:";

    /** The paths of an algorithm that chooses them by itself. */
    private static final String OWN = "own";

    private final Experiment experiment;
    private final RouteSet stored;
    private final LatticeGraph lattice;
    private final int virtualChannels;
    private final String paths;

    /** Virtual channels for which a run keeps a distance to each switch. */
    private final long distanceStates;

    private PreparedRoutes(
            final Experiment experiment,
            final RouteSet stored,
            final LatticeGraph lattice,
            final int virtualChannels,
            final String paths,
            final long distanceStates) {
        this.experiment = experiment;
        this.stored = stored;
        this.lattice = lattice;
        this.virtualChannels = virtualChannels;
        this.paths = paths;
        this.distanceStates = distanceStates;
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
            return new PreparedRoutes(experiment, null, null, 1, OWN, 0);
        }
        if (isComputed(experiment)) {
            return inLattice(experiment);
        }
        final Routing routing = routing(experiment);
        requireChannels(experiment, routing.virtualChannels());
        requireSelection(experiment);
        if (!routing.isAdaptive()
                && !experiment.algorithm().accepts(experiment.paths().selection())) {
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
                null,
                routing.virtualChannels(),
                isAdaptive
                        ? PathChoice.ADAPTIVE.word()
                        : routing.isAdaptive() || experiment.paths() != PathChoice.AUTO
                                ? experiment.paths().word()
                                : OWN,
                isAdaptive ? distanceStates(experiment, routing) : 0);
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

    private static long distanceStates(final Experiment experiment, final Routing routing) {
        if (experiment.algorithm() == RoutingAlgorithm.MINIMAL) {
            return experiment.graph().switchCount();
        }
        // Routings with escape paths keep distances of these, and of the shortest paths.
        return routing.relation() != null
                ? routing.relation().stateCount()
                : (long) experiment.graph().channelCount() * Math.min(3, routing.virtualChannels());
    }

    /** Bytes of the tables that each run makes as it proceeds. */
    public long tableBytes() {
        if (distanceStates == 0) {
            return 0;
        }
        return 2 * distanceStates * experiment.graph().switchCount()
                + Math.min(
                        AdaptiveRoutes.bytesOfAnswers(experiment.graph(), virtualChannels),
                        AdaptiveRoutes.maxBytesOfAnswers());
    }

    /**
     * Checks that the heap has room for the tables of several runs at once.
     *
     * @param runs at once, at least 1.
     * @param maxBytes of the heap.
     * @throws SimulationException naming the options to change.
     */
    public void requireRoom(final int runs, final long maxBytes) {
        final long bytes = tableBytes();
        if (bytes * runs <= maxBytes / 10 * 9) {
            return;
        }
        final boolean fitsAlone = bytes <= maxBytes / 10 * 9;
        throw new SimulationException(
                String.format(
                        Locale.ROOT,
                        "the routes of %s in a graph of %d switches take about %.1f GB%s, and Java"
                                + " may use %.1f GB: %stake a smaller --graph, --algorithm"
                                + " dimension-order if it is a mesh or torus (it needs no tables),"
                                + " fewer --vcs, or give more memory, HXB_JAVA_OPTIONS=-Xmx%dg",
                        experiment.algorithm().routingName(),
                        experiment.graph().switchCount(),
                        bytes * runs / 1e9,
                        runs == 1 ? "" : " for " + runs + " runs at once",
                        maxBytes / 1e9,
                        fitsAlone ? "give --threads 1, " : "",
                        (long) Math.ceil(bytes * runs * 1.2 / (1 << 30))));
    }

    /** Dimension order that leaves every choice open needs no tables. */
    private static boolean isComputed(final Experiment experiment) {
        return experiment.algorithm() == RoutingAlgorithm.DIMENSION_ORDER
                && (experiment.paths() == PathChoice.ADAPTIVE
                        || experiment.paths() == PathChoice.AUTO);
    }

    private static PreparedRoutes inLattice(final Experiment experiment) {
        final LatticeGraph lattice = LatticeGraph.of(experiment.graph());
        requireChannels(experiment, LatticeRoutes.virtualChannels(lattice));
        requireSelection(experiment);
        return new PreparedRoutes(
                experiment,
                null,
                lattice,
                LatticeRoutes.virtualChannels(lattice),
                PathChoice.ADAPTIVE.word(),
                0);
    }

    private static void requireChannels(final Experiment experiment, final int needed) {
        if (needed > experiment.network().lanes()) {
            throw new SimulationException(
                    experiment.algorithm().routingName()
                            + " needs "
                            + needed
                            + " virtual channels here"
                            + remedy(experiment, needed));
        }
    }

    private static void requireSelection(final Experiment experiment) {
        if (experiment.selection().needsLattice()) {
            // The exception names the graph that it would need.
            experiment.selection().on(experiment.graph(), experiment.network().lanes(), 1);
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

    /** Virtual channels that the routing needs. */
    public int virtualChannels() {
        return virtualChannels;
    }

    /** How often the network has the virtual channels that the routing needs. */
    public int copies() {
        return isCrossbarOrder(experiment) ? 1 : experiment.network().lanes() / virtualChannels;
    }

    /** The lattice in which dimension order is computed, or null. */
    public LatticeGraph lattice() {
        return lattice;
    }

    /** Whether packets may have several virtual channels to choose from at a switch. */
    public boolean hasChoice() {
        final boolean hasFreeCopies = experiment.hasFreeCopies() && copies() > 1;
        if (isDeterministic() || (lattice != null && !lattice.hasRings())) {
            return hasFreeCopies;
        }
        return hasFreeCopies || lattice == null || experiment.rings().ties() == RingRule.Ties.FREE;
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
        if (lattice != null) {
            return new LatticeRoutes(
                    lattice,
                    experiment.rings(),
                    lanes,
                    experiment.hasFreeCopies(),
                    experiment.seed() + 3);
        }
        if (stored != null) {
            return new StoredRoutes(stored, lanes, experiment.hasFreeCopies());
        }
        return new AdaptiveRoutes(routing(experiment), lanes, experiment.hasFreeCopies());
    }
}
