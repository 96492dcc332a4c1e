package io.hxb.observe.metrics;

import io.hxb.config.Dimensions;
import io.hxb.counter.CounterLabels;
import io.hxb.counter.CounterReader;
import io.hxb.counter.CounterSample;
import io.hxb.counter.CounterScope;
import io.hxb.counter.CounterType;
import io.hxb.counter.MetricName;
import io.hxb.counter.ResourceUse;
import io.hxb.counter.TimeBuckets;
import io.hxb.observe.Viewer;
import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.LinkSample;
import io.hxb.observe.live.NodeSample;
import io.hxb.observe.live.NodeSampler;
import io.hxb.observe.live.NodeState;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Metrics of nodes from their counter files, whether they run, hang or are dead. A node that cannot
 * be read is left out. Stateless; any thread may call it.
 *
 * <p>Labels are bounded: nodes, links, dimensions and neighbours by the cluster file, users by the
 * counter file.
 */
public final class NodeMetrics {
    private static final Logger LOGGER = LoggerFactory.getLogger(NodeMetrics.class);
    private static final String NODE = "node";
    private static final String OTHER_VERSION = "A counter of another version of HXB.";

    private NodeMetrics() {}

    /**
     * Reads the files.
     *
     * @param viewer who is no operator gets the values of that user and tenant only.
     */
    public static MetricSnapshots of(final List<Path> files, final Viewer viewer) {
        final MetricTable table = new MetricTable();
        for (final Path file : files) {
            try (CounterReader reader = CounterReader.open(file)) {
                add(table, reader, viewer);
            } catch (final IOException e) {
                LOGGER.debug("{} is left out", file, e);
            }
        }
        return table.snapshots();
    }

    private static void add(
            final MetricTable table, final CounterReader reader, final Viewer viewer)
            throws IOException {
        final CounterLabels labels = reader.labels();
        final String node = Integer.toString(labels.node());
        final NodeSample sample = new NodeSampler().sample(reader, System.nanoTime());
        addStates(table, node, sample, reader);
        final Map<CounterType, long[]> histograms = new EnumMap<>(CounterType.class);
        final Map<CounterType, Long> sums = new EnumMap<>(CounterType.class);
        for (final CounterSample each : reader.samples()) {
            final CounterType type = CounterType.ofId(each.id());
            if (type != null && type.isSum()) {
                sums.put(type, each.value());
                continue;
            }
            if (type != null && each.scope() == CounterScope.BUCKET) {
                histograms
                                .computeIfAbsent(type, key -> new long[TimeBuckets.COUNT])[
                                each.instance()] =
                        each.value();
                continue;
            }
            final MetricName name = MetricName.of(each.name(), each.unit(), each.kind());
            table.add(
                    name,
                    type == null ? OTHER_VERSION : type.meaning(),
                    labels(node, labels, each),
                    name.value(each.value()));
        }
        addHistograms(table, node, histograms, sums);
        table.count(
                "hxb_node_dropped_frames",
                "Frames dropped by the node, for whatever reason.",
                Labels.of(NODE, node),
                (double) CounterType.drops().stream().mapToLong(reader::sum).sum());
        for (final ResourceUse use : viewer.shown(reader.shares().uses())) {
            use.shares()
                    .forEach((resource, figures) -> addShare(table, node, use, resource, figures));
        }
    }

    private static void addHistograms(
            final MetricTable table,
            final String node,
            final Map<CounterType, long[]> histograms,
            final Map<CounterType, Long> sums) {
        histograms.forEach(
                (type, counts) ->
                        table.histogram(
                                type.histogramName(),
                                type.meaning(),
                                Labels.of(NODE, node),
                                counts,
                                type.sum().metric().value(sums.getOrDefault(type.sum(), 0L))));
    }

    private static void addStates(
            final MetricTable table,
            final String node,
            final NodeSample sample,
            final CounterReader reader) {
        table.level(
                "hxb_node_info",
                "1, with what a node is.",
                Labels.of(
                        NODE,
                        node,
                        "cluster",
                        sample.cluster(),
                        "coordinates",
                        sample.coordinates()),
                1);
        table.level(
                "hxb_node_start_time_seconds",
                "When the node started, in seconds since 1970.",
                Labels.of(NODE, node),
                reader.startMs() / 1e3);
        for (final NodeState state : NodeState.values()) {
            table.level(
                    "hxb_node_state",
                    "1 for the state that the node is in: running, stopped, or dead.",
                    Labels.of(NODE, node, "state", state.toString()),
                    state == sample.state() ? 1 : 0);
        }
        for (final LinkSample link : sample.links()) {
            table.level(
                    "hxb_link_info",
                    "1, with the NIC or address of a link.",
                    Labels.of(NODE, node, "link", link.label(), "nic", link.nic()),
                    1);
            for (final LinkCondition condition : LinkCondition.values()) {
                table.level(
                        "hxb_link_state",
                        "1 for the state that the link is in, as hxb top shows it.",
                        Labels.of(
                                NODE,
                                node,
                                "link",
                                link.label(),
                                "state",
                                condition.name().toLowerCase(Locale.ROOT)),
                        condition == link.condition() ? 1 : 0);
            }
        }
    }

    private static Labels labels(
            final String node, final CounterLabels labels, final CounterSample sample) {
        return switch (sample.scope()) {
            case NODE -> Labels.of(NODE, node);
            case LINK ->
                    Labels.of(
                            NODE,
                            node,
                            "link",
                            NodeSampler.label(labels.links().get(sample.instance())));
            case DIMENSION ->
                    Labels.of(NODE, node, "dimension", Dimensions.name(sample.instance()));
            case NEIGHBOUR ->
                    Labels.of(
                            NODE,
                            node,
                            "link",
                            NodeSampler.label(labels.linkOf(sample.instance())),
                            "peer",
                            Integer.toString(labels.neighbour(sample.instance())));
            case BUCKET ->
                    Labels.of(
                            NODE,
                            node,
                            "le",
                            Double.toString(TimeBuckets.maxSeconds(sample.instance())));
        };
    }

    private static void addShare(
            final MetricTable table,
            final String node,
            final ResourceUse use,
            final String resource,
            final ResourceUse.Figures figures) {
        final Labels labels =
                Labels.of(
                        NODE,
                        node,
                        "user",
                        use.who(),
                        "tenant",
                        use.tenant(),
                        "resource",
                        resource);
        if (figures.held() != ResourceUse.Figures.NONE) {
            table.level(
                    "hxb_user_held",
                    "What a user or tenant has of the node, by the key of limits.",
                    labels,
                    (double) figures.held());
        }
        if (figures.limit() != ResourceUse.Figures.NONE) {
            table.level(
                    "hxb_user_limit",
                    "What a user or tenant may have of the node.",
                    labels,
                    (double) figures.limit());
        }
        table.count(
                "hxb_user_refused",
                "Times a user or tenant was refused more.",
                labels,
                (double) figures.refused());
    }
}
