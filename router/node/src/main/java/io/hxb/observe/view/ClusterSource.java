package io.hxb.observe.view;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkConfig;
import io.hxb.gossip.HeardNode;
import io.hxb.gossip.SummaryReader;
import io.hxb.observe.live.LinkCondition;
import io.hxb.observe.live.NodeState;
import io.hxb.topology.Shape;
import io.hxb.trunk.LinkReason;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntFunction;

/**
 * Readings of the nodes of this machine by their counters, and of all others by what these have
 * heard of them. {@code read} is called by one thread, {@code counters} by any.
 */
public final class ClusterSource implements ReadingSource {
    private final Shape shape;
    private final ReadingSource local;
    private final IntFunction<Path> counterPaths;
    private final IntFunction<List<LinkConfig>> links;

    ClusterSource(
            final Shape shape,
            final ReadingSource local,
            final IntFunction<Path> counterPaths,
            final IntFunction<List<LinkConfig>> links) {
        this.shape = shape;
        this.local = local;
        this.counterPaths = counterPaths;
        this.links = links;
    }

    /** That of a cluster. */
    public static ClusterSource of(final ClusterConfig config) {
        return new ClusterSource(
                config.shape(), CounterSource.of(config), config::countersPath, config::links);
    }

    @Override
    public List<NodeReading> read(final long nowMs) {
        final List<NodeReading> nodes = new ArrayList<>(local.read(nowMs));
        final Set<Integer> here = new HashSet<>();
        nodes.forEach(node -> here.add(node.node()));
        if (here.size() < shape.nodeCount()) {
            nodes.addAll(others(here, nowMs));
            nodes.sort(Comparator.comparingInt(NodeReading::node));
        }
        return nodes;
    }

    /**
     * The nodes of other machines that are heard of, in the order of their ids.
     *
     * @param here the nodes of this machine.
     * @param nowMs ms since 1970.
     */
    public List<NodeReading> others(final Set<Integer> here, final long nowMs) {
        return heard(here, nowMs).values().stream()
                .flatMap(heard -> reading(heard).stream())
                .toList();
    }

    // The newest of what the nodes of this machine have heard of each other node.
    private Map<Integer, HeardNode> heard(final Set<Integer> here, final long nowMs) {
        final Map<Integer, HeardNode> newest = new TreeMap<>();
        for (final int node : here) {
            final Path file = SummaryReader.fileBeside(counterPaths.apply(node));
            for (final HeardNode heard : read(file, nowMs)) {
                final HeardNode other = newest.get(heard.node());
                if (!here.contains(heard.node())
                        && (other == null || other.heardMs() < heard.heardMs())) {
                    newest.put(heard.node(), heard);
                }
            }
        }
        return newest;
    }

    private List<HeardNode> read(final Path file, final long nowMs) {
        try {
            return Files.exists(file)
                    ? SummaryReader.read(file, shape.nodeCount(), nowMs)
                    : List.of();
        } catch (final IOException e) {
            // Of another version, or damaged: as if it were not there.
            return List.of();
        }
    }

    // What does not fit the cluster file is not shown.
    private Optional<NodeReading> reading(final HeardNode heard) {
        final List<LinkReading> readings = new ArrayList<>();
        final List<LinkConfig> plan = links.apply(heard.node());
        final NodeState state = state(heard);
        for (int i = 0; i < heard.links().size(); i++) {
            final HeardNode.Link link = heard.links().get(i);
            if (i >= plan.size()
                    || plan.get(i).dimension() != link.dimension()
                    || plan.get(i).number() != link.number()) {
                return Optional.empty();
            }
            readings.add(reading(plan.get(i), link, state));
        }
        return Optional.of(
                new NodeReading(
                        heard.node(),
                        state,
                        new NodeReading.Counts(0, 0, 0, 0),
                        readings,
                        List.of(),
                        Optional.of(heard)));
    }

    private static NodeState state(final HeardNode heard) {
        if (heard.isStopped()) {
            return NodeState.STOPPED;
        }
        return heard.isHeard() ? NodeState.RUNNING : NodeState.DEAD;
    }

    private static LinkReading reading(
            final LinkConfig plan, final HeardNode.Link link, final NodeState state) {
        return new LinkReading(
                new LinkReading.Place(
                        plan.dimension(),
                        plan.number(),
                        plan.nic().isEmpty() ? plan.host() + ":" + plan.port() : plan.nic()),
                new LinkReading.Health(
                        LinkCondition.of(
                                        link.isUp(),
                                        link.neighbours(),
                                        link.failedNeighbours(),
                                        link.weightPercent())
                                .at(state),
                        link.mtuBytes(),
                        link.neighbours(),
                        link.failedNeighbours(),
                        link.weightPercent(),
                        link.failures(),
                        link.recoveries(),
                        LinkReason.textOf(link.reason())),
                new LinkReading.Counts(0, 0, 0, 0, 0));
    }

    @Override
    public Map<String, Long> counters(final int node, final int link) {
        return local.counters(node, link);
    }
}
