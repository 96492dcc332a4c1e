package io.hxb.bench.flit.paper;

import io.hxb.bench.flit.measure.RunResult;
import io.hxb.bench.flit.run.Experiment;
import io.hxb.bench.flit.run.Monitor;
import io.hxb.bench.flit.run.PreparedRoutes;
import io.hxb.bench.flit.run.SingleRun;
import io.hxb.fabric.analysis.ChannelLoads;
import io.hxb.fabric.plan.RoutingOptions;
import io.hxb.fabric.route.PathSelection;
import io.hxb.fabric.traffic.TrafficPatterns;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Finds the highest accepted traffic around what the busiest channel permits. Stateless. */
final class Throughputs {
    private static final double[] AROUND = {0.6, 0.85, 1.05, 1.4, 2.2};
    private static final double[] AROUND_SHORT = {0.5, 0.9, 1.4, 2.5};

    private Throughputs() {}

    /** Runs one experiment at several loads; the results are by load. */
    static List<RunResult> curve(final Experiment experiment, final boolean isShort) {
        final PreparedRoutes routes = PreparedRoutes.of(experiment);
        final double estimate = estimate(experiment);
        final List<RunResult> results = new ArrayList<>();
        for (final double factor : isShort ? AROUND_SHORT : AROUND) {
            final double load = Math.min(1, factor * estimate);
            results.add(new SingleRun(experiment, routes, load, Monitor.NONE).run());
        }
        results.sort(Comparator.comparingDouble(RunResult::load));
        return results;
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
                : ChannelLoads.of(
                                routes, TrafficPatterns.of(pattern, experiment.graph().hostCount()))
                        .throughput();
    }

    /** Links passed at the highest load below saturation, where distant packets still arrive. */
    static double hops(final List<RunResult> results) {
        return results.stream()
                .filter(run -> !run.isSaturated())
                .max(Comparator.comparingDouble(RunResult::load))
                .orElse(results.getFirst())
                .hops();
    }

    /** The run with the highest accepted traffic. */
    static RunResult best(final List<RunResult> results) {
        return results.stream().max(Comparator.comparingDouble(RunResult::accepted)).orElseThrow();
    }
}
