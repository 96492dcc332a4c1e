package io.hxb.counter;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What one link of a node has carried from and to one neighbour, on a line of more than two nodes.
 * Immutable.
 *
 * @param link index of the link in the node.
 * @param node id of the neighbour.
 * @param receivedFrames valid frames that came from it.
 * @param receivedBytes their bytes, without those of frames that the kernel relayed.
 * @param sentFrames frames handed to the link for it.
 * @param sentBytes their bytes, without those of frames that the kernel relayed.
 */
public record NeighbourCounts(
        int link,
        int node,
        long receivedFrames,
        long receivedBytes,
        long sentFrames,
        long sentBytes) {
    private static final List<String> NAMES =
            List.of(
                    CounterType.LINK_NEIGHBOUR_RECEIVED_FRAMES.exportName(),
                    CounterType.LINK_NEIGHBOUR_RECEIVED_BYTES.exportName(),
                    CounterType.LINK_NEIGHBOUR_SENT_FRAMES.exportName(),
                    CounterType.LINK_NEIGHBOUR_SENT_BYTES.exportName());

    /** Of all neighbours with which a node has had traffic, by link and then by coordinate. */
    public static List<NeighbourCounts> of(
            final CounterLabels labels, final List<CounterSample> samples) {
        final Map<Integer, long[]> byPlace = new TreeMap<>();
        for (final CounterSample sample : samples) {
            final int column =
                    sample.scope() == CounterScope.NEIGHBOUR ? NAMES.indexOf(sample.name()) : -1;
            if (column >= 0) {
                byPlace.computeIfAbsent(sample.instance(), place -> new long[NAMES.size()])[
                                column] =
                        sample.value();
            }
        }
        final NeighbourPlaces places = NeighbourPlaces.of(labels.links());
        final List<NeighbourCounts> counts = new ArrayList<>();
        byPlace.forEach(
                (place, values) ->
                        counts.add(
                                new NeighbourCounts(
                                        places.link(place),
                                        labels.neighbour(place),
                                        values[0],
                                        values[1],
                                        values[2],
                                        values[3])));
        return counts;
    }
}
