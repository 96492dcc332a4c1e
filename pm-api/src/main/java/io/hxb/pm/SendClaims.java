package io.hxb.pm;

import io.hxb.pm.share.DestinationShares;
import io.hxb.pm.shm.ControlMemory;

/**
 * Claims send slots for destinations: how many each may have, how long it is waited for one, and
 * whether a message is dropped instead. Owned by the context's thread.
 */
final class SendClaims {
    private final ContextState state;
    private final SendEnd sends;
    private final SendSlots slots;
    private final ContextWaiter waiter;

    SendClaims(final ContextState state, final SendEnd sends, final ContextWaiter waiter) {
        this.state = state;
        this.sends = sends;
        this.waiter = waiter;
        slots = sends.slots();
    }

    /** Claims a slot without waiting; as {@link PmContext#claim(int, int, int)}. */
    int claim(final int node, final int context, final int lengthBytes) {
        final int slot = tryClaim(node, context, lengthBytes);
        return slot == PmStatus.NO_BUFFERS ? refused(node, context) : slot;
    }

    /** Claims a slot; waits as {@link PmContext#claim(int, int, int, long)}. */
    int claim(final int node, final int context, final int lengthBytes, final long timeoutNs) {
        final int slot = tryClaim(node, context, lengthBytes);
        return slot == PmStatus.NO_BUFFERS
                ? claimWaiting(node, context, lengthBytes, timeoutNs)
                : slot;
    }

    private int tryClaim(final int node, final int context, final int lengthBytes) {
        if (!slots.hasFree()) {
            waiter.takeDoneSends();
        }
        final int slot = sends.claim(node, context, lengthBytes);
        return slot == SendSlots.NONE ? claimAgain(node, context, lengthBytes) : slot;
    }

    // Slots wait to be taken back while others are free: a destination has its share, or a ring is
    // full.
    private int claimAgain(final int node, final int context, final int lengthBytes) {
        waiter.takeDoneSends();
        final int slot = sends.claim(node, context, lengthBytes);
        return slot == SendSlots.NONE ? state.idle(PmStatus.NO_BUFFERS) : slot;
    }

    private int refused(final int node, final int context) {
        final DestinationShares shares = slots.shares();
        final int share = shares.find(node, context);
        if (share == DestinationShares.NONE || !shares.isDropping(share)) {
            return PmStatus.NO_BUFFERS;
        }
        shares.onDropped(share);
        return PmStatus.DROPPED;
    }

    private int claimWaiting(
            final int node, final int context, final int lengthBytes, final long timeoutNs) {
        final DestinationShares shares = slots.shares();
        final int share = shares.find(node, context);
        final long maxNs =
                share == DestinationShares.NONE ? Long.MAX_VALUE : shares.maxWaitNs(share);
        if (maxNs == 0) {
            return refused(node, context);
        }
        final long startNs = System.nanoTime();
        int slot = PmStatus.NO_BUFFERS;
        while (slot == PmStatus.NO_BUFFERS) {
            final long leftNs = leftNs(startNs, Math.min(timeoutNs, maxNs));
            final int status = waiter.await(ControlMemory.SENDS, leftNs);
            if (status != PmStatus.OK) {
                final boolean isToDrop =
                        status == PmStatus.TIMED_OUT
                                && refused(node, context) != PmStatus.NO_BUFFERS;
                return isToDrop ? PmStatus.DROPPED : status;
            }
            slot = tryClaim(node, context, lengthBytes);
        }
        return slot;
    }

    /** What is left of a time-out that began at {@code startNs}. */
    static long leftNs(final long startNs, final long timeoutNs) {
        return Math.max(0, timeoutNs - (System.nanoTime() - startNs));
    }
}
