package io.hxb.pm;

/**
 * Sizes of a context. Immutable. The memory of a context is {@code sendBuffers * sendBufferBytes}
 * of send pool and about {@code 144 * sendBuffers + 48 * deliveryEntries} bytes of rings.
 *
 * @param sendBuffers messages that may be under way at once, 1 to 65,536.
 * @param sendBufferBytes bytes of each send buffer, a multiple of 64; 0 for the node's longest
 *     message.
 * @param deliveryEntries messages that may be delivered and not released, a power of two of 64 to
 *     2^20; the node raises it to what one full frame of the smallest messages needs.
 * @param spinNs longest time {@code await} spins before it sleeps, in ns; 0 to sleep at once. It
 *     sleeps at once, too, after spins that found nothing ({@link io.hxb.pm.idle.AdaptiveSpin}),
 *     and spins for 10 us at most while other threads need its CPU ({@link io.hxb.pm.idle.OwnCpu}).
 * @param peerWaitNs how long messages wait for their destination's context to be opened before they
 *     fail with {@link PmStatus#NO_SUCH_CONTEXT}, in ns; 0 to fail at once. So the programs of a
 *     cluster may start in any order.
 */
public record PmContextOptions(
        int sendBuffers, int sendBufferBytes, int deliveryEntries, long spinNs, long peerWaitNs) {
    /**
     * 256 send buffers of the node's longest message, 4,096 deliveries, 10 us of spinning, 10 s for
     * a peer to open its context.
     */
    public static final PmContextOptions DEFAULT =
            new PmContextOptions(256, 0, 4096, 10_000, 10_000_000_000L);

    private static final long MAX_PEER_WAIT_NS = 86_400_000_000_000L;

    /** Checks the sizes. */
    public PmContextOptions {
        if (sendBuffers < 1 || sendBuffers > 1 << 16) {
            throw new IllegalArgumentException("sendBuffers must be 1..65536: " + sendBuffers);
        }
        if (sendBufferBytes < 0 || (sendBufferBytes & 63) != 0 || sendBufferBytes > 1 << 20) {
            throw new IllegalArgumentException(
                    "sendBufferBytes must be a multiple of 64, at most 1048576: "
                            + sendBufferBytes);
        }
        if (deliveryEntries < 64
                || deliveryEntries > 1 << 20
                || Integer.bitCount(deliveryEntries) != 1) {
            throw new IllegalArgumentException(
                    "deliveryEntries must be a power of two, 64..1048576: " + deliveryEntries);
        }
        if (spinNs < 0) {
            throw new IllegalArgumentException("spinNs must be 0 or more: " + spinNs);
        }
        if (peerWaitNs < 0 || peerWaitNs > MAX_PEER_WAIT_NS) {
            throw new IllegalArgumentException(
                    "peerWaitNs must be 0.." + MAX_PEER_WAIT_NS + " (a day): " + peerWaitNs);
        }
    }

    /** These options with another number of send buffers. */
    public PmContextOptions withSendBuffers(final int count) {
        return new PmContextOptions(count, sendBufferBytes, deliveryEntries, spinNs, peerWaitNs);
    }

    /** These options with another number of deliveries. */
    public PmContextOptions withDeliveryEntries(final int count) {
        return new PmContextOptions(sendBuffers, sendBufferBytes, count, spinNs, peerWaitNs);
    }

    /** These options with another time of spinning before sleeping. */
    public PmContextOptions withSpinNs(final long ns) {
        return new PmContextOptions(sendBuffers, sendBufferBytes, deliveryEntries, ns, peerWaitNs);
    }

    /** These options with another time for peers to open their contexts. */
    public PmContextOptions withPeerWaitNs(final long ns) {
        return new PmContextOptions(sendBuffers, sendBufferBytes, deliveryEntries, spinNs, ns);
    }
}
