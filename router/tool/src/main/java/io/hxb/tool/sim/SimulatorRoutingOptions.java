package io.hxb.tool.sim;

import io.hxb.fabric.plan.RoutingAlgorithm;
import io.hxb.sim.route.RingRule;
import io.hxb.sim.run.Experiment;
import io.hxb.sim.run.PathChoice;
import io.hxb.sim.select.SelectionKind;
import io.hxb.tool.report.UsageException;

import picocli.CommandLine.Option;

/** How packets of an experiment are routed, as options. Picocli fills it. */
final class SimulatorRoutingOptions {
    @Option(
            names = "--algorithm",
            paramLabel = "NAME",
            defaultValue = "updown-bfs",
            description = "routing algorithm of hxb plan; default ${DEFAULT-VALUE}")
    private String algorithm;

    @Option(
            names = "--root",
            paramLabel = "SWITCH",
            defaultValue = "-1",
            description = "root of spanning trees; default: the algorithm's choice")
    private int root;

    @Option(
            names = "--paths",
            paramLabel = "NAME",
            defaultValue = "auto",
            description =
                    "adaptive, or one path a pair: low-port, random, sancho, high-physical; default"
                            + " ${DEFAULT-VALUE}: adaptive, but for lash and in-transit, which"
                            + " choose one path a pair by themselves")
    private String paths;

    @Option(
            names = "--osf",
            paramLabel = "NAME",
            defaultValue = "random",
            description =
                    "output selection: random, dimension-order, zigzag, lfu, sp, mm, ldsf, lru,"
                            + " mmlru; default ${DEFAULT-VALUE}")
    private String selection;

    @Option(
            names = "--free-vcs",
            description =
                    "with more virtual channels than the routing needs: take any at every switch;"
                            + " default: each pair keeps to one")
    private boolean hasFreeCopies;

    @Option(
            names = "--ties",
            paramLabel = "NAME",
            defaultValue = "free",
            description =
                    "dimension-order in a torus: of two ways round a ring that are as short, the"
                            + " one that is free (free), either by chance (random) or the one"
                            + " towards the higher coordinate (positive); default ${DEFAULT-VALUE}")
    private String ties;

    @Option(
            names = "--ring-vcs",
            paramLabel = "NAME",
            defaultValue = "change",
            description =
                    "dimension-order in a torus: packets change their virtual channel where the"
                            + " ring closes (change), or keep to one that only those have that will"
                            + " pass there (keep); default ${DEFAULT-VALUE}")
    private String ringChannels;

    /** Picocli makes it. */
    SimulatorRoutingOptions() {}

    RoutingAlgorithm algorithm() {
        return UsageException.check(() -> RoutingAlgorithm.of(algorithm));
    }

    /** Adds them to an experiment. */
    Experiment.Builder addTo(final Experiment.Builder experiment) {
        return experiment
                .root(root)
                .paths(PathChoice.of(paths), hasFreeCopies)
                .rings(RingRule.of(ties, ringChannels))
                .selection(SelectionKind.of(selection));
    }
}
