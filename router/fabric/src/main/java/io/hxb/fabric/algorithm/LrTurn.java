package io.hxb.fabric.algorithm;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.route.TurnRelation;
import io.hxb.fabric.route.TurnRouting;
import io.hxb.fabric.tree.HvGraph;

import java.util.Locale;

/**
 * L-turn (left-up first) and R-turn (right-down last) over the H/V graph: three turns are always
 * prohibited, two more only where they close a cycle. Source: Koibuchi 2002, section 3.1.3.
 */
public enum LrTurn {
    /** L-turn/alpha. */
    L_TURN_ALPHA(true, HvGraph.LD, HvGraph.RD, HvGraph.LD, HvGraph.RU),
    /** L-turn/beta. */
    L_TURN_BETA(true, HvGraph.RU, HvGraph.RD, HvGraph.RU, HvGraph.LD),
    /** R-turn/alpha. */
    R_TURN_ALPHA(false, HvGraph.LU, HvGraph.RU, HvGraph.LD, HvGraph.RU),
    /** R-turn/beta. */
    R_TURN_BETA(false, HvGraph.LU, HvGraph.LD, HvGraph.RU, HvGraph.LD);

    private final boolean isLeft;
    private final int firstArriving;
    private final int firstLeaving;
    private final int reverseArriving;
    private final int reverseLeaving;

    /** The turn searched first is not the reverse of its direction, the other one is. */
    LrTurn(
            final boolean isLeft,
            final int firstArriving,
            final int firstLeaving,
            final int reverseArriving,
            final int reverseLeaving) {
        this.isLeft = isLeft;
        this.firstArriving = firstArriving;
        this.firstLeaving = firstLeaving;
        this.reverseArriving = reverseArriving;
        this.reverseLeaving = reverseLeaving;
    }

    /** Name on the command line. */
    public String routingName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Applies the algorithm.
     *
     * @param root of the breadth-first tree.
     * @param hasCycleDetection whether to permit turns that close no cycle; otherwise all five
     *     turns are prohibited.
     */
    public TurnRouting routing(
            final SwitchGraph graph, final int root, final boolean hasCycleDetection) {
        final TurnCycles cycles = cycles(graph, root, hasCycleDetection);
        return new TurnRouting(routingName(), TurnRelation.of(graph, 1, cycles::permits), root);
    }

    /** Turns prohibited because they close a cycle. */
    public int prohibitedByDetection(final SwitchGraph graph, final int root) {
        return cycles(graph, root, true).prohibited();
    }

    private TurnCycles cycles(
            final SwitchGraph graph, final int root, final boolean hasCycleDetection) {
        final boolean[] isAlways = new boolean[16];
        for (int other = 0; other < 4; other++) {
            if (isLeft && other != HvGraph.LU) {
                isAlways[other * 4 + HvGraph.LU] = true;
            } else if (!isLeft && other != HvGraph.RD) {
                isAlways[HvGraph.RD * 4 + other] = true;
            }
        }
        final TurnCycles cycles = new TurnCycles(graph, new HvGraph(graph, root), isAlways);
        if (hasCycleDetection) {
            cycles.prohibitCycles(firstArriving, firstLeaving);
            cycles.prohibitCycles(reverseArriving, reverseLeaving);
        } else {
            cycles.prohibitAll(firstArriving, firstLeaving);
            cycles.prohibitAll(reverseArriving, reverseLeaving);
        }
        return cycles;
    }
}
