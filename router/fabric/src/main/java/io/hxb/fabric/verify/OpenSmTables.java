package io.hxb.fabric.verify;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SwitchGraph;

import java.util.Locale;

/**
 * Writes routes as forwarding tables that {@code opensm -R file -U FILE} loads. Every switch has a
 * table, since OpenSM leaves one that is missing without any entry, and every address of every port
 * has a line. Stateless. Source: opensm 3.3, doc/modular-routing.txt; opensm(8), option -U.
 */
public final class OpenSmTables {
    private OpenSmTables() {}

    /**
     * The tables as text.
     *
     * @param cabling with the addresses, of the network that the routes are for.
     * @param routes that continue in the same way from wherever they meet on the way to a switch,
     *     on one virtual channel.
     * @throws GraphException if a port has no address yet, or routes are others than these.
     */
    public static String format(final OpenSmCabling cabling, final RouteSet routes) {
        final SwitchGraph graph = routes.graph();
        if (routes.virtualChannels() > 1) {
            throw new GraphException(
                    "the routes need "
                            + routes.virtualChannels()
                            + " virtual channels, and forwarding tables alone have one; give --vcs"
                            + " 1 or use an algorithm with one, such as updown-dfs");
        }
        final int[][] next = nextChannels(routes);
        final StringBuilder text = new StringBuilder();
        int most = 0;
        for (int node = 0; node < graph.switchCount(); node++) {
            most = Math.max(most, requireLid(cabling.switchLid(node), graph.switchName(node)));
        }
        for (int host = 0; host < graph.hostCount(); host++) {
            final int[] lids = cabling.hostLids(host);
            most = Math.max(most, lids.length == 0 ? 0 : lids[lids.length - 1]);
            requireLid(lids.length, graph.hostName(host));
        }
        for (int node = 0; node < graph.switchCount(); node++) {
            text.append(
                    String.format(
                            Locale.ROOT,
                            "Unicast lids [0-%d] of switch Lid %d guid 0x%016x ('%s'):%n",
                            most,
                            cabling.switchLid(node),
                            cabling.switchGuid(node),
                            graph.switchName(node)));
            addSwitches(text, cabling, graph, node, next);
            addHosts(text, cabling, graph, node, next);
        }
        return text.toString();
    }

    private static int requireLid(final int lid, final String name) {
        if (lid <= 0) {
            throw new GraphException(
                    "'"
                            + name
                            + "' has no LID in the cabling; start opensm once and read it again");
        }
        return lid;
    }

    /** The channel from each switch towards each other one, {@code [from][to]}. */
    private static int[][] nextChannels(final RouteSet routes) {
        final SwitchGraph graph = routes.graph();
        final int[][] next = new int[graph.switchCount()][graph.switchCount()];
        for (int to = 0; to < next.length; to++) {
            for (int from = 0; from < next.length; from++) {
                next[from][to] = from == to ? -1 : routes.channel(from, to, 0);
            }
        }
        for (int to = 0; to < next.length; to++) {
            for (int from = 0; from < next.length; from++) {
                for (int i = 0; i < routes.length(from, to); i++) {
                    final int channel = routes.channel(from, to, i);
                    if (next[graph.source(channel)][to] != channel) {
                        throw new GraphException(
                                "paths to switch "
                                        + graph.switchName(to)
                                        + " go on in different ways from switch "
                                        + graph.switchName(graph.source(channel))
                                        + ", and a forwarding table has one; use another algorithm,"
                                        + " such as updown-bfs or updown-dfs with --selection"
                                        + " low-port");
                    }
                }
            }
        }
        return next;
    }

    private static void addSwitches(
            final StringBuilder text,
            final OpenSmCabling cabling,
            final SwitchGraph graph,
            final int node,
            final int[][] next) {
        for (int to = 0; to < graph.switchCount(); to++) {
            final String port = to == node ? "0" : graph.sourcePort(next[node][to]);
            addLine(
                    text,
                    cabling.switchLid(to),
                    port,
                    "Switch",
                    cabling.switchGuid(to),
                    graph.switchName(to));
        }
    }

    private static void addHosts(
            final StringBuilder text,
            final OpenSmCabling cabling,
            final SwitchGraph graph,
            final int node,
            final int[][] next) {
        for (int host = 0; host < graph.hostCount(); host++) {
            final int at = graph.hostSwitch(host);
            final String port =
                    at == node ? graph.hostPort(host) : graph.sourcePort(next[node][at]);
            for (final int lid : cabling.hostLids(host)) {
                addLine(
                        text,
                        lid,
                        port,
                        "Channel Adapter",
                        cabling.hostGuid(host),
                        graph.hostName(host));
            }
        }
    }

    private static void addLine(
            final StringBuilder text,
            final int lid,
            final String port,
            final String kind,
            final long guid,
            final String name) {
        text.append(
                String.format(
                        Locale.ROOT,
                        "0x%04x %03d # %s portguid 0x%016x: '%s'%n",
                        lid,
                        Integer.parseInt(port),
                        kind,
                        guid,
                        name));
    }
}
