package io.hxb.tool;

import io.hxb.config.Dimensions;
import io.hxb.counter.CounterLabels;
import io.hxb.counter.CounterReader;
import io.hxb.counter.CounterType;
import io.hxb.tool.report.TextTable;
import io.hxb.trunk.event.LinkReason;

import java.util.List;
import java.util.Locale;

/**
 * The links of one node with what goes over them: totals at first, then what went since the last
 * look, by the second. Used by one thread.
 */
final class LinkTraffic {
    private static final List<CounterType> TYPES =
            List.of(
                    CounterType.LINK_RECEIVED_FRAMES,
                    CounterType.LINK_RECEIVED_BYTES,
                    CounterType.LINK_SENT_FRAMES,
                    CounterType.LINK_SENT_BYTES,
                    CounterType.LINK_KERNEL_DROPPED_FRAMES,
                    CounterType.LINK_SEND_ERROR_FRAMES);

    private long[][] last = new long[0][];
    private long lastNs;

    /** A row for each link. */
    TextTable table(final CounterReader reader, final long nowNs) {
        final boolean hasLast = last.length > 0;
        final double seconds = hasLast ? Math.max(1, nowNs - lastNs) / 1e9 : 1;
        final TextTable table =
                new TextTable(
                        hasLast ? "link, a second" : "link, in all",
                        "nic",
                        "state",
                        "weight %",
                        "in frames",
                        "in MB",
                        "out frames",
                        "out MB",
                        "kernel drops",
                        "send errors",
                        "failures",
                        "recoveries",
                        "last reason");
        final List<CounterLabels.LinkLabel> links = reader.labels().links();
        final long[][] now = new long[links.size()][TYPES.size()];
        for (int link = 0; link < now.length; link++) {
            for (int type = 0; type < TYPES.size(); type++) {
                now[link][type] = reader.value(TYPES.get(type), link);
            }
            final long[] before = hasLast ? last[link] : new long[TYPES.size()];
            table.row(
                    Dimensions.name(links.get(link).dimension()) + "." + links.get(link).number(),
                    links.get(link).name(),
                    state(
                            reader.value(CounterType.LINK_UP_STATE, link) == 1,
                            reader.value(CounterType.LINK_FAILED_NODES, link)),
                    reader.value(CounterType.LINK_WEIGHT_PERCENT, link),
                    Math.round((now[link][0] - before[0]) / seconds),
                    megabytes(now[link][1] - before[1], seconds),
                    Math.round((now[link][2] - before[2]) / seconds),
                    megabytes(now[link][3] - before[3], seconds),
                    now[link][4] - before[4],
                    now[link][5] - before[5],
                    reader.value(CounterType.LINK_EXCLUDED_EVENTS, link),
                    reader.value(CounterType.LINK_RECOVERED_EVENTS, link),
                    LinkReason.textOf(reader.value(CounterType.LINK_REASON_CODE, link)));
        }
        last = now;
        lastNs = nowNs;
        return table;
    }

    /** The state of a link in a word or two. */
    static String state(final boolean isUp, final long failedNeighbours) {
        if (!isUp) {
            return "down";
        }
        return failedNeighbours == 0 ? "good" : "failed to " + failedNeighbours;
    }

    private static String megabytes(final long bytes, final double seconds) {
        return String.format(Locale.ROOT, "%.1f", bytes / seconds / 1e6);
    }
}
