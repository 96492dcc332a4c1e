package io.hxb.tool.top;

import io.hxb.counter.CounterLabels;
import io.hxb.counter.NeighbourCounts;
import io.hxb.observe.live.NodeSampler;
import io.hxb.topology.Shape;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * With which neighbour a link exchanged the most bytes since the last look, and which part of those
 * with all of them. Used by one thread.
 */
final class BusiestNeighbour {
    private Map<Integer, Map<Integer, Long>> last = Map.of();

    /**
     * Looks again.
     *
     * @return by the index of a link: such as {@code 62% (3,0)}; nothing for links without traffic
     *     or whose neighbours are not counted one by one, and nothing at all the first time.
     */
    Map<Integer, String> look(final CounterLabels labels, final List<NeighbourCounts> counts) {
        final Map<Integer, Map<Integer, Long>> now = new HashMap<>();
        for (final NeighbourCounts each : counts) {
            now.computeIfAbsent(each.link(), link -> new HashMap<>())
                    .put(each.node(), each.receivedBytes() + each.sentBytes());
        }
        final Map<Integer, String> busiest = new HashMap<>();
        if (!last.isEmpty()) {
            now.forEach(
                    (link, bytes) -> {
                        final String text =
                                text(labels, link, bytes, last.getOrDefault(link, Map.of()));
                        if (!text.isEmpty()) {
                            busiest.put(link, text);
                        }
                    });
        }
        last = now;
        return busiest;
    }

    private static String text(
            final CounterLabels labels,
            final int link,
            final Map<Integer, Long> now,
            final Map<Integer, Long> before) {
        int node = -1;
        long most = 0;
        long all = 0;
        for (final Map.Entry<Integer, Long> each : now.entrySet()) {
            final long bytes =
                    Math.max(0, each.getValue() - before.getOrDefault(each.getKey(), 0L));
            all += bytes;
            if (bytes > most) {
                most = bytes;
                node = each.getKey();
            }
        }
        return node < 0 ? "" : 100 * most / all + "% " + name(labels, link, node);
    }

    // By its coordinates, as the other nodes of the screen.
    private static String name(final CounterLabels labels, final int link, final int node) {
        final int dimension = labels.links().get(link).dimension();
        final int distance = (node - labels.node()) / labels.links().get(link).step();
        final int own = Shape.coordinate(labels.coordinates(), dimension);
        final long coordinates =
                Shape.withCoordinate(labels.coordinates(), dimension, own + distance);
        return "(" + NodeSampler.coordinates(coordinates, labels.dimensions()) + ")";
    }
}
