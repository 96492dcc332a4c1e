package io.hxb.fabric.verify;

import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.route.PathSelection;
import io.hxb.fabric.route.Routing;
import io.hxb.fabric.route.TurnRelation;

/**
 * Checks routes: every destination reached from every source, permitted turns only, no cycle of
 * dependencies. Pure, apart from tables that a routing makes when asked.
 */
public final class Verifier {
    private Verifier() {}

    /**
     * Checks a routing and its paths. The dependencies are all that its turns permit, including
     * those no path uses; for a routing with escape paths, those of the extended graph; otherwise
     * those of the paths.
     */
    public static Verification verify(final Routing routing, final RouteSet routes) {
        final String broken = disconnected(routes);
        final String illegal = broken == null ? illegal(routing, routes) : null;
        String cycle = cycle(ofRoutes(routes, routing));
        if (cycle == null && routing.relation() != null) {
            cycle = cycle(ofRelation(routing.relation()));
        } else if (hasEscapes(routing)) {
            cycle = ExtendedDependencies.findProblem(routing);
        }
        final String problem = broken != null ? broken : illegal != null ? illegal : cycle;
        return new Verification(broken == null, cycle == null, illegal == null, problem);
    }

    /** Checks stored paths alone. */
    public static Verification verify(final RouteSet routes) {
        final String broken = disconnected(routes);
        final String cycle = cycle(ofRoutes(routes, null));
        return new Verification(
                broken == null, cycle == null, true, broken == null ? cycle : broken);
    }

    private static boolean hasEscapes(final Routing routing) {
        final int states = routing.graph().channelCount() * routing.virtualChannels();
        for (int destination = 0; destination < routing.graph().switchCount(); destination++) {
            for (int state = 0; state < states; state++) {
                if (!routing.isEscape(state, destination)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static String cycle(final DependencyGraph dependencies) {
        final int[] cycle = dependencies.findCycle();
        return cycle == null ? null : dependencies.describe(cycle);
    }

    /** The dependencies of paths; those on adaptive channels do not count. */
    private static DependencyGraph ofRoutes(final RouteSet routes, final Routing routing) {
        final int switches = routes.graph().switchCount();
        final DependencyGraph dependencies =
                new DependencyGraph(routes.graph(), routes.virtualChannels());
        for (int from = 0; from < switches; from++) {
            for (int to = 0; to < routes.destinationCount(); to++) {
                final int node = routes.destinationSwitch(to);
                final int length = routes.length(from, to);
                for (int i = 1; i < length; i++) {
                    final int before = routes.step(from, to, i - 1);
                    final int after = routes.step(from, to, i);
                    final boolean isFixed =
                            routing == null
                                    || (routing.isEscape(before, node)
                                            && routing.isEscape(after, node));
                    if (isFixed && !routes.isReinjected(from, to, i)) {
                        dependencies.add(before, after);
                    }
                }
            }
        }
        return dependencies;
    }

    private static DependencyGraph ofRelation(final TurnRelation relation) {
        final DependencyGraph dependencies =
                new DependencyGraph(relation.graph(), relation.virtualChannels());
        for (int state = 0; state < relation.stateCount(); state++) {
            for (int i = 0; i < relation.nextCount(state); i++) {
                dependencies.add(state, relation.next(state, i));
            }
        }
        return dependencies;
    }

    private static String disconnected(final RouteSet routes) {
        final SwitchGraph graph = routes.graph();
        final int[] passed = new int[graph.channelCount() * routes.virtualChannels()];
        int path = 0;
        for (int from = 0; from < graph.switchCount(); from++) {
            for (int to = 0; routes.isSource(from) && to < routes.destinationCount(); to++) {
                int at = from;
                path++;
                for (int i = 0; i < routes.length(from, to); i++) {
                    final int channel = routes.channel(from, to, i);
                    if (graph.source(channel) != at || passed[routes.step(from, to, i)] == path) {
                        return "the path " + routes.describe(from, to) + " does not hold together";
                    }
                    passed[routes.step(from, to, i)] = path;
                    at = graph.target(channel);
                }
                if (at != routes.destinationSwitch(to)) {
                    return "the path "
                            + routes.describe(from, to)
                            + " should end at "
                            + routes.destinationName(to);
                }
            }
        }
        return null;
    }

    private static String illegal(final Routing routing, final RouteSet routes) {
        if (!routing.isAdaptive() && routing.routes(PathSelection.LOW_PORT, 0) == routes) {
            // What it permits are these very paths.
            return null;
        }
        final SwitchGraph graph = routes.graph();
        final int[] out = new int[Math.max(1, graph.maxDegree() * routing.virtualChannels())];
        for (int from = 0; from < graph.switchCount(); from++) {
            for (int to = 0; to < routes.destinationCount(); to++) {
                final int node = routes.destinationSwitch(to);
                int before = Routing.INJECTED;
                for (int i = 0; i < routes.length(from, to); i++) {
                    final int step = routes.step(from, to, i);
                    if (!isPermitted(routing, from, before, node, step, out)) {
                        return "the path " + routes.describe(from, to) + " makes a prohibited turn";
                    }
                    before = step;
                }
            }
        }
        return null;
    }

    private static boolean isPermitted(
            final Routing routing,
            final int from,
            final int before,
            final int to,
            final int step,
            final int[] out) {
        final TurnRelation relation = routing.relation();
        if (relation != null) {
            return before == Routing.INJECTED
                    ? relation.isStart(step)
                    : relation.permits(before, step);
        }
        final int count = routing.next(from, before, to, out);
        for (int i = 0; i < count; i++) {
            if (out[i] == step) {
                return true;
            }
        }
        return false;
    }
}
