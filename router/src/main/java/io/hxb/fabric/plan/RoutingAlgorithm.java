package io.hxb.fabric.plan;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.algorithm.DescendingLayers;
import io.hxb.fabric.algorithm.Lash;
import io.hxb.fabric.algorithm.LrTurn;
import io.hxb.fabric.algorithm.Minimal;
import io.hxb.fabric.algorithm.MultiTree;
import io.hxb.fabric.algorithm.UpDown;
import io.hxb.fabric.lattice.DimensionOrder;
import io.hxb.fabric.lattice.DoubledY;
import io.hxb.fabric.lattice.LatticeGraph;
import io.hxb.fabric.lattice.TurnModel;
import io.hxb.fabric.route.Routing;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Every routing algorithm by its name on the command line. */
public enum RoutingAlgorithm {
    /** Shortest paths without regard to deadlock. */
    MINIMAL(false, (graph, o) -> Minimal.paths(graph, o.selection(), o.seed())),
    /** Up*&#47;Down* over a breadth-first tree. */
    UPDOWN_BFS(false, (graph, o) -> UpDown.bfs(graph, o.rootOrFirst())),
    /** Up*&#47;Down* over Sancho's depth-first tree. */
    UPDOWN_DFS(false, (graph, o) -> UpDown.dfs(graph, o.root())),
    /** L-turn/alpha. */
    L_TURN_ALPHA(false, (graph, o) -> turn(LrTurn.L_TURN_ALPHA, graph, o)),
    /** L-turn/beta. */
    L_TURN_BETA(false, (graph, o) -> turn(LrTurn.L_TURN_BETA, graph, o)),
    /** R-turn/alpha. */
    R_TURN_ALPHA(false, (graph, o) -> turn(LrTurn.R_TURN_ALPHA, graph, o)),
    /** R-turn/beta. */
    R_TURN_BETA(false, (graph, o) -> turn(LrTurn.R_TURN_BETA, graph, o)),
    /** Descending layers, UD*. */
    DL_UD(false, (graph, o) -> layers(DescendingLayers.DL_UD, graph, o)),
    /** Descending layers, mutual UD-DU. */
    DL_MUTUAL(false, (graph, o) -> layers(DescendingLayers.DL_MUTUAL, graph, o)),
    /** Descending layers, UD-DU*. */
    DL_UD_DU(false, (graph, o) -> layers(DescendingLayers.DL_UD_DU, graph, o)),
    /** Several spanning trees. */
    MULTI_TREE(
            false,
            (graph, o) ->
                    MultiTree.routing(
                            graph,
                            o.rootOrFirst(),
                            o.channelsOr(Math.min(3, graph.switchCount())))),
    /** Shortest paths packed into layers. */
    LASH(false, (graph, o) -> Lash.routing(graph, o.rootOrFirst(), o.virtualChannels())),
    /** One virtual channel for each hop. */
    STRUCTURED(false, (graph, o) -> Minimal.structured(graph, o.virtualChannels())),
    /** Silla's minimal routing. */
    SILLA(false, (graph, o) -> Minimal.silla(graph, o.rootOrFirst(), o.channelsOr(2))),
    /** In-transit buffers. */
    IN_TRANSIT(false, (graph, o) -> Minimal.inTransit(graph, o.rootOrFirst())),
    /** Dimension order. */
    DIMENSION_ORDER(true, (graph, o) -> DimensionOrder.routing(LatticeGraph.of(graph))),
    /** Turn model, west first. */
    WEST_FIRST(true, (graph, o) -> TurnModel.WEST_FIRST.routing(LatticeGraph.of(graph))),
    /** Turn model, north last. */
    NORTH_LAST(true, (graph, o) -> TurnModel.NORTH_LAST.routing(LatticeGraph.of(graph))),
    /** Turn model, negative first. */
    NEGATIVE_FIRST(true, (graph, o) -> TurnModel.NEGATIVE_FIRST.routing(LatticeGraph.of(graph))),
    /** Doubled Y channels. */
    DOUBLE_Y(true, (graph, o) -> DoubledY.doubleY(LatticeGraph.of(graph))),
    /** Doubled Y channels, open to all. */
    OPT_Y(true, (graph, o) -> DoubledY.optY(LatticeGraph.of(graph))),
    /** Static dimension reversal. */
    DIMENSION_REVERSAL_STATIC(true, RoutingAlgorithm::staticReversal),
    /** Dynamic dimension reversal. */
    DIMENSION_REVERSAL_DYNAMIC(true, RoutingAlgorithm::dynamicReversal),
    /** Duato's protocol. */
    DUATO(true, RoutingAlgorithm::duato);

    @FunctionalInterface
    private interface Maker {
        Routing make(SwitchGraph graph, RoutingOptions options);
    }

    private final boolean isForLattices;
    private final Maker maker;

    RoutingAlgorithm(final boolean isForLattices, final Maker maker) {
        this.isForLattices = isForLattices;
        this.maker = maker;
    }

    private static Routing turn(
            final LrTurn variant, final SwitchGraph graph, final RoutingOptions options) {
        return variant.routing(graph, options.rootOrFirst(), options.hasCycleDetection());
    }

    private static Routing layers(
            final DescendingLayers variant, final SwitchGraph graph, final RoutingOptions options) {
        return variant.routing(graph, options.rootOrFirst(), options.channelsOr(3));
    }

    private static Routing staticReversal(final SwitchGraph graph, final RoutingOptions options) {
        final LatticeGraph lattice = LatticeGraph.of(graph);
        final int ofClass = DimensionOrder.escapeChannels(lattice);
        final int channels = options.channelsOr(3 * ofClass);
        if (channels % ofClass != 0) {
            throw new GraphException(
                    "dimension-reversal-static needs two virtual channels for each class in a"
                        + " torus, an even number, not "
                            + channels);
        }
        return DimensionOrder.staticReversal(lattice, channels / ofClass);
    }

    private static Routing dynamicReversal(final SwitchGraph graph, final RoutingOptions options) {
        final LatticeGraph lattice = LatticeGraph.of(graph);
        final int escapes = DimensionOrder.escapeChannels(lattice);
        return DimensionOrder.dynamicReversal(lattice, options.channelsOr(escapes + 2) - escapes);
    }

    private static Routing duato(final SwitchGraph graph, final RoutingOptions options) {
        final LatticeGraph lattice = LatticeGraph.of(graph);
        final int escapes = DimensionOrder.escapeChannels(lattice);
        return DimensionOrder.duato(lattice, options.channelsOr(escapes + 1) - escapes);
    }

    /** Name on the command line: {@code updown-bfs}. */
    public String routingName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether it is for meshes and tori alone. */
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
        return maker.make(graph, options);
    }

    /**
     * The algorithm of a name.
     *
     * @throws GraphException naming all when there is none.
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
                "there is no algorithm '"
                        + name
                        + "'; there are "
                        + names().stream().collect(Collectors.joining(", ")));
    }

    /** All names. */
    public static List<String> names() {
        return Arrays.stream(values()).map(RoutingAlgorithm::routingName).toList();
    }
}
