package io.hxb.observe.metrics;

import io.hxb.counter.CounterKind;
import io.hxb.counter.MetricName;
import io.hxb.counter.TimeBuckets;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Collects values by metric. Used by one thread. */
public final class MetricTable {
    private final Map<String, Family> families = new LinkedHashMap<>();
    private final Map<String, HistogramSnapshot.Builder> histograms = new LinkedHashMap<>();

    /** An empty one. */
    public MetricTable() {}

    private record Family(MetricName name, String help, List<Sample> samples) {
        private MetricSnapshot snapshot() {
            return name.kind() == CounterKind.COUNT ? counter() : gauge();
        }

        private MetricSnapshot counter() {
            final CounterSnapshot.Builder all =
                    CounterSnapshot.builder().name(name.base()).help(help);
            samples.forEach(
                    each ->
                            all.dataPoint(
                                    CounterSnapshot.CounterDataPointSnapshot.builder()
                                            .labels(each.labels)
                                            .value(each.value)
                                            .build()));
            return all.build();
        }

        private MetricSnapshot gauge() {
            final GaugeSnapshot.Builder all = GaugeSnapshot.builder().name(name.base()).help(help);
            samples.forEach(
                    each ->
                            all.dataPoint(
                                    GaugeSnapshot.GaugeDataPointSnapshot.builder()
                                            .labels(each.labels)
                                            .value(each.value)
                                            .build()));
            return all.build();
        }
    }

    private record Sample(Labels labels, double value) {}

    /**
     * Adds a value of a count.
     *
     * @param base name without {@code _total}.
     */
    public MetricTable count(
            final String base, final String help, final Labels labels, final double value) {
        return add(new MetricName(base, CounterKind.COUNT, 1), help, labels, value);
    }

    /** Adds a value of a level. */
    public MetricTable level(
            final String name, final String help, final Labels labels, final double value) {
        return add(new MetricName(name, CounterKind.LEVEL, 1), help, labels, value);
    }

    MetricTable add(
            final MetricName name, final String help, final Labels labels, final double value) {
        families.computeIfAbsent(name.base(), key -> new Family(name, help, new ArrayList<>()))
                .samples
                .add(new Sample(labels, value));
        return this;
    }

    /**
     * Adds a histogram of times.
     *
     * @param counts events of each of the {@link TimeBuckets}.
     * @param sumSeconds their times in all.
     */
    MetricTable histogram(
            final String name,
            final String help,
            final Labels labels,
            final long[] counts,
            final double sumSeconds) {
        final ClassicHistogramBuckets.Builder buckets = ClassicHistogramBuckets.builder();
        for (int bucket = 0; bucket < counts.length; bucket++) {
            buckets.bucket(TimeBuckets.maxSeconds(bucket), counts[bucket]);
        }
        histograms
                .computeIfAbsent(name, key -> HistogramSnapshot.builder().name(key).help(help))
                .dataPoint(
                        HistogramSnapshot.HistogramDataPointSnapshot.builder()
                                .labels(labels)
                                .classicHistogramBuckets(buckets.build())
                                .sum(sumSeconds)
                                .build());
        return this;
    }

    /** All of it, in the order of the names. */
    public MetricSnapshots snapshots() {
        return new MetricSnapshots(
                Stream.concat(
                                families.values().stream().map(Family::snapshot),
                                histograms.values().stream().map(HistogramSnapshot.Builder::build))
                        .toList());
    }
}
