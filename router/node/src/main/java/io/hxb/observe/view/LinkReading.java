package io.hxb.observe.view;

import io.hxb.config.Dimensions;
import io.hxb.counter.NeighbourCounts;
import io.hxb.observe.live.LinkCondition;

import java.util.List;

/**
 * One link of a node as its counters describe it at one moment. Immutable.
 *
 * @param place which link it is.
 * @param health how it fares.
 * @param counts what it has carried since the start of its node.
 * @param neighbours the same by neighbour, where that is counted.
 */
public record LinkReading(
        Place place, Health health, Counts counts, List<NeighbourCounts> neighbours) {
    /** One whose neighbours are not counted one by one. */
    public LinkReading(final Place place, final Health health, final Counts counts) {
        this(place, health, counts, List.of());
    }

    /** Copies the list. */
    public LinkReading {
        neighbours = List.copyOf(neighbours);
    }

    /**
     * Which link of its node. Immutable.
     *
     * @param dimension its dimension, from 0.
     * @param number its number in the trunk, from 0.
     * @param nic NIC or address.
     */
    public record Place(int dimension, int number, String nic) {
        /** As text: {@code x.0}. */
        public String label() {
            return Dimensions.name(dimension) + "." + number;
        }
    }

    /**
     * How a link fares. Immutable.
     *
     * @param condition in a word.
     * @param mtuBytes max bytes of header and body in a frame.
     * @param neighbours neighbours that are heard on it.
     * @param failedNeighbours neighbours towards which it is left out.
     * @param weightPercent share of its full load.
     * @param failures times it failed since the start of its node.
     * @param recoveries times it recovered.
     * @param lastReason why it failed or recovered last; empty if it never did.
     */
    public record Health(
            LinkCondition condition,
            long mtuBytes,
            long neighbours,
            long failedNeighbours,
            long weightPercent,
            long failures,
            long recoveries,
            String lastReason) {}

    /**
     * Totals since the start of the node. Immutable.
     *
     * @param inBytes bytes that arrived.
     * @param outBytes bytes that were sent.
     * @param inFrames frames that arrived.
     * @param outFrames frames that were sent.
     * @param droppedFrames frames that the kernel or the NIC dropped.
     */
    public record Counts(
            long inBytes, long outBytes, long inFrames, long outFrames, long droppedFrames) {}
}
