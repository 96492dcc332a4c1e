package io.hxb.gossip;

import io.hxb.frame.RateCode;
import io.hxb.frame.SummaryFlyweight;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A node as it told of itself. Immutable.
 *
 * @param node its id.
 * @param heardMs when it last told that it lives, ms since 1970 by the clock of this machine.
 * @param isHeard whether that is so short a time ago that it lives, unless it has stopped.
 * @param isStopped whether it told at its end that it stops in order.
 * @param startS its start, seconds since 1970 by its own clock.
 * @param hostName its host, up to {@link SummaryFlyweight#MAX_NAME_BYTES} bytes.
 * @param rates a second: messages sent, messages delivered, frames relayed, frames sent again.
 * @param links its links, by index.
 * @param exclusions neighbours that it does not use links for.
 */
public record HeardNode(
        int node,
        long heardMs,
        boolean isHeard,
        boolean isStopped,
        long startS,
        String hostName,
        List<Long> rates,
        List<Link> links,
        List<Exclusion> exclusions) {
    /** Copies the lists. */
    public HeardNode {
        rates = List.copyOf(rates);
        links = List.copyOf(links);
        exclusions = List.copyOf(exclusions);
    }

    /**
     * One of its links. Immutable.
     *
     * @param dimension its dimension, from 0.
     * @param number its number in the trunk.
     * @param isUp whether frames can pass its NIC.
     * @param weightPercent share of its full load.
     * @param neighbours neighbours that are heard on it.
     * @param failedNeighbours neighbours towards which it is left out.
     * @param mtuBytes max bytes of header and body in a frame.
     * @param failures times it failed, at most 65,535.
     * @param recoveries times it recovered, at most 65,535.
     * @param reason code of why it failed or recovered last.
     * @param rates a second: bytes in, bytes out, frames in, frames out, frames dropped.
     */
    public record Link(
            int dimension,
            int number,
            boolean isUp,
            int weightPercent,
            int neighbours,
            int failedNeighbours,
            int mtuBytes,
            int failures,
            int recoveries,
            int reason,
            List<Long> rates) {
        /** Copies the list. */
        public Link {
            rates = List.copyOf(rates);
        }
    }

    /**
     * A link that is not used towards a neighbour. Immutable.
     *
     * @param link index of the link.
     * @param coordinate of the neighbour in the dimension of the link.
     * @param reason code of the reason.
     */
    public record Exclusion(int link, int coordinate, int reason) {}

    /** What a record tells. */
    static HeardNode of(final SummaryFlyweight record, final long heardMs, final boolean isHeard) {
        final List<Link> links = new ArrayList<>();
        for (int i = 0; i < record.links(); i++) {
            links.add(link(record, i));
        }
        final List<Exclusion> exclusions = new ArrayList<>();
        for (int i = 0; i < record.exclusions(); i++) {
            exclusions.add(
                    new Exclusion(
                            record.excludedLink(i),
                            record.excludedCoordinate(i),
                            record.excludedReason(i)));
        }
        return new HeardNode(
                record.node(),
                heardMs,
                isHeard,
                record.isStopped(),
                record.startS(),
                record.name(),
                IntStream.range(0, SummaryFlyweight.NODE_RATES)
                        .mapToObj(i -> RateCode.rate(record.rate(i)))
                        .toList(),
                links,
                exclusions);
    }

    private static Link link(final SummaryFlyweight record, final int link) {
        return new Link(
                record.dimension(link),
                record.number(link),
                record.isUp(link),
                record.weightPercent(link),
                record.neighbours(link),
                record.failedNeighbours(link),
                record.mtuBytes(link),
                record.failures(link),
                record.recoveries(link),
                record.reason(link),
                IntStream.range(0, SummaryFlyweight.LINK_RATES)
                        .mapToObj(i -> RateCode.rate(record.linkRate(link, i)))
                        .toList());
    }
}
