package io.hxb.fabric.route;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.HeapCheck;
import io.hxb.fabric.RouteSet;
import io.hxb.fabric.RouteSetBuilder;
import io.hxb.fabric.SwitchGraph;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The shortest legal paths of all pairs: all of them, or, where a pair has more than {@link
 * #maxPerPair()}, that many spread evenly over their lexicographic order. Used by one thread.
 */
final class CandidatePaths {
    private static final long SATURATED = 1L << 40;

    private final TurnRelation relation;
    private final TurnRelation reversed;
    private final SwitchGraph graph;
    private final int virtualChannels;
    private final ShortestPaths paths;
    private final long[] ways;
    private final int maxPerPair;

    /** First candidate of each pair, {@code [pairs + 1]}. */
    private int[] firsts;

    /** Links of each pair, {@code [pairs]}. */
    private char[] lengths;

    /** Where the steps of a pair's first candidate start, {@code [pairs]}. */
    private int[] offsets;

    /** Steps of the candidates one after the other; those of a pair are equally long. */
    private int[] steps = new int[1 << 16];

    private int stepCount;

    CandidatePaths(final TurnRelation relation) {
        this.relation = relation;
        this.reversed = relation.reversed();
        this.graph = relation.graph();
        this.virtualChannels = relation.virtualChannels();
        this.paths = new ShortestPaths(relation);
        this.ways = new long[relation.stateCount()];
        final long pairs = (long) graph.switchCount() * graph.switchCount();
        this.maxPerPair = Math.clamp((1L << 22) / pairs, 2, 8);
    }

    /** Maximum number of candidates kept for one pair: 2 to 8, fewer in larger graphs. */
    int maxPerPair() {
        return maxPerPair;
    }

    SwitchGraph graph() {
        return graph;
    }

    int virtualChannels() {
        return virtualChannels;
    }

    int stateCount() {
        return relation.stateCount();
    }

    /** Finds the candidates of all pairs. */
    void collect() {
        // Twice the steps: the array grows by copying.
        final long stepBytes = 2L * maxPerPair * HeapCheck.pathsBytes(graph);
        HeapCheck.requirePairs(graph, 10, "the candidates of all pairs of switches");
        HeapCheck.require(
                stepBytes,
                "the candidates of all pairs of switches (--selection low-port needs none)");
        final int switches = graph.switchCount();
        firsts = new int[switches * switches + 1];
        lengths = new char[switches * switches];
        offsets = new int[switches * switches];
        for (int from = 0; from < switches; from++) {
            searchFrom(from);
            for (int to = 0; to < switches; to++) {
                collect(from * switches + to, to, from == to);
            }
        }
    }

    private void searchFrom(final int from) {
        paths.search(from, true);
        Arrays.fill(ways, 0);
        final int[] followers = relation.followers();
        for (int i = 0; i < paths.reachedCount(); i++) {
            final int state = paths.reached(i);
            if (paths.links(state) == 1) {
                ways[state] = 1;
            }
            for (int j = relation.nextStart(state); j < relation.nextStart(state + 1); j++) {
                if (paths.links(followers[j]) == paths.links(state) + 1) {
                    ways[followers[j]] = Math.min(SATURATED, ways[followers[j]] + ways[state]);
                }
            }
        }
    }

    private void collect(final int pair, final int to, final boolean isSame) {
        final int length = paths.distance(to);
        final long total = isSame ? 1 : total(to, length);
        final int count = (int) Math.min(total, maxPerPair);
        lengths[pair] = (char) length;
        offsets[pair] = stepCount;
        firsts[pair + 1] = firsts[pair] + count;
        if (stepCount + (long) count * length > steps.length) {
            if (stepCount + (long) count * length > Integer.MAX_VALUE - 8) {
                throw new GraphException(
                        "the candidates of all pairs have more than 2^31 links together; use"
                                + " --selection low-port, or a smaller graph");
            }
            final long size = Math.max(2L * steps.length, stepCount + (long) count * length);
            steps = Arrays.copyOf(steps, (int) Math.min(size, Integer.MAX_VALUE - 8));
        }
        for (int i = 0; i < count && !isSame; i++) {
            walk(to, length, (long) ((double) total * i / count), stepCount);
            stepCount += length;
        }
    }

    /** Number of shortest paths to a switch from the source of the search. */
    private long total(final int to, final int length) {
        long total = 0;
        for (int i = 0; i < graph.degree(to); i++) {
            final int first = (graph.outgoing(to, i) ^ 1) * virtualChannels;
            for (int state = first; state < first + virtualChannels; state++) {
                total += paths.links(state) == length ? ways[state] : 0;
            }
        }
        return total;
    }

    /** Writes the path of a rank among those to a switch. */
    private void walk(final int to, final int length, final long rank, final int offset) {
        long rest = rank;
        int at = -1;
        for (int i = 0; i < graph.degree(to) && at < 0; i++) {
            final int first = (graph.outgoing(to, i) ^ 1) * virtualChannels;
            for (int v = virtualChannels - 1; v >= 0 && at < 0; v--) {
                if (paths.links(first + v) == length) {
                    at = rest < ways[first + v] ? first + v : -1;
                    rest -= at < 0 ? ways[first + v] : 0;
                }
            }
        }
        final int[] before = reversed.followers();
        for (int left = length - 1; left > 0; left--) {
            steps[offset + left] = at;
            int chosen = -1;
            for (int i = reversed.nextStart(at); chosen < 0; i++) {
                if (paths.links(before[i]) == left) {
                    chosen = rest < ways[before[i]] ? before[i] : -1;
                    rest -= chosen < 0 ? ways[before[i]] : 0;
                }
            }
            at = chosen;
        }
        steps[offset] = at;
    }

    /** A shortest path of each pair, drawn with equal probability. */
    RouteSet random(final long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final RouteSetBuilder builder = new RouteSetBuilder(graph, virtualChannels);
        for (int from = 0; from < graph.switchCount(); from++) {
            searchFrom(from);
            for (int to = 0; to < graph.switchCount(); to++) {
                final int length = paths.distance(to);
                if (length > 0) {
                    if (length > steps.length) {
                        steps = new int[length];
                    }
                    walk(to, length, random.nextLong(total(to, length)), 0);
                }
                for (int i = 0; i < length; i++) {
                    builder.step(steps[i]);
                }
                builder.endPath();
            }
        }
        return builder.build();
    }

    int pairCount() {
        return lengths.length;
    }

    /** The first candidate of a pair; those of pair {@code p} end before the first of the next. */
    int first(final int pair) {
        return firsts[pair];
    }

    int length(final int pair) {
        return lengths[pair];
    }

    /** One step of candidate number {@code index} of a pair. */
    int step(final int pair, final int index, final int link) {
        return steps[offsets[pair] + index * lengths[pair] + link];
    }
}
