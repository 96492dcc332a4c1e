package io.hxb.pm.attach;

import io.hxb.pm.shm.ControlMemory;

/**
 * What an application asks its node for when it opens a context. Immutable.
 *
 * @param sendBuffers messages that may be in flight at the same time, 1 to 65,536.
 * @param sendBufferBytes bytes of each send buffer, a multiple of 64, at most 2^20; 0 for the
 *     node's longest message, or for buffers of {@value #SHARED_BUFFER_BYTES} bytes of which a
 *     longer message takes several ({@link #resolved}).
 * @param deliveryEntries messages that may be delivered and not released, a power of two of 64 to
 *     2^20.
 * @param peerWaitNs how long messages wait for their destination's context to be opened, in ns, at
 *     most a day; 0 not to wait.
 */
public record ContextRequest(
        int sendBuffers, int sendBufferBytes, int deliveryEntries, long peerWaitNs) {
    /**
     * Bytes of send buffers where the longest message takes several: as long as the frames that
     * several messages share, and no power of two, so that the buffers do not share a few sets of
     * the cache.
     */
    public static final int SHARED_BUFFER_BYTES = 9_216;

    /** Fewest buffers among which long messages find room besides others. */
    static final int MIN_SHARED_BUFFERS = 32;

    static final long MAX_PEER_WAIT_NS = 86_400_000_000_000L;

    /** Checks the request, which may come from a process that the node does not trust. */
    public ContextRequest {
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
        if (peerWaitNs < 0 || peerWaitNs > MAX_PEER_WAIT_NS) {
            throw new IllegalArgumentException(
                    "peerWaitNs must be 0.." + MAX_PEER_WAIT_NS + " (a day): " + peerWaitNs);
        }
    }

    /**
     * The sizes that the context actually gets. A context of few buffers has some of the longest
     * message; of many, the longest message takes a group of adjacent ones ({@link #groupSlots}),
     * so that their memory does not grow with it.
     *
     * @param mtuBytes the node's longest message.
     * @param minDeliveryEntries entries that a full frame of the smallest messages needs.
     */
    public ContextRequest resolved(final int mtuBytes, final int minDeliveryEntries) {
        return new ContextRequest(
                sendBuffers,
                sendBufferBytes > 0 ? sendBufferBytes : bufferBytes(mtuBytes),
                Math.max(deliveryEntries, minDeliveryEntries),
                peerWaitNs);
    }

    private int bufferBytes(final int mtuBytes) {
        final int longestBytes = (mtuBytes + 63) & -64;
        return sendBuffers < MIN_SHARED_BUFFERS
                ? longestBytes
                : Math.min(longestBytes, SHARED_BUFFER_BYTES);
    }

    /**
     * Adjacent slots whose buffers a message takes that is longer than one buffer; of a group, the
     * first slot is a multiple of their number.
     *
     * @param bufferBytes bytes of a send buffer.
     * @param maxLengthBytes longest message.
     * @return a power of two; 1 if each buffer holds the longest message.
     */
    public static int groupSlots(final int bufferBytes, final int maxLengthBytes) {
        final int slots = (maxLengthBytes + bufferBytes - 1) / bufferBytes;
        return slots <= 1 ? 1 : Integer.highestOneBit(slots - 1) << 1;
    }

    /** Bytes of the control memory of a context with these sizes. */
    public long controlBytes() {
        return ControlMemory.lengthBytes(sendBuffers, deliveryEntries);
    }

    /** Bytes of the send pool of a context with these sizes, when they are resolved. */
    public long sendPoolBytes() {
        assert sendBufferBytes > 0 : "the sizes are not resolved";
        return (long) sendBuffers * sendBufferBytes;
    }
}
