package io.hxb.fabric.lattice;

import io.hxb.fabric.route.TurnRelation;
import io.hxb.fabric.route.TurnRouting;

/**
 * The turn model on a mesh: two of the eight turns of a plane are prohibited. West is towards lower
 * coordinates of dimension 0, north towards higher ones of dimension 1. Source: Glass and Ni 1992;
 * Koibuchi 2002, section A.2.1.
 */
public enum TurnModel {
    /** No turn to the west. */
    WEST_FIRST("west-first"),
    /** No turn from the north. */
    NORTH_LAST("north-last"),
    /** No turn from a positive to a negative direction; any number of dimensions. */
    NEGATIVE_FIRST("negative-first");

    private final String routingName;

    TurnModel(final String routingName) {
        this.routingName = routingName;
    }

    /** Name on the command line. */
    public String routingName() {
        return routingName;
    }

    /** Applies the algorithm to a mesh. */
    public TurnRouting routing(final LatticeGraph graph) {
        if (this == NEGATIVE_FIRST) {
            graph.requireMesh(routingName);
        } else {
            graph.requireMesh2(routingName);
        }
        return new TurnRouting(
                routingName,
                TurnRelation.of(
                        graph.graph(),
                        1,
                        (from, to) ->
                                graph.dimension(from) == graph.dimension(to)
                                        ? graph.isStraight(from, to)
                                        : permits(graph, from, to)));
    }

    private boolean permits(final LatticeGraph graph, final int from, final int to) {
        return switch (this) {
            case WEST_FIRST -> graph.dimension(to) != 0 || graph.isPositive(to);
            case NORTH_LAST -> graph.dimension(from) != 1 || !graph.isPositive(from);
            case NEGATIVE_FIRST -> !graph.isPositive(from) || graph.isPositive(to);
        };
    }
}
