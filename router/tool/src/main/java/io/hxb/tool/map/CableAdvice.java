package io.hxb.tool.map;

import io.hxb.config.LinkPlan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;

/**
 * The cable between two nodes that helps most, and what it gains. First of all it joins what is
 * apart, then it adds a way between those nodes that have the fewest, then it begins where there
 * are the fewest, then it shortens ways. Immutable.
 *
 * @param one one end.
 * @param other the other end, with a larger number.
 * @param before the network as it is.
 * @param after the network with the cable.
 */
record CableAdvice(int one, int other, State before, State after) {
    /** Most cables of a node. */
    static final int MAX_CABLES = LinkPlan.MAX_LINKS_PER_DIMENSION;

    /**
     * A network. Immutable.
     *
     * @param meanHops of all pairs of nodes that reach each other; 0 if there are none.
     * @param pairs of nodes that reach each other.
     * @param ways smallest number of ways without a common cable between any two nodes.
     */
    record State(double meanHops, long pairs, int ways) {}

    // One and other are positions in the list of nodes.
    private record Candidate(int one, int other, int rank, State after) {}

    /**
     * Looks for it. Takes seconds for the largest networks.
     *
     * @return empty if no cable joins nodes, adds a way or shortens one, or every node that has
     *     fewer than {@value #MAX_CABLES} cables would need one to itself.
     */
    static Optional<CableAdvice> best(final CableGraph graph) {
        return new Search(graph).best();
    }

    /** Whether it joins nodes that do not reach each other. */
    boolean isJoining() {
        return after.pairs > before.pairs;
    }

    /** What it is and gains, in a sentence. */
    String sentence() {
        return String.format(
                Locale.ROOT,
                "the best next cable is %d-%d: %smean hops %.2f before, %.2f after; smallest number"
                        + " of ways without a common cable between two nodes %d before, %d after",
                one,
                other,
                isJoining() ? "it joins nodes that do not reach each other; " : "",
                before.meanHops,
                after.meanHops,
                before.ways,
                after.ways);
    }

    /** The advice as JSON shows it. */
    Map<String, Object> report() {
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("one", one);
        report.put("other", other);
        report.put("joins", isJoining());
        report.put("mean_hops_before", before.meanHops);
        report.put("mean_hops_after", after.meanHops);
        report.put("ways_before", before.ways);
        report.put("ways_after", after.ways);
        return report;
    }

    /** One search. Used by one thread. */
    private static final class Search {
        private static final int JOINS = 4;
        private static final int ADDS_A_WAY = 3;

        private final CableGraph graph;
        private final List<Integer> nodes;
        private final int[][] hops;
        private final List<NavigableSet<Integer>> weak;
        private final int ways;
        private final State before;

        Search(final CableGraph graph) {
            this.graph = graph;
            nodes = graph.nodes();
            hops = graph.hops();
            weak = graph.weakGroups();
            ways = graph.fewestWays();
            before = state(0, 0, ways);
        }

        Optional<CableAdvice> best() {
            final List<Candidate> candidates = new ArrayList<>();
            for (int one = 0; one < nodes.size(); one++) {
                for (int other = one + 1; other < nodes.size(); other++) {
                    if (hasRoom(one) && hasRoom(other)) {
                        candidates.add(new Candidate(one, other, rank(one, other), before));
                    }
                }
            }
            for (int rank = JOINS; rank >= 0; rank--) {
                final int wanted = rank;
                final Optional<Candidate> found =
                        candidates.stream()
                                .filter(candidate -> candidate.rank == wanted)
                                .map(this::tried)
                                .min(
                                        Comparator.comparingLong(
                                                        (Candidate each) -> -each.after.pairs)
                                                .thenComparingDouble(each -> each.after.meanHops)
                                                .thenComparingInt(this::cables))
                                .filter(best -> !best.after.equals(before));
                if (found.isPresent()) {
                    return found.map(this::advice);
                }
            }
            return Optional.empty();
        }

        private boolean hasRoom(final int place) {
            return graph.cables(nodes.get(place)) < MAX_CABLES;
        }

        private int cables(final Candidate candidate) {
            return graph.cables(nodes.get(candidate.one))
                    + graph.cables(nodes.get(candidate.other));
        }

        private CableAdvice advice(final Candidate found) {
            return new CableAdvice(
                    nodes.get(found.one), nodes.get(found.other), before, found.after);
        }

        // Otherwise the number of weak groups at its ends.
        private int rank(final int one, final int other) {
            if (hops[one][other] < 0) {
                return JOINS;
            }
            final int first = group(nodes.get(one));
            final int second = group(nodes.get(other));
            if (first < 0 || second < 0 || first == second) {
                return first < 0 && second < 0 ? 0 : 1;
            }
            return weak.size() == 2 ? ADDS_A_WAY : 2;
        }

        private int group(final int node) {
            for (int i = 0; i < weak.size(); i++) {
                if (weak.get(i).contains(node)) {
                    return i;
                }
            }
            return -1;
        }

        private Candidate tried(final Candidate candidate) {
            final boolean isAdding =
                    candidate.rank == ADDS_A_WAY || (candidate.rank == JOINS && weak.size() == 2);
            return new Candidate(
                    candidate.one,
                    candidate.other,
                    candidate.rank,
                    state(candidate.one, candidate.other, ways + (isAdding ? 1 : 0)));
        }

        // With a cable between two places; without one, if both are the same.
        private State state(final int one, final int other, final int waysThen) {
            long sum = 0;
            long pairs = 0;
            for (int from = 0; from < hops.length; from++) {
                for (int to = from + 1; to < hops.length; to++) {
                    final int direct = hops[from][to];
                    final int over =
                            one == other
                                    ? direct
                                    : shorter(
                                            along(hops[from][one], hops[other][to]),
                                            along(hops[from][other], hops[one][to]));
                    final int best = shorter(direct, over);
                    pairs += best < 0 ? 0 : 1;
                    sum += Math.max(0, best);
                }
            }
            return new State(pairs == 0 ? 0 : (double) sum / pairs, pairs, waysThen);
        }

        private static int along(final int first, final int second) {
            return first < 0 || second < 0 ? -1 : first + 1 + second;
        }

        private static int shorter(final int one, final int other) {
            return one < 0 || other < 0 ? Math.max(one, other) : Math.min(one, other);
        }
    }
}
