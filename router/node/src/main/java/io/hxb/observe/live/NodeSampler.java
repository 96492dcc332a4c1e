package io.hxb.observe.live;

import io.hxb.config.Dimensions;
import io.hxb.counter.CounterLabels;
import io.hxb.counter.CounterReader;
import io.hxb.counter.CounterSample;
import io.hxb.counter.CounterType;
import io.hxb.topology.Shape;
import io.hxb.trunk.LinkReason;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Samples one node again and again; rates are since the sample before. Used by one thread. */
public final class NodeSampler {
    private Map<String, Long> before = Map.of();
    private Map<String, Long> now = Map.of();
    private IpCounts lastIp = IpCounts.NONE;
    private long lastNs;
    private double seconds = 1;

    /** Makes one that has seen nothing: the rates of its first sample are 0. */
    public NodeSampler() {}

    /**
     * Takes a sample.
     *
     * @param reader the node's counters, fresh.
     * @param nowNs of System.nanoTime().
     */
    public NodeSample sample(final CounterReader reader, final long nowNs) {
        seconds = Math.max(1, nowNs - lastNs) / 1e9;
        lastNs = nowNs;
        before = now;
        now = values(reader);
        final Optional<IpSample> ip = ip(reader);
        final CounterLabels labels = reader.labels();
        final long nowMs = System.currentTimeMillis();
        final NodeState state = NodeState.of(reader, nowMs);
        final List<LinkSample> links = new ArrayList<>();
        for (int link = 0; link < labels.links().size(); link++) {
            links.add(link(labels.links().get(link), link, state));
        }
        return new NodeSample(
                labels.clusterName(),
                labels.node(),
                coordinates(labels.coordinates(), labels.dimensions()),
                state,
                state == NodeState.RUNNING ? 0 : Math.max(0, nowMs - reader.heartbeatMs()),
                new NodeSample.Messages(
                        rate(CounterType.FLOW_SENT_MESSAGES, 0),
                        rate(CounterType.FLOW_DELIVERED_MESSAGES, 0)),
                new NodeSample.Frames(
                        rate(CounterType.FORWARD_RELAYED_FRAMES, 0),
                        rate(CounterType.FLOW_RESENT_FRAMES, 0),
                        rate(CounterType.FLOW_DETOURED_FRAMES, 0)),
                new NodeSample.Routes(
                        value(CounterType.FLOW_SILENT_ROUTES_EVENTS, 0),
                        value(CounterType.FLOW_BROKEN_HOPS_EVENTS, 0),
                        value(CounterType.FLOW_TROUBLED_DESTINATIONS, 0)),
                links,
                ip);
    }

    private Optional<IpSample> ip(final CounterReader reader) {
        final Optional<IpCounts> counts = IpCounts.of(reader);
        // The first time there is nothing to compare with.
        final IpCounts earlier = before.isEmpty() ? counts.orElse(IpCounts.NONE) : lastIp;
        lastIp = counts.orElse(IpCounts.NONE);
        return counts.map(each -> IpSample.between(earlier, each, seconds));
    }

    private LinkSample link(
            final CounterLabels.LinkLabel label, final int i, final NodeState state) {
        final long failed = value(CounterType.LINK_FAILED_NODES, i);
        final long weight = value(CounterType.LINK_WEIGHT_PERCENT, i);
        return new LinkSample(
                label(label),
                label.name(),
                LinkCondition.of(
                                value(CounterType.LINK_UP_STATE, i) == 1,
                                value(CounterType.LINK_NEIGHBOURS_NODES, i),
                                failed,
                                weight)
                        .at(state),
                failed,
                weight,
                traffic(CounterType.LINK_RECEIVED_FRAMES, CounterType.LINK_RECEIVED_BYTES, i),
                traffic(CounterType.LINK_SENT_FRAMES, CounterType.LINK_SENT_BYTES, i),
                value(CounterType.LINK_EXCLUDED_EVENTS, i),
                value(CounterType.LINK_RECOVERED_EVENTS, i),
                LinkReason.textOf(value(CounterType.LINK_REASON_CODE, i)));
    }

    /** Coordinates as text: {@code 1,0,2}. */
    public static String coordinates(final long coordinates, final int dimensions) {
        final StringBuilder text = new StringBuilder();
        for (int dimension = 0; dimension < dimensions; dimension++) {
            text.append(dimension == 0 ? "" : ",").append(Shape.coordinate(coordinates, dimension));
        }
        return text.toString();
    }

    /** The link as text: {@code x.0}. */
    public static String label(final CounterLabels.LinkLabel link) {
        return Dimensions.name(link.dimension()) + "." + link.number();
    }

    private static Map<String, Long> values(final CounterReader reader) {
        final Map<String, Long> values = new HashMap<>();
        for (final CounterSample sample : reader.samples()) {
            values.put(sample.name() + "." + sample.instance(), sample.value());
        }
        return values;
    }

    private long value(final CounterType type, final int instance) {
        return now.getOrDefault(type.exportName() + "." + instance, 0L);
    }

    private double perSecond(final CounterType type, final int instance) {
        final long later = value(type, instance);
        // The first time there is nothing to compare with; a node that was started again counts
        // from 0.
        final long earlier = before.getOrDefault(type.exportName() + "." + instance, later);
        return Math.max(0, later - earlier) / seconds;
    }

    private long rate(final CounterType type, final int instance) {
        return Math.round(perSecond(type, instance));
    }

    private LinkSample.Traffic traffic(
            final CounterType frames, final CounterType bytes, final int link) {
        return new LinkSample.Traffic(
                rate(frames, link), Math.round(perSecond(bytes, link) / 1e4) / 100.0);
    }
}
