package io.hxb.fabric;

import java.util.Arrays;

/**
 * A connected network of switches, links between them and hosts on them. Immutable; made by {@link
 * SwitchGraphBuilder}. Links may be parallel, but never lead from a switch to itself.
 */
public final class SwitchGraph {
    private final String[] switchNames;
    private final int[] sources;
    private final String[] ports;
    private final long[] linkRatesBps;
    private final int[] outgoingStart;
    private final int[] outgoing;
    private final int[] outgoingIndex;
    private final Hosts hosts;

    /** The hosts of a graph, in ascending order of host numbers; every array is {@code [hosts]}. */
    static final class Hosts {
        private final int[] switches;
        private final String[] names;
        private final String[] ports;
        private final long[] macs;
        private final long[] ratesBps;

        /** Takes over the arrays. */
        Hosts(
                final int[] switches,
                final String[] names,
                final String[] ports,
                final long[] macs,
                final long[] ratesBps) {
            this.switches = switches;
            this.names = names;
            this.ports = ports;
            this.macs = macs;
            this.ratesBps = ratesBps;
        }
    }

    /**
     * Takes over checked arrays.
     *
     * @param sources source of each channel, {@code [2 * links]}.
     * @param ports port at the source of each channel, {@code [2 * links]}.
     * @param linkRatesBps {@code [links]}.
     */
    SwitchGraph(
            final String[] switchNames,
            final int[] sources,
            final String[] ports,
            final long[] linkRatesBps,
            final Hosts hosts) {
        this.switchNames = switchNames;
        this.sources = sources;
        this.ports = ports;
        this.linkRatesBps = linkRatesBps;
        this.hosts = hosts;
        this.outgoingStart = new int[switchNames.length + 1];
        this.outgoing = new int[sources.length];
        this.outgoingIndex = new int[sources.length];
        sortOutgoing();
    }

    private void sortOutgoing() {
        final long[] order = new long[sources.length];
        for (int channel = 0; channel < sources.length; channel++) {
            outgoingStart[sources[channel] + 1]++;
            // By source, then target, then link: a channel's number fits 22 bits.
            order[channel] =
                    ((long) sources[channel] << 42) | ((long) target(channel) << 22) | channel;
        }
        Arrays.sort(order);
        for (int i = 0; i < order.length; i++) {
            outgoing[i] = (int) order[i] & ((1 << 22) - 1);
        }
        for (int node = 0; node < switchNames.length; node++) {
            outgoingStart[node + 1] += outgoingStart[node];
        }
        for (int i = 0; i < outgoing.length; i++) {
            outgoingIndex[outgoing[i]] = i - outgoingStart[sources[outgoing[i]]];
        }
    }

    /** Number of switches. */
    public int switchCount() {
        return switchNames.length;
    }

    /** Number of links between switches; links to hosts do not count. */
    public int linkCount() {
        return linkRatesBps.length;
    }

    /** Number of channels: two per link. */
    public int channelCount() {
        return sources.length;
    }

    /** Number of links of a switch to other switches. */
    public int degree(final int node) {
        return outgoingStart[node + 1] - outgoingStart[node];
    }

    /** The largest {@link #degree}. */
    public int maxDegree() {
        int max = 0;
        for (int node = 0; node < switchCount(); node++) {
            max = Math.max(max, degree(node));
        }
        return max;
    }

    /**
     * A channel that leaves a switch.
     *
     * @param index 0 to {@code degree(node) - 1}, ascending by neighbour, then by link.
     */
    public int outgoing(final int node, final int index) {
        return outgoing[outgoingStart[node] + index];
    }

    /** The position of a channel among those that leave its source. */
    public int outgoingIndex(final int channel) {
        return outgoingIndex[channel];
    }

    /** The switch that a channel leaves. */
    public int source(final int channel) {
        return sources[channel];
    }

    /** The switch that a channel reaches. */
    public int target(final int channel) {
        return sources[channel ^ 1];
    }

    /** The link of a channel. */
    public static int link(final int channel) {
        return channel >> 1;
    }

    /** The other channel of the same link. */
    public static int opposite(final int channel) {
        return channel ^ 1;
    }

    /** Name of the port by which a channel leaves its source. */
    public String sourcePort(final int channel) {
        return ports[channel];
    }

    /** Name of the port by which a channel enters its target. */
    public String targetPort(final int channel) {
        return ports[channel ^ 1];
    }

    /** Rate of a link in bit/s, 0 when it is not known. */
    public long linkRateBps(final int link) {
        return linkRatesBps[link];
    }

    /** Name of a switch. */
    public String switchName(final int node) {
        return switchNames[node];
    }

    /** The switch of that name, or -1. */
    public int findSwitch(final String name) {
        for (int node = 0; node < switchNames.length; node++) {
            if (switchNames[node].equals(name)) {
                return node;
            }
        }
        return -1;
    }

    /** Number of hosts. */
    public int hostCount() {
        return hosts.names.length;
    }

    /** Number of hosts on one switch. */
    public int hostCount(final int node) {
        int count = 0;
        for (final int of : hosts.switches) {
            count += of == node ? 1 : 0;
        }
        return count;
    }

    /** Number of hosts on each switch, {@code [switches]}, a new array. */
    public int[] hostCounts() {
        final int[] counts = new int[switchCount()];
        for (final int node : hosts.switches) {
            counts[node]++;
        }
        return counts;
    }

    /** The switch that a host is plugged into. */
    public int hostSwitch(final int host) {
        return hosts.switches[host];
    }

    /** Name of a host. */
    public String hostName(final int host) {
        return hosts.names[host];
    }

    /** The host of that name, or -1. */
    public int findHost(final String name) {
        return Arrays.asList(hosts.names).indexOf(name);
    }

    /** Name of the switch's port that a host is plugged into. */
    public String hostPort(final int host) {
        return hosts.ports[host];
    }

    /** MAC address of a host as a 48-bit number, 0 when it is not known. */
    public long hostMac(final int host) {
        return hosts.macs[host];
    }

    /** Rate of a host's link in bit/s, 0 when it is not known. */
    public long hostRateBps(final int host) {
        return hosts.ratesBps[host];
    }

    /** A channel as text: {@code s0 -> s1}, with the port where links are parallel. */
    public String channelName(final int channel) {
        return switchName(source(channel))
                + (isParallel(channel) ? "." + sourcePort(channel) : "")
                + " -> "
                + switchName(target(channel));
    }

    /** Whether another channel leads from the same switch to the same switch. */
    public boolean isParallel(final int channel) {
        final int from = source(channel);
        final int index = outgoingIndex(channel);
        return (index > 0 && target(outgoing(from, index - 1)) == target(channel))
                || (index + 1 < degree(from)
                        && target(outgoing(from, index + 1)) == target(channel));
    }

    /** A builder that starts with everything in this graph. */
    public SwitchGraphBuilder toBuilder() {
        final SwitchGraphBuilder builder = new SwitchGraphBuilder();
        for (final String name : switchNames) {
            builder.addSwitch(name);
        }
        for (int link = 0; link < linkCount(); link++) {
            final int channel = 2 * link;
            builder.addLink(
                    source(channel),
                    sourcePort(channel),
                    target(channel),
                    targetPort(channel),
                    linkRatesBps[link]);
        }
        for (int host = 0; host < hostCount(); host++) {
            builder.addHost(
                    hostName(host),
                    hostSwitch(host),
                    hostPort(host),
                    hostMac(host),
                    hostRateBps(host));
        }
        return builder;
    }

    /** The size as text: {@code 16 switches, 32 links, 64 hosts}. */
    @Override
    public String toString() {
        return switchCount() + " switches, " + linkCount() + " links, " + hostCount() + " hosts";
    }
}
