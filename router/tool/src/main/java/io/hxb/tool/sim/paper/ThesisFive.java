package io.hxb.tool.sim.paper;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.plan.RoutingAlgorithm;
import io.hxb.sim.flit.NetworkConfig;
import io.hxb.sim.run.Experiment;
import io.hxb.sim.run.PathChoice;
import io.hxb.sim.traffic.TrafficConfig;
import io.hxb.tool.sim.paper.ThroughputTable.Published;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Chapter 5 of the thesis: descending layers, one path for each pair. Cut-through, three virtual
 * channels of 128 flits; Up*&#47;Down* packets keep to one of the three. Assumption: the virtual
 * channels of an input are inputs of the crossbar of their own; with one for all of them every row
 * comes out 11 to 29 % lower than published. Source: Koibuchi 2002, tables 5.1 to 5.5, figures 5.4
 * to 5.9.
 */
public final class ThesisFive {
    private static final int LANES = 3;
    private static final double NONE = Double.NaN;
    private static final List<String> ALGORITHMS =
            List.of("updown-bfs", "dl-ud", "dl-mutual", "dl-ud-du");
    private static final List<String> PATHS = List.of("low-port", "sancho", "high-physical");
    private static final double[] NO_FIGURES = {
        NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE
    };

    private ThesisFive() {}

    /** Runs the chapter. */
    public static PaperReport run(final PaperSettings settings) throws IOException {
        final PaperReport report = new PaperReport("thesis-5");
        final List<SwitchGraph> small = NetworkSet.random(16, settings.networks());
        final List<SwitchGraph> large = NetworkSet.random(32, settings.networks());
        final List<SwitchGraph> torus = NetworkSet.torus();
        column(
                settings,
                report,
                "16 switches uniform",
                small,
                "uniform",
                new double[] {
                    0.161, 0.177, 0.176, 0.169, 0.289, 0.290, 0.180, 0.295, 0.289, 0.169, 0.286,
                    0.282
                },
                new double[] {
                    2.01, 2.01, 2.02, 1.88, 1.89, 1.89, 1.89, 1.88, 1.88, 1.88, 1.89, 1.88
                });
        column(
                settings,
                report,
                "32 switches uniform",
                large,
                "uniform",
                new double[] {
                    0.072, 0.078, 0.078, 0.135, 0.212, 0.213, 0.142, 0.217, 0.217, 0.135, 0.210,
                    0.211
                },
                new double[] {
                    2.85, 2.85, 2.85, 2.50, 2.52, 2.52, 2.52, 2.52, 2.52, 2.50, 2.52, 2.52
                });
        column(
                settings,
                report,
                "32 switches bit-reversal",
                large,
                "bit-reversal",
                NO_FIGURES,
                NO_FIGURES);
        column(
                settings,
                report,
                "8x8 torus uniform",
                torus,
                "uniform",
                NO_FIGURES,
                new double[] {
                    4.38, NONE, 4.41, 4.01, NONE, 4.01, 4.01, NONE, 4.01, NONE, NONE, NONE
                });
        column(
                settings,
                report,
                "8x8 torus bit-reversal",
                torus,
                "bit-reversal",
                NO_FIGURES,
                new double[] {
                    4.02, NONE, 4.23, 3.49, NONE, 3.44, 3.47, NONE, 3.44, NONE, NONE, NONE
                });
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
        int next = 0;
        for (final String algorithm : ALGORITHMS) {
            for (final String paths : PATHS) {
                rows.put(algorithm + " " + paths, new Published(throughputs[next], hops[next]));
                next++;
            }
        }
        new ThroughputTable(settings, report, name)
                .run(
                        graphs,
                        rows,
                        (row, graph) ->
                                Experiment.of(
                                                name,
                                                graph,
                                                RoutingAlgorithm.of(row.split(" ", -1)[0]),
                                                NetworkConfig.DEFAULTS
                                                        .withBuffers(LANES, 128)
                                                        .withLaneCrossbar()
                                                        .withQueue(5),
                                                TrafficConfig.of(pattern, 128)
                                                        .withStep(settings.stepCycles()))
                                        .withRoot(0)
                                        .withPaths(PathChoice.of(row.split(" ", -1)[1]), false)
                                        .withCycles(settings.cycles(), settings.warmupCycles()));
    }

    private static void addShapes(final PaperSettings settings, final PaperReport report) {
        for (final String table :
                List.of(
                        "16 switches uniform",
                        "32 switches uniform",
                        "32 switches bit-reversal",
                        "8x8 torus uniform",
                        "8x8 torus bit-reversal")) {
            if (!settings.wants(table)) {
                continue;
            }
            final double updown = report.ours(table + ", throughput", "updown-bfs high-physical");
            final double layers = report.ours(table + ", throughput", "dl-mutual high-physical");
            report.require(
                    String.format(
                            Locale.ROOT,
                            "%s: DL with path selection far above Up*/Down* (%+.0f %%)",
                            table,
                            100 * (layers / updown - 1)),
                    layers > 1.3 * updown,
                    layers,
                    updown);
        }
    }
}
