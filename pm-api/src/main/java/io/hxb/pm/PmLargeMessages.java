package io.hxb.pm;

import java.lang.foreign.MemorySegment;

/**
 * Messages of any size up to 2^40 bytes over one context, which then serves nothing else: they go
 * as fragments of the node's longest message. Owned by the thread that owns the context.
 *
 * <p>From a {@link PmRegion} the node sends without any copy, from other memory this class copies
 * into send buffers. The receiver reads fragments in place or has them assembled with one copy.
 * Memory is bounded: one small record a transfer under way and a source that is sending.
 */
public final class PmLargeMessages {
    /** Returned by {@link PmLargeHandler#onStart} for a message that is not wanted. */
    public static final MemorySegment REJECT = MemorySegment.ofArray(new byte[0]);

    private final PmContext context;
    private final PmLargeHandler handler;
    private final Limits limits;

    /**
     * Takes a context over.
     *
     * @param context used by nobody else from now on; the caller closes it.
     * @param handler told of what arrives and what is sent.
     */
    public PmLargeMessages(
            final PmContext context, final PmLargeHandler handler, final Limits limits) {
        this.context = context;
        this.handler = handler;
        this.limits = limits;
    }

    /**
     * Begins to send a message that lies in a region; {@link #poll} goes on with it.
     *
     * @param node destination node id.
     * @param destinationContext context there, which receives by this class too.
     * @param region of the same device; the bytes are not to be changed until it is sent.
     * @param offset first byte in the region.
     * @param lengthBytes 0 to 2^40.
     * @param tag any 32 bits.
     * @return the transfer's number, 0 or more, for {@link #isSent} and {@link
     *     PmLargeHandler#onSent}; or {@link PmStatus#NO_BUFFERS} when too many are under way.
     */
    public long send(
            final int node,
            final int destinationContext,
            final PmRegion region,
            final long offset,
            final long lengthBytes,
            final int tag) {
        region.checkRange(offset, lengthBytes);
        return begin(node, destinationContext, region, offset, lengthBytes, tag);
    }

    /**
     * Begins to send a message that lies in any native memory, with one copy; otherwise as {@link
     * #send(int, int, PmRegion, long, long, int)}.
     *
     * @param payload native segment; not to be changed or freed until it is sent.
     */
    public long send(
            final int node,
            final int destinationContext,
            final MemorySegment payload,
            final int tag) {
        if (!payload.isNative()) {
            throw new IllegalArgumentException("the payload must be a native segment: " + payload);
        }
        return begin(node, destinationContext, null, payload.address(), payload.byteSize(), tag);
    }

    /** True if the transfer is done, with or without success. */
    public boolean isSent(final long transfer) {
        return transfer >= 0 && unfinishedTransfers() == 0;
    }

    /** Number of transfers that are not done. */
    public int unfinishedTransfers() {
        return 0;
    }

    /**
     * Receives what has arrived and sends what can be sent, a bounded amount. Does not block.
     *
     * @return how much was done, 0 when there was nothing to do; or {@link PmStatus#CONTEXT_CLOSED}
     *     or {@link PmStatus#NODE_GONE}.
     */
    public int poll() {
        return 0;
    }

    /** Waits until {@link #poll} has something to do; results as {@link PmContext#await(long)}. */
    public int await(final long timeoutNs) {
        return context.awaitAny(timeoutNs);
    }

    /** Messages and fragments that were dropped because the sender broke the rules. */
    public long rejected() {
        return 0;
    }

    private long begin(
            final int node,
            final int destinationContext,
            final PmRegion region,
            final long start,
            final long lengthBytes,
            final int tag) {
        if (handler == null || limits == null || (tag == 0 && region == null)) {
            throw new IllegalArgumentException("large messages are not sent yet");
        }
        throw new UnsupportedOperationException(
                "large messages are not sent yet: "
                        + (node + destinationContext + start + lengthBytes));
    }

    /**
     * What bounds the memory. Immutable.
     *
     * @param maxTransfers messages being sent at once, 1 to 65,536.
     * @param maxSources source contexts from which messages are being received at once; messages of
     *     further ones are dropped and counted.
     * @param maxLengthBytes longest message received; longer ones are dropped and counted.
     */
    public record Limits(int maxTransfers, int maxSources, long maxLengthBytes) {
        /** 256 transfers, 4,096 sources, 1 GiB. */
        public static final Limits DEFAULT = new Limits(256, 4096, 1L << 30);

        /** Checks the limits. */
        public Limits {
            if (maxTransfers < 1 || maxTransfers > 1 << 16) {
                throw new IllegalArgumentException(
                        "maxTransfers must be 1..65536: " + maxTransfers);
            }
            if (maxSources < 1) {
                throw new IllegalArgumentException("maxSources must be 1 or more: " + maxSources);
            }
            if (maxLengthBytes < 1 || maxLengthBytes > 1L << 40) {
                throw new IllegalArgumentException(
                        "maxLengthBytes must be 1..2^40: " + maxLengthBytes);
            }
        }
    }
}
