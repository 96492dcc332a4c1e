package io.hxb.observe.live;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The virtual NIC of a node at one moment. Immutable.
 *
 * @param in packets that arrive.
 * @param out packets that are sent.
 * @param counts everything since the node's start.
 */
public record IpSample(Traffic in, Traffic out, IpCounts counts) {
    /**
     * What goes one way in a second. Immutable.
     *
     * @param packets packets a second.
     * @param megabytes MB a second.
     */
    public record Traffic(long packets, double megabytes) {
        static Traffic between(
                final IpCounts.Traffic before, final IpCounts.Traffic now, final double seconds) {
            // A node that was started again counts from 0.
            return new Traffic(
                    Math.round(Math.max(0, now.packets() - before.packets()) / seconds),
                    Math.round(Math.max(0, now.bytes() - before.bytes()) / seconds / 1e4) / 100.0);
        }
    }

    /** What passed in {@code seconds} between two looks. */
    public static IpSample between(
            final IpCounts before, final IpCounts now, final double seconds) {
        return new IpSample(
                Traffic.between(before.in(), now.in(), seconds),
                Traffic.between(before.out(), now.out(), seconds),
                now);
    }

    /** One line about it. */
    public String text() {
        return String.format(
                Locale.ROOT,
                "virtual NIC: in %d packets/s, %.2f MB/s; out %d packets/s, %.2f MB/s; marked %d,"
                        + " gaps %d, dropped %s",
                in.packets(),
                in.megabytes(),
                out.packets(),
                out.megabytes(),
                counts.marked(),
                counts.gaps(),
                counts.dropsText());
    }

    /** The sample as JSON shows it. */
    public Map<String, Object> report() {
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("in_packets_per_s", in.packets());
        report.put("in_mb_per_s", in.megabytes());
        report.put("out_packets_per_s", out.packets());
        report.put("out_mb_per_s", out.megabytes());
        counts.putEvents(report);
        return report;
    }
}
