package io.hxb.node.ip;

import java.util.ArrayDeque;

/**
 * One of the flows to a node: the connections whose packets wait for it, and the packets that it
 * has. Owned by one loop.
 */
final class PacketFlow {
    /** The end of the flow at both nodes. */
    final int end;

    /** Bytes that may wait in the flow itself: enough that a turn of it does not run short. */
    final int maxWaitingBytes;

    private final PacketSlots slots;

    /** Packets that it has, in the order in which it got them. */
    private final SlotList unacknowledged;

    private final ArrayDeque<PacketQueue> fresh;
    private final ArrayDeque<PacketQueue> aged;
    private boolean isOverdue;
    private long silentUntilNs;
    private boolean isSilent;

    /** Place of the next packet. */
    private long nextPosition;

    /** Last place of a packet that was acknowledged, and last one of the flow that ended. */
    private long arrivedPosition = -1;

    private long lostPosition = -1;

    PacketFlow(
            final int end,
            final int maxWaitingBytes,
            final PacketSlots slots,
            final int maxConnections) {
        this.end = end;
        this.maxWaitingBytes = maxWaitingBytes;
        this.slots = slots;
        unacknowledged = new SlotList(slots);
        fresh = new ArrayDeque<>(maxConnections + 1);
        aged = new ArrayDeque<>(maxConnections + 1);
    }

    /** A connection begins to wait, before those that have waited. */
    void addFresh(final PacketQueue queue) {
        fresh.add(queue);
    }

    /** True if the connection at the front is a new one. */
    boolean isFreshFirst() {
        return !fresh.isEmpty();
    }

    /** The connection at the front; null if none waits. */
    PacketQueue first() {
        return fresh.isEmpty() ? aged.peek() : fresh.peek();
    }

    /** Takes the connection at the front out. */
    PacketQueue poll() {
        return fresh.isEmpty() ? aged.poll() : fresh.poll();
    }

    /** The connection at the front goes to the end. */
    void age() {
        aged.add(poll());
    }

    /** True if connections wait that are not new. */
    boolean hasAged() {
        return !aged.isEmpty();
    }

    /** Packets for it are dropped for some time: the node does not take them. */
    void silence(final long untilNs) {
        isSilent = true;
        silentUntilNs = untilNs;
    }

    /** True while packets for it are dropped. */
    boolean isSilent(final long nowNs) {
        isSilent &= nowNs - silentUntilNs < 0;
        return isSilent;
    }

    /** Gets a packet; returns its place, which grows. */
    long onSubmitted(final int slot, final long nowNs) {
        unacknowledged.add(slot, nowNs);
        slots.position(slot, nextPosition);
        return nextPosition++;
    }

    /** Is done with a packet, which has arrived or not. */
    void onDone(final int slot, final boolean hasArrived) {
        unacknowledged.remove(slot);
        isOverdue = false;
        if (hasArrived) {
            arrivedPosition = Math.max(arrivedPosition, slots.position(slot));
        } else {
            lostPosition = nextPosition - 1;
        }
    }

    /**
     * True if everything up to a place was handed over there, so that a packet on another flow
     * cannot overtake it. Packets may be acknowledged before earlier ones of the flow have arrived;
     * they are handed over after these.
     *
     * @param position -1 if there was nothing.
     */
    boolean isDelivered(final long position) {
        return position < 0 || (!hasEnded() && position < firstPosition());
    }

    private long firstPosition() {
        return unacknowledged.isEmpty() ? nextPosition : slots.position(unacknowledged.first());
    }

    /**
     * True if the flow ended and nothing that it got later has arrived: until then the other node
     * may still hand over what was on the way.
     */
    boolean hasEnded() {
        return lostPosition >= 0 && arrivedPosition <= lostPosition;
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
}
