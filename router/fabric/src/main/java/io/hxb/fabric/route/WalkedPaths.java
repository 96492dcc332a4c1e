package io.hxb.fabric.route;

import io.hxb.fabric.LinkWeights;
import io.hxb.fabric.RouteSet;
import io.hxb.fabric.RouteSetBuilder;
import io.hxb.fabric.SwitchGraph;

import java.util.SplittableRandom;

/**
 * Paths of an adaptive routing, found by walking: at every switch one of the channels that {@link
 * Routing#next} permits is taken, the first by port, a random one, or the one that the fewest
 * earlier paths took. For routings whose packets come nearer with each step. Pure.
 */
public final class WalkedPaths {
    private WalkedPaths() {}

    /** One path for each pair of switches. */
    public static RouteSet of(
            final Routing routing, final PathSelection selection, final long seed) {
        final SwitchGraph graph = routing.graph();
        final int virtualChannels = routing.virtualChannels();
        final SplittableRandom random = new SplittableRandom(seed);
        final int[] out = new int[graph.maxDegree() * virtualChannels];
        final boolean isPhysical = selection == PathSelection.HIGH_PHYSICAL;
        final int[] loads = new int[graph.channelCount() * virtualChannels];
        final LinkWeights weights = LinkWeights.of(graph);
        final RouteSetBuilder builder = new RouteSetBuilder(graph, virtualChannels);
        for (int from = 0; from < graph.switchCount(); from++) {
            for (int to = 0; to < graph.switchCount(); to++) {
                int at = Routing.INJECTED;
                for (int node = from; node != to; node = graph.target(at / virtualChannels)) {
                    final int count = routing.next(from, at, to, out);
                    at =
                            switch (selection) {
                                case LOW_PORT -> first(out, count, graph, virtualChannels);
                                case RANDOM -> out[random.nextInt(count)];
                                default ->
                                        idlest(
                                                out,
                                                count,
                                                loads,
                                                weights,
                                                isPhysical,
                                                virtualChannels);
                            };
                    loads[isPhysical ? at / virtualChannels : at]++;
                    builder.step(at);
                }
                builder.endPath();
            }
        }
        return builder.build();
    }

    private static int first(
            final int[] out, final int count, final SwitchGraph graph, final int virtualChannels) {
        int best = out[0];
        for (int i = 1; i < count; i++) {
            final int index = graph.outgoingIndex(out[i] / virtualChannels);
            best = index < graph.outgoingIndex(best / virtualChannels) ? out[i] : best;
        }
        return best;
    }

    private static int idlest(
            final int[] out,
            final int count,
            final int[] loads,
            final LinkWeights weights,
            final boolean isPhysical,
            final int virtualChannels) {
        final int divisor = isPhysical ? virtualChannels : 1;
        int best = out[0];
        long least = Long.MAX_VALUE;
        for (int i = 0; i < count; i++) {
            final long load = weights.weigh(loads[out[i] / divisor] + 1L, out[i] / virtualChannels);
            best = load < least ? out[i] : best;
            least = Math.min(least, load);
        }
        return best;
    }
}
