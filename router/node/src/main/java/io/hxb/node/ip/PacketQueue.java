package io.hxb.node.ip;

/**
 * Packets of a few connections that wait for their turn to one node, and the flow that they take.
 * Owned by one loop. Source: RFC 8290, 4, a queue.
 */
final class PacketQueue {
    /**
     * What a connection of the short flow may have waiting and on the way: some dozens of requests,
     * or hundreds of acknowledgements of TCP.
     */
    static final int LITTLE_BYTES = 16 << 10;

    /**
     * How long a connection stays in the bulk flow after a long packet, so that one that mixes long
     * and short ones does not stop for a round trip at each.
     */
    static final long BULK_NS = 100_000_000;

    /** Its number, by which slots name it. */
    final int number;

    /** Its packets. */
    final SlotList packets;

    /** What it may do now. */
    final CoDel codel = new CoDel();

    private PacketFlow flow;
    private int deficitBytes;
    private boolean isListed;

    /** Place of its last packet in the flow, -1 if the flow had none. */
    private long lastPosition = -1;

    /** Of packets that wait or are on the way. */
    private int pendingBytes;

    private int pendingLong;
    private boolean isBulk;
    private long bulkNs;

    PacketQueue(final int number, final PacketSlots slots) {
        this.number = number;
        packets = new SlotList(slots);
    }

    private static boolean isLong(final int lengthBytes) {
        return lengthBytes > PacketSlots.SMALL_BYTES;
    }

    /** The flow that its packets take; null before the first. */
    PacketFlow flow() {
        return flow;
    }

    /** Takes another flow. */
    void change(final PacketFlow other) {
        assert mayChange() : "packets are on the way";
        flow = other;
        lastPosition = -1;
    }

    /** True if none of its packets can be overtaken by one on another flow. */
    boolean mayChange() {
        return flow == null || flow.isDelivered(lastPosition);
    }

    /** A packet comes, which may be dropped. */
    void onPacket(final int lengthBytes, final long nowNs) {
        if (isLong(lengthBytes) || pendingBytes + lengthBytes > LITTLE_BYTES) {
            isBulk = true;
            bulkNs = nowNs;
        }
    }

    /** True if it belongs into the bulk flow: it has long packets, or many. */
    boolean isBulk(final long nowNs) {
        if (pendingLong > 0 || pendingBytes > LITTLE_BYTES) {
            isBulk = true;
            bulkNs = nowNs;
        }
        isBulk &= nowNs - bulkNs < BULK_NS;
        return isBulk;
    }

    /** A packet waits now. */
    void onAdded(final int lengthBytes) {
        pendingBytes += lengthBytes;
        pendingLong += isLong(lengthBytes) ? 1 : 0;
    }

    /** A packet has arrived or was dropped. */
    void onFreed(final int lengthBytes) {
        pendingBytes -= lengthBytes;
        pendingLong -= isLong(lengthBytes) ? 1 : 0;
    }

    /** True if it is in one of the lines of its flow, or waits to change the flow. */
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

    /** A packet leaves for the flow. */
    void onPolled(final int lengthBytes) {
        deficitBytes -= lengthBytes;
    }

    /** The flow has a packet at a place. */
    void onSubmitted(final long position) {
        lastPosition = position;
    }
}
