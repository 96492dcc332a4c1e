package io.hxb.node.ip;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.tap.VirtioHeader;

import java.util.ArrayDeque;

/**
 * What goes to one other node: packets that wait, each connection in a queue of its own so that
 * they share fairly and those with little to send wait for nobody, and packets that its flow has
 * and the node has not acknowledged. Owned by one loop. Source: RFC 8290.
 */
final class PeerQueues {
    private static final int QUEUES = 32;
    private static final int QUANTUM_BYTES = 8_192;

    /** Id of the node. */
    final int node;

    /** Packets of its flow. */
    final SlotList unacknowledged;

    private final PacketSlots slots;
    private final CounterBlock counters;
    private final PacketQueue[] queues = new PacketQueue[QUEUES];
    private final ArrayDeque<PacketQueue> fresh = new ArrayDeque<>(QUEUES + 1);
    private final ArrayDeque<PacketQueue> aged = new ArrayDeque<>(QUEUES + 1);
    private int largeSlots;
    private int smallSlots;
    private int waiting;
    private boolean isActive;
    private boolean isOverdue;
    private long silentUntilNs;
    private boolean isSilent;

    PeerQueues(final int node, final PacketSlots slots, final CounterBlock counters) {
        this.node = node;
        this.slots = slots;
        this.counters = counters;
        unacknowledged = new SlotList(slots);
        for (int i = 0; i < QUEUES; i++) {
            queues[i] = new PacketQueue(slots);
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

    /** Packets for it are dropped for some time: its node does not take them. */
    void silence(final long untilNs) {
        isSilent = true;
        silentUntilNs = untilNs;
    }

    /** True while packets for it are dropped. */
    boolean isSilent(final long nowNs) {
        isSilent &= nowNs - silentUntilNs < 0;
        return isSilent;
    }

    /** A packet in a slot comes last in the queue of its connection. */
    void add(final int slot, final long nowNs) {
        final long frame = slots.address(slot) + VirtioHeader.LENGTH;
        final int hash = PacketHeaders.hash(frame, slots.lengthBytes(slot) - VirtioHeader.LENGTH);
        final PacketQueue queue = queues[hash & QUEUES - 1];
        count(slot, 1);
        waiting++;
        queue.packets.add(slot, nowNs);
        if (!queue.isListed()) {
            queue.begin(QUANTUM_BYTES);
            fresh.add(queue);
        }
    }

    /**
     * Takes the packet whose turn it is out of its queue; on the way, those that have waited for
     * too long are marked or dropped.
     *
     * @return its slot, or {@link PacketSlots#NONE} if none waits.
     */
    int poll(final long nowNs) {
        while (true) {
            final boolean isFresh = !fresh.isEmpty();
            final ArrayDeque<PacketQueue> line = isFresh ? fresh : aged;
            final PacketQueue queue = line.peek();
            if (queue == null) {
                return PacketSlots.NONE;
            }
            if (!queue.hasTurn(QUANTUM_BYTES)) {
                age(line);
                continue;
            }
            final int slot = poll(queue, nowNs);
            if (slot != PacketSlots.NONE) {
                queue.onSent(slots.lengthBytes(slot));
                return slot;
            }
            // One that was new goes round once more, so that it cannot be new again at once.
            if (isFresh && !aged.isEmpty()) {
                age(line);
            } else {
                line.poll().end();
            }
        }
    }

    private void age(final ArrayDeque<PacketQueue> line) {
        aged.add(line.poll());
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
    void onSubmitted(final int slot, final long nowNs) {
        unacknowledged.add(slot, nowNs);
    }

    /** The flow is done with a packet. */
    void onDone(final int slot) {
        unacknowledged.remove(slot);
        isOverdue = false;
        free(slot);
    }

    /** Frees the slot of a packet that is in no list. */
    void free(final int slot) {
        count(slot, -1);
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

    /**
     * Looks at the oldest packet of the flow.
     *
     * @return true if it has not been acknowledged for {@code ageNs}, neither now nor when this was
     *     called before: so that a loop that comes late sees first what has arrived.
     */
    boolean isStuck(final long ageNs, final long nowNs) {
        final boolean isLate =
                !unacknowledged.isEmpty() && nowNs - slots.timeNs(unacknowledged.first()) >= ageNs;
        final boolean wasOverdue = isOverdue;
        isOverdue = isLate;
        return isLate && wasOverdue;
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
