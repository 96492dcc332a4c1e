package io.hxb.pm.attach;

import io.hxb.pm.shm.ControlMemory;

/**
 * What an application asks its node for when it opens a context. Immutable.
 *
 * @param sendBuffers messages that may be in flight at the same time, 1 to 65,536.
 * @param sendBufferBytes bytes of each send buffer, a multiple of 64, at most 2^20; 0 for the
 *     node's longest message.
 * @param deliveryEntries messages that may be delivered and not released, a power of two of 64 to
 *     2^20.
 * @param peerWaitNs how long messages wait for their destination's context to be opened, in ns, at
 *     most a day; 0 not to wait.
 */
public record ContextRequest(
        int sendBuffers, int sendBufferBytes, int deliveryEntries, long peerWaitNs) {
    private static final long MAX_PEER_WAIT_NS = 86_400_000_000_000L;

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
     * The sizes that the context actually gets.
     *
     * @param mtuBytes the node's longest message.
     * @param minDeliveryEntries entries that a full frame of the smallest messages needs.
     */
    public ContextRequest resolved(final int mtuBytes, final int minDeliveryEntries) {
        return new ContextRequest(
                sendBuffers,
                sendBufferBytes > 0 ? sendBufferBytes : (mtuBytes + 63) & -64,
                Math.max(deliveryEntries, minDeliveryEntries),
                peerWaitNs);
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
