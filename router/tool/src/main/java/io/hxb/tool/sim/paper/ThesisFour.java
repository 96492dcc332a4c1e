package io.hxb.tool.sim.paper;

import io.hxb.fabric.Lattice;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.plan.RoutingAlgorithm;
import io.hxb.sim.flit.NetworkConfig;
import io.hxb.sim.flit.Switching;
import io.hxb.sim.run.Experiment;
import io.hxb.sim.select.SelectionKind;
import io.hxb.sim.traffic.TrafficConfig;
import io.hxb.tool.sim.paper.ThroughputTable.Published;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Chapter 4 of the thesis: output selection functions under Duato's protocol. Wormhole, three
 * virtual channels, packets of 128 flits. Assumptions: one host a switch, since no two packets of
 * bit reversal are stated to meet at a host's link; buffers of 16 flits, whose depth is not stated;
 * crossbar inputs as in chapter 5. Source: Koibuchi 2002, table 4.1, figures 4.6 and 4.7, which
 * print no numbers.
 */
public final class ThesisFour {
    private static final int BUFFER_FLITS = 16;

    private ThesisFour() {}

    /** Runs the chapter. */
    public static PaperReport run(final PaperSettings settings) throws IOException {
        final PaperReport report = new PaperReport("thesis-4");
        for (final String pattern : List.of("uniform", "bit-reversal")) {
            network(settings, report, "16x16 " + pattern, pattern, Lattice.torus(16, 16));
            if (!settings.isShort()) {
                network(settings, report, "32x32 " + pattern, pattern, Lattice.torus(32, 32));
            }
            network(settings, report, "8x8x8 " + pattern, pattern, Lattice.torus(8, 8, 8));
        }
        return report;
    }

    private static void network(
            final PaperSettings settings,
            final PaperReport report,
            final String name,
            final String pattern,
            final Lattice lattice)
            throws IOException {
        if (!settings.wants(name)) {
            return;
        }
        final Map<String, Published> rows = new LinkedHashMap<>();
        for (final SelectionKind kind : SelectionKind.values()) {
            rows.put(kind.word(), new Published(Double.NaN, Double.NaN));
        }
        final SwitchGraph graph = lattice.graph(1);
        final NetworkConfig network =
                NetworkConfig.DEFAULTS
                        .withBuffers(3, BUFFER_FLITS)
                        .withSwitching(Switching.WORMHOLE)
                        .withLaneCrossbar()
                        .withQueue(5);
        new ThroughputTable(settings, report, name)
                .run(
                        List.of(graph),
                        rows,
                        (row, on) ->
                                Experiment.of(
                                                name,
                                                on,
                                                RoutingAlgorithm.DUATO,
                                                network,
                                                TrafficConfig.of(pattern, 128)
                                                        .withStep(settings.stepCycles()))
                                        .withSelection(SelectionKind.of(row))
                                        .withCycles(settings.isShort() ? 15_000 : 50_000, 5_000));
        addShape(report, name);
    }

    private static void addShape(final PaperReport report, final String name) {
        final String table = name + ", throughput";
        double rest = 0;
        for (final String row : List.of("random", "dimension-order", "zigzag", "lfu", "sp", "mm")) {
            rest = Math.max(rest, report.ours(table, row));
        }
        for (final String row : List.of("mmlru", "lru", "ldsf")) {
            final double ours = report.ours(table, row);
            report.require(
                    String.format(
                            Locale.ROOT,
                            "%s: %s (%.3f) at least as good as the six others (%.3f), within 2 %%",
                            name,
                            row,
                            ours,
                            rest),
                    ours >= 0.98 * rest,
                    ours,
                    rest);
        }
    }
}
