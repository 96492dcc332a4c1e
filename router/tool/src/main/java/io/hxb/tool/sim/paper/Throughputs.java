package io.hxb.tool.sim.paper;

import io.hxb.fabric.analysis.ChannelLoads;
import io.hxb.fabric.plan.RoutingOptions;
import io.hxb.fabric.route.PathSelection;
import io.hxb.fabric.traffic.TrafficPatterns;
import io.hxb.sim.run.Experiment;
import io.hxb.sim.run.Monitor;
import io.hxb.sim.run.PreparedRoutes;
import io.hxb.sim.run.SingleRun;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Finds the highest accepted traffic: some loads around what the busiest channel permits, then the
 * gap between the highest load that is carried and the lowest that is not is halved. Networks carry
 * less beyond their saturation than at it, so a coarse row of loads misses the best by up to a
 * fifth. Stateless.
 */
final class Throughputs {
    private static final double[] AROUND = {0.6, 0.85, 1.05, 1.4, 2.2};
    private static final double[] AROUND_SHORT = {0.5, 0.9, 1.4, 2.5};
    private static final int HALVINGS = 3;

    private Throughputs() {}

    /** Runs of one curve. */
    static int runs(final boolean isShort) {
        return isShort ? AROUND_SHORT.length : AROUND.length + HALVINGS;
    }

    /**
     * Runs one experiment at several loads.
     *
     * @return the points by load, or null when the monitor stopped a run.
     */
    static List<CurvePoint> curve(
            final Experiment experiment, final boolean isShort, final Monitor monitor) {
        final PreparedRoutes routes = PreparedRoutes.of(experiment);
        final double estimate = estimate(experiment);
        final List<CurvePoint> points = new ArrayList<>();
        final double[] around = isShort ? AROUND_SHORT : AROUND;
        for (int i = 0; i < runs(isShort) && monitor.isGoingOn(); i++) {
            final double load =
                    i < around.length ? Math.min(1, around[i] * estimate) : between(points);
            points.add(CurvePoint.of(new SingleRun(experiment, routes, load, monitor).run()));
            points.sort(Comparator.comparingDouble(CurvePoint::load));
        }
        return monitor.isGoingOn() ? points : null;
    }

    /** The middle between the highest load that was carried and the lowest that was not. */
    private static double between(final List<CurvePoint> points) {
        double low = 0;
        for (final CurvePoint point : points) {
            if (point.isSaturated()) {
                return (low + point.load()) / 2;
            }
            low = point.load();
        }
        return (low + 1) / 2;
    }

    private static double estimate(final Experiment experiment) {
        final var routes =
                experiment
                        .algorithm()
                        .routing(
                                experiment.graph(),
                                RoutingOptions.DEFAULTS
                                        .withRoot(experiment.root())
                                        .withVirtualChannels(experiment.network().lanes()))
                        .routes(PathSelection.RANDOM, 1);
        final String pattern = experiment.traffic().pattern();
        return pattern.equals("uniform")
                ? ChannelLoads.uniform(routes).throughput()
                : ChannelLoads.of(routes, TrafficPatterns.of(pattern, experiment.graph()))
                        .throughput();
    }

    /** Links passed at the highest load below saturation, where distant packets still arrive. */
    static double hops(final List<CurvePoint> points) {
        return points.stream()
                .filter(point -> !point.isSaturated())
                .max(Comparator.comparingDouble(CurvePoint::load))
                .orElse(points.getFirst())
                .hops();
    }

    /** The highest accepted traffic. */
    static double best(final List<CurvePoint> points) {
        return points.stream().mapToDouble(CurvePoint::accepted).max().orElseThrow();
    }
}
