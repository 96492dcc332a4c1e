package io.hxb.tool.top;

import io.hxb.observe.live.LinkSample;
import io.hxb.observe.live.NodeSample;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The last rates of nodes and links, in both directions together. Used by one thread. */
final class RateHistory {
    /** Rates that are kept of each. */
    static final int KEPT = 30;

    private final Map<String, Deque<Double>> rates = new HashMap<>();

    /** Adds a sample of all nodes; what is not in it any more is forgotten. */
    void add(final List<NodeSample> nodes) {
        final Set<String> seen = new HashSet<>();
        for (final NodeSample node : nodes) {
            add(seen, TopModel.key(node), node.inMegabytes() + node.outMegabytes());
            for (final LinkSample link : node.links()) {
                add(
                        seen,
                        TopModel.key(node) + " " + link.label(),
                        link.in().megabytes() + link.out().megabytes());
            }
        }
        rates.keySet().retainAll(seen);
    }

    private void add(final Set<String> seen, final String key, final double rate) {
        seen.add(key);
        final Deque<Double> own = rates.computeIfAbsent(key, _ -> new ArrayDeque<>());
        own.addLast(rate);
        if (own.size() > KEPT) {
            own.removeFirst();
        }
    }

    /** The rates in MB/s by the keys of nodes and links, the newest last. */
    Map<String, List<Double>> rates() {
        final Map<String, List<Double>> copy = new HashMap<>();
        rates.forEach((key, own) -> copy.put(key, List.copyOf(own)));
        return copy;
    }
}
