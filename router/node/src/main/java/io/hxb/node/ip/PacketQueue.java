package io.hxb.node.ip;

/**
 * Packets of a few connections that wait for their turn to one node. Owned by one loop. Source: RFC
 * 8290, 4, a queue.
 */
final class PacketQueue {
    /** Its packets. */
    final SlotList packets;

    /** What it may do now. */
    final CoDel codel = new CoDel();

    private int deficitBytes;
    private boolean isListed;

    PacketQueue(final PacketSlots slots) {
        packets = new SlotList(slots);
    }

    /** True if it is in one of the lines of its node. */
    boolean isListed() {
        return isListed;
    }

    /** Is put into the line of new queues. */
    void begin(final int quantumBytes) {
        isListed = true;
        deficitBytes = quantumBytes;
    }

    /** Leaves the lines. */
    void end() {
        isListed = false;
    }

    /** True if it may send in this round; otherwise it may in one of the next. */
    boolean hasTurn(final int quantumBytes) {
        if (deficitBytes > 0) {
            return true;
        }
        deficitBytes += quantumBytes;
        return false;
    }

    /** A packet is sent. */
    void onSent(final int lengthBytes) {
        deficitBytes -= lengthBytes;
    }
}
