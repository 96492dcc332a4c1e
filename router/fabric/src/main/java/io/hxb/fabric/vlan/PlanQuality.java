package io.hxb.fabric.vlan;

import io.hxb.fabric.LinkWeights;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.vlan.tree.VlanTree;

import java.util.List;

/**
 * What a plan is worth: path lengths, paths on the busiest channel, and whether PAUSE can stop it.
 * Immutable.
 *
 * @param averageSwitches switches passed on average over all ordered pairs of hosts, a host with
 *     itself included (AH of the paper's table 1).
 * @param maxSwitches maximum number of switches passed (MH).
 * @param maxPaths ordered host pairs on the busiest channel (CP), 0 without links. Where the rates
 *     of links are known, that is the one with the most pairs for its rate.
 * @param busiestChannel that channel, -1 without links.
 * @param cycle channels that can wait for each other forever, none if that cannot happen.
 */
public record PlanQuality(
        double averageSwitches,
        int maxSwitches,
        long maxPaths,
        int busiestChannel,
        List<Integer> cycle) {
    /** Measures a plan. */
    public static PlanQuality of(final VlanPlan plan) {
        final Measurement measurement = new Measurement(plan);
        PlanPaths.forEach(plan, measurement);
        return measurement.result();
    }

    /** Ordered host pairs on each channel, {@code [channels]}. */
    public static long[] pathsPerChannel(final VlanPlan plan) {
        final Measurement measurement = new Measurement(plan);
        PlanPaths.forEach(plan, measurement);
        return measurement.paths;
    }

    /** Whether no channels can wait for each other forever. */
    public boolean isDeadlockFree() {
        return cycle.isEmpty();
    }

    private static final class Measurement implements PlanPaths.Visitor {
        private final VlanPlan plan;
        private final SwitchGraph graph;
        private final Dependencies dependencies;
        private final long[] paths;
        private long sum;
        private int max = 1;

        Measurement(final VlanPlan plan) {
            this.plan = plan;
            this.graph = plan.graph();
            this.dependencies = new Dependencies(graph);
            this.paths = new long[graph.channelCount()];
            this.sum = graph.hostCount();
        }

        @Override
        public void visit(final int from, final int to, final int vlan, final int pairs) {
            final VlanTree tree = plan.tree(vlan);
            final int[] channels = tree.path(from, to);
            for (final int channel : channels) {
                paths[channel] += pairs;
            }
            dependencies.add(channels);
            sum += (long) pairs * (channels.length + 1);
            max = Math.max(max, channels.length + 1);
        }

        PlanQuality result() {
            int busiest = paths.length == 0 ? -1 : 0;
            final LinkWeights weights = LinkWeights.of(graph);
            for (int channel = 0; channel < paths.length; channel++) {
                busiest =
                        weights.weigh(paths[channel], channel)
                                        > weights.weigh(paths[busiest], busiest)
                                ? channel
                                : busiest;
            }
            final double pairs = (double) graph.hostCount() * graph.hostCount();
            return new PlanQuality(
                    sum / pairs,
                    max,
                    busiest < 0 ? 0 : paths[busiest],
                    busiest,
                    dependencies.cycle());
        }
    }
}
