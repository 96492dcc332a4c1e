package io.hxb.tool.stat;

import io.hxb.counter.CounterLabels;
import io.hxb.counter.CounterReader;
import io.hxb.counter.CounterSample;
import io.hxb.counter.CounterType;
import io.hxb.observe.live.LinkSample;
import io.hxb.observe.live.NodeSampler;
import io.hxb.tool.report.TextTable;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

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
    private static final List<String> NAMES = TYPES.stream().map(CounterType::exportName).toList();

    private Map<String, long[]> last = Map.of();
    private long lastNs;

    /**
     * A row for each link that is wanted.
     *
     * @param links of the node that is read.
     */
    TextTable table(final CounterReader reader, final List<LinkSample> links, final long nowNs) {
        final boolean hasLast = !last.isEmpty();
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
        final Map<String, long[]> now = totals(reader);
        for (final LinkSample link : links) {
            final long[] after = now.get(link.label());
            final long[] before = last.getOrDefault(link.label(), new long[TYPES.size()]);
            table.row(
                    link.label(),
                    link.nic(),
                    link.state(),
                    link.weightPercent(),
                    Math.round((after[0] - before[0]) / seconds),
                    megabytes(after[1] - before[1], seconds),
                    Math.round((after[2] - before[2]) / seconds),
                    megabytes(after[3] - before[3], seconds),
                    after[4] - before[4],
                    after[5] - before[5],
                    link.failures(),
                    link.recoveries(),
                    link.lastReason());
        }
        last = now;
        lastNs = nowNs;
        return table;
    }

    private static Map<String, long[]> totals(final CounterReader reader) {
        final Map<String, long[]> totals = new HashMap<>();
        final List<CounterLabels.LinkLabel> labels = reader.labels().links();
        for (final CounterSample sample : reader.samples()) {
            final int type = NAMES.indexOf(sample.name());
            if (type >= 0) {
                totals.computeIfAbsent(
                                        NodeSampler.label(labels.get(sample.instance())),
                                        key -> new long[TYPES.size()])[type] =
                        sample.value();
            }
        }
        return totals;
    }

    private static String megabytes(final long bytes, final double seconds) {
        return String.format(Locale.ROOT, "%.1f", bytes / seconds / 1e6);
    }
}
