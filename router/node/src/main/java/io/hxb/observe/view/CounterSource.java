package io.hxb.observe.view;

import io.hxb.config.ClusterConfig;
import io.hxb.counter.CounterLabels;
import io.hxb.counter.CounterReader;
import io.hxb.counter.CounterSample;
import io.hxb.counter.CounterScope;
import io.hxb.counter.CounterType;
import io.hxb.counter.NeighbourCounts;
import io.hxb.counter.NodeFinding;
import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.NodeState;
import io.hxb.trunk.LinkReason;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Readings of the counter files of the nodes of this machine. A file is opened anew each time, as a
 * node that is started again may replace it; new ones are looked for every {@value
 * #LOOK_INTERVAL_MS} ms. {@code read} is called by one thread, {@code counters} by any.
 */
public final class CounterSource implements ReadingSource {
    private static final long LOOK_INTERVAL_MS = 1_000;

    private final int nodeCount;
    private final IntFunction<Path> paths;
    private List<Integer> present = List.of();
    private long lookedMs;

    CounterSource(final int nodeCount, final IntFunction<Path> paths) {
        this.nodeCount = nodeCount;
        this.paths = paths;
    }

    /** That of the nodes of a cluster. */
    public static CounterSource of(final ClusterConfig config) {
        return new CounterSource(config.shape().nodeCount(), config::countersPath);
    }

    @Override
    public List<NodeReading> read(final long nowMs) {
        if (present.isEmpty() || Math.abs(nowMs - lookedMs) >= LOOK_INTERVAL_MS) {
            lookedMs = nowMs;
            present =
                    IntStream.range(0, nodeCount)
                            .filter(node -> Files.exists(paths.apply(node)))
                            .boxed()
                            .toList();
        }
        final List<NodeReading> nodes = new ArrayList<>();
        for (final int node : present) {
            open(node).ifPresent(reader -> add(reader, nowMs, nodes));
        }
        return nodes;
    }

    @Override
    public Map<String, Long> counters(final int node, final int link) {
        final Map<String, Long> counters = new TreeMap<>();
        if (node < 0 || node >= nodeCount) {
            return counters;
        }
        final CounterScope scope = link < 0 ? CounterScope.NODE : CounterScope.LINK;
        final Optional<CounterReader> opened = open(node);
        if (opened.isPresent()) {
            try (CounterReader reader = opened.get()) {
                for (final CounterSample sample : reader.samples()) {
                    if (sample.scope() == scope && sample.instance() == Math.max(0, link)) {
                        counters.put(sample.name(), sample.value());
                    }
                }
            } catch (final IOException e) {
                // It was only read: nothing can be lost by a failure to close.
                return counters;
            }
        }
        return counters;
    }

    private Optional<CounterReader> open(final int node) {
        final Path path = paths.apply(node);
        try {
            return Files.exists(path) ? Optional.of(CounterReader.open(path)) : Optional.empty();
        } catch (final IOException e) {
            // A file that is being made, or of another version: as if it were not there.
            return Optional.empty();
        }
    }

    private void add(final CounterReader opened, final long nowMs, final List<NodeReading> nodes) {
        try (CounterReader reader = opened) {
            nodes.add(reading(reader, nowMs));
        } catch (final IOException e) {
            // It was cut short while it was read: the next look finds it whole, or gone.
            return;
        }
    }

    private NodeReading reading(final CounterReader reader, final long nowMs) throws IOException {
        final CounterLabels labels = reader.labels();
        final List<CounterSample> samples = reader.samples();
        final Values values = Values.of(samples);
        // A node started with a cluster file of more nodes counts for those that are no more.
        final List<NeighbourCounts> neighbours =
                NeighbourCounts.of(labels, samples).stream()
                        .filter(each -> each.node() >= 0 && each.node() < nodeCount)
                        .toList();
        final NodeState state = NodeState.of(reader, nowMs);
        final List<LinkReading> links = new ArrayList<>();
        for (int i = 0; i < labels.links().size(); i++) {
            final int index = i;
            links.add(
                    link(
                            labels.links().get(i),
                            values,
                            i,
                            state,
                            neighbours.stream().filter(each -> each.link() == index).toList()));
        }
        final List<NodeFinding> findings =
                state == NodeState.RUNNING ? reader.findings() : List.of();
        return new NodeReading(
                labels.node(),
                state,
                new NodeReading.Counts(
                        values.of(CounterType.FLOW_SENT_MESSAGES, 0),
                        values.of(CounterType.FLOW_DELIVERED_MESSAGES, 0),
                        values.of(CounterType.FORWARD_RELAYED_FRAMES, 0),
                        values.of(CounterType.FLOW_RESENT_FRAMES, 0)),
                links,
                findings);
    }

    private static LinkReading link(
            final CounterLabels.LinkLabel label,
            final Values values,
            final int i,
            final NodeState state,
            final List<NeighbourCounts> byNeighbour) {
        final long neighbours = values.of(CounterType.LINK_NEIGHBOURS_NODES, i);
        final long failed = values.of(CounterType.LINK_FAILED_NODES, i);
        final long weight = values.of(CounterType.LINK_WEIGHT_PERCENT, i);
        return new LinkReading(
                new LinkReading.Place(label.dimension(), label.number(), label.name()),
                new LinkReading.Health(
                        LinkCondition.of(
                                        values.of(CounterType.LINK_UP_STATE, i) == 1,
                                        neighbours,
                                        failed,
                                        weight)
                                .at(state),
                        values.of(CounterType.LINK_MTU_BYTES, i),
                        neighbours,
                        failed,
                        weight,
                        values.of(CounterType.LINK_EXCLUDED_EVENTS, i),
                        values.of(CounterType.LINK_RECOVERED_EVENTS, i),
                        LinkReason.textOf(values.of(CounterType.LINK_REASON_CODE, i))),
                new LinkReading.Counts(
                        values.of(CounterType.LINK_RECEIVED_BYTES, i),
                        values.of(CounterType.LINK_SENT_BYTES, i),
                        values.of(CounterType.LINK_RECEIVED_FRAMES, i),
                        values.of(CounterType.LINK_SENT_FRAMES, i),
                        values.of(CounterType.LINK_KERNEL_DROPPED_FRAMES, i)
                                + values.of(CounterType.LINK_SEND_ERROR_FRAMES, i)),
                byNeighbour);
    }

    private record Values(Map<String, List<Long>> byName) {
        static Values of(final List<CounterSample> samples) {
            final Map<String, List<Long>> byName = new HashMap<>();
            for (final CounterSample sample : samples) {
                byName.computeIfAbsent(sample.name(), name -> new ArrayList<>())
                        .add(sample.value());
            }
            return new Values(byName);
        }

        long of(final CounterType type, final int instance) {
            final List<Long> values = byName.getOrDefault(type.exportName(), List.of());
            return instance < values.size() ? values.get(instance) : 0;
        }
    }
}
