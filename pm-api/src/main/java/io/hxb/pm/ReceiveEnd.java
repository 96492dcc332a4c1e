package io.hxb.pm;

import io.hxb.pm.attach.Attachment;
import io.hxb.pm.shm.ControlMemory;
import io.hxb.pm.shm.DeliveryRing;
import io.hxb.pm.shm.ReleaseRing;

/**
 * The receiving end of a context: takes messages that the node has delivered and gives their
 * buffers back. Owned by the context's thread.
 */
final class ReceiveEnd {
    private final ControlMemory control;
    private final DeliveryRing deliveries;
    private final ReleaseRing releases;
    private final HeldMessages held;
    private final NodeBell bell;
    private final long poolAddress;
    private final int bufferBytes;
    private long position;

    /**
     * Makes the receiving end over the rings of {@code control}.
     *
     * @param buffers receive buffers that messages may lie in.
     */
    public ReceiveEnd(
            final ControlMemory control, final Attachment.Buffers buffers, final NodeBell bell) {
        this.control = control;
        poolAddress = buffers.address();
        bufferBytes = buffers.bufferBytes();
        this.bell = bell;
        deliveries = control.deliveryRing();
        releases = control.releaseRing();
        held = new HeldMessages(buffers.count());
    }

    /** Messages received and not released. */
    public HeldMessages held() {
        return held;
    }

    /** True if {@link #peek} may be called. */
    public boolean isReady() {
        return deliveries.isReady(position);
    }

    /** The entry of the next message in the delivery ring. */
    public long peek() {
        return deliveries.entry(position);
    }

    /** Takes the message of the entry given; returns its handle. */
    public long take(final long entry) {
        return held.hold(position++, DeliveryRing.bufferId(entry));
    }

    /** First byte of the payload of a message. */
    public long payloadAddress(final long entry) {
        return poolAddress
                + (long) DeliveryRing.bufferId(entry) * bufferBytes
                + DeliveryRing.payloadOffset(entry);
    }

    /** Gives the buffer of a message held back. */
    public void release(final int bufferId) {
        held.release(bufferId);
        releases.put(bufferId);
        bell.onReleased(control);
    }

    /** Tells the node that an event has been taken. */
    public void releaseEvent() {
        releases.put(ReleaseRing.EVENT);
    }
}
