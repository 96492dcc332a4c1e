package io.hxb.flow;

/**
 * Which kind of flows sends next while both have something to send: packets of the virtual NIC, or
 * messages of programs. What each has sent, divided by its weight, grows at one rate. Owned by one
 * loop.
 *
 * <p>A kind that sends alone, or over links of its own, gets ahead by a bounded number of bytes, so
 * that the other does not keep it waiting for long afterwards. Source: Shreedhar and Varghese,
 * Efficient Fair Queuing Using Deficit Round-Robin, 1996, with two queues.
 */
final class KindShares {
    /** Weight of messages of programs. */
    static final int PROGRAM_WEIGHT = 100;

    /** About four turns of a flow. */
    private static final long MAX_LEAD_BYTES = 1 << 20;

    /** Half of what waits in a flow of packets at most: more comes when that was sent. */
    private static final long REFILLED_BYTES = 128 << 10;

    private final int packetWeight;

    /** Bytes of packets since the service of the virtual NIC has handed over more. */
    private long packetBytes;

    /** Bytes by which packets are ahead, times the weight of the other kind. */
    private long lead;

    /**
     * Makes shares of which nobody has taken anything.
     *
     * @param packetWeight weight of packets, 1 or more; programs have {@link #PROGRAM_WEIGHT}.
     */
    KindShares(final int packetWeight) {
        this.packetWeight = packetWeight;
    }

    /** The virtual NIC has handed over what flows of packets may have waiting. */
    void onRefilled() {
        packetBytes = 0;
    }

    /** Frames of one kind were sent. */
    void onSent(final boolean isOfPackets, final long bytes) {
        if (isOfPackets) {
            packetBytes += bytes;
            lead = Math.min(lead + bytes * PROGRAM_WEIGHT, MAX_LEAD_BYTES * PROGRAM_WEIGHT);
        } else {
            lead = Math.max(lead - bytes * packetWeight, -MAX_LEAD_BYTES * packetWeight);
        }
    }

    /** True if packets have not had their share. */
    boolean arePacketsNext() {
        return lead <= 0;
    }

    /**
     * True if packets have not had their share and their flows, which have nothing left, are about
     * to get more.
     */
    boolean arePacketsComing() {
        return packetBytes >= REFILLED_BYTES && lead <= 0;
    }
}
