package io.hxb.fabric.plan;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.algorithm.DescendingLayers;
import io.hxb.fabric.algorithm.Dfsssp;
import io.hxb.fabric.algorithm.FatTree;
import io.hxb.fabric.algorithm.Lash;
import io.hxb.fabric.algorithm.LrTurn;
import io.hxb.fabric.algorithm.Minimal;
import io.hxb.fabric.algorithm.MultiTree;
import io.hxb.fabric.algorithm.UpDown;
import io.hxb.fabric.lattice.DoubledY;
import io.hxb.fabric.lattice.LatticeDimensionOrder;
import io.hxb.fabric.lattice.LatticeGraph;
import io.hxb.fabric.lattice.TurnModel;
import io.hxb.fabric.route.PathSelection;
import io.hxb.fabric.route.Routing;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Every routing algorithm by its name on the command line, and how it is applied to a graph. */
public enum RoutingAlgorithm {
    /** Shortest paths without regard to deadlock. */
    MINIMAL((graph, options) -> Minimal.paths(graph)),
    /** Up*&#47;Down* over a breadth-first tree. */
    UPDOWN_BFS((graph, options) -> UpDown.bfs(graph, options.rootOrFirst())),
    /** Up*&#47;Down* over Sancho's depth-first tree. */
    UPDOWN_DFS((graph, options) -> UpDown.dfs(graph, options.root())),
    /** L-turn/alpha. */
    L_TURN_ALPHA(LrTurn.L_TURN_ALPHA),
    /** L-turn/beta. */
    L_TURN_BETA(LrTurn.L_TURN_BETA),
    /** R-turn/alpha. */
    R_TURN_ALPHA(LrTurn.R_TURN_ALPHA),
    /** R-turn/beta. */
    R_TURN_BETA(LrTurn.R_TURN_BETA),
    /** Descending layers, UD*. */
    DL_UD(DescendingLayers.DL_UD),
    /** Descending layers, mutual UD-DU. */
    DL_MUTUAL(DescendingLayers.DL_MUTUAL),
    /** Descending layers, UD-DU*. */
    DL_UD_DU(DescendingLayers.DL_UD_DU),
    /** Several spanning trees. */
    MULTI_TREE(RoutingAlgorithm::multiTree),
    /** Shortest paths packed into layers. */
    LASH(RoutingAlgorithm::lash),
    /** One virtual channel for each hop. */
    STRUCTURED((graph, options) -> Minimal.structured(graph, options.virtualChannels())),
    /** Silla's minimal routing. */
    SILLA((graph, options) -> Minimal.silla(graph, options.rootOrFirst(), options.channelsOr(2))),
    /** In-transit buffers. */
    IN_TRANSIT((graph, options) -> Minimal.inTransit(graph, options.rootOrFirst())),
    /** Dimension order. */
    DIMENSION_ORDER(onLattice((lattice, options) -> LatticeDimensionOrder.routing(lattice))),
    /** Turn model, west first. */
    WEST_FIRST(TurnModel.WEST_FIRST),
    /** Turn model, north last. */
    NORTH_LAST(TurnModel.NORTH_LAST),
    /** Turn model, negative first. */
    NEGATIVE_FIRST(TurnModel.NEGATIVE_FIRST),
    /** Doubled Y channels. */
    DOUBLE_Y(onLattice((lattice, options) -> DoubledY.doubleY(lattice))),
    /** Doubled Y channels, open to all. */
    OPT_Y(onLattice((lattice, options) -> DoubledY.optY(lattice))),
    /** Static dimension reversal. */
    DIMENSION_REVERSAL_STATIC(onLattice(RoutingAlgorithm::staticReversal)),
    /** Dynamic dimension reversal. */
    DIMENSION_REVERSAL_DYNAMIC(onLattice(RoutingAlgorithm::dynamicReversal)),
    /** Duato's protocol. */
    DUATO(onLattice(RoutingAlgorithm::duato)),
    /** Up and down a tree of levels, a path for each host. */
    FAT_TREE((graph, options) -> FatTree.routing(graph)),
    /** Balanced shortest paths for each host in layers. */
    DFSSSP(
            (graph, options) ->
                    Dfsssp.routing(graph, options.rootOrFirst(), options.virtualChannels()));

    // Each is a lambda that captures only other constants.
    @SuppressWarnings("ImmutableEnumChecker")
    private final Application application;

    private final boolean isForLattices;
    private final boolean hasCycleDetection;

    /** Applies an algorithm to any graph. */
    private interface Application {
        Routing routing(SwitchGraph graph, RoutingOptions options);
    }

    /** Applies an algorithm to a mesh or torus. */
    private interface LatticeApplication {
        Routing routing(LatticeGraph lattice, RoutingOptions options);
    }

    /** Applies an algorithm that is only for meshes and tori. */
    private record OnLattice(LatticeApplication application) implements Application {
        @Override
        public Routing routing(final SwitchGraph graph, final RoutingOptions options) {
            return application.routing(LatticeGraph.of(graph), options);
        }
    }

    private static OnLattice onLattice(final LatticeApplication application) {
        return new OnLattice(application);
    }

    RoutingAlgorithm(final Application application) {
        this(application, false, false);
    }

    RoutingAlgorithm(final OnLattice application) {
        this(application, true, false);
    }

    RoutingAlgorithm(final TurnModel model) {
        this(onLattice((lattice, options) -> model.routing(lattice)));
    }

    RoutingAlgorithm(final LrTurn variant) {
        this(
                (graph, options) ->
                        variant.routing(graph, options.rootOrFirst(), options.hasCycleDetection()),
                false,
                true);
    }

    RoutingAlgorithm(final DescendingLayers variant) {
        this(
                (graph, options) ->
                        variant.routing(graph, options.rootOrFirst(), options.channelsOr(3)));
    }

    RoutingAlgorithm(
            final Application application,
            final boolean isForLattices,
            final boolean hasCycleDetection) {
        this.application = application;
        this.isForLattices = isForLattices;
        this.hasCycleDetection = hasCycleDetection;
    }

    private static Routing lash(final SwitchGraph graph, final RoutingOptions options) {
        return options.selection() == PathSelection.BALANCED
                ? Lash.balanced(graph, options.rootOrFirst(), options.virtualChannels())
                : Lash.routing(graph, options.rootOrFirst(), options.virtualChannels());
    }

    private static Routing multiTree(final SwitchGraph graph, final RoutingOptions options) {
        return MultiTree.routing(
                graph, options.rootOrFirst(), options.channelsOr(Math.min(3, graph.switchCount())));
    }

    private static Routing staticReversal(
            final LatticeGraph lattice, final RoutingOptions options) {
        final int ofClass = LatticeDimensionOrder.escapeChannels(lattice);
        final int channels = options.channelsOr(3 * ofClass);
        if (channels % ofClass != 0) {
            throw new GraphException(
                    "dimension-reversal-static needs two virtual channels for each class in a"
                            + " torus, an even number, not "
                            + channels);
        }
        return LatticeDimensionOrder.staticReversal(lattice, channels / ofClass);
    }

    private static Routing dynamicReversal(
            final LatticeGraph lattice, final RoutingOptions options) {
        final int escapes = LatticeDimensionOrder.escapeChannels(lattice);
        return LatticeDimensionOrder.dynamicReversal(
                lattice, options.channelsOr(escapes + 2) - escapes);
    }

    private static Routing duato(final LatticeGraph lattice, final RoutingOptions options) {
        final int escapes = LatticeDimensionOrder.escapeChannels(lattice);
        return LatticeDimensionOrder.duato(lattice, options.channelsOr(escapes + 1) - escapes);
    }

    /** Name on the command line: {@code updown-bfs}. */
    public String routingName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether it chooses its paths by itself, so that no selection can be asked for. */
    public boolean hasOwnPaths() {
        return this == LASH || this == IN_TRANSIT || this == FAT_TREE || this == DFSSSP;
    }

    /** Whether paths can be chosen that way; lash has a way of its own and the balanced one. */
    public boolean accepts(final PathSelection selection) {
        return !hasOwnPaths() || (this == LASH && selection == PathSelection.BALANCED);
    }

    /** Whether cycle detection can be switched off. */
    public boolean hasCycleDetection() {
        return hasCycleDetection;
    }

    /** Whether it is only for meshes and tori. */
    public boolean isForLattices() {
        return isForLattices;
    }

    /**
     * Applies the algorithm to a graph.
     *
     * @throws GraphException if the graph, the root or the virtual channels do not suit it.
     */
    public Routing routing(final SwitchGraph graph, final RoutingOptions options) {
        if (options.root() >= graph.switchCount() || options.root() < -1) {
            throw new GraphException(
                    "the root must be a switch 0.."
                            + (graph.switchCount() - 1)
                            + ": "
                            + options.root());
        }
        if (options.virtualChannels() < 0 || options.virtualChannels() > 256) {
            throw new GraphException(
                    "virtual channels must be 1..256: " + options.virtualChannels());
        }
        return application.routing(graph, options);
    }

    /**
     * The algorithm with a given name.
     *
     * @throws GraphException listing all names if there is none.
     */
    public static RoutingAlgorithm of(final String name) {
        if (name.equals("e-cube")) {
            return DIMENSION_ORDER;
        }
        for (final RoutingAlgorithm algorithm : values()) {
            if (algorithm.routingName().equals(name)) {
                return algorithm;
            }
        }
        throw new GraphException(
                "there is no algorithm '" + name + "'; there are " + String.join(", ", names()));
    }

    /** All names. */
    public static List<String> names() {
        return Arrays.stream(values()).map(RoutingAlgorithm::routingName).toList();
    }
}
