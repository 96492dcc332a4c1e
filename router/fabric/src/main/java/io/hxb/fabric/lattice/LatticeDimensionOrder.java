package io.hxb.fabric.lattice;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.route.EscapeRouting;
import io.hxb.fabric.route.Routing;
import io.hxb.fabric.route.TurnRelation;
import io.hxb.fabric.route.TurnRouting;

/**
 * Dimension order (e-cube) and what is built on it. In a torus a ring has two virtual channels:
 * packets start on 1 and go on by 0 after the link that wraps around. Pure. Source: Koibuchi 2002,
 * sections A.2.3 and A.2.4.
 */
public final class LatticeDimensionOrder {
    private LatticeDimensionOrder() {}

    private static int base(final LatticeGraph graph) {
        return graph.hasRings() ? 2 : 1;
    }

    /** Dimension order, lowest dimension first; one virtual channel in a mesh, two in a torus. */
    public static TurnRouting routing(final LatticeGraph graph) {
        return new TurnRouting("dimension-order", relation(graph, 1));
    }

    /** Classes of dimension order; going back to a lower dimension raises the class. */
    private static TurnRelation relation(final LatticeGraph graph, final int classes) {
        final int base = base(graph);
        final int virtualChannels = classes * base;
        return TurnRelation.of(
                graph.graph(),
                virtualChannels,
                (from, to) -> {
                    final int in = from / virtualChannels;
                    final int out = to / virtualChannels;
                    final int raise = graph.dimension(out) < graph.dimension(in) ? 1 : 0;
                    if (to % virtualChannels / base != from % virtualChannels / base + raise) {
                        return false;
                    }
                    if (graph.dimension(in) != graph.dimension(out)) {
                        return to % base == base - 1;
                    }
                    return graph.isStraight(in, out)
                            && isInRing(graph, in, from % base, out, to % base);
                },
                state -> state % virtualChannels == base - 1);
    }

    private static boolean isInRing(
            final LatticeGraph graph,
            final int in,
            final int inRing,
            final int out,
            final int outRing) {
        final boolean mustFall = graph.isWrap(in);
        return outRing == (mustFall ? 0 : inRing) && !(outRing == 0 && graph.isWrap(out));
    }

    /**
     * Static dimension reversal: a packet may take dimensions in any order, but every step back to
     * a lower dimension raises its class, and in the last class there is no way back.
     *
     * @param classes at least 1; a torus has two virtual channels in each.
     */
    public static TurnRouting staticReversal(final LatticeGraph graph, final int classes) {
        return new TurnRouting("dimension-reversal-static", relation(graph, classes));
    }

    /**
     * Dynamic dimension reversal: any dimension on the adaptive channels, dimension order on the
     * others, and never back. A packet of {@code p} reversals may wait only for adaptive channels
     * of packets with more; the static side of this is that the others are always offered.
     *
     * @param adaptive adaptive virtual channels, at least 1.
     */
    public static Routing dynamicReversal(final LatticeGraph graph, final int adaptive) {
        return new EscapeRouting(
                "dimension-reversal-dynamic", routing(graph), need(adaptive), false);
    }

    /**
     * Duato's protocol: any shortest way on the adaptive channels, and an escape path in dimension
     * order, in a torus on C_A or C_H; packets may come back from it.
     *
     * @param adaptive adaptive virtual channels, at least 1.
     */
    public static Routing duato(final LatticeGraph graph, final int adaptive) {
        final Routing escape = graph.hasRings() ? new RingEscape(graph) : routing(graph);
        return new EscapeRouting("duato", escape, need(adaptive), true);
    }

    private static int need(final int adaptive) {
        if (adaptive < 1) {
            throw new GraphException(
                    "adaptive routing needs a virtual channel more than its escape paths: one in a"
                            + " mesh, two in a torus");
        }
        return adaptive;
    }

    /** Virtual channels of the escape paths: 1 in a mesh, 2 in a torus. */
    public static int escapeChannels(final LatticeGraph graph) {
        return base(graph);
    }
}
