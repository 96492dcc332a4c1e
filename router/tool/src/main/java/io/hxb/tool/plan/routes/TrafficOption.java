package io.hxb.tool.plan.routes;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.analysis.ChannelLoads;
import io.hxb.fabric.traffic.TrafficMatrix;
import io.hxb.fabric.traffic.TrafficPatterns;
import io.hxb.tool.graph.TrafficFile;

import picocli.CommandLine.Option;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Traffic whose bandwidth is estimated. Picocli fills it. */
final class TrafficOption {
    private static final List<String> USUAL =
            List.of("uniform", "all-to-all", "bit-reversal", "transpose", "shift", "kernel-cg");

    private static final String UNIFORM = "uniform";

    @Option(
            names = "--traffic",
            paramLabel = "NAME|FILE",
            description =
                    "estimate the bandwidth of uniform, all-to-all, bit-reversal, bit-complement,"
                        + " shuffle, transpose, tornado, neighbour (these three by the coordinates"
                        + " of a mesh, torus or hyper-crossbar), host-transpose, host-tornado,"
                        + " host-neighbour (by the numbers of hosts), shift:N, kernel-cg, or a file"
                        + " of lines 'from to amount'; may be repeated (default: the usual ones"
                        + " that suit the graph)")
    private List<String> names;

    /** Picocli makes it. */
    TrafficOption() {}

    /**
     * Reads the traffic asked for, by name; null stands for uniform traffic, which needs no matrix.
     */
    Map<String, TrafficMatrix> read(final SwitchGraph graph) throws IOException {
        final Map<String, TrafficMatrix> traffic = new LinkedHashMap<>();
        for (final String name : names == null ? USUAL : names) {
            // All-to-all is uniform traffic in another unit.
            if (name.equals(UNIFORM) || (names == null && name.equals("all-to-all"))) {
                traffic.put(name, null);
            } else if (names == null) {
                addIfSuited(traffic, name, graph);
            } else {
                traffic.put(name, TrafficFile.read(name, graph));
            }
        }
        return traffic;
    }

    private static void addIfSuited(
            final Map<String, TrafficMatrix> traffic, final String name, final SwitchGraph graph) {
        if (graph.hostCount() < 2) {
            return;
        }
        try {
            traffic.put(name, TrafficPatterns.of(name, graph));
        } catch (final GraphException e) {
            // This pattern is for other numbers of hosts, and nobody asked for it by name.
            return;
        }
    }

    /** Loads of the paths under some traffic. */
    static ChannelLoads loads(final RouteSet routes, final TrafficMatrix traffic) {
        return traffic == null ? ChannelLoads.uniform(routes) : ChannelLoads.of(routes, traffic);
    }

    /** An estimate as keys and values. */
    static Map<String, Object> fields(final SwitchGraph graph, final ChannelLoads loads) {
        final Map<String, Object> fields = new TreeMap<>();
        final int busiest = loads.busiest();
        fields.put("throughput", loads.throughput());
        fields.put("max_load", busiest < 0 ? 0.0 : loads.load(busiest));
        fields.put("busiest", busiest < 0 ? "" : graph.channelName(busiest));
        if (!Double.isNaN(loads.pairBandwidth())) {
            fields.put("pair_bandwidth", loads.pairBandwidth());
        }
        return fields;
    }
}
