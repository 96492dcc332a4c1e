package io.hxb.tool.map;

import io.hxb.config.ClusterConfig;
import io.hxb.counter.CounterReader;
import io.hxb.linkstate.MapReader;
import io.hxb.linkstate.PublishedMap;
import io.hxb.observe.live.LinkSample;
import io.hxb.observe.live.NodeSample;
import io.hxb.observe.live.NodeSampler;
import io.hxb.observe.live.NodeState;
import io.hxb.tool.option.ClusterFile;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads the files of the nodes of this machine. Used by one thread. */
final class MapSource {
    private final ClusterConfig config;

    /** What the files of a node show; the map is null if there is none that can be read. */
    private record LocalNode(NodeSample sample, PublishedMap map, String complaint) {}

    /**
     * Of a cluster.
     *
     * @throws ToolException if its cabling is its shape.
     */
    MapSource(final ClusterConfig config) {
        this.config = config;
        if (!config.shape().isAnyCabling()) {
            throw new ToolException(
                    "cluster "
                            + config.name()
                            + " is a hyper-crossbar: its cabling is its shape, "
                            + config.shape()
                            + ", and nodes keep a map only with 'cabling: any'; hxb stat and hxb"
                            + " web show its links");
        }
    }

    /**
     * Reads a map.
     *
     * @param wanted the node whose map it is; otherwise the first one that runs here.
     * @throws ToolException if that node has not run here, or its map cannot be read.
     */
    CableMap read(final OptionalInt wanted) {
        final SortedMap<Integer, LocalNode> nodes = new TreeMap<>();
        for (final Path file : wantedFiles(wanted)) {
            final LocalNode node = readNode(file);
            nodes.put(node.sample.node(), node);
        }
        final int here = wanted.orElseGet(() -> first(nodes));
        final LocalNode node = nodes.get(here);
        if (node.map == null) {
            throw new ToolException(node.complaint);
        }
        final SortedMap<Integer, List<LocalNic>> nics = new TreeMap<>();
        nodes.forEach(
                (number, each) -> {
                    final boolean isShown =
                            number == here || each.sample.state() == NodeState.RUNNING;
                    if (each.map != null && isShown) {
                        nics.put(number, nics(each));
                    }
                });
        return new CableMap(
                config.name(),
                node.map,
                node.sample.state(),
                System.currentTimeMillis() - node.map.writtenMs(),
                nics);
    }

    private List<Path> wantedFiles(final OptionalInt wanted) {
        if (wanted.isPresent() && !Files.exists(config.countersPath(wanted.getAsInt()))) {
            throw new ToolException(
                    "node "
                            + wanted.getAsInt()
                            + " of cluster "
                            + config.name()
                            + " has not run here: there is no "
                            + config.countersPath(wanted.getAsInt())
                            + "; run hxb map on its machine, or leave --node out");
        }
        return ClusterFile.counterFiles(config);
    }

    private static LocalNode readNode(final Path counters) {
        final Path file = MapReader.fileBeside(counters);
        try (CounterReader reader = CounterReader.open(counters)) {
            final NodeSample sample = new NodeSampler().sample(reader, System.nanoTime());
            try {
                return new LocalNode(sample, MapReader.read(file), "");
            } catch (final NoSuchFileException e) {
                return new LocalNode(
                        sample,
                        null,
                        "node "
                                + sample.node()
                                + " has no map: there is no "
                                + file
                                + "; start it again with this build");
            } catch (final IOException e) {
                return new LocalNode(sample, null, e.getMessage());
            }
        } catch (final IOException e) {
            throw new ToolException("cannot read " + counters + ": " + e.getMessage(), e);
        }
    }

    // The first one that runs, or else that has a map.
    private static int first(final SortedMap<Integer, LocalNode> nodes) {
        for (final Map.Entry<Integer, LocalNode> node : nodes.entrySet()) {
            if (node.getValue().sample.state() == NodeState.RUNNING) {
                return node.getKey();
            }
        }
        return nodes.entrySet().stream()
                .filter(node -> node.getValue().map != null)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(nodes.firstKey());
    }

    private static List<LocalNic> nics(final LocalNode node) {
        final List<LinkSample> links = node.sample.links();
        final List<LocalNic> nics = new ArrayList<>();
        for (int i = 0; i < Math.min(links.size(), node.map.links().size()); i++) {
            nics.add(new LocalNic(links.get(i), node.map.links().get(i)));
        }
        return nics;
    }
}
