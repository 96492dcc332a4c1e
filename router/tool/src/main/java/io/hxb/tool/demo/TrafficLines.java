package io.hxb.tool.demo;

import io.hxb.tool.cluster.ClusterCounters;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Map;

/**
 * Prints the traffic of each kind of link after 0.2 s, then twice a second. Owned by the thread
 * that measures.
 */
final class TrafficLines {
    private static final long FIRST_NS = 200_000_000L;
    private static final long INTERVAL_NS = 500_000_000L;

    private final ClusterCounters counters;
    private final long totalBytes;
    private final PrintStream out;
    private final long startNs = System.nanoTime();
    private long lastNs = startNs;
    private long nextNs = startNs + FIRST_NS;
    private Map<String, Long> last;

    TrafficLines(final ClusterCounters counters, final long totalBytes, final PrintStream out)
            throws IOException {
        this.counters = counters;
        this.totalBytes = totalBytes;
        this.out = out;
        last = counters.read().sentBytes();
    }

    /** Prints a line if it is time. */
    void tick(final long arrivedBytes) {
        final long nowNs = System.nanoTime();
        if (nowNs - nextNs < 0) {
            return;
        }
        try {
            final Map<String, Long> now = counters.read().sentBytes();
            final StringBuilder line =
                    new StringBuilder(
                            String.format(
                                    Locale.ROOT,
                                    "%5.1f s %3d %% arrived; MB/s on links",
                                    (nowNs - startNs) / 1e9,
                                    100 * arrivedBytes / Math.max(1, totalBytes)));
            for (final Map.Entry<String, Long> link : now.entrySet()) {
                final double megabytes =
                        (link.getValue() - last.getOrDefault(link.getKey(), 0L))
                                * 1e3
                                / (nowNs - lastNs);
                line.append(String.format(Locale.ROOT, "  %s %.0f", link.getKey(), megabytes));
            }
            out.println(line);
            last = now;
            lastNs = nowNs;
            nextNs = nowNs + INTERVAL_NS;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
