package io.hxb.fabric.route;

import io.hxb.fabric.LinkWeights;
import io.hxb.fabric.RouteSet;
import io.hxb.fabric.RouteSetBuilder;
import io.hxb.fabric.SwitchGraph;

import java.util.Arrays;

/**
 * Path selection by removing candidates from the busiest channels until every pair has one left: in
 * Sancho's order by virtual channels, or by the physical channel first and then by its virtual
 * channels. The latter counts pairs of hosts where switches have different numbers of them, so that
 * switches without hosts load nothing. A channel is as busy as its paths weigh by {@link
 * LinkWeights}. Among the candidates of a channel, one of the pair that has the most is removed
 * first. Used by one thread. Source: Koibuchi 2002, section 5.1.2.2.
 */
final class PathThinning {
    private final CandidatePaths candidates;
    private final int virtualChannels;
    private final boolean isPhysicalFirst;
    private final int[] pairs;
    private final int[] left;
    private final boolean[] isRemoved;
    private final int[] counts;
    private final int[] channelCounts;
    private final int[] starts;
    private final int[] sizes;
    private final long[] crossing;
    private final boolean[] isOrdered;
    private final LinkWeights weights;

    /** What weights are divided by, so that they fit 31 bits. */
    private long scale = 1;

    /** Weight of a pair by its switches; null when all weigh 1. */
    private final int[] hostWeights;

    PathThinning(final CandidatePaths candidates, final boolean isPhysicalFirst) {
        candidates.collect();
        this.candidates = candidates;
        this.virtualChannels = candidates.virtualChannels();
        this.isPhysicalFirst = isPhysicalFirst;
        this.weights = LinkWeights.of(candidates.graph());
        final int total = candidates.first(candidates.pairCount());
        this.pairs = new int[total];
        this.left = new int[candidates.pairCount()];
        this.isRemoved = new boolean[total];
        this.counts = new int[candidates.stateCount()];
        this.channelCounts = new int[counts.length / virtualChannels];
        this.starts = new int[counts.length + 1];
        this.sizes = new int[counts.length];
        this.isOrdered = new boolean[counts.length];
        this.hostWeights = isPhysicalFirst ? hostWeights(candidates.graph()) : null;
        count();
        this.crossing = new long[starts[counts.length]];
        fill();
    }

    /** Hosts of each switch, scaled so that sums fit 31 bits; null when all have as many. */
    private static int[] hostWeights(final SwitchGraph graph) {
        final int[] hosts = graph.hostCounts();
        final int most = Arrays.stream(hosts).max().orElse(0);
        if (Arrays.stream(hosts).allMatch(count -> count == most)) {
            return null;
        }
        // A channel may carry up to 8 candidates of every pair.
        final double scale =
                Math.min(1, Math.sqrt((Integer.MAX_VALUE >> 4) / Math.pow(graph.hostCount(), 2)));
        return Arrays.stream(hosts)
                .map(count -> count == 0 ? 0 : Math.max(1, (int) (count * scale)))
                .toArray();
    }

    private int weight(final int pair) {
        if (hostWeights == null) {
            return 1;
        }
        final int switches = hostWeights.length;
        return hostWeights[pair / switches] * hostWeights[pair % switches];
    }

    private int size(final int pair) {
        return candidates.first(pair + 1) - candidates.first(pair);
    }

    private void count() {
        for (int pair = 0; pair < left.length; pair++) {
            left[pair] = size(pair);
            for (int i = 0; i < left[pair]; i++) {
                pairs[candidates.first(pair) + i] = pair;
                for (int link = 0; link < candidates.length(pair); link++) {
                    final int state = candidates.step(pair, i, link);
                    counts[state] += weight(pair);
                    channelCounts[state / virtualChannels] += weight(pair);
                    starts[state + 1] += left[pair] > 1 ? 1 : 0;
                }
            }
        }
        for (int state = 0; state < counts.length; state++) {
            starts[state + 1] += starts[state];
        }
    }

    /** Lists, for every virtual channel, the candidates with alternatives that cross it. */
    private void fill() {
        for (int pair = 0; pair < left.length; pair++) {
            for (int i = 0; i < left[pair] && left[pair] > 1; i++) {
                final long key = MaxHeap.key(left[pair], candidates.first(pair) + i);
                for (int link = 0; link < candidates.length(pair); link++) {
                    final int state = candidates.step(pair, i, link);
                    crossing[starts[state] + sizes[state]++] = key;
                }
            }
        }
    }

    /** Thins the candidates out and returns what is left. */
    RouteSet routes() {
        final int[] loads = isPhysicalFirst ? channelCounts : counts;
        // Loads only shrink from now on.
        for (int i = 0; i < loads.length; i++) {
            scale = Math.max(scale, 1 + weights.weigh(loads[i], channel(i)) / Integer.MAX_VALUE);
        }
        final long[] busiest = new long[loads.length];
        for (int i = 0; i < loads.length; i++) {
            busiest[i] = MaxHeap.key(weigh(loads, i), i);
        }
        int size = loads.length;
        MaxHeap.order(busiest, 0, size);
        while (size > 0) {
            final int load = MaxHeap.number(busiest[0]);
            if (MaxHeap.count(busiest[0]) != weigh(loads, load)) {
                busiest[0] = MaxHeap.key(weigh(loads, load), load);
                MaxHeap.down(busiest, 0, size, 0);
                continue;
            }
            final int candidate = isPhysicalFirst ? ofChannel(load) : ofState(load);
            if (candidate < 0) {
                MaxHeap.pop(busiest, 0, size);
                size--;
            } else {
                remove(candidate);
            }
        }
        return build();
    }

    private int weigh(final int[] loads, final int index) {
        return (int) (weights.weigh(loads[index], channel(index)) / scale);
    }

    private int channel(final int index) {
        return isPhysicalFirst ? index : index / virtualChannels;
    }

    /** A removable candidate on the busiest virtual channel of a channel that has one, or -1. */
    private int ofChannel(final int channel) {
        int best = -1;
        int bestCount = -1;
        for (int state = (channel + 1) * virtualChannels - 1;
                state >= channel * virtualChannels;
                state--) {
            if (counts[state] > bestCount) {
                final int candidate = ofState(state);
                bestCount = candidate < 0 ? bestCount : counts[state];
                best = candidate < 0 ? best : candidate;
            }
        }
        return best;
    }

    /** The removable candidate of the pair with the most that crosses a virtual channel, or -1. */
    private int ofState(final int state) {
        final int base = starts[state];
        if (!isOrdered[state]) {
            isOrdered[state] = true;
            MaxHeap.order(crossing, base, sizes[state]);
        }
        while (sizes[state] > 0) {
            final int candidate = MaxHeap.number(crossing[base]);
            final int alternatives = left[pairs[candidate]];
            if (isRemoved[candidate] || alternatives == 1) {
                MaxHeap.pop(crossing, base, sizes[state]);
                sizes[state]--;
            } else if (MaxHeap.count(crossing[base]) == alternatives) {
                return candidate;
            } else {
                crossing[base] = MaxHeap.key(alternatives, candidate);
                MaxHeap.down(crossing, base, sizes[state], 0);
            }
        }
        return -1;
    }

    private void remove(final int candidate) {
        final int pair = pairs[candidate];
        isRemoved[candidate] = true;
        left[pair]--;
        for (int link = 0; link < candidates.length(pair); link++) {
            final int state = candidates.step(pair, candidate - candidates.first(pair), link);
            counts[state] -= weight(pair);
            channelCounts[state / virtualChannels] -= weight(pair);
        }
    }

    private RouteSet build() {
        final SwitchGraph graph = candidates.graph();
        final RouteSetBuilder builder = new RouteSetBuilder(graph, virtualChannels);
        for (int pair = 0; pair < left.length; pair++) {
            int index = 0;
            while (isRemoved[candidates.first(pair) + index]) {
                index++;
            }
            for (int link = 0; link < candidates.length(pair); link++) {
                builder.step(candidates.step(pair, index, link));
            }
            builder.endPath();
        }
        return builder.build();
    }
}
