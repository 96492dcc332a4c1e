package io.hxb.tool.optimise;

import io.hxb.config.Quantity;
import io.hxb.manager.control.TuningTerms;
import io.hxb.tool.option.TimeOption;

import picocli.CommandLine.Option;

/** When pairs change their VLAN. Picocli fills it. */
final class TuningOptions {
    private static final long SECOND_NS = 1_000_000_000;
    private static final double PERCENT = 100;

    @Option(
            names = "--gain",
            paramLabel = "PERCENT",
            defaultValue = "10",
            description =
                    "by how much a change has to relieve a busy link (default ${DEFAULT-VALUE})")
    private double gain;

    @Option(
            names = "--intervals",
            paramLabel = "N",
            defaultValue = "2",
            description = "in how many intervals in a row (default ${DEFAULT-VALUE})")
    private int intervals;

    @Option(
            names = "--max-changes",
            paramLabel = "N",
            defaultValue = "600",
            description = "pairs that may change in a minute (default ${DEFAULT-VALUE})")
    private int maxChanges;

    @Option(
            names = "--hold",
            paramLabel = "TIME",
            defaultValue = "30s",
            description =
                    "for how long a pair that has changed does not change again (default"
                            + " ${DEFAULT-VALUE})")
    private String hold;

    @Option(
            names = "--min-load",
            paramLabel = "RATE",
            defaultValue = "8mbit",
            description = "links with less traffic are left alone (default ${DEFAULT-VALUE})")
    private String minLoad;

    TuningTerms terms() {
        return new TuningTerms(
                gain / PERCENT,
                intervals,
                maxChanges,
                TimeOption.parseNs("--hold", hold, 0, 3_600 * SECOND_NS),
                Quantity.parseRateBps(minLoad) / (double) Byte.SIZE);
    }
}
