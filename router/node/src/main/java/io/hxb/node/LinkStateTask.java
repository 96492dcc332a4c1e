package io.hxb.node;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.forward.FrameSource;
import io.hxb.forward.kernel.KernelRelay;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.SealFlyweight;
import io.hxb.link.BufferPool;
import io.hxb.linkstate.Adjacency;
import io.hxb.linkstate.LinkStates;
import io.hxb.node.loop.Loop;
import io.hxb.routing.CablingMap;
import io.hxb.routing.GraphRoutes;
import io.hxb.time.Deadline;
import io.hxb.topology.Shape;
import io.hxb.trunk.Port;
import io.hxb.trunk.health.LinkEvent;
import io.hxb.trunk.health.LinkListener;
import io.hxb.trunk.health.TrunkHealth;

import java.util.ArrayList;
import java.util.List;

/**
 * Tells the neighbours which cables this node has, passes on what they tell, and gives the routes
 * of the map to all loops. Owned by the node's first loop; other loops only mark that there is
 * something to look at.
 */
final class LinkStateTask implements LinkListener {
    /** Longest body: with a header and a seal in one frame of Ethernet. */
    static final int MAX_BODY_BYTES = 1_336;

    /** Time between two looks at the shares of the links, which change by themselves. */
    private static final long LOOK_NS = 200_000_000L;

    private final Cabling cabling;
    private final LinkStates states;
    private final CablingMap map;
    private final Shape shape;
    private final int here;
    private final List<Port> ports;
    private final KernelRelay relay;
    private final int[] megabits;
    private final BufferPool.Share share;
    private final FrameSource output;
    private final CounterBlock counters;
    private final int maxBodyBytes;
    private final boolean[] isNeighbour;
    private final FrameHeaderFlyweight header = new FrameHeaderFlyweight();
    private List<Adjacency> told = List.of();
    private int versionSeen;
    private long lookNs;
    private long dueNs;
    private boolean hasStarted;

    /**
     * Makes the task of a node.
     *
     * @param loop the node's first loop.
     * @param share of that loop.
     * @param output of that loop.
     * @param megabits what each link claims to carry, Mbit/s, 0 for unknown, {@code [links]}.
     */
    LinkStateTask(
            final NodeParts parts,
            final Loop loop,
            final BufferPool.Share share,
            final FrameSource output,
            final int[] megabits) {
        cabling = parts.cabling();
        states = cabling.states();
        map = cabling.map();
        shape = parts.config().shape();
        here = parts.nodeId();
        ports = parts.links().ports();
        relay = parts.links().relay();
        this.megabits = megabits.clone();
        this.share = share;
        this.output = output;
        counters = parts.counters().ofLoop(0);
        maxBodyBytes =
                Math.min(
                        MAX_BODY_BYTES,
                        parts.links().minMtuBytes()
                                - FrameHeaderFlyweight.LENGTH
                                - SealFlyweight.LENGTH);
        isNeighbour = new boolean[shape.nodeCount()];
        final TrunkHealth health = parts.neighbourhood().health();
        health.addListener(this);
        cabling.driver(loop::wakeUp);
    }

    @Override
    public void onLinkEvent(final LinkEvent event) {
        cabling.onNews();
    }

    /** True if there is something to look at before the deadline. */
    boolean hasNews() {
        return cabling.hasNews();
    }

    /** When there is something to do, unless there is news before. */
    long nextDeadlineNs() {
        return hasStarted ? dueNs : Deadline.NEVER;
    }

    /** Looks at the links, sends what is due, and takes a new map. */
    void doWork(final long nowNs) {
        final boolean hasNews = cabling.takeNews();
        if (!hasNews && hasStarted && dueNs - nowNs > 0) {
            return;
        }
        final boolean isLookDue = hasNews || !hasStarted || lookNs - nowNs <= 0;
        hasStarted = true;
        if (isLookDue) {
            lookNs = nowNs + LOOK_NS;
            look(nowNs);
        }
        sendDue(nowNs);
        final int version = states.version();
        if (version != versionSeen) {
            versionSeen = version;
            final GraphRoutes routes = states.graph().routes();
            map.replace(routes);
            for (int node = 0; node < shape.nodeCount(); node++) {
                relay.nextHop(node, node == here ? GraphRoutes.NONE : routes.next(here, node));
            }
            counters.increment(CounterType.MAP_CHANGES_EVENTS);
        }
        final long soonNs = states.nextDueNs(nowNs);
        dueNs = Deadline.earlier(soonNs, lookNs);
    }

    /** Tells the neighbours that this node stops, so that they need not find out. */
    void stop(final long nowNs) {
        states.stop(nowNs);
        sendDue(nowNs);
        output.flush();
    }

    private void sendDue(final long nowNs) {
        int neighbour = states.nextDue(nowNs);
        while (neighbour >= 0 && send(neighbour, nowNs)) {
            neighbour = states.nextDue(nowNs);
        }
    }

    private void look(final long nowNs) {
        final List<Adjacency> seen = new ArrayList<>();
        for (int neighbour = 0; neighbour < isNeighbour.length; neighbour++) {
            final Adjacency adjacency = adjacency(neighbour);
            final boolean isReached = adjacency != null;
            if (isReached) {
                seen.add(adjacency);
            }
            if (isReached != isNeighbour[neighbour]) {
                isNeighbour[neighbour] = isReached;
                if (isReached) {
                    states.neighbourUp(neighbour, nowNs);
                } else {
                    states.neighbourDown(neighbour);
                }
            }
        }
        if (!seen.equals(told)) {
            told = seen;
            states.own(seen, nowNs);
        }
    }

    // Null if no link reaches the node.
    private Adjacency adjacency(final int neighbour) {
        int links = 0;
        long capacity = 0;
        int mtuBytes = Integer.MAX_VALUE;
        if (neighbour != here) {
            for (int i = 0; i < ports.size(); i++) {
                final Port port = ports.get(i);
                if (port.isUsable(neighbour)) {
                    links++;
                    capacity += (long) Math.max(1, megabits[i]) * port.weight(neighbour);
                    mtuBytes = Math.min(mtuBytes, port.link().mtuBytes());
                }
            }
        }
        final long megabit = Math.max(1, capacity / Port.FULL_WEIGHT);
        return links == 0 ? null : new Adjacency(neighbour, links, mtuBytes, megabit);
    }

    // False if there is no buffer: it stays due.
    private boolean send(final int neighbour, final long nowNs) {
        final int id = share.acquire();
        if (id == BufferPool.NONE) {
            return false;
        }
        header.wrap(share.pool().headerAddress(id)).clear();
        final int bytes = states.fill(neighbour, header.bodyAddress(), maxBodyBytes, nowNs);
        if (bytes == 0) {
            share.release(id);
            return true;
        }
        header.type(FrameType.LINK_STATE)
                .destination(shape.coordinates(neighbour))
                .bodyLength(bytes);
        final int length = FrameHeaderFlyweight.LENGTH + bytes;
        if (output.sendToNeighbour(output.outgoing().wrap(header.address(), length, share, id))
                < 0) {
            // What it has is sent again.
            share.release(id);
            return true;
        }
        counters.increment(CounterType.MAP_SENT_FRAMES);
        counters.add(CounterType.MAP_SENT_BYTES, length);
        return true;
    }
}
