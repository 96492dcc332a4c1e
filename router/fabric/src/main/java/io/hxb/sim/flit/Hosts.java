package io.hxb.sim.flit;

import java.util.Arrays;

/** The hosts' queues and the sending of flits into the network. Owned by a run. */
final class Hosts {
    private final FlitNetwork network;
    private final Packets packets;
    private final RouteFunction route;
    private final IntQueues waiting;
    private final IntQueues relayed;
    private final Bits active;
    private final int[] lane;
    private final int[] left;
    private final int[] turn;
    private final boolean isOrdered;
    private int queued;
    private long sent;

    Hosts(final FlitNetwork network, final Packets packets, final RouteFunction route) {
        this.network = network;
        this.packets = packets;
        this.route = route;
        final int count = network.graph.hostCount();
        this.waiting = new IntQueues(count);
        this.relayed = new IntQueues(count);
        this.active = new Bits(count);
        this.lane = new int[count];
        Arrays.fill(lane, FlitNetwork.NONE);
        this.left = new int[count];
        this.turn = new int[count];
        this.isOrdered = route.maxCandidates() == 1;
    }

    /** Whether the queue of a host has room. */
    boolean hasRoom(final int host) {
        final int most = network.config.queuePackets();
        return most == 0 || waiting.count(host) < most;
    }

    /** Takes a new packet. */
    void add(final int host, final int packet) {
        waiting.add(host, packet);
        queued++;
        active.set(host);
    }

    /** Takes a packet on its way, which goes before new ones. */
    void addRelayed(final int host, final int packet) {
        relayed.add(host, packet);
        queued++;
        active.set(host);
    }

    /** Something that a host may have waited for has happened. */
    void wake(final int host) {
        active.set(host);
    }

    boolean isIdle() {
        return active.isEmpty();
    }

    /** Packets in queues, none of whose flits has been sent. */
    int queued() {
        return queued;
    }

    /** Flits sent so far. */
    long sent() {
        return sent;
    }

    int lane(final int host) {
        return lane[host];
    }

    /** Every host that can sends one flit. */
    void send(final long now, final IntWheel arrivals) {
        final long[] words = active.words;
        for (int word = 0; word < words.length; word++) {
            long bits = words[word];
            while (bits != 0) {
                final int host = (word << 6) + Long.numberOfTrailingZeros(bits);
                bits &= bits - 1;
                if (lane[host] == FlitNetwork.NONE && !start(host, now)) {
                    active.clear(host);
                } else {
                    sendFlit(host, now, arrivals);
                }
            }
        }
    }

    private void sendFlit(final int host, final long now, final IntWheel arrivals) {
        final FlitNetwork net = network;
        final int to = lane[host];
        final int channel = net.firstInjection + host;
        if (net.credits[to] == 0) {
            active.clear(host);
            return;
        }
        if (net.hasSlowChannels) {
            if (net.nextFree[channel] >= (now + 1) << 8) {
                return;
            }
            net.nextFree[channel] = Math.max(net.nextFree[channel], now << 8) + net.period[channel];
        }
        net.credits[to]--;
        net.flits[channel]++;
        sent++;
        arrivals.add(now + net.latency[channel], to);
        if (--left[host] == 0) {
            net.owner[to] = FlitNetwork.NONE;
            net.packets[channel]--;
            lane[host] = FlitNetwork.NONE;
        }
    }

    /** Gives the first packet of the queue a lane. */
    private boolean start(final int host, final long now) {
        final boolean isRelay = relayed.count(host) > 0;
        if (!isRelay && waiting.count(host) == 0) {
            return false;
        }
        final int packet = isRelay ? relayed.peek(host) : waiting.peek(host);
        final int to = choose(host, packet);
        if (to == FlitNetwork.NONE) {
            return false;
        }
        if (isRelay) {
            relayed.remove(host);
        } else {
            waiting.remove(host);
            packets.copy[packet] =
                    route.copies() == 1 ? 0 : copy(packets.source[packet], packet, route.copies());
        }
        queued--;
        lane[host] = to;
        left[host] = packets.length[packet];
        network.owner[to] = network.laneCount + host;
        network.packets[network.firstInjection + host]++;
        network.lastHeader[network.firstInjection + host] = now;
        network.push(to, packet);
        return true;
    }

    /** Any copy, always the same for one pair of hosts, so that their packets stay in order. */
    private int copy(final int source, final int packet, final int copies) {
        long hash = source * 0x9E3779B97F4A7C15L + packets.destination[packet];
        hash = (hash ^ (hash >>> 32)) * 0xD6E8FEB86659FD93L;
        return (int) ((hash >>> 33) % copies);
    }

    private int choose(final int host, final int packet) {
        final int first = (network.firstInjection + host) * network.lanes;
        final int flits = packets.length[packet];
        if (isOrdered && network.lanes > 1) {
            final int same = laneOf(first, packets.destination[packet]);
            if (same != FlitNetwork.NONE) {
                return network.canTake(same, flits) ? same : FlitNetwork.NONE;
            }
        }
        for (int i = 0; i < network.lanes; i++) {
            final int v = (turn[host] + i) % network.lanes;
            if (network.canTake(first + v, flits)) {
                turn[host] = (v + 1) % network.lanes;
                return first + v;
            }
        }
        return FlitNetwork.NONE;
    }

    /** The lane in which a packet for the same host still is: a later one must not overtake it. */
    private int laneOf(final int first, final int destination) {
        for (int lane = first; lane < first + network.lanes; lane++) {
            for (int i = 0; i < network.count[lane]; i++) {
                if (packets.destination[network.packet(lane, i)] == destination) {
                    return lane;
                }
            }
        }
        return FlitNetwork.NONE;
    }
}
