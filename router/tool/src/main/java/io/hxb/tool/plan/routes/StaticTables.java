package io.hxb.tool.plan.routes;

import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.analysis.ChannelLoads;
import io.hxb.fabric.analysis.HopReport;
import io.hxb.fabric.route.Routing;
import io.hxb.fabric.verify.Verification;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One path for each source and destination, as it is exported, and what it is good for. Immutable.
 *
 * @param routes the paths.
 * @param verification of these paths alone, without any choice on the way.
 * @param hops links of the paths.
 * @param isByDestination whether all paths to a destination continue in the same way from wherever
 *     they meet, so that tables by destination can hold them.
 * @param use a sentence that describes what the paths are good for.
 */
record StaticTables(
        RouteSet routes,
        Verification verification,
        HopReport hops,
        boolean isByDestination,
        String use) {
    static StaticTables of(
            final Routing routing, final RouteSet routes, final Verification verification) {
        return new StaticTables(
                routes,
                verification,
                HopReport.of(routes),
                isByDestination(routes),
                use(routing, routes, verification));
    }

    private static String use(
            final Routing routing, final RouteSet routes, final Verification verification) {
        if (!verification.isOk()) {
            return "for networks that drop frames instead of stopping links: these paths can"
                    + " deadlock under PAUSE or credits";
        }
        if (routing.hasEscapePaths()) {
            return "static tables: these are the escape paths. The adaptive paths are safe only in"
                    + " switches that choose at every hop and always may take an escape path"
                    + onLanes(routes);
        }
        if (hasReinjections(routes)) {
            return "with hosts that take packets out and put them in again before the steps in"
                    + " 'reinjected'; without that these paths can deadlock";
        }
        return "static tables, also where links stop one another (PAUSE, credits)"
                + onLanes(routes);
    }

    private static String onLanes(final RouteSet routes) {
        return routes.virtualChannels() > 1
                ? "; every step keeps to its virtual channel, on one for all they may deadlock"
                : "";
    }

    private static boolean hasReinjections(final RouteSet routes) {
        for (int from = 0; from < routes.graph().switchCount(); from++) {
            for (int to = 0; to < routes.destinationCount(); to++) {
                for (int i = 0; i < routes.length(from, to); i++) {
                    if (routes.isReinjected(from, to, i)) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    private static boolean isByDestination(final RouteSet routes) {
        final SwitchGraph graph = routes.graph();
        final int[] next = new int[graph.switchCount()];
        for (int to = 0; to < routes.destinationCount(); to++) {
            Arrays.fill(next, -1);
            for (int from = 0; from < next.length; from++) {
                for (int i = 0; i < routes.length(from, to); i++) {
                    // Tables by destination hold ports; the lane is the packet's own.
                    final int channel = routes.channel(from, to, i);
                    final int node = graph.source(channel);
                    if (next[node] >= 0 && next[node] != channel) {
                        return false;
                    }
                    next[node] = channel;
                }
            }
        }
        return true;
    }

    /** The number of paths on each channel, {@code [channels]}. */
    int[] paths() {
        return ChannelLoads.paths(routes);
    }

    /** As keys and values. */
    Map<String, Object> fields() {
        final Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("connected", verification.isConnected());
        fields.put("acyclic", verification.isAcyclic());
        fields.put("by_destination", isByDestination);
        fields.put("destinations", routes.isPerHost() ? "hosts" : "switches");
        fields.put("sum_links", hops.sumLinks());
        fields.put("avg_links", hops.avgLinks());
        fields.put("max_links", hops.maxLinks());
        fields.put("max_paths", Arrays.stream(paths()).max().orElse(0));
        fields.put("max_host_paths", Arrays.stream(ChannelLoads.hostPaths(routes)).max().orElse(0));
        fields.put("virtual_channels", routes.virtualChannels());
        fields.put("use", use);
        return fields;
    }
}
