package io.hxb.sim.flit;

import io.hxb.fabric.SwitchGraph;

import java.util.Arrays;
import java.util.Locale;

/**
 * Channels, lanes and all that changes on them, as columns of numbers. Owned by a run.
 *
 * <p>The columns of channels are {@code [channelCount]}, those of lanes {@code [laneCount]}; only
 * lanes below {@code bufferedLanes} end in a buffer of a switch, the others at a host.
 */
final class FlitNetwork {
    /** No lane, no owner. */
    static final int NONE = -1;

    /** What the columns below and those of the allocator and the hosts take. */
    private static final int BYTES_PER_CHANNEL = 120;

    private static final int BYTES_PER_LANE = 80;

    final SwitchGraph graph;
    final NetworkConfig config;
    final int lanes;
    final int firstInjection;
    final int firstEjection;
    final int channelCount;
    final int bufferedLanes;
    final int laneCount;

    /** Switch that a channel leaves; {@link #NONE} for those of hosts. */
    final int[] node;

    /** Switch that a channel reaches; {@link #NONE} for those to hosts. */
    final int[] target;

    /** Position of a channel among the inputs of its target. */
    final int[] inputIndex;

    /** Number of inputs of the switch that a channel leaves. */
    final int[] inputCount;

    /** Cycles from sending until a flit may be sent on. */
    final int[] latency;

    /** Cycles between two flits, in 256ths, and the time of the next one. */
    final int[] period;

    final long[] nextFree;
    final boolean hasSlowChannels;

    final long[] flits;

    /** Flits that a lane was sent; those of hosts' own lanes are not counted. */
    final long[] laneFlits;

    final long[] lastHeader;
    final long[] lastFlit;
    final int[] packets;

    /** Input that is first in turn at an output, and the lane that an output served last. */
    final int[] turn;

    final int[] served;

    /** Lanes of an input whose first packet has a lane, a flit and a place for it. */
    final long[] sendable;

    /** Lane that is first in turn at an input. */
    final int[] laneTurn;

    final int[] channelOf;

    /** Free places in the buffer at the lane's end, as its sender knows them. */
    final int[] credits;

    /** Lane that feeds this one, or {@code laneCount + host}. */
    final int[] owner;

    /**
     * Lane that the first packet in the buffer has got, and its channel; {@code -2 - lane} while
     * its flits may not move yet.
     */
    final int[] output;

    final int[] outputChannel;

    /** Flits in the buffer that may be sent. */
    final int[] ready;

    /** Flits that the first packet still has to send. */
    final int[] left;

    /** Flits of the packet on the lane that have yet to come out of it. */
    final int[] arriving;

    /** Packets in the ring of which something arrived, and those that may be routed. */
    final int[] arrived;

    final int[] heads;

    /** Ring of the packets that a lane was given: index of the first, and their number. */
    final int[] first;

    final int[] count;
    final int[] ring;
    final int ringMask;
    final int ringShift;

    FlitNetwork(final SwitchGraph graph, final NetworkConfig config, final int shortestFlits) {
        this.graph = graph;
        this.config = config;
        this.lanes = config.lanes();
        this.firstInjection = graph.channelCount();
        this.firstEjection = firstInjection + graph.hostCount();
        this.channelCount = firstEjection + graph.hostCount();
        this.bufferedLanes = firstEjection * lanes;
        this.laneCount = channelCount * lanes;
        this.node = new int[channelCount];
        this.target = new int[channelCount];
        this.inputIndex = new int[channelCount];
        this.inputCount = new int[channelCount];
        this.latency = new int[channelCount];
        this.period = new int[channelCount];
        this.nextFree = new long[channelCount];
        this.flits = new long[channelCount];
        this.laneFlits = new long[laneCount];
        this.lastHeader = filled(channelCount, -1L);
        this.lastFlit = filled(channelCount, -1L);
        this.packets = new int[channelCount];
        this.turn = new int[channelCount];
        this.served = filled(channelCount, NONE);
        this.sendable = new long[firstEjection];
        this.laneTurn = new int[firstEjection];
        this.channelOf = new int[laneCount];
        this.credits = new int[laneCount];
        this.owner = filled(laneCount, NONE);
        this.output = filled(bufferedLanes, NONE);
        this.outputChannel = filled(bufferedLanes, NONE);
        this.ready = new int[bufferedLanes];
        this.left = new int[bufferedLanes];
        this.arriving = new int[laneCount];
        this.arrived = new int[laneCount];
        this.heads = new int[bufferedLanes];
        this.first = new int[laneCount];
        this.count = new int[laneCount];
        this.ringShift = ringShift(config, shortestFlits);
        this.ringMask = (1 << ringShift) - 1;
        this.ring = new int[Math.multiplyExact(laneCount, 1 << ringShift)];
        this.hasSlowChannels = setChannels();
        setLanes();
    }

    /**
     * Checks that the heap has room for a run.
     *
     * @param candidates lanes that a header may wait for.
     * @param maxBytes of the heap.
     * @throws SimulationException naming the options to change.
     */
    static void requireRoom(
            final SwitchGraph graph,
            final NetworkConfig config,
            final int shortestFlits,
            final int candidates,
            final long maxBytes) {
        final long channels = graph.channelCount() + 2L * graph.hostCount();
        final long lanes = channels * config.lanes();
        final long ring = lanes << ringShift(config, shortestFlits);
        final long bytes =
                channels * BYTES_PER_CHANNEL
                        + lanes * (BYTES_PER_LANE + 4L * candidates)
                        + 4 * ring;
        if (bytes > maxBytes / 10 * 9 || ring > Integer.MAX_VALUE - 8) {
            throw new SimulationException(
                    String.format(
                            Locale.ROOT,
                            "%d virtual channels with buffers of %d flits and packets of %d or more"
                                    + " take about %.1f GB, and Java may use %.1f GB: make --graph,"
                                    + " --vcs or --buffer smaller, or --packet larger",
                            lanes,
                            config.bufferFlits(),
                            shortestFlits,
                            bytes / 1e9,
                            maxBytes / 1e9));
        }
    }

    /** The smallest power of two of packets that a lane holds at most. */
    private static int ringShift(final NetworkConfig config, final int shortestFlits) {
        final int inBuffer = config.bufferFlits() / shortestFlits;
        final int onTheWay = (config.hostLinkCycles() + shortestFlits - 1) / shortestFlits;
        return 32 - Integer.numberOfLeadingZeros(Math.max(inBuffer, onTheWay) + 2);
    }

    private static int[] filled(final int length, final int value) {
        final int[] values = new int[length];
        Arrays.fill(values, value);
        return values;
    }

    private static long[] filled(final int length, final long value) {
        final long[] values = new long[length];
        Arrays.fill(values, value);
        return values;
    }

    private boolean setChannels() {
        final int[] inputs = new int[graph.switchCount()];
        final long fastest = fastest();
        boolean hasSlow = false;
        for (int channel = 0; channel < channelCount; channel++) {
            final boolean isFromHost = channel >= firstInjection && channel < firstEjection;
            final boolean isToHost = channel >= firstEjection;
            if (isFromHost) {
                node[channel] = NONE;
                target[channel] = graph.hostSwitch(channel - firstInjection);
            } else if (isToHost) {
                node[channel] = graph.hostSwitch(channel - firstEjection);
                target[channel] = NONE;
            } else {
                node[channel] = graph.source(channel);
                target[channel] = graph.target(channel);
            }
            if (!isToHost) {
                inputIndex[channel] = inputs[target[channel]]++;
            }
            latency[channel] =
                    (isFromHost || isToHost ? config.hostLinkCycles() : config.linkCycles())
                            + (isToHost ? 0 : config.switchCycles());
            period[channel] = period(channel, fastest);
            hasSlow |= period[channel] > 256;
        }
        for (int channel = 0; channel < channelCount; channel++) {
            inputCount[channel] = node[channel] == NONE ? 1 : inputs[node[channel]];
        }
        return hasSlow;
    }

    private long fastest() {
        long fastest = 0;
        for (int link = 0; link < graph.linkCount(); link++) {
            fastest = Math.max(fastest, graph.linkRateBps(link));
        }
        for (int host = 0; host < graph.hostCount(); host++) {
            fastest = Math.max(fastest, graph.hostRateBps(host));
        }
        return fastest;
    }

    private int period(final int channel, final long fastest) {
        final boolean isLink = channel < firstInjection;
        final int host = (channel - firstInjection) % Math.max(1, graph.hostCount());
        final long rateBps =
                isLink ? graph.linkRateBps(SwitchGraph.link(channel)) : graph.hostRateBps(host);
        final double slowness = rateBps == 0 ? 1 : (double) fastest / rateBps;
        return (int)
                Math.min(1 << 24, Math.round(256 * slowness / (isLink ? config.linkWidth() : 1)));
    }

    private void setLanes() {
        for (int lane = 0; lane < laneCount; lane++) {
            channelOf[lane] = lane / lanes;
            // Hosts take everything.
            credits[lane] = lane < bufferedLanes ? config.bufferFlits() : Integer.MAX_VALUE / 2;
        }
    }

    /** Whether a lane takes a packet of that many flits now. */
    boolean canTake(final int lane, final int flitCount) {
        if (owner[lane] != NONE) {
            return false;
        }
        if (lane >= bufferedLanes) {
            return true;
        }
        if (config.isExclusive()) {
            return credits[lane] == config.bufferFlits();
        }
        return config.switching() == Switching.WORMHOLE || credits[lane] >= flitCount;
    }

    /** The {@code index}-th packet of a lane's ring. */
    int packet(final int lane, final int index) {
        return ring[(lane << ringShift) + ((first[lane] + index) & ringMask)];
    }

    void push(final int lane, final int packet) {
        ring[(lane << ringShift) + ((first[lane] + count[lane]) & ringMask)] = packet;
        count[lane]++;
    }

    void pop(final int lane) {
        first[lane] = (first[lane] + 1) & ringMask;
        count[lane]--;
    }

    /** A lane as text: {@code s0 -> s1 vc 2}. */
    String name(final int lane) {
        final int channel = channelOf[lane];
        final String suffix = lanes == 1 ? "" : " vc " + lane % lanes;
        if (channel < firstInjection) {
            return graph.channelName(channel) + suffix;
        }
        final int host = (channel - firstInjection) % graph.hostCount();
        final String at = graph.switchName(graph.hostSwitch(host));
        return (channel < firstEjection
                        ? graph.hostName(host) + " -> " + at
                        : at + " -> " + graph.hostName(host))
                + suffix;
    }
}
