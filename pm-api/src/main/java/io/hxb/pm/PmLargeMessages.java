package io.hxb.pm;

import java.lang.foreign.MemorySegment;

/**
 * Messages of any size up to 2^40 bytes over one context, which then serves nothing else: they are
 * sent as fragments, each at most as long as the node's longest message. Owned by the thread that
 * owns the context.
 *
 * <p>The node sends from a {@link PmRegion} without any copy; from other memory, this class copies
 * into send buffers. The receiver reads fragments in place or has them assembled with one copy.
 * Memory is bounded: one small record for each transfer in flight and for each source that is
 * sending.
 */
public final class PmLargeMessages {
    /** Returned by {@link PmLargeHandler#onStart} for a message that is not wanted. */
    public static final MemorySegment REJECT = MemorySegment.ofArray(new byte[0]);

    private static final int MESSAGES_PER_POLL = 64;
    private static final int FRAGMENTS_PER_POLL = 64;

    private final PmContext context;
    private final PmLargeHandler handler;
    private final LargeSender sender;
    private final LargeReceiver receiver;
    private final PmMessage message = new PmMessage();

    /**
     * Takes a context over.
     *
     * @param context used by nobody else from now on; the caller closes it.
     * @param handler called for what arrives and what is sent.
     * @param limits bounds of what is in flight at the same time.
     */
    public PmLargeMessages(
            final PmContext context, final PmLargeHandler handler, final Limits limits) {
        this.context = context;
        this.handler = handler;
        sender = new LargeSender(context, limits.maxTransfers());
        receiver = new LargeReceiver(context, handler, limits, sender);
    }

    /**
     * Begins to send a message that lies in a region; {@link #poll} continues. Messages to one
     * destination are sent one after the other, those to different ones in turns.
     *
     * @param node destination node id.
     * @param destinationContext context there, which also receives by this class.
     * @param region of the same device; the bytes must not be changed until it is sent.
     * @param offset first byte in the region.
     * @param lengthBytes 0 to 2^40.
     * @param tag any 32 bits.
     * @return the transfer's number, 0 or more, for {@link #isSent} and {@link
     *     PmLargeHandler#onSent}; or {@link PmStatus#NO_BUFFERS} when too many are in flight.
     */
    public long send(
            final int node,
            final int destinationContext,
            final PmRegion region,
            final long offset,
            final long lengthBytes,
            final int tag) {
        context.device().checkDestination(node, destinationContext);
        region.checkRange(offset, lengthBytes);
        if (region.device() != context.device()) {
            throw new IllegalArgumentException("the region is of another device");
        }
        return sender.begin(node, destinationContext, region, offset, lengthBytes, tag);
    }

    /**
     * Begins to send a message that lies in any native memory, with one copy; otherwise as {@link
     * #send(int, int, PmRegion, long, long, int)}.
     *
     * @param node destination node id.
     * @param destinationContext context there, which also receives by this class.
     * @param payload native segment; it must not be changed or freed until it is sent.
     * @param tag any 32 bits.
     * @return the transfer's number, or {@link PmStatus#NO_BUFFERS}.
     */
    public long send(
            final int node,
            final int destinationContext,
            final MemorySegment payload,
            final int tag) {
        context.device().checkDestination(node, destinationContext);
        if (!payload.isNative()) {
            throw new IllegalArgumentException("the payload must be a native segment: " + payload);
        }
        return sender.begin(
                node, destinationContext, null, payload.address(), payload.byteSize(), tag);
    }

    /**
     * {@return true if the transfer is done, with or without success}
     *
     * @param transfer as {@code send} returned it.
     */
    public boolean isSent(final long transfer) {
        return sender.isSent(transfer);
    }

    /** {@return the number of transfers that are not done} */
    public int unfinishedTransfers() {
        return sender.unfinished();
    }

    /**
     * Receives what has arrived and sends what can be sent, a bounded amount, and calls the
     * handler. Does not block.
     *
     * @return how much was done, 0 when there was nothing to do; or {@link PmStatus#CONTEXT_CLOSED}
     *     or {@link PmStatus#NODE_GONE}.
     */
    public int poll() {
        int work = 0;
        while (work < MESSAGES_PER_POLL) {
            final int status = context.receive(message);
            if (status != PmStatus.OK) {
                if (status != PmStatus.EMPTY) {
                    return status;
                }
                break;
            }
            work++;
            try {
                receiver.onMessage(message);
            } finally {
                context.release(message);
            }
        }
        work += receiver.pollEvents();
        work += sender.sendFragments(FRAGMENTS_PER_POLL);
        return work + sender.reportSent(handler);
    }

    /**
     * Waits until {@link #poll} has something to do, including events.
     *
     * @param timeoutNs longest wait in ns, 0 or more.
     * @return {@link PmStatus#OK}; otherwise as {@link PmContext#await(long)}.
     */
    public int await(final long timeoutNs) {
        final int status = sender.canGoOn() ? PmStatus.OK : context.awaitAny(timeoutNs);
        return status == PmStatus.EVENT ? PmStatus.OK : status;
    }

    /**
     * {@return the bytes that have arrived of incoming messages that are not complete, which shows
     * how far long ones are}
     */
    public long incompleteBytes() {
        return receiver.incompleteBytes();
    }

    /**
     * {@return the number of messages and fragments that were dropped because the sender broke the
     * rules or limits}
     */
    public long rejected() {
        return receiver.rejected();
    }

    /**
     * Limits that bound the memory. Immutable.
     *
     * @param maxTransfers messages that may be in flight at the same time, 1 to 65,536.
     * @param maxSources source contexts from which messages may be received at the same time;
     *     messages of others are dropped and counted.
     * @param maxLengthBytes longest message received; longer ones are dropped and counted, and end
     *     at their senders with {@link PmStatus#TOO_LONG}.
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
