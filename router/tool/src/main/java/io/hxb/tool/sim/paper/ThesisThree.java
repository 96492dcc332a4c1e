package io.hxb.tool.sim.paper;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.plan.RoutingAlgorithm;
import io.hxb.sim.flit.NetworkConfig;
import io.hxb.sim.run.Experiment;
import io.hxb.sim.traffic.TrafficConfig;
import io.hxb.tool.sim.paper.ThroughputTable.Published;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Chapter 3 of the thesis: adaptive routing without virtual channels. Cut-through, packets and
 * buffers of 128 flits, three cycles a hop, hosts' queues of five packets. Source: Koibuchi 2002,
 * tables 3.2 to 3.6, figures 3.14 to 3.17.
 */
public final class ThesisThree {
    private static final List<String> ROWS =
            List.of(
                    "updown-bfs",
                    "updown-dfs",
                    "r-turn-alpha",
                    "r-turn-beta",
                    "l-turn-alpha",
                    "l-turn-beta");

    private static final double NONE = Double.NaN;

    private ThesisThree() {}

    /** Runs the chapter. */
    public static PaperReport run(final PaperSettings settings) throws IOException {
        final PaperReport report = new PaperReport("thesis-3");
        final List<SwitchGraph> small = NetworkSet.random(16, settings.networks());
        final List<SwitchGraph> large = NetworkSet.random(64, settings.networks());
        final List<SwitchGraph> torus = NetworkSet.torus();
        column(
                settings,
                report,
                "16 switches uniform",
                small,
                "uniform",
                new double[] {0.125, 0.161, 0.130, 0.125, 0.156, 0.153},
                new double[] {2.03, 1.95, 2.04, 2.05, 2.01, 2.01});
        column(
                settings,
                report,
                "16 switches bit-reversal",
                small,
                "bit-reversal",
                new double[] {0.187, 0.185, 0.159, 0.151, 0.201, 0.204},
                new double[] {2.01, 2.01, 2.05, 2.07, 2.00, 2.02});
        column(
                settings,
                report,
                "64 switches uniform",
                large,
                "uniform",
                new double[] {0.034, 0.041, 0.033, 0.034, 0.047, 0.048},
                new double[] {3.82, 3.53, 3.87, 3.86, 3.67, 3.67});
        column(
                settings,
                report,
                "64 switches bit-reversal",
                large,
                "bit-reversal",
                new double[] {0.039, 0.054, 0.036, 0.036, 0.060, 0.061},
                new double[] {3.68, 3.45, 3.73, 3.76, 3.61, 3.65});
        column(
                settings,
                report,
                "8x8 torus uniform",
                torus,
                "uniform",
                new double[] {NONE, NONE, NONE, NONE, NONE, NONE},
                new double[] {4.47, 4.30, 4.32, 4.31, 4.32, 4.32});
        column(
                settings,
                report,
                "8x8 torus bit-reversal",
                torus,
                "bit-reversal",
                new double[] {NONE, NONE, NONE, NONE, NONE, NONE},
                new double[] {4.41, 3.71, 3.77, 3.70, 3.82, 3.74});
        addShapes(settings, report);
        return report;
    }

    private static void column(
            final PaperSettings settings,
            final PaperReport report,
            final String name,
            final List<SwitchGraph> graphs,
            final String pattern,
            final double[] throughputs,
            final double[] hops)
            throws IOException {
        final Map<String, Published> rows = new LinkedHashMap<>();
        for (int i = 0; i < ROWS.size(); i++) {
            rows.put(ROWS.get(i), new Published(throughputs[i], hops[i]));
        }
        new ThroughputTable(settings, report, name)
                .run(
                        graphs,
                        rows,
                        (row, graph) ->
                                Experiment.of(
                                                name,
                                                graph,
                                                RoutingAlgorithm.of(row),
                                                NetworkConfig.DEFAULTS.withQueue(5),
                                                TrafficConfig.of(pattern, 128)
                                                        .withStep(settings.stepCycles()))
                                        .withCycles(settings.cycles(), settings.warmupCycles()));
    }

    private static void addShapes(final PaperSettings settings, final PaperReport report) {
        for (final String table :
                List.of(
                        "16 switches uniform",
                        "16 switches bit-reversal",
                        "64 switches uniform",
                        "64 switches bit-reversal",
                        "8x8 torus uniform",
                        "8x8 torus bit-reversal")) {
            if (!settings.wants(table)) {
                continue;
            }
            final double updown = report.ours(table + ", throughput", "updown-bfs");
            final double turn =
                    Math.max(
                            report.ours(table + ", throughput", "l-turn-alpha"),
                            report.ours(table + ", throughput", "l-turn-beta"));
            report.require(
                    String.format(
                            Locale.ROOT,
                            "%s: L-turn above BFS Up*/Down* (%+.0f %%)",
                            table,
                            100 * (turn / updown - 1)),
                    turn > updown,
                    turn,
                    updown);
        }
    }
}
