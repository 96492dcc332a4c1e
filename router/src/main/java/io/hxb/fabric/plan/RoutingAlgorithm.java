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

/** Every routing algorithm by its name on the command line. */
public enum RoutingAlgorithm {
    /** Shortest paths without regard to deadlock. */
    MINIMAL(false),
    /** Up*&#47;Down* over a breadth-first tree. */
    UPDOWN_BFS(false),
    /** Up*&#47;Down* over Sancho's depth-first tree. */
    UPDOWN_DFS(false),
    /** L-turn/alpha. */
    L_TURN_ALPHA(false),
    /** L-turn/beta. */
    L_TURN_BETA(false),
    /** R-turn/alpha. */
    R_TURN_ALPHA(false),
    /** R-turn/beta. */
    R_TURN_BETA(false),
    /** Descending layers, UD*. */
    DL_UD(false),
    /** Descending layers, mutual UD-DU. */
    DL_MUTUAL(false),
    /** Descending layers, UD-DU*. */
    DL_UD_DU(false),
    /** Several spanning trees. */
    MULTI_TREE(false),
    /** Shortest paths packed into layers. */
    LASH(false),
    /** One virtual channel for each hop. */
    STRUCTURED(false),
    /** Silla's minimal routing. */
    SILLA(false),
    /** In-transit buffers. */
    IN_TRANSIT(false),
    /** Dimension order. */
    DIMENSION_ORDER(true),
    /** Turn model, west first. */
    WEST_FIRST(true),
    /** Turn model, north last. */
    NORTH_LAST(true),
    /** Turn model, negative first. */
    NEGATIVE_FIRST(true),
    /** Doubled Y channels. */
    DOUBLE_Y(true),
    /** Doubled Y channels, open to all. */
    OPT_Y(true),
    /** Static dimension reversal. */
    DIMENSION_REVERSAL_STATIC(true),
    /** Dynamic dimension reversal. */
    DIMENSION_REVERSAL_DYNAMIC(true),
    /** Duato's protocol. */
    DUATO(true);

    private final boolean isForLattices;

    RoutingAlgorithm(final boolean isForLattices) {
        this.isForLattices = isForLattices;
    }

    private Routing onAnyGraph(final SwitchGraph graph, final RoutingOptions options) {
        final int root = options.rootOrFirst();
        final int channels = options.virtualChannels();
        return switch (this) {
            case MINIMAL -> Minimal.paths(graph);
            case UPDOWN_BFS -> UpDown.bfs(graph, root);
            case UPDOWN_DFS -> UpDown.dfs(graph, options.root());
            case L_TURN_ALPHA -> turn(LrTurn.L_TURN_ALPHA, graph, options);
            case L_TURN_BETA -> turn(LrTurn.L_TURN_BETA, graph, options);
            case R_TURN_ALPHA -> turn(LrTurn.R_TURN_ALPHA, graph, options);
            case R_TURN_BETA -> turn(LrTurn.R_TURN_BETA, graph, options);
            case DL_UD -> layers(DescendingLayers.DL_UD, graph, options);
            case DL_MUTUAL -> layers(DescendingLayers.DL_MUTUAL, graph, options);
            case DL_UD_DU -> layers(DescendingLayers.DL_UD_DU, graph, options);
            case MULTI_TREE ->
                    MultiTree.routing(
                            graph, root, options.channelsOr(Math.min(3, graph.switchCount())));
            case LASH -> Lash.routing(graph, root, channels);
            case STRUCTURED -> Minimal.structured(graph, channels);
            case SILLA -> Minimal.silla(graph, root, options.channelsOr(2));
            case IN_TRANSIT -> Minimal.inTransit(graph, root);
            default -> throw new IllegalStateException(routingName() + " needs a lattice");
        };
    }

    private Routing onLattice(final LatticeGraph lattice, final RoutingOptions options) {
        return switch (this) {
            case DIMENSION_ORDER -> DimensionOrder.routing(lattice);
            case WEST_FIRST -> TurnModel.WEST_FIRST.routing(lattice);
            case NORTH_LAST -> TurnModel.NORTH_LAST.routing(lattice);
            case NEGATIVE_FIRST -> TurnModel.NEGATIVE_FIRST.routing(lattice);
            case DOUBLE_Y -> DoubledY.doubleY(lattice);
            case OPT_Y -> DoubledY.optY(lattice);
            case DIMENSION_REVERSAL_STATIC -> staticReversal(lattice, options);
            case DIMENSION_REVERSAL_DYNAMIC -> dynamicReversal(lattice, options);
            case DUATO -> duato(lattice, options);
            default -> throw new IllegalStateException(routingName() + " needs no lattice");
        };
    }

    private static Routing turn(
            final LrTurn variant, final SwitchGraph graph, final RoutingOptions options) {
        return variant.routing(graph, options.rootOrFirst(), options.hasCycleDetection());
    }

    private static Routing layers(
            final DescendingLayers variant, final SwitchGraph graph, final RoutingOptions options) {
        return variant.routing(graph, options.rootOrFirst(), options.channelsOr(3));
    }

    private static Routing staticReversal(
            final LatticeGraph lattice, final RoutingOptions options) {
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

    private static Routing dynamicReversal(
            final LatticeGraph lattice, final RoutingOptions options) {
        final int escapes = DimensionOrder.escapeChannels(lattice);
        return DimensionOrder.dynamicReversal(lattice, options.channelsOr(escapes + 2) - escapes);
    }

    private static Routing duato(final LatticeGraph lattice, final RoutingOptions options) {
        final int escapes = DimensionOrder.escapeChannels(lattice);
        return DimensionOrder.duato(lattice, options.channelsOr(escapes + 1) - escapes);
    }

    /** Name on the command line: {@code updown-bfs}. */
    public String routingName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether it chooses its paths by itself, so that no selection can be asked for. */
    public boolean hasOwnPaths() {
        return this == LASH || this == IN_TRANSIT;
    }

    /** Whether cycle detection can be switched off. */
    public boolean hasCycleDetection() {
        return switch (this) {
            case L_TURN_ALPHA, L_TURN_BETA, R_TURN_ALPHA, R_TURN_BETA -> true;
            default -> false;
        };
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
        return isForLattices
                ? onLattice(LatticeGraph.of(graph), options)
                : onAnyGraph(graph, options);
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
                "there is no algorithm '" + name + "'; there are " + String.join(", ", names()));
    }

    /** All names. */
    public static List<String> names() {
        return Arrays.stream(values()).map(RoutingAlgorithm::routingName).toList();
    }
}
