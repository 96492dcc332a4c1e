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
                    "change a VLAN only if that relieves a busy link by this much "
                            + "(default: ${DEFAULT-VALUE})")
    private double gain;

    @Option(
            names = "--intervals",
            paramLabel = "N",
            defaultValue = "2",
            description =
                    "change a VLAN only after this many such intervals in a row (default: "
                            + "${DEFAULT-VALUE})")
    private int intervals;

    @Option(
            names = "--max-changes",
            paramLabel = "N",
            defaultValue = "600",
            description = "change at most this many pairs in a minute (default: ${DEFAULT-VALUE})")
    private int maxChanges;

    @Option(
            names = "--hold-down",
            paramLabel = "TIME",
            defaultValue = "30s",
            description =
                    "leave a pair that has changed alone for this long (default: "
                            + "${DEFAULT-VALUE})")
    private String holdDown;

    @Option(
            names = "--min-load",
            paramLabel = "RATE",
            defaultValue = "8mbit",
            description = "leave links with less traffic alone (default: ${DEFAULT-VALUE})")
    private String minLoad;

    TuningTerms terms() {
        return new TuningTerms(
                gain / PERCENT,
                intervals,
                maxChanges,
                TimeOption.parseNs("--hold-down", holdDown, 0, 3_600 * SECOND_NS),
                Quantity.parseRateBps(minLoad) / (double) Byte.SIZE);
    }
}
