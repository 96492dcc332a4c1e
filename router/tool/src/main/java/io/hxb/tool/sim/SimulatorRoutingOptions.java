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
            description = "route by this algorithm of hxb plan routes (default: ${DEFAULT-VALUE})")
    private String algorithm;

    @Option(
            names = "--root",
            paramLabel = "SWITCH",
            defaultValue = "-1",
            description =
                    "put this switch at the root of spanning trees (default: the "
                            + "algorithm's choice)")
    private int root;

    @Option(
            names = "--paths",
            paramLabel = "NAME",
            defaultValue = "auto",
            description =
                    "choose paths adaptively (adaptive), or one path a pair by low-port, random,"
                            + " sancho or high-physical, or one a host by balanced; auto: adaptive,"
                            + " except for lash, in-transit, fat-tree and dfsssp, which choose by"
                            + " themselves (default: ${DEFAULT-VALUE})")
    private String paths;

    @Option(
            names = "--osf",
            paramLabel = "NAME",
            defaultValue = "random",
            description =
                    "select outputs by random, dimension-order, zigzag, lfu, sp, mm, ldsf, "
                            + "lru or mmlru (default: ${DEFAULT-VALUE})")
    private String selection;

    @Option(
            names = "--free-vcs",
            description =
                    "take any of the virtual channels that the routing does not need, at "
                            + "every switch, instead of one for each pair")
    private boolean hasFreeCopies;

    @Option(
            names = "--ties",
            paramLabel = "NAME",
            defaultValue = "free",
            description =
                    "dimension-order in a torus: take, of two equally short paths round a ring, the"
                            + " free one (free), either by chance (random), or the one towards the"
                            + " higher coordinate (positive) (default: ${DEFAULT-VALUE})")
    private String ties;

    @Option(
            names = "--ring-vcs",
            paramLabel = "NAME",
            defaultValue = "change",
            description =
                    "dimension-order in a torus: change the virtual channel where the ring "
                            + "closes (change), or keep one that only packets have that will pass "
                            + "there (keep) (default: ${DEFAULT-VALUE})")
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
