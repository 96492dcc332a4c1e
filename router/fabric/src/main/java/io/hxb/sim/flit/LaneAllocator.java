package io.hxb.sim.flit;

/** Gives waiting headers their next lane, first come, first served. Owned by a run. */
final class LaneAllocator {
    private static final int TO_HOST = -1;

    private final FlitNetwork network;
    private final Packets packets;
    private final RouteFunction route;
    private final boolean isPerHost;
    private final OutputSelection selection;
    private final OutputSelection.View view;
    private final Bits awake;
    private final int[] waitingStart;
    private final int[] waiting;
    private final int[] waitingCount;
    private final int stride;
    private final int[] candidates;
    private final int[] candidateCount;
    private final int[] free;
    private final int[][] hostsOf;
    private final IntWheel bound;

    LaneAllocator(
            final FlitNetwork network,
            final Packets packets,
            final RouteFunction route,
            final OutputSelection selection,
            final OutputSelection.View view) {
        this.network = network;
        this.packets = packets;
        this.route = route;
        this.isPerHost = route.isPerHost();
        this.selection = selection;
        this.view = view;
        final int switches = network.graph.switchCount();
        this.awake = new Bits(switches);
        this.waitingStart = new int[switches + 1];
        for (int channel = 0; channel < network.firstEjection; channel++) {
            waitingStart[network.target[channel] + 1] += network.lanes;
        }
        for (int node = 0; node < switches; node++) {
            waitingStart[node + 1] += waitingStart[node];
        }
        this.waiting = new int[network.bufferedLanes];
        this.waitingCount = new int[switches];
        this.stride = route.maxCandidates();
        this.candidates = new int[Math.multiplyExact(network.bufferedLanes, stride)];
        this.candidateCount = new int[network.bufferedLanes];
        this.free = new int[Math.max(stride, network.lanes)];
        this.hostsOf = hostsOf();
        this.bound = new IntWheel(network.config.allocationCycles() + 1);
    }

    private int[][] hostsOf() {
        final int[] counts = network.graph.hostCounts();
        final int[][] hosts = new int[counts.length][];
        for (int node = 0; node < counts.length; node++) {
            hosts[node] = new int[counts[node]];
        }
        for (int host = network.graph.hostCount() - 1; host >= 0; host--) {
            final int node = network.graph.hostSwitch(host);
            hosts[node][--counts[node]] = host;
        }
        return hosts;
    }

    /** A lane's first packet has come; it is routed and waits. */
    void addHeader(final int lane) {
        final FlitNetwork net = network;
        final int packet = net.packet(lane, 0);
        net.left[lane] = packets.length[packet];
        final int channel = net.channelOf[lane];
        final int node = net.target[channel];
        final int destination = packets.destination[packet];
        final int to = net.graph.hostSwitch(destination);
        if (node == to) {
            candidateCount[lane] = TO_HOST;
            candidates[lane * stride] = destination;
        } else {
            final int written =
                    route.route(
                            net.graph.hostSwitch(packets.source[packet]),
                            channel < net.firstInjection ? lane : RouteFunction.FROM_HOST,
                            node,
                            isPerHost ? destination : to,
                            packets.hops[packet],
                            packets.copy[packet],
                            candidates,
                            lane * stride);
            candidateCount[lane] = written < 0 ? TO_HOST : written;
            if (written < 0) {
                candidates[lane * stride] = hostsOf[node][packet % hostsOf[node].length];
            }
        }
        waiting[waitingStart[node] + waitingCount[node]++] = lane;
        awake.set(node);
    }

    /** A lane that leaves a switch may have become free. */
    void wake(final int node) {
        if (waitingCount[node] > 0) {
            awake.set(node);
        }
    }

    /** Serves the switches where something has changed. */
    void allocate() {
        final long[] words = awake.words;
        for (int word = 0; word < words.length; word++) {
            long bits = words[word];
            words[word] = 0;
            while (bits != 0) {
                serve((word << 6) + Long.numberOfTrailingZeros(bits));
                bits &= bits - 1;
            }
        }
    }

    boolean isIdle() {
        return awake.isEmpty();
    }

    private void serve(final int node) {
        final int start = waitingStart[node];
        final int count = waitingCount[node];
        int kept = 0;
        for (int i = 0; i < count; i++) {
            final int lane = waiting[start + i];
            final int to = choose(lane, node);
            if (to == FlitNetwork.NONE) {
                waiting[start + kept++] = lane;
            } else {
                bind(lane, to);
            }
        }
        waitingCount[node] = kept;
    }

    private int choose(final int lane, final int node) {
        final FlitNetwork net = network;
        final int count = candidateCount[lane];
        final int row = lane * stride;
        if (count == TO_HOST) {
            return freeToHost(candidates[row]);
        }
        final int flits = net.left[lane];
        if (count == 1) {
            return net.canTake(candidates[row], flits) ? candidates[row] : FlitNetwork.NONE;
        }
        int freeCount = 0;
        for (int i = 0; i < count; i++) {
            if (net.canTake(candidates[row + i], flits)) {
                free[freeCount++] = candidates[row + i];
            }
        }
        if (freeCount <= 1) {
            return freeCount == 0 ? FlitNetwork.NONE : free[0];
        }
        final int to = net.graph.hostSwitch(packets.destination[net.packet(lane, 0)]);
        return selection.select(view, node, to, free, freeCount);
    }

    private int freeToHost(final int host) {
        final int first = (network.firstEjection + host) * network.lanes;
        for (int lane = first; lane < first + network.lanes; lane++) {
            if (network.owner[lane] == FlitNetwork.NONE) {
                return lane;
            }
        }
        return FlitNetwork.NONE;
    }

    private void bind(final int lane, final int to) {
        final FlitNetwork net = network;
        final int channel = net.channelOf[to];
        final int packet = net.packet(lane, 0);
        net.owner[to] = lane;
        net.output[lane] = -2 - to;
        net.outputChannel[lane] = channel;
        net.push(to, packet);
        if (channel < net.firstInjection) {
            packets.hops[packet]++;
            selection.onHeader(view, to);
        }
        net.packets[channel]++;
        net.lastHeader[channel] = view.now();
        bound.add(view.now() + net.config.allocationCycles(), lane);
    }

    /** The lanes whose first packet may move from now on, because it got a lane before. */
    IntWheel bound() {
        return bound;
    }

    /** Number of lanes that the packet in front of a lane may take, 0 when it does not wait. */
    int candidates(final int lane, final int[] out) {
        if (candidateCount[lane] == TO_HOST) {
            final int first = (network.firstEjection + candidates[lane * stride]) * network.lanes;
            for (int v = 0; v < network.lanes; v++) {
                out[v] = first + v;
            }
            return network.lanes;
        }
        System.arraycopy(candidates, lane * stride, out, 0, candidateCount[lane]);
        return candidateCount[lane];
    }

    int maxCandidates() {
        return free.length;
    }
}
