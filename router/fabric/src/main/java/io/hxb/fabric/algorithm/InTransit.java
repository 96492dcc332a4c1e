package io.hxb.fabric.algorithm;

import io.hxb.fabric.RouteSet;
import io.hxb.fabric.RouteSetBuilder;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.tree.Directions;

import java.util.Arrays;

/**
 * Shortest paths that break Up*&#47;Down* only at switches with hosts, and there as rarely as
 * possible. Used by one thread.
 */
final class InTransit {
    private final SwitchGraph graph;
    private final Directions directions;
    private final boolean[] canBreak;
    private final int[] links;
    private final int[] ejections;
    private final int[] before;
    private final int[] queue;
    private int queued;

    /**
     * Makes shortest paths.
     *
     * @param isAnywhere whether paths may break the rule at every switch, or only where hosts are.
     */
    InTransit(final SwitchGraph graph, final Directions directions, final boolean isAnywhere) {
        this.graph = graph;
        this.directions = directions;
        this.canBreak = new boolean[graph.switchCount()];
        final int[] hosts = graph.hostCounts();
        for (int node = 0; node < hosts.length; node++) {
            canBreak[node] = isAnywhere || hosts[node] > 0;
        }
        this.links = new int[graph.channelCount()];
        this.ejections = new int[graph.channelCount()];
        this.before = new int[graph.channelCount()];
        this.queue = new int[graph.channelCount()];
    }

    RouteSet routes() {
        final RouteSetBuilder builder = new RouteSetBuilder(graph, 1);
        final int[] steps = new int[graph.channelCount()];
        for (int from = 0; from < graph.switchCount(); from++) {
            search(from);
            for (int to = 0; to < graph.switchCount(); to++) {
                if (to != from) {
                    addPath(builder, to, steps);
                }
                builder.endPath();
            }
        }
        return builder.build();
    }

    private void search(final int from) {
        Arrays.fill(links, 0);
        queued = 0;
        for (int i = 0; i < graph.degree(from); i++) {
            reach(graph.outgoing(from, i), -1, 1, 0);
        }
        for (int at = 0; at < queued; at++) {
            final int channel = queue[at];
            final int node = graph.target(channel);
            for (int i = 0; i < graph.degree(node); i++) {
                final int out = graph.outgoing(node, i);
                final boolean isLegal = directions.isUpDown(channel, out);
                if (graph.target(out) == graph.source(channel) || (!isLegal && !canBreak[node])) {
                    continue;
                }
                reach(out, channel, links[channel] + 1, ejections[channel] + (isLegal ? 0 : 1));
            }
        }
    }

    /** Takes the first way to a channel, or an equally long one with fewer ejections. */
    private void reach(final int channel, final int from, final int count, final int ejected) {
        if (links[channel] == 0) {
            links[channel] = count;
            queue[queued++] = channel;
        } else if (links[channel] != count || ejections[channel] <= ejected) {
            return;
        }
        before[channel] = from;
        ejections[channel] = ejected;
    }

    private void addPath(final RouteSetBuilder builder, final int to, final int[] steps) {
        int best = -1;
        for (int i = 0; i < graph.degree(to); i++) {
            final int in = graph.outgoing(to, i) ^ 1;
            final boolean isBetter =
                    best < 0
                            || links[best] == 0
                            || links[in] < links[best]
                            || (links[in] == links[best] && ejections[in] < ejections[best]);
            best = links[in] > 0 && isBetter ? in : best;
        }
        final int count = links[best];
        for (int i = count - 1; i >= 0; i--) {
            steps[i] = best;
            best = before[best];
        }
        for (int i = 0; i < count; i++) {
            if (i > 0 && !directions.isUpDown(steps[i - 1], steps[i])) {
                builder.reinjectedStep(steps[i]);
            } else {
                builder.step(steps[i]);
            }
        }
    }
}
