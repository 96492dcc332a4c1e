package io.hxb.sim.flit;

import io.hxb.fabric.SwitchGraph;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Advances a network cycle by cycle. In each cycle packets are made, credits and flits arrive,
 * waiting headers get lanes, hosts send a flit each, and every input and every output of a switch
 * moves at most one flit: inputs choose a lane, then outputs choose an input. The same arguments
 * always give the same run. Used by one thread.
 */
public final class Simulator {
    private final FlitNetwork net;
    private final Packets packets = new Packets();
    private final Messages messages = new Messages();
    private final Hosts hosts;
    private final LaneAllocator allocator;
    private final TrafficSource traffic;
    private final TrafficSource.Sink sink;
    private final DeliveryListener listener;
    private final OutputSelection selection;
    private final ChannelView view;
    private final SplittableRandom random;
    private final IntWheel arrivals;
    private final IntWheel creditsBack;
    private final IntWheel bound;
    private final Bits activeInputs;
    private final int[] best;
    private final long[] bestKey;
    private final int[] wanted;
    private final int lanes;
    private final int creditCycles;
    private final int wakingCredits;
    private final boolean isStored;
    private final boolean isPacketwise;
    private final boolean hasLaneCrossbar;
    private final NetworkConfig.Arbitration arbitration;
    private int wantedCount;
    private long cycle;
    private long offered;
    private long accepted;
    private long delivered;
    private long refusedFlits;
    private int message = Messages.NONE;
    private int unoffered;

    /** Where packets come from. */
    private final class PacketSink implements TrafficSource.Sink {
        @Override
        public boolean offer(final int source, final int destination, final int flits) {
            return Simulator.this.offer(source, destination, flits);
        }

        @Override
        public void beginMessage(final int packetCount) {
            message = messages.begin(packetCount);
            unoffered = packetCount;
        }
    }

    /** What selections see. */
    private final class ChannelView implements OutputSelection.View {
        @Override
        public int lanes() {
            return lanes;
        }

        @Override
        public long now() {
            return cycle;
        }

        @Override
        public int packets(final int channel) {
            return net.packets[channel];
        }

        @Override
        public long flits(final int channel) {
            return net.flits[channel];
        }

        @Override
        public long lastHeader(final int channel) {
            return net.lastHeader[channel];
        }

        @Override
        public long lastFlit(final int channel) {
            return net.lastFlit[channel];
        }
    }

    /**
     * Prepares a run from an empty network.
     *
     * @param seed of random arbitration; routing, selection and traffic have their own.
     * @throws SimulationException if buffers are too small for the packets.
     */
    public Simulator(
            final SwitchGraph graph,
            final NetworkConfig config,
            final RouteFunction route,
            final OutputSelection selection,
            final TrafficSource traffic,
            final DeliveryListener listener,
            final long seed) {
        if (config.switching() != Switching.WORMHOLE && config.bufferFlits() < traffic.maxFlits()) {
            throw new SimulationException(
                    "with "
                            + config.switching().word()
                            + " switching a buffer holds a whole packet: it has "
                            + config.bufferFlits()
                            + " flits and the longest packet "
                            + traffic.maxFlits()
                            + "; make buffers larger, packets shorter, or use wormhole (wh)");
        }
        FlitNetwork.requireRoom(
                graph,
                config,
                Math.max(1, traffic.shortestFlits()),
                route.maxCandidates(),
                Runtime.getRuntime().maxMemory());
        this.net = new FlitNetwork(graph, config, Math.max(1, traffic.shortestFlits()));
        this.traffic = traffic;
        this.listener = listener;
        this.selection = selection;
        this.view = new ChannelView();
        this.random = new SplittableRandom(seed);
        this.hosts = new Hosts(net, packets, route);
        this.allocator = new LaneAllocator(net, packets, route, selection, view);
        this.sink = new PacketSink();
        this.arrivals =
                new IntWheel(
                        config.switchCycles()
                                + Math.max(config.linkCycles(), config.hostLinkCycles()));
        this.bound = allocator.bound();
        this.creditsBack = new IntWheel(config.creditCycles());
        this.activeInputs = new Bits(net.firstEjection);
        this.best = new int[net.channelCount];
        Arrays.fill(best, FlitNetwork.NONE);
        this.bestKey = new long[net.channelCount];
        this.wanted = new int[net.channelCount];
        this.lanes = net.lanes;
        this.creditCycles = config.creditCycles();
        // With fewer free places in a buffer no header's chance has changed.
        this.wakingCredits =
                config.isExclusive() ? config.bufferFlits() : Math.max(1, traffic.shortestFlits());
        this.isStored = config.switching() == Switching.STORE_AND_FORWARD;
        this.isPacketwise = config.isPacketwise();
        this.hasLaneCrossbar = config.hasLaneCrossbar();
        this.arbitration = config.arbitration();
    }

    private boolean offer(final int source, final int destination, final int flits) {
        offered += flits;
        final int own = unoffered > 0 ? message : Messages.NONE;
        unoffered -= unoffered > 0 ? 1 : 0;
        if (!hosts.hasRoom(source)) {
            refusedFlits += flits;
            if (own != Messages.NONE) {
                messages.refuse(own);
            }
            return false;
        }
        final int packet = packets.add(source, destination, flits, cycle);
        packets.message[packet] = own;
        hosts.add(source, packet);
        return true;
    }

    /**
     * Advances to a cycle, or until nothing is left to do.
     *
     * @return whether there is anything left to do.
     */
    public boolean runUntil(final long end) {
        while (cycle < end) {
            if (isIdle()) {
                final long next = traffic.next();
                if (next == TrafficSource.NEVER) {
                    return false;
                }
                if (next > cycle) {
                    cycle = Math.min(end, next);
                    continue;
                }
            }
            step();
        }
        return true;
    }

    private boolean isIdle() {
        return arrivals.size() == 0
                && creditsBack.size() == 0
                && bound.size() == 0
                && activeInputs.isEmpty()
                && hosts.isIdle()
                && allocator.isIdle();
    }

    private void step() {
        final long now = cycle;
        if (traffic.next() <= now) {
            traffic.emit(now, sink);
        }
        takeCredits(now);
        takeFlits(now);
        allocator.allocate();
        hosts.send(now, arrivals);
        startMoving(now);
        chooseLanes(now);
        moveFlits(now);
        cycle = now + 1;
    }

    private void takeCredits(final long now) {
        final int count = creditsBack.count(now);
        if (count == 0) {
            return;
        }
        final int[] due = creditsBack.due(now);
        for (int i = 0; i < count; i++) {
            takeCredit(due[i]);
        }
        creditsBack.clear(now);
    }

    private void takeCredit(final int lane) {
        net.credits[lane]++;
        final int owner = net.owner[lane];
        final int channel = net.channelOf[lane];
        if (owner >= net.laneCount) {
            hosts.wake(owner - net.laneCount);
        } else if (owner >= 0) {
            if (net.ready[owner] > 0 && net.output[owner] == lane) {
                markSendable(owner);
            }
        } else if (channel >= net.firstInjection) {
            hosts.wake(channel - net.firstInjection);
        } else if (net.credits[lane] >= wakingCredits) {
            allocator.wake(net.node[channel]);
        }
    }

    private void markSendable(final int lane) {
        final int channel = net.channelOf[lane];
        net.sendable[channel] |= 1L << (lane - channel * lanes);
        activeInputs.set(channel);
    }

    private void takeFlits(final long now) {
        final int count = arrivals.count(now);
        if (count == 0) {
            return;
        }
        final int[] due = arrivals.due(now);
        final int buffered = net.bufferedLanes;
        for (int i = 0; i < count; i++) {
            if (due[i] < buffered) {
                takeFlit(due[i]);
            } else {
                takeFlitAtHost(due[i], now);
            }
        }
        arrivals.clear(now);
    }

    private void takeFlit(final int lane) {
        int rest = net.arriving[lane];
        final boolean isHeader = rest == 0;
        if (isHeader) {
            rest = packets.length[net.packet(lane, net.arrived[lane])];
            net.arrived[lane]++;
        }
        net.arriving[lane] = --rest;
        net.ready[lane]++;
        if (isStored ? rest == 0 : isHeader) {
            // Only a packet that is alone in its buffer is in front, and has no lane yet.
            if (++net.heads[lane] == 1) {
                allocator.addHeader(lane);
            }
        }
        final int output = net.output[lane];
        if (output >= 0 && net.credits[output] > 0) {
            markSendable(lane);
        }
    }

    private void takeFlitAtHost(final int lane, final long now) {
        int rest = net.arriving[lane];
        if (rest == 0) {
            rest = packets.length[net.packet(lane, 0)];
        }
        net.arriving[lane] = --rest;
        net.credits[lane]++;
        accepted++;
        if (rest > 0) {
            return;
        }
        final int packet = net.packet(lane, 0);
        net.pop(lane);
        final int host = net.channelOf[lane] - net.firstEjection;
        if (packets.destination[packet] != host) {
            accepted -= packets.length[packet];
            hosts.addRelayed(host, packet);
            return;
        }
        delivered++;
        listener.onDelivered(
                packets.source[packet],
                host,
                packets.length[packet],
                packets.created[packet],
                packets.hops[packet],
                now);
        final int whole = packets.message[packet];
        if (whole != Messages.NONE && messages.end(whole)) {
            listener.onMessage(packets.created[packet], now);
        }
        traffic.onDelivered(packets.source[packet], host, now);
        packets.remove(packet);
    }

    /** Flits may move to the lanes that their headers got, now or some cycles ago. */
    private void startMoving(final long now) {
        final int count = bound.count(now);
        if (count == 0) {
            return;
        }
        final int[] due = bound.due(now);
        for (int i = 0; i < count; i++) {
            final int lane = due[i];
            final int to = -2 - net.output[lane];
            net.output[lane] = to;
            if (net.ready[lane] > 0 && net.credits[to] > 0) {
                markSendable(lane);
            }
        }
        bound.clear(now);
    }

    private void chooseLanes(final long now) {
        wantedCount = 0;
        final long[] words = activeInputs.words;
        for (int word = 0; word < words.length; word++) {
            long bits = words[word];
            while (bits != 0) {
                final int channel = (word << 6) + Long.numberOfTrailingZeros(bits);
                bits &= bits - 1;
                final long mask = net.sendable[channel];
                if (hasLaneCrossbar) {
                    for (long rest = mask; rest != 0; rest &= rest - 1) {
                        ask(channel * lanes + Long.numberOfTrailingZeros(rest), channel, now);
                    }
                } else if ((mask & (mask - 1)) == 0) {
                    ask(channel * lanes + Long.numberOfTrailingZeros(mask), channel, now);
                } else {
                    ask(channel * lanes + chooseLane(channel, mask), channel, now);
                }
            }
        }
    }

    private int chooseLane(final int channel, final long mask) {
        final int turn = net.laneTurn[channel];
        if (isPacketwise) {
            final int last = turn == 0 ? lanes - 1 : turn - 1;
            if ((mask >>> last & 1) != 0) {
                return last;
            }
        }
        if (arbitration == NetworkConfig.Arbitration.OLDEST) {
            return oldest(channel, mask);
        }
        final long after = mask & (-1L << turn);
        return Long.numberOfTrailingZeros(after != 0 ? after : mask);
    }

    private int oldest(final int channel, final long mask) {
        int oldest = -1;
        long created = Long.MAX_VALUE;
        for (long rest = mask; rest != 0; rest &= rest - 1) {
            final int v = Long.numberOfTrailingZeros(rest);
            final long age = packets.created[net.packet(channel * lanes + v, 0)];
            if (age < created) {
                created = age;
                oldest = v;
            }
        }
        return oldest;
    }

    private void ask(final int lane, final int input, final long now) {
        final int output = net.outputChannel[lane];
        if (net.hasSlowChannels && net.nextFree[output] >= (now + 1) << 8) {
            return;
        }
        if (best[output] == FlitNetwork.NONE) {
            wanted[wantedCount++] = output;
            best[output] = lane;
            bestKey[output] = Long.MIN_VALUE;
            return;
        }
        if (bestKey[output] == Long.MIN_VALUE) {
            final int rival = best[output];
            bestKey[output] = key(rival, net.channelOf[rival], output);
        }
        final long key = key(lane, input, output);
        if (key < bestKey[output]) {
            best[output] = lane;
            bestKey[output] = key;
        }
    }

    private long key(final int lane, final int input, final int output) {
        if (isPacketwise && net.served[output] == lane) {
            return -1;
        }
        return switch (arbitration) {
            case OLDEST -> packets.created[net.packet(lane, 0)];
            case RANDOM -> random.nextInt(Integer.MAX_VALUE);
            case ROUND_ROBIN -> {
                int away = net.inputIndex[input] - net.turn[output];
                away += away < 0 ? net.inputCount[output] : 0;
                yield ((long) away << 6) + ((lane - input * lanes - net.laneTurn[input]) & 63);
            }
        };
    }

    private void moveFlits(final long now) {
        for (int i = 0; i < wantedCount; i++) {
            final int output = wanted[i];
            final int lane = best[output];
            best[output] = FlitNetwork.NONE;
            move(lane, output, now);
        }
    }

    private void move(final int lane, final int output, final long now) {
        final int input = net.channelOf[lane];
        final int to = net.output[lane];
        final int v = lane - input * lanes;
        net.turn[output] = net.inputIndex[input] + 1;
        net.laneTurn[input] = v + 1 == lanes ? 0 : v + 1;
        net.served[output] = lane;
        net.flits[output]++;
        net.laneFlits[to]++;
        net.lastFlit[output] = now;
        if (net.hasSlowChannels) {
            net.nextFree[output] = Math.max(net.nextFree[output], now << 8) + net.period[output];
        }
        final int ready = --net.ready[lane];
        final int credits = --net.credits[to];
        arrivals.add(now + net.latency[output], to);
        creditsBack.add(now + creditCycles, lane);
        if (--net.left[lane] == 0) {
            stopSending(input, v);
            release(lane, to, output);
        } else if (ready == 0 || credits == 0) {
            stopSending(input, v);
        }
    }

    private void stopSending(final int input, final int v) {
        final long mask = net.sendable[input] & ~(1L << v);
        net.sendable[input] = mask;
        if (mask == 0) {
            activeInputs.clear(input);
        }
    }

    /** The tail has left: the lane goes to a waiting packet, and the next packet to the front. */
    private void release(final int lane, final int to, final int output) {
        net.owner[to] = FlitNetwork.NONE;
        net.output[lane] = FlitNetwork.NONE;
        if (--net.packets[output] == 0 && output < net.firstInjection) {
            selection.onIdle(view, output);
        }
        net.pop(lane);
        net.arrived[lane]--;
        if (--net.heads[lane] > 0) {
            allocator.addHeader(lane);
        }
        allocator.wake(net.node[output]);
    }

    /** The current cycle. */
    public long cycle() {
        return cycle;
    }

    /** Flits of all packets made so far, refused ones too. */
    public long offeredFlits() {
        return offered;
    }

    /** Flits that found their source's queue full. */
    public long refusedFlits() {
        return refusedFlits;
    }

    /** Flits that have reached their destination. */
    public long acceptedFlits() {
        return accepted;
    }

    /** Packets that have reached their destination. */
    public long deliveredPackets() {
        return delivered;
    }

    /** Packets in hosts' queues of which nothing has been sent. */
    public int queuedPackets() {
        return hosts.queued();
    }

    /** Packets in queues and in the network. */
    public int packetCount() {
        return packets.count();
    }

    /** Flits sent on each channel so far, {@code [channels + 2 * hosts]}, a new array. */
    public long[] flitsOfChannels() {
        return net.flits.clone();
    }

    /** Flits sent on the virtual channels between switches, {@code [channels * lanes]}, new. */
    public long[] flitsOfLanes() {
        return Arrays.copyOf(net.laneFlits, net.firstInjection * lanes);
    }

    /** Messages of which packets are in queues or in the network. */
    public int messageCount() {
        return messages.count();
    }

    /** Flits moved so far: every crossing of a channel counts. */
    public long flitMoves() {
        long moves = 0;
        for (final long flits : net.flits) {
            moves += flits;
        }
        return moves;
    }

    /**
     * Looks for packets that will never move again.
     *
     * @return describes the lanes that wait for each other, or null when there are none.
     */
    public String findDeadlock() {
        return new DeadlockFinder(net, allocator).find();
    }

    /**
     * Checks that no flit and no credit was lost and every lane has one owner.
     *
     * @throws IllegalStateException with what is wrong and where.
     */
    public void check() {
        new Conservation(net, packets, arrivals, creditsBack).check(hosts, accepted);
    }
}
