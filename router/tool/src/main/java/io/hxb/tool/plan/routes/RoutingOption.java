package io.hxb.tool.plan.routes;

import io.hxb.fabric.LinkWeights;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.plan.RoutingAlgorithm;
import io.hxb.fabric.plan.RoutingOptions;
import io.hxb.fabric.route.PathSelection;
import io.hxb.fabric.route.Routing;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Option;

import java.util.Locale;

/** Options of routing algorithms. Picocli fills it. */
final class RoutingOption {
    @Option(
            names = "--root",
            paramLabel = "SWITCH",
            description =
                    "put the switch of this number at the root of spanning trees (default: 0;"
                        + " updown-dfs tries all, beyond 128 switches 128 to 16 of those with most"
                        + " links)")
    private Integer root;

    @Option(
            names = "--vcs",
            paramLabel = "N",
            description =
                    "give each channel this many virtual channels (default: as many as "
                            + "the algorithm prefers)")
    private Integer virtualChannels;

    @Option(
            names = "--no-cycle-detection",
            description =
                    "L-turn and R-turn: prohibit all five turns, also those that close no "
                            + "cycle")
    private boolean isWithoutDetection;

    @Option(
            names = "--selection",
            paramLabel = "NAME",
            description =
                    "choose one of several shortest paths by low-port, random, sancho,"
                        + " high-physical or balanced: a path for each host, spread over all"
                        + " channels (default: low-port, or high-physical where the rates of links"
                        + " are known and differ; in-transit, fat-tree and dfsssp choose by"
                        + " themselves, lash also by balanced)")
    private String selection;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "seed the random selection with this number (default: ${DEFAULT-VALUE})")
    private long seed;

    /** Picocli makes it. */
    RoutingOption() {}

    /**
     * The options for one algorithm.
     *
     * @throws UsageException if one of them does nothing for it.
     */
    RoutingOptions options(final RoutingAlgorithm algorithm) {
        final RoutingOptions options = options();
        if (selection != null && !algorithm.accepts(options.selection())) {
            throw new UsageException(
                    algorithm.routingName()
                            + " chooses its paths by itself: --selection does nothing, leave it"
                            + " out");
        }
        if (isWithoutDetection && !algorithm.hasCycleDetection()) {
            throw new UsageException(
                    algorithm.routingName()
                            + " has no cycle detection: --no-cycle-detection is for l-turn and"
                            + " r-turn, leave it out");
        }
        return options;
    }

    /**
     * Refuses a root or virtual channels that have no effect.
     *
     * @throws UsageException naming the option.
     */
    void check(final Routing routing) {
        if (root != null && root > 0 && routing.roots().length == 0) {
            throw new UsageException(
                    routing.name() + " has no root: --root does nothing, leave it out");
        }
        final boolean isUpTo = routing.name().equals("lash");
        if (virtualChannels != null
                && virtualChannels != routing.virtualChannels()
                && !(isUpTo && virtualChannels > routing.virtualChannels())) {
            throw new UsageException(
                    routing.name()
                            + " has "
                            + routing.virtualChannels()
                            + " virtual channels on this graph: --vcs does nothing, leave it out");
        }
    }

    /** The selection that was used, {@code own} where the algorithm chose by itself. */
    String selectionName(final RoutingAlgorithm algorithm, final SwitchGraph graph) {
        final PathSelection chosen = options().selection();
        return algorithm.hasOwnPaths() && (selection == null || !algorithm.accepts(chosen))
                ? "own"
                : selection == null ? usual(graph) : selection;
    }

    /** The selection of a graph when none is asked for: one that heeds rates where they differ. */
    private static String usual(final SwitchGraph graph) {
        return LinkWeights.of(graph).areEven() ? "low-port" : "high-physical";
    }

    /** The options for a graph. */
    RoutingOptions options(final SwitchGraph graph) {
        return selection == null
                ? options().withSelection(parseSelection(usual(graph)))
                : options();
    }

    /** The options as the algorithms take them; each uses those that concern it. */
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
                parseSelection(selection == null ? "low-port" : selection),
                seed);
    }

    private static PathSelection parseSelection(final String text) {
        for (final PathSelection choice : PathSelection.values()) {
            if (choice.name().toLowerCase(Locale.ROOT).replace('_', '-').equals(text)) {
                return choice;
            }
        }
        throw new UsageException(
                "--selection must be low-port, random, sancho, high-physical or balanced, not '"
                        + text
                        + "'");
    }
}
