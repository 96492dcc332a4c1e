package io.hxb.tool.top;

import io.hxb.config.ClusterConfig;
import io.hxb.counter.CounterLabels;
import io.hxb.counter.CounterReader;
import io.hxb.counter.CounterType;
import io.hxb.counter.NeighbourCounts;
import io.hxb.counter.NodeFinding;
import io.hxb.counter.TimeBuckets;
import io.hxb.observe.live.NodeSampler;
import io.hxb.topology.Shape;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Reads the details of one node again and again. Used by one thread. */
final class DetailReader {
    private final Watched roundTrips = new Watched(CounterType.FLOW_ROUND_TRIP_EVENTS);
    private final BusiestNeighbour neighbours = new BusiestNeighbour();
    private final Watched queueWaits = new Watched(CounterType.FLOW_QUEUE_WAIT_EVENTS);

    /**
     * Reads them.
     *
     * @param reader fresh.
     * @param config null if the cluster is not known.
     */
    NodeDetail read(final CounterReader reader, final ClusterConfig config) throws IOException {
        final CounterLabels labels = reader.labels();
        final Map<String, String> partners = new HashMap<>();
        final Map<Integer, String> busiest =
                neighbours.look(labels, NeighbourCounts.of(labels, reader.samples()));
        for (int i = 0; i < labels.links().size(); i++) {
            final CounterLabels.LinkLabel link = labels.links().get(i);
            final long heard = reader.value(CounterType.LINK_NEIGHBOURS_NODES, i);
            final String partner = partner(labels.coordinates(), link.dimension(), heard, config);
            partners.put(
                    NodeSampler.label(link),
                    busiest.containsKey(i) ? partner + ", " + busiest.get(i) : partner);
        }
        final long upMs = Math.max(0, System.currentTimeMillis() - reader.startMs());
        return new NodeDetail(
                config == null ? "" : host(config, labels.coordinates()),
                List.of(
                        "up %s, flows %d sending, %d receiving, contexts %d open"
                                .formatted(
                                        NodeDetail.duration(upMs / 1000),
                                        reader.value(CounterType.FLOW_SENDING_FLOWS, 0),
                                        reader.value(CounterType.FLOW_RECEIVING_FLOWS, 0),
                                        reader.value(CounterType.CONTEXT_OPEN_CONTEXTS, 0)),
                        "round trips " + roundTrips.text(reader, "frames"),
                        "waits in queues " + queueWaits.text(reader, "messages")),
                partners,
                reader.findings().stream().map(NodeFinding::sentence).toList());
    }

    /** The host of the file whose node has these coordinates, the first by name; or nothing. */
    static String host(final ClusterConfig config, final long coordinates) {
        return config.hosts().entrySet().stream()
                .filter(entry -> entry.getValue() == coordinates)
                .map(Map.Entry::getKey)
                .sorted()
                .findFirst()
                .orElse("");
    }

    /**
     * Who is heard on a link. On a line of two nodes the neighbour is the other one; on others it
     * may be any.
     */
    static String partner(
            final long coordinates,
            final int dimension,
            final long heard,
            final ClusterConfig config) {
        if (heard == 0) {
            return "nobody";
        }
        if (config == null || config.shape().extent(dimension) != 2) {
            return heard + " heard";
        }
        final Shape shape = config.shape();
        final int own = Shape.coordinate(coordinates, dimension);
        return shape.format(Shape.withCoordinate(coordinates, dimension, 1 - own));
    }

    private static Optional<String> text(
            final long[] counts, final String what, final String when) {
        final long all = Arrays.stream(counts).sum();
        return all == 0
                ? Optional.empty()
                : Optional.of(
                        String.format(
                                Locale.ROOT,
                                "p50 %s, p99 %s, of %d %s %s",
                                percentile(counts, all, 50),
                                percentile(counts, all, 99),
                                all,
                                what,
                                when));
    }

    /** The longest time of the bucket with that percentile: {@code <= 131 us}. */
    static String percentile(final long[] counts, final long all, final int percent) {
        final long wanted = Math.ceilDiv(all * percent, 100L);
        long sum = 0;
        int bucket = 0;
        while (bucket < counts.length - 1 && sum + counts[bucket] < wanted) {
            sum += counts[bucket++];
        }
        final boolean isLast = bucket == counts.length - 1;
        final long ns = TimeBuckets.maxNs(isLast ? bucket - 1 : bucket);
        return (isLast ? "> " : "<= ") + time(ns);
    }

    private static String time(final long ns) {
        for (final var unit : List.of(Map.entry("ns", 1L), Map.entry("us", 1_000L))) {
            if (ns < unit.getValue() * 1_000) {
                return number(ns, unit.getValue(), unit.getKey());
            }
        }
        return ns < 1_000_000_000L ? number(ns, 1_000_000L, "ms") : number(ns, 1_000_000_000L, "s");
    }

    private static String number(final long ns, final long unitNs, final String unit) {
        final double value = (double) ns / unitNs;
        return String.format(
                Locale.ROOT, value < 10 && unitNs > 1 ? "%.1f %s" : "%.0f %s", value, unit);
    }

    /** A histogram since the first look. */
    private static final class Watched {
        private final CounterType type;
        private final long[] first = new long[TimeBuckets.COUNT];
        private long startMs = -1;

        Watched(final CounterType type) {
            this.type = type;
        }

        String text(final CounterReader reader, final String what) {
            final long[] now = new long[TimeBuckets.COUNT];
            for (int i = 0; i < now.length; i++) {
                now[i] = reader.value(type, i);
            }
            if (startMs != reader.startMs()) {
                startMs = reader.startMs();
                System.arraycopy(now, 0, first, 0, now.length);
            }
            final long[] watched = new long[now.length];
            for (int i = 0; i < now.length; i++) {
                watched[i] = Math.max(0, now[i] - first[i]);
            }
            return DetailReader.text(watched, what, "while watched")
                    .orElse(DetailReader.text(now, what, "since its start").orElse("none yet"));
        }
    }
}
