package io.hxb.tool.plan.routes;

import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.analysis.ChannelLoads;
import io.hxb.fabric.analysis.Distribution;
import io.hxb.fabric.analysis.HopReport;
import io.hxb.fabric.plan.RoutingAlgorithm;
import io.hxb.fabric.plan.RoutingOptions;
import io.hxb.fabric.route.Routing;
import io.hxb.fabric.verify.Verification;
import io.hxb.fabric.verify.Verifier;
import io.hxb.tool.report.UsageException;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One algorithm applied to one graph, verified and counted. Immutable.
 *
 * @param selection how its paths were chosen, {@code own} if by itself.
 * @param routes what packets take that are never blocked.
 * @param maxHostPaths ordered pairs of hosts on the channel that most of them use.
 * @param seconds for the paths of all pairs, without verification.
 * @param verifySeconds for the verification.
 */
record RouteRun(
        Routing routing,
        String selection,
        RouteSet routes,
        Verification verification,
        HopReport hops,
        Distribution paths,
        long maxHostPaths,
        int busiest,
        double seconds,
        double verifySeconds) {
    private static final List<String> SUMMARY =
            List.of(
                    "algorithm",
                    "selection",
                    "root",
                    "roots",
                    "adaptive",
                    "switches",
                    "links",
                    "connected",
                    "acyclic",
                    "sum_links",
                    "avg_links",
                    "avg_links_hosts",
                    "max_links",
                    "max_paths",
                    "max_host_paths",
                    "virtual_channels",
                    "seconds");

    /**
     * Applies an algorithm.
     *
     * @throws UsageException if it, or one of its options, does not suit the graph.
     */
    static RouteRun of(
            final SwitchGraph graph, final RoutingAlgorithm algorithm, final RoutingOption option) {
        final RoutingOptions options = option.options(graph);
        final long startNs = System.nanoTime();
        final Routing routing = UsageException.check(() -> algorithm.routing(graph, options));
        final RouteSet routes = routing.routes(options.selection(), options.seed());
        final long routedNs = System.nanoTime();
        final Verification verification = Verifier.verify(routing, routes);
        final long verifiedNs = System.nanoTime();
        final int[] paths = ChannelLoads.paths(routes);
        int busiest = paths.length == 0 ? -1 : 0;
        for (int channel = 1; channel < paths.length; channel++) {
            busiest = paths[channel] > paths[busiest] ? channel : busiest;
        }
        return new RouteRun(
                routing,
                option.selectionName(algorithm, graph),
                routes,
                verification,
                HopReport.of(routes),
                Distribution.of(Arrays.stream(paths).asDoubleStream().toArray()),
                Arrays.stream(ChannelLoads.hostPaths(routes)).max().orElse(0),
                busiest,
                (routedNs - startNs) / 1e9,
                (verifiedNs - routedNs) / 1e9);
    }

    /** The paths as static tables can hold them: escape paths where packets rest on such. */
    StaticTables tables(final RoutingOptions options) {
        if (!routing.hasEscapePaths()) {
            return StaticTables.of(routing, routes, verification);
        }
        final RouteSet tables = routing.staticRoutes(options.selection(), options.seed());
        return StaticTables.of(routing, tables, Verifier.verify(tables));
    }

    /** What {@code hxb plan routes --json} prints of it. */
    Map<String, Object> summary() {
        final Map<String, Object> all = fields();
        final Map<String, Object> summary = new LinkedHashMap<>();
        for (final String key : SUMMARY) {
            if (all.containsKey(key)) {
                summary.put(key, all.get(key));
            }
        }
        return summary;
    }

    /** Everything as keys and values. */
    Map<String, Object> fields() {
        final SwitchGraph graph = routes.graph();
        final Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("ok", true);
        fields.put("algorithm", routing.name());
        fields.put("selection", selection);
        final int[] roots = routing.roots();
        if (roots.length == 1) {
            fields.put("root", roots[0]);
        } else if (roots.length > 1) {
            fields.put("roots", roots);
        }
        fields.put("adaptive", routing.isAdaptive());
        fields.put("switches", graph.switchCount());
        fields.put("links", graph.linkCount());
        fields.put("hosts", graph.hostCount());
        fields.put("connected", verification.isConnected());
        fields.put("acyclic", verification.isAcyclic());
        fields.put("legal", verification.isLegal());
        if (verification.problem() != null) {
            fields.put("problem", verification.problem());
        }
        fields.put("sum_links", hops.sumLinks());
        fields.put("avg_links", hops.avgLinks());
        fields.put("avg_links_hosts", hops.avgLinksHosts());
        fields.put("max_links", hops.maxLinks());
        fields.put("max_paths", (long) paths.max());
        fields.put("max_host_paths", maxHostPaths);
        fields.put("busiest", busiest < 0 ? "" : graph.channelName(busiest));
        fields.put("paths", paths);
        fields.put("virtual_channels", routing.virtualChannels());
        if (routing.relation() != null) {
            fields.put("prohibited_turns", routing.relation().prohibitedTurns());
        }
        fields.put("routes_bytes", routes.sizeBytes());
        fields.put("seconds", seconds);
        fields.put("verify_seconds", verifySeconds);
        return fields;
    }
}
