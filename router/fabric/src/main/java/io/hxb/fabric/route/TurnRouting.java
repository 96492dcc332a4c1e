package io.hxb.fabric.route;

import io.hxb.fabric.RouteSet;
import io.hxb.fabric.RouteSetBuilder;
import io.hxb.fabric.SwitchGraph;

/**
 * Routing on the shortest paths that a {@link TurnRelation} permits. Paths are over channel states:
 * where a packet may go depends on where it came from.
 */
public final class TurnRouting implements Routing {
    private final String name;
    private final TurnRelation relation;
    private final int[] roots;
    private DistanceTable distances;

    /**
     * Routes by a relation.
     *
     * @param roots of the spanning trees that it was made from, none or more.
     */
    public TurnRouting(final String name, final TurnRelation relation, final int... roots) {
        this.name = name;
        this.relation = relation;
        this.roots = roots.clone();
    }

    @Override
    public int[] roots() {
        return roots.clone();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public SwitchGraph graph() {
        return relation.graph();
    }

    @Override
    public int virtualChannels() {
        return relation.virtualChannels();
    }

    @Override
    public TurnRelation relation() {
        return relation;
    }

    @Override
    public int next(final int source, final int at, final int destination, final int[] out) {
        if (distances == null) {
            distances = new DistanceTable(relation);
        }
        final char[] links = distances.to(destination);
        return at == INJECTED ? first(source, links, out) : following(at, links, out);
    }

    private int first(final int source, final char[] links, final int[] out) {
        final SwitchGraph graph = relation.graph();
        int best = DistanceTable.NEVER;
        int count = 0;
        for (int i = 0; i < graph.degree(source); i++) {
            final int first = graph.outgoing(source, i) * virtualChannels();
            for (int state = first + virtualChannels() - 1; state >= first; state--) {
                if (!relation.isStart(state)
                        || links[state] > best
                        || links[state] == DistanceTable.NEVER) {
                    continue;
                }
                if (links[state] < best) {
                    best = links[state];
                    count = 0;
                }
                out[count++] = state;
            }
        }
        return count;
    }

    private int following(final int at, final char[] links, final int[] out) {
        int count = 0;
        for (int i = 0; i < relation.nextCount(at); i++) {
            final int state = relation.next(at, i);
            if (links[state] + 1 == links[at]) {
                out[count++] = state;
            }
        }
        return count;
    }

    @Override
    public RouteSet routes(final PathSelection selection, final long seed) {
        if (selection == PathSelection.LOW_PORT) {
            return lowPort();
        }
        if (selection == PathSelection.BALANCED) {
            return BalancedPaths.perHost(relation);
        }
        final CandidatePaths candidates = new CandidatePaths(relation);
        return switch (selection) {
            case RANDOM -> candidates.random(seed);
            case SANCHO -> new PathThinning(candidates, false).routes();
            default -> new PathThinning(candidates, true).routes();
        };
    }

    private RouteSet lowPort() {
        final SwitchGraph graph = relation.graph();
        final RouteSetBuilder builder = new RouteSetBuilder(graph, virtualChannels());
        final ShortestPaths paths = new ShortestPaths(relation);
        final int[] steps = new int[relation.stateCount()];
        for (int from = 0; from < graph.switchCount(); from++) {
            paths.search(from, false);
            for (int to = 0; to < graph.switchCount(); to++) {
                final int count = paths.path(to, steps);
                for (int i = 0; i < count; i++) {
                    builder.step(steps[i]);
                }
                builder.endPath();
            }
        }
        return builder.build();
    }
}
