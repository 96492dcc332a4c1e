package io.hxb.tool.map;

import io.hxb.linkstate.NodeGraph;
import io.hxb.linkstate.PublishedMap;
import io.hxb.observe.live.NodeState;

import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A map as programs read it. Stateless. */
final class MapReport {
    private MapReport() {}

    /** The object, with what is wrong. */
    static Map<String, Object> of(final CableMap map, final List<String> findings) {
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("ok", map.state() == NodeState.RUNNING);
        report.put("cluster", map.cluster());
        report.put("node", map.here());
        report.put("state", map.state().toString());
        report.put("max_nodes", map.map().maxNodes());
        report.put("written_ms", map.map().writtenMs());
        report.put("nodes", map.map().nodes().stream().map(node -> node(map, node)).toList());
        report.put("cables", map.map().edges().stream().map(MapReport::edge).toList());
        report.put("findings", findings);
        return report;
    }

    private static Map<String, Object> node(final CableMap map, final PublishedMap.KnownNode node) {
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("node", node.number());
        report.put("host", node.node().hostName());
        report.put("identity", HexFormat.of().toHexDigits(node.node().identity()));
        report.put("is_stopped", node.node().isStopped());
        report.put("is_reached", node.isReached());
        report.put("told_ms", map.map().writtenMs() - node.ageMs());
        if (!node.isReached()) {
            report.put("unreached_ms", map.unreachedMs(node));
        }
        final List<LocalNic> nics = map.nics().get(node.number());
        if (nics != null) {
            report.put("nics", nics.stream().map(LocalNic::report).toList());
        }
        return report;
    }

    private static Map<String, Object> edge(final NodeGraph.Edge edge) {
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("one", edge.one());
        report.put("other", edge.other());
        report.put("count", edge.links());
        report.put("capacity_Mbps", edge.capacityMbps());
        report.put("mtu_bytes", edge.mtuBytes());
        return report;
    }
}
