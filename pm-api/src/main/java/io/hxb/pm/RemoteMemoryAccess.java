package io.hxb.pm;

import io.hxb.pm.attach.Attachment;
import io.hxb.pm.attach.RemoteRequest;
import io.hxb.pm.shm.ControlMemory;
import io.hxb.pm.shm.RemoteMemoryArea;

import java.io.IOException;
import java.util.function.BooleanSupplier;

/**
 * What {@code io.hxb.pm.rma} needs of a context and its device; of no use to anybody else. Owned by
 * the context's thread.
 *
 * @hidden
 */
@SuppressWarnings({"exports", "InvalidBlockTag"})
public final class RemoteMemoryAccess {
    private final PmDevice device;
    private final Attachment attachment;
    private final int contextId;
    private final ContextState state;
    private final NodeWaker bell;
    private final ContextWaiter waiter;

    RemoteMemoryAccess(
            final PmDevice device,
            final Attachment attachment,
            final int contextId,
            final ContextState state,
            final NodeWaker bell,
            final ContextWaiter waiter) {
        this.device = device;
        this.attachment = attachment;
        this.contextId = contextId;
        this.state = state;
        this.bell = bell;
        this.waiter = waiter;
    }

    /**
     * Lets the context use remote memory.
     *
     * @param request sizes.
     * @return where the memory for it lies.
     * @throws IOException if the node refuses.
     */
    public RemoteMemoryArea open(final RemoteRequest request) throws IOException {
        return attachment.openRemote(contextId, request);
    }

    /**
     * Shares a region.
     *
     * @param region of this device.
     * @param rights what the key allows.
     * @return the key.
     * @throws IOException if the node refuses.
     */
    public long share(final PmRegion region, final int rights) throws IOException {
        check(region, 0, 0);
        return attachment.share(region.id(), rights);
    }

    /**
     * Ends the sharing by a key.
     *
     * @param key as {@link #share} returned it.
     * @throws IOException if the node does not know it.
     */
    public void revoke(final long key) throws IOException {
        attachment.revoke(key);
    }

    /**
     * Checks a range of a region.
     *
     * @param region that has to be of this device.
     * @param offset first byte.
     * @param lengthBytes bytes.
     * @return the number of the region.
     */
    public int check(final PmRegion region, final long offset, final long lengthBytes) {
        if (region.device() != device) {
            throw new IllegalArgumentException("the region is of another device");
        }
        region.checkRange(offset, lengthBytes);
        return region.id();
    }

    /**
     * Checks a destination.
     *
     * @param node of the cluster.
     * @param context of that node.
     */
    public void checkDestination(final int node, final int context) {
        device.checkDestination(node, context);
    }

    /** {@return a {@link PmStatus}: OK while the context is open} */
    public int status() {
        return state.status();
    }

    /**
     * Called when there was nothing to do.
     *
     * @param status returned while the context is open.
     * @return that, or why it is not open.
     */
    public int idle(final int status) {
        return state.idle(status);
    }

    /** Wakes the node, if it sleeps, for what was put into the rings. */
    public void onSubmitted() {
        bell.onSubmitted();
    }

    /**
     * Wakes the node, if it sleeps and waits for room among the notifications.
     *
     * @param area where it publishes that.
     */
    public void onTaken(final RemoteMemoryArea area) {
        bell.onTaken(area);
    }

    /**
     * Sets the check for something to take.
     *
     * @param isReady asked by the context's thread.
     */
    public void onReady(final BooleanSupplier isReady) {
        waiter.remote(isReady);
    }

    /**
     * Waits for something to take, as the context waits for messages.
     *
     * @param withMessages whether messages end the wait, too.
     * @param timeoutNs longest wait in ns.
     * @return as {@link PmContext#await}.
     */
    public int await(final boolean withMessages, final long timeoutNs) {
        return waiter.await(
                ControlMemory.REMOTE | (withMessages ? ControlMemory.MESSAGES : 0), timeoutNs);
    }
}
