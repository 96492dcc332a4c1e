package io.hxb.tool.plan.routes;

import io.hxb.fabric.RouteSet;
import io.hxb.fabric.RouteSetBuilder;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;
import io.hxb.tool.report.ToolException;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.util.HashSet;
import java.util.Set;

/** Reads back what {@code hxb plan routes --out FILE.json} wrote. Used by one thread. */
final class ExportedRoutes {
    private final String file;
    private final JsonNode root;

    private ExportedRoutes(final String file, final JsonNode root) {
        this.file = file;
        this.root = root;
    }

    /**
     * Reads paths.
     *
     * @param file its name in messages.
     * @throws ToolException if the text is something else, or a path is not contiguous.
     */
    static RouteSet parse(final String file, final String text) {
        final JsonNode root;
        try {
            root = JsonMapper.builder().build().readTree(text);
        } catch (final JacksonException e) {
            throw new ToolException(file + " is not JSON: " + e.getOriginalMessage(), e);
        }
        if (!root.path("switches").isArray() || !root.path("paths").isArray()) {
            throw new ToolException(
                    file
                            + " has no 'switches' and 'paths': give what plan routes --out"
                            + " FILE.json wrote");
        }
        try {
            return new ExportedRoutes(file, root).routes();
        } catch (final IllegalArgumentException | IllegalStateException e) {
            throw new ToolException(file + ": " + e.getMessage(), e);
        }
    }

    private SwitchGraph graph() {
        final SwitchGraphBuilder builder = new SwitchGraphBuilder();
        root.path("switches").forEach(name -> builder.addSwitch(name.asString("")));
        final JsonNode channels = root.path("channels");
        for (int channel = 0; channel + 1 < channels.size(); channel += 2) {
            final JsonNode link = channels.get(channel);
            builder.addLink(
                    node(builder, link, "from"),
                    link.path("from_port").asString(""),
                    node(builder, link, "to"),
                    link.path("to_port").asString(""),
                    link.path("rate_bps").asLong(0));
        }
        for (final JsonNode host : root.path("hosts")) {
            builder.addHost(
                    host.path("name").asString(""),
                    node(builder, host, "switch"),
                    host.path("port").asString(""),
                    0,
                    host.path("rate_bps").asLong(0));
        }
        return builder.build();
    }

    private int node(final SwitchGraphBuilder builder, final JsonNode at, final String key) {
        final String name = at.path(key).asString("");
        final int node = builder.findSwitch(name);
        if (node < 0) {
            throw new ToolException(file + ": there is no switch '" + name + "'");
        }
        return node;
    }

    private RouteSet routes() {
        final SwitchGraph graph = graph();
        final int virtualChannels = root.path("tables").path("virtual_channels").asInt(1);
        final JsonNode paths = root.path("paths");
        final boolean isPerHost = paths.path(0).has("host");
        final RouteSetBuilder builder = new RouteSetBuilder(graph, virtualChannels, isPerHost);
        final int[] hosts = graph.hostCounts();
        final int destinations = isPerHost ? graph.hostCount() : graph.switchCount();
        int index = 0;
        for (int from = 0; from < graph.switchCount(); from++) {
            for (int to = 0; (hosts[from] > 0 || !isPerHost) && to < destinations; to++) {
                final JsonNode path = paths.path(index++);
                if (path.isMissingNode()) {
                    throw new ToolException(
                            file + ": the path from " + from + " to " + to + " is missing");
                }
                requirePlace(path, from, isPerHost ? "host" : "to", to);
                addPath(builder, path, graph.channelCount(), virtualChannels);
            }
        }
        if (index < paths.size()) {
            throw new ToolException(
                    file + ": there are " + paths.size() + " paths, " + index + " are needed");
        }
        return builder.build();
    }

    private void requirePlace(final JsonNode path, final int from, final String key, final int to) {
        if (path.path("from").asInt(-1) != from || path.path(key).asInt(-1) != to) {
            throw new ToolException(
                    file
                            + ": the path from "
                            + path.path("from").asInt(-1)
                            + " to "
                            + path.path(key).asInt(-1)
                            + " is out of order");
        }
    }

    private void addPath(
            final RouteSetBuilder builder,
            final JsonNode path,
            final int channelCount,
            final int virtualChannels) {
        final JsonNode channels = path.path("channels");
        final Set<Integer> reinjected = new HashSet<>();
        path.path("reinjected").forEach(index -> reinjected.add(index.asInt(-1)));
        for (int i = 0; i < channels.size(); i++) {
            final int channel = channels.get(i).asInt(-1);
            final int lane = virtualChannels == 1 ? 0 : path.path("vcs").path(i).asInt(-1);
            if (channel < 0 || channel >= channelCount || lane < 0 || lane >= virtualChannels) {
                throw new ToolException(
                        file + ": there is no virtual channel " + lane + " of channel " + channel);
            }
            final int step = channel * virtualChannels + lane;
            if (reinjected.contains(i)) {
                builder.reinjectedStep(step);
            } else {
                builder.step(step);
            }
        }
        builder.endPath();
    }
}
