package io.hxb.fabric.analysis;

import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.traffic.TrafficMatrix;

/**
 * The load of every channel under some traffic, and the bandwidth that this leaves. A load is in
 * the unit of the traffic's amounts; a host's own link has the capacity 1, and a link between
 * switches has its rate divided by the hosts' rate, or 1 when rates are not known. Immutable.
 */
public final class ChannelLoads {
    private final SwitchGraph graph;
    private final double[] loads;
    private final double hostLoad;
    private final double pairBandwidth;
    private final double hostRateBps;

    private ChannelLoads(
            final SwitchGraph graph,
            final double[] loads,
            final double hostLoad,
            final double pairBandwidth) {
        this.graph = graph;
        this.loads = loads;
        this.hostLoad = hostLoad;
        this.pairBandwidth = pairBandwidth;
        this.hostRateBps = hostRateBps(graph);
    }

    /** The minimum known rate of a host, 0 when none is known. */
    private static double hostRateBps(final SwitchGraph graph) {
        double rateBps = 0;
        for (int host = 0; host < graph.hostCount(); host++) {
            final double own = graph.hostRateBps(host);
            rateBps = own > 0 && (rateBps == 0 || own < rateBps) ? own : rateBps;
        }
        return rateBps;
    }

    /** The number of paths of a set on each channel, {@code [channels]}. */
    public static int[] paths(final RouteSet routes) {
        final int[] paths = new int[routes.graph().channelCount()];
        final int switches = routes.graph().switchCount();
        for (int from = 0; from < switches; from++) {
            for (int to = 0; to < routes.destinationCount(); to++) {
                for (int i = 0; i < routes.length(from, to); i++) {
                    paths[routes.channel(from, to, i)]++;
                }
            }
        }
        return paths;
    }

    /** The number of ordered pairs of hosts whose path crosses each channel, {@code [channels]}. */
    public static long[] hostPaths(final RouteSet routes) {
        final long[] paths = new long[routes.graph().channelCount()];
        for (int from = 0; from < routes.graph().switchCount(); from++) {
            for (int to = 0; to < routes.destinationCount(); to++) {
                final long pairs = routes.hostPairs(from, to);
                for (int i = 0; i < routes.length(from, to); i++) {
                    paths[routes.channel(from, to, i)] += pairs;
                }
            }
        }
        return paths;
    }

    /** Every host sends 1, spread evenly over all others; no matrix is made, whatever the size. */
    public static ChannelLoads uniform(final RouteSet routes) {
        final SwitchGraph graph = routes.graph();
        final long[] paths = hostPaths(routes);
        final double[] loads = new double[paths.length];
        for (int channel = 0; channel < loads.length; channel++) {
            loads[channel] = (double) paths[channel] / Math.max(1, graph.hostCount() - 1);
        }
        return new ChannelLoads(graph, loads, graph.hostCount() > 1 ? 1 : 0, Double.NaN);
    }

    /** The loads of a matrix of traffic between hosts. */
    public static ChannelLoads of(final RouteSet routes, final TrafficMatrix traffic) {
        final SwitchGraph graph = routes.graph();
        final double[] loads = new double[graph.channelCount()];
        final double[] sent = new double[graph.hostCount()];
        final double[] received = new double[graph.hostCount()];
        for (int pair = 0; pair < traffic.size(); pair++) {
            final int from = graph.hostSwitch(traffic.source(pair));
            final int to = routes.destinationOf(traffic.destination(pair));
            sent[traffic.source(pair)] += traffic.amount(pair);
            received[traffic.destination(pair)] += traffic.amount(pair);
            for (int i = 0; i < routes.length(from, to); i++) {
                loads[routes.channel(from, to, i)] += traffic.amount(pair);
            }
        }
        double hostLoad = 0;
        for (int host = 0; host < sent.length; host++) {
            hostLoad = Math.max(hostLoad, Math.max(sent[host], received[host]));
        }
        return new ChannelLoads(
                graph, loads, hostLoad, pairBandwidth(routes, traffic, loads, sent, received));
    }

    /** Mean over the pairs of the share that a pair gets of the busiest channel on its path. */
    private static double pairBandwidth(
            final RouteSet routes,
            final TrafficMatrix traffic,
            final double[] loads,
            final double[] sent,
            final double[] received) {
        final SwitchGraph graph = routes.graph();
        double sum = 0;
        for (int pair = 0; pair < traffic.size(); pair++) {
            final int from = graph.hostSwitch(traffic.source(pair));
            final int to = routes.destinationOf(traffic.destination(pair));
            double busiest =
                    Math.max(sent[traffic.source(pair)], received[traffic.destination(pair)]);
            for (int i = 0; i < routes.length(from, to); i++) {
                busiest = Math.max(busiest, loads[routes.channel(from, to, i)]);
            }
            sum += traffic.amount(pair) / busiest;
        }
        return traffic.size() == 0 ? 0 : sum / traffic.size();
    }

    /** Load of a channel. */
    public double load(final int channel) {
        return loads[channel];
    }

    /** Loads of all channels, {@code [channels]}, a new array. */
    public double[] loads() {
        return loads.clone();
    }

    private double capacity(final int channel) {
        final double rateBps = graph.linkRateBps(SwitchGraph.link(channel));
        return rateBps > 0 && hostRateBps > 0 ? rateBps / hostRateBps : 1;
    }

    /** The first of the channels with the most load for their capacity; -1 without links. */
    public int busiest() {
        int busiest = -1;
        double most = -1;
        for (int channel = 0; channel < loads.length; channel++) {
            if (loads[channel] / capacity(channel) > most) {
                most = loads[channel] / capacity(channel);
                busiest = channel;
            }
        }
        return busiest;
    }

    /**
     * The share of its link's rate at which the host with the most traffic can send when all send
     * in proportion and no channel is overloaded, 0 to 1. An upper bound: buffers and blocking take
     * their share too.
     */
    public double throughput() {
        double most = hostLoad;
        for (int channel = 0; channel < loads.length; channel++) {
            most = Math.max(most, loads[channel] / capacity(channel));
        }
        return most == 0 ? 1 : hostLoad / most;
    }

    /**
     * Mean share of a link's rate that a pair gets when those on its busiest channel share it
     * evenly by their amounts; NaN for uniform traffic. Source: Otsuka et al. 2006, section 5.
     */
    public double pairBandwidth() {
        return pairBandwidth;
    }
}
