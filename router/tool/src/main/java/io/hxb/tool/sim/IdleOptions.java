package io.hxb.tool.sim;

import io.hxb.fabric.Lattice;
import io.hxb.fabric.plan.RoutingAlgorithm;
import io.hxb.sim.flit.NetworkConfig;
import io.hxb.sim.run.Experiment;
import io.hxb.sim.run.PreparedRoutes;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Finds options that would do nothing in an experiment: who gives one expects something of it. Used
 * by the main thread.
 */
final class IdleOptions {
    private static final Set<RoutingAlgorithm> ROOTLESS =
            Set.of(RoutingAlgorithm.MINIMAL, RoutingAlgorithm.STRUCTURED);

    private final Set<String> given;
    private final Experiment experiment;
    private final PreparedRoutes routes;
    private final Map<String, String> problems = new LinkedHashMap<>();

    private IdleOptions(
            final Set<String> given, final Experiment experiment, final PreparedRoutes routes) {
        this.given = given;
        this.experiment = experiment;
        this.routes = routes;
    }

    /**
     * Finds the options that do nothing.
     *
     * @param given long names of the options that the user gave, such as {@code --osf}.
     * @return a sentence for each, by the option's name.
     */
    static Map<String, String> find(
            final Set<String> given, final Experiment experiment, final PreparedRoutes routes) {
        final IdleOptions options = new IdleOptions(given, experiment, routes);
        options.findInRouting();
        options.findInRings();
        options.findInSwitches();
        options.findInTraffic();
        return options.problems;
    }

    private void check(final boolean isIdle, final String option, final String why) {
        if (isIdle && given.contains(option)) {
            problems.put(
                    option,
                    option
                            + " "
                            + (option.equals("--vcs") ? "has a rest" : "would do nothing")
                            + ": "
                            + why);
        }
    }

    private void findInRouting() {
        final String name = experiment.algorithm().routingName();
        check(
                experiment.graphName().matches("(hyper-crossbar|fat-tree):.*"),
                "--hosts-per-switch",
                "the graph " + experiment.graphName() + " has hosts of its own");
        check(
                experiment.algorithm().isForLattices() || ROOTLESS.contains(experiment.algorithm()),
                "--root",
                name + " has no spanning tree");
        check(routes.copies() < 2, "--free-vcs", whyOneCopy(name));
        findUnusedChannels(name);
        check(
                !routes.hasChoice(),
                "--osf",
                "packets have no choice of outputs: all of a pair of hosts take one path");
    }

    private String whyOneCopy(final String name) {
        return experiment.graphName().startsWith("hyper-crossbar:")
                ? "in a hyper-crossbar all packets of a pair of hosts keep to one virtual channel"
                : "there is one set of the virtual channels that "
                        + name
                        + " needs; give --vcs "
                        + 2 * routes.virtualChannels()
                        + " for two sets";
    }

    private void findUnusedChannels(final String name) {
        final int lanes = experiment.network().lanes();
        final int needed = routes.virtualChannels();
        check(
                lanes % needed != 0,
                "--vcs",
                name
                        + " uses sets of "
                        + needed
                        + " virtual channels here, which leaves "
                        + lanes % needed
                        + " of "
                        + lanes
                        + " unused; give "
                        + (lanes - lanes % needed)
                        + " or "
                        + (lanes - lanes % needed + needed));
    }

    private void findInRings() {
        final boolean isComputed = routes.lattice() != null;
        final boolean hasRings = isComputed && routes.lattice().hasRings();
        final String need =
                "it is for --algorithm dimension-order with --paths adaptive in a torus";
        check(!hasRings, "--ring-vcs", need);
        check(!hasRings, "--ties", need);
        check(
                hasRings && !hasEvenRing(),
                "--ties",
                "no ring of this torus has an even number of switches, so there are no ties");
    }

    private boolean hasEvenRing() {
        final Lattice shape = routes.lattice().lattice();
        for (int dimension = 0; dimension < shape.dimensions(); dimension++) {
            if (shape.isRing(dimension) && shape.extent(dimension) % 2 == 0) {
                return true;
            }
        }
        return false;
    }

    private void findInSwitches() {
        final NetworkConfig network = experiment.network();
        final boolean isSingle = network.lanes() == 1;
        final String need =
                "a channel with one virtual channel carries one packet at a time; give --vcs 2 or"
                        + " more";
        check(isSingle, "--multiplexing", need);
        check(isSingle, "--arbitration", need);
        check(isSingle, "--vc-crossbar", need);
    }

    private void findInTraffic() {
        final String trace = "the trace defines the messages and their times";
        final boolean isTrace = experiment.traffic().isTrace();
        for (final String option :
                new String[] {"--load", "--loads", "--message", "--burst", "--step", "--self"}) {
            check(isTrace, option, trace);
        }
        check(
                !isTrace && experiment.traffic().text() != null,
                "--self",
                "the matrix defines who sends to whom");
    }
}
