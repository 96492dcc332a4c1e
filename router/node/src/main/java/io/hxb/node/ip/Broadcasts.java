package io.hxb.node.ip;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.flow.ContextKind;
import io.hxb.tap.VirtioHeader;
import io.hxb.time.TokenBucket;
import io.hxb.topology.Shape;

import java.lang.foreign.Arena;

/**
 * Packets for all nodes: those of this machine, and those of other nodes, which it passes on along
 * the {@link BroadcastTree} of where they began. A node below which is not known to pass packets on
 * gets its copy as well, and the nodes below that node get theirs from here. Owned by one loop;
 * what is said otherwise may be called by any.
 */
final class Broadcasts {
    /** Packets of this machine, and of others to be passed on, a second, and at once. */
    private static final int OWN_PER_SECOND = 1_000;

    private static final int OWN_AT_ONCE = 100;
    private static final int FOREIGN_PER_SECOND = 4_000;
    private static final int FOREIGN_AT_ONCE = 400;
    private static final int FOREIGN_PER_TURN = 16;

    /** Room for some hundreds of packets of an ordinary MTU. */
    private static final int QUEUE_BYTES = 1 << 20;

    private final int node;
    private final Shape shape;
    private final BroadcastTree tree;
    private final PeerTenants tenants;
    private final Copier copier;
    private final CopyQueue queue;
    private final TokenBucket own = new TokenBucket(OWN_AT_ONCE, 1_000_000_000L / OWN_PER_SECOND);
    private final TokenBucket foreign =
            new TokenBucket(FOREIGN_AT_ONCE, 1_000_000_000L / FOREIGN_PER_SECOND);

    /** Made once, so that nothing is allocated for a packet. */
    private final BroadcastTree.Sender sender = this::send;

    private CounterBlock counters;
    private Neighbours neighbours;
    private Runnable wakeUp;

    /** The packet that is copied now. */
    private long packet;

    private int lengthBytes;
    private int hash;

    /** Puts copies into the queues of nodes. */
    interface Copier {
        /**
         * Copies a packet for a node.
         *
         * @param hash {@link PacketHeaders#hash} of it.
         * @return false if it was dropped and counted.
         */
        boolean copy(int node, long packet, int lengthBytes, int hash, int tag);

        /** True if the last packet for the node did not arrive. */
        boolean isFailing(int node);
    }

    Broadcasts(
            final IpSetup setup,
            final PeerTenants tenants,
            final Copier copier,
            final Arena arena) {
        node = setup.node();
        shape = setup.shape();
        tree = new BroadcastTree(shape);
        this.tenants = tenants;
        this.copier = copier;
        queue = new CopyQueue(arena, QUEUE_BYTES);
    }

    /** Begins; {@code wakeUp} lets the owner work. */
    void start(
            final CounterBlock itsCounters,
            final Neighbours itsNeighbours,
            final Runnable itsWake) {
        counters = itsCounters;
        neighbours = itsNeighbours;
        wakeUp = itsWake;
    }

    /**
     * True if a packet for all nodes may come from a node; any loop.
     *
     * @param origin node whose packet it is.
     * @param source node that has sent it here.
     */
    boolean maySend(final int origin, final int source) {
        return origin == source || tree.isBelow(origin, node, source);
    }

    /**
     * A packet from another node is to be passed on; any loop.
     *
     * @param source node that has sent it here.
     */
    void onPacket(final int origin, final int source, final long arrived, final int bytes) {
        if (!tenants.isSame(source)) {
            return;
        }
        if (queue.put(origin, arrived, bytes)) {
            wakeUp.run();
        } else {
            counters.addShared(CounterType.IP_DROPPED_FULL_PACKETS, 1);
        }
    }

    /** True if packets are to be passed on; any loop. */
    boolean hasWork() {
        return !queue.isEmpty();
    }

    /** Passes on what has arrived; returns how many packets. */
    int passOn(final long nowNs) {
        int packets = 0;
        long entry = queue.peek();
        while (entry != 0) {
            if (foreign.take(nowNs)) {
                counters.increment(CounterType.IP_FORWARDED_PACKETS);
                spread(
                        CopyQueue.origin(entry),
                        CopyQueue.packet(entry),
                        CopyQueue.lengthBytes(entry));
            } else {
                counters.increment(CounterType.IP_DROPPED_RATE_PACKETS);
            }
            queue.remove();
            packets++;
            entry = packets < FOREIGN_PER_TURN ? queue.peek() : 0;
        }
        return packets;
    }

    /** Sends a packet of this machine to all nodes. */
    void sendToAll(final long sent, final int bytes, final long nowNs) {
        if (own.take(nowNs)) {
            spread(node, sent, bytes);
        } else {
            counters.increment(CounterType.IP_DROPPED_RATE_PACKETS);
        }
    }

    private void spread(final int origin, final long copied, final int bytes) {
        packet = copied;
        lengthBytes = bytes;
        hash = PacketHeaders.hash(copied + VirtioHeader.LENGTH, bytes - VirtioHeader.LENGTH);
        tree.spread(origin, node, sender);
    }

    private boolean send(final int to) {
        final boolean passesOn = !copier.isFailing(to) && tenants.isSame(to) && isReached(to);
        return copier.copy(
                        to, packet, lengthBytes, hash, passesOn ? ContextKind.PASSED_ON_PACKET : 0)
                && passesOn;
    }

    /** False for a node on a line of this one to which no link leads; others are not known. */
    private boolean isReached(final int to) {
        final long here = shape.coordinates(node);
        final long there = shape.coordinates(to);
        if (Shape.distance(here, there) != 1) {
            return true;
        }
        final int dimension = Long.numberOfTrailingZeros(here ^ there) / Byte.SIZE;
        return neighbours.isReached(dimension, Shape.coordinate(there, dimension));
    }
}
