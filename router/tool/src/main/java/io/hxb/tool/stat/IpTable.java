package io.hxb.tool.stat;

import io.hxb.observe.live.IpCounts;
import io.hxb.observe.live.IpSample;
import io.hxb.tool.report.TextTable;

import java.util.Locale;

/** The virtual NIC of a node with what it carries, as a table of one row. Stateless. */
final class IpTable {
    private IpTable() {}

    /** Everything since the node's start. */
    static TextTable inAll(final IpSample ip) {
        final IpCounts counts = ip.counts();
        return table(
                "in all",
                counts,
                counts.in().packets(),
                counts.in().bytes() / 1e6,
                counts.out().packets(),
                counts.out().bytes() / 1e6);
    }

    /** The traffic since the last look, by the second; the rest since the node's start. */
    static TextTable perSecond(final IpSample ip) {
        return table(
                "a second",
                ip.counts(),
                ip.in().packets(),
                ip.in().megabytes(),
                ip.out().packets(),
                ip.out().megabytes());
    }

    private static TextTable table(
            final String time,
            final IpCounts counts,
            final long inPackets,
            final double inMegabytes,
            final long outPackets,
            final double outMegabytes) {
        final TextTable table =
                new TextTable(
                        "virtual NIC",
                        "in packets",
                        "in MB",
                        "out packets",
                        "out MB",
                        "answered",
                        "marked",
                        "gaps",
                        "dropped");
        table.row(
                time,
                inPackets,
                megabytes(inMegabytes),
                outPackets,
                megabytes(outMegabytes),
                counts.answered(),
                counts.marked(),
                counts.gaps(),
                counts.dropsText());
        return table;
    }

    private static String megabytes(final double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }
}
