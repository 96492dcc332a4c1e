package io.hxb.tool.top;

import io.hxb.config.ClusterConfig;
import io.hxb.counter.CounterReader;
import io.hxb.observe.live.NodeSample;
import io.hxb.observe.live.NodeSampler;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Looks at the nodes again and again. Used by one thread. */
final class TopLook {
    private final ClusterConfig config;
    private final HeardSamples heard;
    private final Map<Path, NodeSampler> samplers = new HashMap<>();
    private final Map<Path, DetailReader> readers = new HashMap<>();
    private final Map<String, NodeDetail> details = new HashMap<>();

    /**
     * At some nodes.
     *
     * @param config null if the cluster is not known.
     * @param isOfCluster whether nodes of other machines are shown, too; then with a cluster.
     */
    TopLook(final ClusterConfig config, final boolean isOfCluster) {
        this.config = config;
        heard = isOfCluster ? new HeardSamples(config) : null;
    }

    /**
     * Samples the nodes.
     *
     * @param files the counter files of those of this machine.
     * @return in the order of their ids, those of other machines included if they are wanted.
     * @throws IOException if a file cannot be read.
     */
    List<NodeSample> look(final List<Path> files) throws IOException {
        final List<NodeSample> nodes = new ArrayList<>();
        for (final Path file : files) {
            try (CounterReader reader = CounterReader.open(file)) {
                final NodeSample node =
                        samplers.computeIfAbsent(file, key -> new NodeSampler())
                                .sample(reader, System.nanoTime());
                nodes.add(node);
                details.put(
                        TopModel.key(node),
                        readers.computeIfAbsent(file, key -> new DetailReader())
                                .read(reader, config));
            }
        }
        if (heard != null) {
            final Set<Integer> here = new HashSet<>();
            nodes.forEach(node -> here.add(node.node()));
            nodes.addAll(heard.others(here, System.currentTimeMillis(), details));
            nodes.sort(Comparator.comparingInt(NodeSample::node));
        }
        return nodes;
    }

    /** What else is known of the nodes of the last look, by their keys. */
    Map<String, NodeDetail> details() {
        return details;
    }
}
