package io.hxb.tool.top;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkConfig;
import io.hxb.gossip.HeardNode;
import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.LinkSample;
import io.hxb.observe.live.NodeSample;
import io.hxb.observe.live.NodeSampler;
import io.hxb.observe.live.NodeState;
import io.hxb.observe.view.ClusterSource;
import io.hxb.observe.view.LinkReading;
import io.hxb.observe.view.NodeReading;
import io.hxb.topology.Shape;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Samples of the nodes of other machines, from what those of this machine have heard of them. Used
 * by one thread.
 */
final class HeardSamples {
    private static final double BYTES_PER_MEGABYTE = 1e6;
    private static final NodeSample.Routes NO_ROUTES = new NodeSample.Routes(0, 0, 0);

    private final ClusterConfig config;
    private final Shape shape;
    private final ClusterSource source;
    private final Map<Integer, NodeSample> unknown = new HashMap<>();

    HeardSamples(final ClusterConfig config) {
        this.config = config;
        shape = config.shape();
        source = ClusterSource.of(config);
    }

    /**
     * All nodes that are not on this machine, in the order of their ids.
     *
     * @param here the nodes of this machine.
     * @param nowMs ms since 1970.
     * @param details takes what else is known of them, by their keys.
     */
    List<NodeSample> others(
            final Set<Integer> here, final long nowMs, final Map<String, NodeDetail> details) {
        final Map<Integer, NodeSample> heard = new HashMap<>();
        for (final NodeReading reading : source.others(here, nowMs)) {
            final NodeSample sample = sample(reading, nowMs);
            heard.put(reading.node(), sample);
            details.put(TopModel.key(sample), detail(reading, nowMs));
        }
        final Set<Integer> known = new HashSet<>(here);
        known.addAll(heard.keySet());
        final List<NodeSample> others = new ArrayList<>();
        for (int node = 0; node < shape.nodeCount(); node++) {
            if (heard.containsKey(node)) {
                others.add(heard.get(node));
            } else if (!known.contains(node)) {
                others.add(unknown.computeIfAbsent(node, this::unknown));
            }
        }
        return others;
    }

    private NodeSample sample(final NodeReading reading, final long nowMs) {
        final HeardNode heard = reading.heard().orElseThrow();
        final boolean isRunning = reading.state() == NodeState.RUNNING;
        final List<LinkSample> links = new ArrayList<>();
        for (int i = 0; i < reading.links().size(); i++) {
            links.add(link(reading.links().get(i), heard.links().get(i), isRunning));
        }
        final List<Long> rates = isRunning ? heard.rates() : List.of(0L, 0L, 0L, 0L);
        return new NodeSample(
                config.name(),
                reading.node(),
                coordinates(reading.node()),
                reading.state(),
                isRunning ? 0 : Math.max(0, nowMs - heard.heardMs()),
                new NodeSample.Messages(rates.get(0), rates.get(1)),
                new NodeSample.Frames(rates.get(2), rates.get(3), 0),
                NO_ROUTES,
                links,
                Optional.empty(),
                NodeSample.Source.HEARD);
    }

    private static LinkSample link(
            final LinkReading reading, final HeardNode.Link heard, final boolean isRunning) {
        final List<Long> rates = heard.rates();
        final LinkReading.Health health = reading.health();
        return new LinkSample(
                reading.place().label(),
                reading.place().nic(),
                health.condition(),
                health.failedNeighbours(),
                health.weightPercent(),
                traffic(isRunning, rates.get(2), rates.get(0)),
                traffic(isRunning, rates.get(3), rates.get(1)),
                health.failures(),
                health.recoveries(),
                health.lastReason());
    }

    private static LinkSample.Traffic traffic(
            final boolean isRunning, final long frames, final long bytes) {
        return isRunning
                ? new LinkSample.Traffic(frames, Math.round(bytes / 1e4) * 1e4 / BYTES_PER_MEGABYTE)
                : new LinkSample.Traffic(0, 0);
    }

    private NodeSample unknown(final int node) {
        final List<LinkSample> links = new ArrayList<>();
        for (final LinkConfig link : config.links(node)) {
            final LinkSample.Traffic none = new LinkSample.Traffic(0, 0);
            links.add(
                    new LinkSample(
                            new LinkReading.Place(link.dimension(), link.number(), "").label(),
                            link.nic().isEmpty() ? link.host() + ":" + link.port() : link.nic(),
                            LinkCondition.UNKNOWN,
                            0,
                            0,
                            none,
                            none,
                            0,
                            0,
                            ""));
        }
        return new NodeSample(
                config.name(),
                node,
                coordinates(node),
                NodeState.DEAD,
                0,
                new NodeSample.Messages(0, 0),
                new NodeSample.Frames(0, 0, 0),
                NO_ROUTES,
                links,
                Optional.empty(),
                NodeSample.Source.NOTHING);
    }

    private String coordinates(final int node) {
        return NodeSampler.coordinates(shape.coordinates(node), shape.dimensions());
    }

    private NodeDetail detail(final NodeReading reading, final long nowMs) {
        final HeardNode heard = reading.heard().orElseThrow();
        final long coordinates = shape.coordinates(reading.node());
        final Map<String, String> partners = new HashMap<>();
        for (final LinkReading link : reading.links()) {
            partners.put(
                    link.place().label(),
                    DetailReader.partner(
                            coordinates,
                            link.place().dimension(),
                            link.health().neighbours(),
                            config));
        }
        final String named = DetailReader.host(config, coordinates);
        final long upS = Math.max(0, nowMs / 1000 - heard.startS());
        final long ageS = Math.max(0, nowMs - heard.heardMs()) / 1000;
        return new NodeDetail(
                named.isEmpty() ? heard.hostName() : named,
                List.of(
                        "started "
                                + NodeDetail.duration(upS)
                                + " ago by the clock of "
                                + (heard.hostName().isEmpty() ? "its host" : heard.hostName()),
                        "as other nodes report, the last time "
                                + NodeDetail.duration(ageS)
                                + " ago",
                        "more is in its counters, on its machine"),
                partners,
                List.of());
    }
}
