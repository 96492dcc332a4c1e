package io.hxb.pm;

import io.hxb.pm.attach.ContextRequest;
import io.hxb.pm.idle.IdleParameters;

/**
 * Sizes of a context. Immutable. The memory of a context is {@code sendBuffers * sendBufferBytes}
 * of send pool and about {@code 144 * sendBuffers + 48 * deliveryEntries} bytes of rings.
 *
 * @param sendBuffers messages that may be in flight at the same time, 1 to 65,536.
 * @param sendBufferBytes bytes of each send buffer, a multiple of 64, at most 2^20, which is the
 *     longest message of the context then; 0 for the node's longest message. With 0 and 32 buffers
 *     or more none has more than 9,216 bytes, and a longer message takes as many adjacent ones as
 *     it needs, rounded up to a power of two: one of 65,536 bytes takes 8.
 * @param deliveryEntries messages that may be delivered and not released, a power of two of 64 to
 *     2^20; the node raises it to what a full frame of the smallest messages needs.
 * @param spinNs longest time a wait spins before it sleeps, in ns, 0 or more; 0 to sleep
 *     immediately. A wait also sleeps immediately for a while after spins that found nothing, or in
 *     which a thread that computes took the CPU. A spin yields the CPU to threads that wait for it.
 * @param peerWaitNs how long messages wait for their destination's context to be opened before they
 *     fail with {@link PmStatus#NO_SUCH_CONTEXT}, in ns, at most a day; 0 to fail immediately. With
 *     a time, the programs of a cluster may start in any order.
 */
public record PmContextOptions(
        int sendBuffers, int sendBufferBytes, int deliveryEntries, long spinNs, long peerWaitNs) {
    /**
     * 256 send buffers, 2.4 MB at most, for messages up to the node's longest; 4,096 deliveries, 50
     * us of spinning, 10 s for a peer to open its context.
     */
    public static final PmContextOptions DEFAULT =
            new PmContextOptions(256, 0, 4096, IdleParameters.SPIN_NS, 10_000_000_000L);

    /**
     * Checks the sizes.
     *
     * @throws IllegalArgumentException if one is out of its range.
     */
    public PmContextOptions {
        if (spinNs < 0) {
            throw new IllegalArgumentException("spinNs must be 0 or more: " + spinNs);
        }
        final ContextRequest ignored =
                new ContextRequest(sendBuffers, sendBufferBytes, deliveryEntries, peerWaitNs);
    }

    /** Longest message of a context with these options, on a node with that longest message. */
    int maxLengthBytes(final int mtuBytes) {
        return sendBufferBytes == 0 ? mtuBytes : Math.min(mtuBytes, sendBufferBytes);
    }

    /** The part of this that the node has to know. */
    ContextRequest request() {
        return new ContextRequest(sendBuffers, sendBufferBytes, deliveryEntries, peerWaitNs);
    }

    /**
     * {@return these options with another number of send buffers}
     *
     * @param count as {@link #sendBuffers()}, in the range that the class description gives.
     */
    public PmContextOptions withSendBuffers(final int count) {
        return new PmContextOptions(count, sendBufferBytes, deliveryEntries, spinNs, peerWaitNs);
    }

    /**
     * {@return these options with another number of deliveries}
     *
     * @param count as {@link #deliveryEntries()}, in the range that the class description gives.
     */
    public PmContextOptions withDeliveryEntries(final int count) {
        return new PmContextOptions(sendBuffers, sendBufferBytes, count, spinNs, peerWaitNs);
    }

    /**
     * {@return these options with another time of spinning before sleeping}
     *
     * @param ns as {@link #spinNs()}, in the range that the class description gives.
     */
    public PmContextOptions withSpinNs(final long ns) {
        return new PmContextOptions(sendBuffers, sendBufferBytes, deliveryEntries, ns, peerWaitNs);
    }

    /**
     * {@return these options with another time for peers to open their contexts}
     *
     * @param ns as {@link #peerWaitNs()}, in the range that the class description gives.
     */
    public PmContextOptions withPeerWaitNs(final long ns) {
        return new PmContextOptions(sendBuffers, sendBufferBytes, deliveryEntries, spinNs, ns);
    }
}
