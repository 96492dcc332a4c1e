package io.hxb.bench.lab;

import io.hxb.counter.CounterReader;
import io.hxb.counter.CounterType;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * What nodes have counted of the packets of their virtual NICs, and of the frames that carry them.
 * Immutable.
 *
 * @param gaps times that packets on the way were given up.
 * @param marks packets marked by ECN.
 * @param drops packets dropped or refused, for whatever reason.
 * @param resent frames sent again.
 * @param duplicates frames that had come before.
 */
record IpCounts(long gaps, long marks, long drops, long resent, long duplicates) {
    private static final List<CounterType> DROPS =
            List.of(
                    CounterType.IP_DROPPED_ADDRESS_PACKETS,
                    CounterType.IP_DROPPED_LENGTH_PACKETS,
                    CounterType.IP_DROPPED_FULL_PACKETS,
                    CounterType.IP_DROPPED_DELAYED_PACKETS,
                    CounterType.IP_DROPPED_RATE_PACKETS,
                    CounterType.IP_DROPPED_UNREACHABLE_PACKETS,
                    CounterType.IP_DROPPED_DEVICE_PACKETS,
                    CounterType.IP_REFUSED_PACKETS);

    /** Adds up what the nodes have written to their files. */
    static IpCounts of(final List<Path> files) throws IOException {
        IpCounts sum = new IpCounts(0, 0, 0, 0, 0);
        for (final Path file : files) {
            try (CounterReader node = CounterReader.open(file)) {
                sum = sum.plus(of(node::sum));
            }
        }
        return sum;
    }

    /** Those of one node, by its counters. */
    static IpCounts of(final ToLongFunction<CounterType> node) {
        return new IpCounts(
                node.applyAsLong(CounterType.IP_GAPS_EVENTS),
                node.applyAsLong(CounterType.IP_MARKED_PACKETS),
                DROPS.stream().mapToLong(node).sum(),
                node.applyAsLong(CounterType.FLOW_RESENT_FRAMES),
                node.applyAsLong(CounterType.FLOW_DUPLICATE_FRAMES));
    }

    private IpCounts plus(final IpCounts other) {
        return new IpCounts(
                gaps + other.gaps,
                marks + other.marks,
                drops + other.drops,
                resent + other.resent,
                duplicates + other.duplicates);
    }

    /**
     * What has come since then: {@code gaps}, {@code marks}, {@code drops}, {@code resent frames},
     * {@code duplicate frames}.
     */
    Map<String, Double> since(final IpCounts then) {
        final Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("gaps", (double) (gaps - then.gaps));
        figures.put("marks", (double) (marks - then.marks));
        figures.put("drops", (double) (drops - then.drops));
        figures.put("resent frames", (double) (resent - then.resent));
        figures.put("duplicate frames", (double) (duplicates - then.duplicates));
        return figures;
    }
}
