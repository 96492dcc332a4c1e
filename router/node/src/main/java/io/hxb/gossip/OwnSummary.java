package io.hxb.gossip;

import io.hxb.counter.CounterLabels;
import io.hxb.counter.CounterType;
import io.hxb.counter.Counters;
import io.hxb.frame.RateCode;
import io.hxb.frame.SummaryFlyweight;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * What a node tells of itself, from its counters: nothing of users, tenants or programs. Owned by
 * the node's first loop; allocates nothing after it was made.
 */
public final class OwnSummary {
    private static final long RATE_NS = 1_000_000_000L;
    private static final double NS_PER_S = 1e9;
    private static final CounterType[] OF_NODE = {
        CounterType.FLOW_SENT_MESSAGES,
        CounterType.FLOW_DELIVERED_MESSAGES,
        CounterType.FORWARD_RELAYED_FRAMES,
        CounterType.FLOW_RESENT_FRAMES
    };
    private static final CounterType[] OF_LINK = {
        CounterType.LINK_RECEIVED_BYTES,
        CounterType.LINK_SENT_BYTES,
        CounterType.LINK_RECEIVED_FRAMES,
        CounterType.LINK_SENT_FRAMES,
        CounterType.LINK_KERNEL_DROPPED_FRAMES
    };

    /** Which neighbours a node excludes. */
    @FunctionalInterface
    public interface Exclusions {
        /**
         * Whether a link is left out towards a neighbour.
         *
         * @param link index of the link.
         * @param coordinate of the neighbour in the dimension of the link.
         */
        boolean isExcluded(int link, int coordinate);
    }

    private final Counters counters;
    private final List<CounterLabels.LinkLabel> links;
    private final int[] extents;
    private final Exclusions exclusions;
    private final byte[] name;
    private final long startS;
    private final int told;
    private final MemorySegment memory;
    private final SummaryFlyweight record = new SummaryFlyweight();
    private final long[] before;
    private final int[] rates;
    private final int[] excluded = new int[SummaryFlyweight.MAX_EXCLUSIONS];
    private boolean isStarted;
    private long ratedNs;

    /**
     * Makes that of a node that starts now.
     *
     * @param links all links of the node, by index.
     * @param extents of the dimension of each link, {@code [links]}.
     * @param hostName cut to {@link SummaryFlyweight#MAX_NAME_BYTES} bytes.
     * @param startMs ms since 1970.
     */
    public OwnSummary(
            final Counters counters,
            final List<CounterLabels.LinkLabel> links,
            final int[] extents,
            final Exclusions exclusions,
            final String hostName,
            final long startMs) {
        this.counters = counters;
        this.links = List.copyOf(links);
        this.extents = extents.clone();
        this.exclusions = exclusions;
        name = cut(hostName);
        startS = startMs / 1_000;
        told = Math.min(links.size(), Gossip.MAX_LINKS);
        memory = Arena.ofAuto().allocate(SummaryFlyweight.maxBytes(told), Long.BYTES);
        before = new long[OF_NODE.length + told * OF_LINK.length];
        rates = new int[before.length];
    }

    // Whole characters only.
    private static byte[] cut(final String hostName) {
        String text = hostName;
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        while (bytes.length > SummaryFlyweight.MAX_NAME_BYTES) {
            text = text.substring(0, text.length() - 1);
            bytes = text.getBytes(StandardCharsets.UTF_8);
        }
        return bytes;
    }

    /** Looks at the counters; returns the address of a record with all but its origin. */
    public long look(final long nowNs) {
        if (!isStarted || nowNs - ratedNs >= RATE_NS) {
            rate(nowNs);
        }
        final int count = findExclusions();
        record.wrap(memory.address()).all(told, count, name).startS(startS);
        for (int i = 0; i < OF_NODE.length; i++) {
            record.rate(i, rates[i]);
        }
        for (int link = 0; link < told; link++) {
            write(link);
        }
        for (int i = 0; i < count; i++) {
            final int link = excluded[i] >> Byte.SIZE;
            record.exclusion(
                    i, link, excluded[i] & 0xFF, (int) sum(CounterType.LINK_REASON_CODE, link));
        }
        return memory.address();
    }

    private long sum(final CounterType type, final int instance) {
        return counters.sum(type, instance);
    }

    private int findExclusions() {
        int count = 0;
        for (int link = 0; link < told; link++) {
            for (int i = 0; i < extents[link] && count < excluded.length; i++) {
                if (exclusions.isExcluded(link, i)) {
                    excluded[count] = link << Byte.SIZE | i;
                    count++;
                }
            }
        }
        return count;
    }

    private void write(final int link) {
        record.place(link, links.get(link).dimension(), links.get(link).number())
                .capacity(
                        link,
                        sum(CounterType.LINK_UP_STATE, link) == 1,
                        sum(CounterType.LINK_WEIGHT_PERCENT, link),
                        sum(CounterType.LINK_MTU_BYTES, link))
                .neighbours(
                        link,
                        sum(CounterType.LINK_NEIGHBOURS_NODES, link),
                        sum(CounterType.LINK_FAILED_NODES, link))
                .events(
                        link,
                        sum(CounterType.LINK_EXCLUDED_EVENTS, link),
                        sum(CounterType.LINK_RECOVERED_EVENTS, link),
                        sum(CounterType.LINK_REASON_CODE, link));
        for (int i = 0; i < OF_LINK.length; i++) {
            record.linkRate(link, i, rates[OF_NODE.length + link * OF_LINK.length + i]);
        }
    }

    private void rate(final long nowNs) {
        final double seconds = Math.max(1, nowNs - ratedNs) / NS_PER_S;
        for (int i = 0; i < before.length; i++) {
            final long now = count(i);
            rates[i] = isStarted ? RateCode.of(Math.round((now - before[i]) / seconds)) : 0;
            before[i] = now;
        }
        isStarted = true;
        ratedNs = nowNs;
    }

    private long count(final int index) {
        if (index < OF_NODE.length) {
            return sum(OF_NODE[index], 0);
        }
        final int link = (index - OF_NODE.length) / OF_LINK.length;
        final CounterType type = OF_LINK[(index - OF_NODE.length) % OF_LINK.length];
        final long count = sum(type, link);
        return type == CounterType.LINK_KERNEL_DROPPED_FRAMES
                ? count + sum(CounterType.LINK_SEND_ERROR_FRAMES, link)
                : count;
    }
}
