package io.hxb.tool.stat;

import io.hxb.counter.CounterLabels;
import io.hxb.counter.CounterReader;
import io.hxb.counter.NeighbourCounts;
import io.hxb.observe.live.LinkSample;
import io.hxb.observe.live.NodeSampler;
import io.hxb.tool.report.TextTable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The neighbours of one node with what goes to and from them: totals at first, then what went since
 * the last look, by the second. Used by one thread.
 */
final class NeighbourTable {
    private static final NeighbourCounts NOTHING = new NeighbourCounts(0, 0, 0, 0, 0, 0);

    private Map<String, NeighbourCounts> last;
    private long lastNs;

    /**
     * A row for each neighbour on the links that are wanted; the title alone if there is none.
     *
     * @param links of the node that is read.
     */
    TextTable table(final CounterReader reader, final List<LinkSample> links, final long nowNs) {
        final double seconds = last == null ? 1 : Math.max(1, nowNs - lastNs) / 1e9;
        final TextTable table =
                new TextTable(
                        last == null ? "link, in all" : "link, a second",
                        "node",
                        "in frames",
                        "in MB",
                        "out frames",
                        "out MB");
        final CounterLabels labels = reader.labels();
        final Map<String, NeighbourCounts> now = new HashMap<>();
        for (final NeighbourCounts each : wanted(reader, links)) {
            final String link = label(labels, each);
            final String key = link + "/" + each.node();
            final NeighbourCounts before = last == null ? NOTHING : last.getOrDefault(key, NOTHING);
            now.put(key, each);
            table.row(
                    link,
                    each.node(),
                    frames(each.receivedFrames() - before.receivedFrames(), seconds),
                    megabytes(each.receivedBytes() - before.receivedBytes(), seconds),
                    frames(each.sentFrames() - before.sentFrames(), seconds),
                    megabytes(each.sentBytes() - before.sentBytes(), seconds));
        }
        last = now;
        lastNs = nowNs;
        return table;
    }

    /** The totals for reports. */
    static List<Map<String, Object>> report(
            final CounterReader reader, final List<LinkSample> links) {
        final List<Map<String, Object>> report = new ArrayList<>();
        final CounterLabels labels = reader.labels();
        for (final NeighbourCounts each : wanted(reader, links)) {
            final Map<String, Object> row = new LinkedHashMap<>();
            row.put("link", label(labels, each));
            row.put("node", each.node());
            row.put("in_frames", each.receivedFrames());
            row.put("in_bytes", each.receivedBytes());
            row.put("out_frames", each.sentFrames());
            row.put("out_bytes", each.sentBytes());
            report.add(row);
        }
        return report;
    }

    private static List<NeighbourCounts> wanted(
            final CounterReader reader, final List<LinkSample> links) {
        final CounterLabels labels = reader.labels();
        final List<String> wanted = links.stream().map(LinkSample::label).toList();
        return NeighbourCounts.of(labels, reader.samples()).stream()
                .filter(each -> wanted.contains(label(labels, each)))
                .toList();
    }

    private static String label(final CounterLabels labels, final NeighbourCounts counts) {
        return NodeSampler.label(labels.links().get(counts.link()));
    }

    private static long frames(final long count, final double seconds) {
        return Math.round(count / seconds);
    }

    private static String megabytes(final long bytes, final double seconds) {
        return String.format(Locale.ROOT, "%.1f", bytes / seconds / 1e6);
    }
}
