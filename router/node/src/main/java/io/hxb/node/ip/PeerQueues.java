package io.hxb.node.ip;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.flow.ContextKind;
import io.hxb.tap.VirtioHeader;

import java.util.ArrayDeque;

/**
 * What goes to one other node: packets that wait, each connection in a queue of its own so that
 * they share fairly and those with little to send wait for nobody, and packets that its flows have
 * and the node has not acknowledged. Owned by one loop. Source: RFC 8290.
 *
 * <p>A connection takes one flow at a time, the short or the bulk one, and changes when all its
 * packets were handed over, so that their order stays. Until then it waits.
 */
final class PeerQueues {
    private static final int QUEUES = 32;
    private static final int QUANTUM_BYTES = 8_192;

    /** Bytes that wait in the flows themselves. */
    private static final int SHORT_FLOW_BYTES = 64 << 10;

    private static final int BULK_FLOW_BYTES = 256 << 10;

    /** Id of the node. */
    final int node;

    /** The flow of connections with short packets and few of them. */
    final PacketFlow shortFlow;

    /** The flow of all others. */
    final PacketFlow bulkFlow;

    /** Whether the node takes packets. */
    final PeerPresence presence = new PeerPresence();

    private final PacketSlots slots;
    private final CounterBlock counters;
    private final PacketQueue[] queues = new PacketQueue[QUEUES];

    /** Connections that change their flow when their packets were handed over. */
    private final ArrayDeque<PacketQueue> changing = new ArrayDeque<>(QUEUES + 1);

    private int largeSlots;
    private int smallSlots;
    private int waiting;
    private boolean isActive;
    private boolean hasChanged;

    PeerQueues(final int node, final PacketSlots slots, final CounterBlock counters) {
        this.node = node;
        this.slots = slots;
        this.counters = counters;
        shortFlow = new PacketFlow(IpService.SHORT_END, SHORT_FLOW_BYTES, slots, QUEUES);
        bulkFlow = new PacketFlow(IpService.BULK_END, BULK_FLOW_BYTES, slots, QUEUES);
        for (int i = 0; i < QUEUES; i++) {
            queues[i] = new PacketQueue(i, slots);
        }
    }

    /**
     * True if it may have another slot: it has fewer of that size than are free, so that none takes
     * all. Source: Choudhury and Hahne, Dynamic queue length thresholds for shared-memory packet
     * switches, 1998.
     */
    boolean hasRoom(final boolean isLarge) {
        return isLarge ? largeSlots < slots.freeLarge() : smallSlots < slots.freeSmall();
    }

    /** True if packets wait. */
    boolean hasWaiting() {
        return waiting > 0;
    }

    /** True if it is among those whose packets wait; see {@link #activate}. */
    boolean isActive() {
        return isActive;
    }

    void activate(final boolean isNowActive) {
        isActive = isNowActive;
    }

    private PacketFlow flow(final int end) {
        return ContextKind.number(end) == ContextKind.SHORT_PACKETS ? shortFlow : bulkFlow;
    }

    /**
     * The connection of a packet that comes now, with the flow that it takes.
     *
     * @param hash of the packet, {@link PacketHeaders#hash}.
     */
    PacketQueue connection(final int hash, final int lengthBytes, final long nowNs) {
        final PacketQueue queue = queues[hash & QUEUES - 1];
        queue.onPacket(lengthBytes, nowNs);
        if (queue.flow() == null) {
            queue.change(wanted(queue, nowNs));
        } else if (!queue.isListed() && queue.mayChange()) {
            change(queue, nowNs);
        }
        return queue;
    }

    private PacketFlow wanted(final PacketQueue queue, final long nowNs) {
        return queue.isBulk(nowNs) ? bulkFlow : shortFlow;
    }

    private void change(final PacketQueue queue, final long nowNs) {
        final PacketFlow wanted = wanted(queue, nowNs);
        if (queue.flow() != wanted) {
            queue.change(wanted);
            counters.increment(CounterType.IP_FLOW_CHANGES_EVENTS);
        }
    }

    /** A packet in a slot comes last in the queue of its connection. */
    void add(final PacketQueue queue, final int slot, final long nowNs) {
        count(slot, 1);
        waiting++;
        queue.packets.add(slot, nowNs);
        queue.onAdded(slots.lengthBytes(slot));
        if (!queue.isListed()) {
            list(queue);
        }
    }

    private void list(final PacketQueue queue) {
        queue.begin(QUANTUM_BYTES);
        queue.flow().addFresh(queue);
    }

    /** Lets connections go on that have waited to change their flow. */
    void resumeChanging(final long nowNs) {
        for (int left = changing.size(); left > 0; left--) {
            final PacketQueue queue = changing.poll();
            if (queue.packets.isEmpty()) {
                queue.end();
            } else if (queue.mayChange()) {
                change(queue, nowNs);
                list(queue);
            } else if (queue.flow().hasEnded()) {
                list(queue);
            } else {
                changing.add(queue);
            }
        }
    }

    /** True once after connections have changed from one flow to the other. */
    boolean takeChanged() {
        final boolean had = hasChanged;
        hasChanged = false;
        return had;
    }

    /**
     * Takes the packet whose turn it is on a flow out of its queue; on the way, those that have
     * waited for too long are marked or dropped.
     *
     * @return its slot, or {@link PacketSlots#NONE} if none waits.
     */
    int poll(final PacketFlow flow, final long nowNs) {
        while (true) {
            final boolean isFresh = flow.isFreshFirst();
            final PacketQueue queue = flow.first();
            if (queue == null) {
                return PacketSlots.NONE;
            }
            if (leaves(flow, queue, nowNs)) {
                continue;
            }
            if (!queue.hasTurn(QUANTUM_BYTES)) {
                flow.age();
                continue;
            }
            final int slot = poll(queue, nowNs);
            if (slot != PacketSlots.NONE) {
                queue.onPolled(slots.lengthBytes(slot));
                return slot;
            }
            // One that was new goes round once more, so that it cannot be new again at once.
            if (isFresh && flow.hasAged()) {
                flow.age();
            } else {
                flow.poll().end();
            }
        }
    }

    /**
     * A connection that belongs into the other flow leaves this one, at once or as soon as it may.
     */
    private boolean leaves(final PacketFlow flow, final PacketQueue queue, final long nowNs) {
        if (queue.packets.isEmpty() || wanted(queue, nowNs) == flow) {
            return false;
        }
        if (queue.mayChange()) {
            flow.poll();
            change(queue, nowNs);
            list(queue);
            hasChanged = true;
            return true;
        }
        // After the flow has ended only what it carries next shows that the old one is over.
        if (flow.hasEnded()) {
            return false;
        }
        changing.add(flow.poll());
        return true;
    }

    private int poll(final PacketQueue queue, final long nowNs) {
        int slot = queue.packets.poll();
        while (slot != PacketSlots.NONE) {
            waiting--;
            final long waitedNs = nowNs - slots.timeNs(slot);
            if (!queue.codel.isDue(waitedNs, nowNs, queue.packets.isEmpty())) {
                return slot;
            }
            final long frame = slots.address(slot) + VirtioHeader.LENGTH;
            if (PacketHeaders.mark(frame, slots.lengthBytes(slot) - VirtioHeader.LENGTH)) {
                counters.increment(CounterType.IP_MARKED_PACKETS);
                return slot;
            }
            counters.increment(CounterType.IP_DROPPED_DELAYED_PACKETS);
            free(slot);
            slot = queue.packets.poll();
        }
        return slot;
    }

    /** A packet that was polled is the flow's. */
    void onSubmitted(final PacketFlow flow, final int slot, final long nowNs) {
        queues[slots.queue(slot)].onSubmitted(flow.onSubmitted(slot, nowNs));
    }

    /** The flow with that end is done with a packet, which has arrived or not; returns the flow. */
    PacketFlow onDone(final int end, final int slot, final boolean hasArrived) {
        final PacketFlow flow = flow(end);
        flow.onDone(slot, hasArrived);
        free(slot);
        return flow;
    }

    /** Frees the slot of a packet that is in no list. */
    private void free(final int slot) {
        count(slot, -1);
        queues[slots.queue(slot)].onFreed(slots.lengthBytes(slot));
        slots.free(slot);
    }

    private void count(final int slot, final int change) {
        if (slots.isLarge(slot)) {
            largeSlots += change;
        } else {
            smallSlots += change;
        }
    }

    /** Drops packets that have waited for {@code ageNs}; returns how many. */
    int dropOld(final long ageNs, final long nowNs) {
        int dropped = 0;
        for (int i = 0; i < QUEUES && waiting > 0; i++) {
            final SlotList packets = queues[i].packets;
            while (!packets.isEmpty() && nowNs - slots.timeNs(packets.first()) >= ageNs) {
                free(packets.poll());
                waiting--;
                dropped++;
            }
        }
        return dropped;
    }

    /** Forgets all packets that wait. */
    void clear() {
        for (final PacketQueue queue : queues) {
            while (!queue.packets.isEmpty()) {
                free(queue.packets.poll());
                waiting--;
            }
        }
    }
}
