package io.hxb.tool.routes;

import io.hxb.fabric.plan.RoutingOptions;
import io.hxb.fabric.route.PathSelection;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Option;

import java.util.Locale;

/** What routing algorithms can be told. Picocli fills it. */
final class RoutingOption {
    @Option(
            names = "--root",
            paramLabel = "SWITCH",
            description =
                    "number of the switch at the root of spanning trees; default 0, updown-dfs"
                            + " tries all (beyond 128 switches 128 to 16 of those with most links)")
    private Integer root;

    @Option(
            names = "--vcs",
            paramLabel = "R",
            description =
                    "virtual channels of each channel; default: what the algorithm needs or likes")
    private Integer virtualChannels;

    @Option(
            names = "--no-cycle-detection",
            description =
                    "L-turn and R-turn: prohibit all five turns, also those that close no cycle")
    private boolean isWithoutDetection;

    @Option(
            names = "--selection",
            paramLabel = "NAME",
            defaultValue = "low-port",
            description =
                    "one of several shortest paths: low-port, random, sancho or high-physical;"
                            + " default ${DEFAULT-VALUE}")
    private String selection;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "of the random selection; default ${DEFAULT-VALUE}")
    private long seed;

    /** Picocli makes it. */
    RoutingOption() {}

    /** The options as the algorithms take them. */
    RoutingOptions options() {
        if (root != null && root < 0) {
            throw new UsageException("--root must be the number of a switch: " + root);
        }
        if (virtualChannels != null && virtualChannels < 1) {
            throw new UsageException("--vcs must be at least 1: " + virtualChannels);
        }
        return new RoutingOptions(
                root == null ? -1 : root,
                virtualChannels == null ? 0 : virtualChannels,
                !isWithoutDetection,
                parseSelection(selection),
                seed);
    }

    private static PathSelection parseSelection(final String text) {
        for (final PathSelection choice : PathSelection.values()) {
            if (choice.name().toLowerCase(Locale.ROOT).replace('_', '-').equals(text)) {
                return choice;
            }
        }
        throw new UsageException(
                "--selection must be low-port, random, sancho or high-physical, not '"
                        + text
                        + "'");
    }
}
