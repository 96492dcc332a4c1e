package io.hxb.fabric.algorithm;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.route.TurnRelation;
import io.hxb.fabric.route.TurnRouting;
import io.hxb.fabric.tree.Directions;

/**
 * DL (descending layers): every virtual channel is a layer with prohibited turns of its own; a
 * packet makes a turn that its layer prohibits by going one layer down. Layer 0 is Up*&#47;Down*.
 * Packets may start in any layer. Source: Koibuchi 2002, section 5.1.
 */
public enum DescendingLayers {
    /** Up*&#47;Down* in all layers. */
    DL_UD("dl-ud"),
    /** Up to down prohibited in odd layers, down to up in even ones. */
    DL_MUTUAL("dl-mutual"),
    /** Up to down prohibited in all layers but 0. */
    DL_UD_DU("dl-ud-du");

    private final String routingName;

    DescendingLayers(final String routingName) {
        this.routingName = routingName;
    }

    /** Name on the command line. */
    public String routingName() {
        return routingName;
    }

    private boolean isUpDown(final int layer) {
        return switch (this) {
            case DL_UD -> true;
            case DL_MUTUAL -> layer % 2 == 0;
            case DL_UD_DU -> layer == 0;
        };
    }

    /**
     * Applies the algorithm over a breadth-first tree.
     *
     * @param layers virtual channels, at least 1.
     */
    public TurnRouting routing(final SwitchGraph graph, final int root, final int layers) {
        final Directions directions = Directions.bfs(graph, root);
        final TurnRelation relation =
                TurnRelation.of(
                        graph,
                        layers,
                        (from, to) -> {
                            final int layer = from % layers;
                            final int in = from / layers;
                            final int out = to / layers;
                            final boolean isLegal =
                                    isUpDown(layer)
                                            ? directions.isUpDown(in, out)
                                            : directions.isDownUp(in, out);
                            return to % layers == (isLegal ? layer : layer - 1);
                        });
        return new TurnRouting(routingName, relation, root);
    }
}
