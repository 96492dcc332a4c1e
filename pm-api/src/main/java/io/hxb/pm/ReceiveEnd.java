package io.hxb.pm;

import io.hxb.pm.attach.Attachment;
import io.hxb.pm.shm.ControlMemory;
import io.hxb.pm.shm.DeliveryRing;
import io.hxb.pm.shm.ReleaseRing;

/**
 * The receiving end of a context: takes messages that the node has delivered, or that other
 * contexts of the node have sent directly, and gives their buffers back. Owned by the context's
 * thread.
 */
final class ReceiveEnd {
    /** Messages in a row of one kind while there are some of the other. */
    private static final int MESSAGES_PER_TURN = 64;

    private final ControlMemory control;
    private final DeliveryRing deliveries;
    private final ReleaseRing releases;
    private final ReceivedMessages held;
    private final NodeWaker bell;
    private final long poolAddress;
    private final int bufferBytes;
    private final DirectRings rings;
    private final DirectReceives directs;

    /** The message that a handler is called with. */
    private final PmMessage handled = new PmMessage();

    private long position;
    private boolean isTurnOfRings;
    private int turnLeft;

    /**
     * Makes the receiving end over the rings of {@code control}.
     *
     * @param buffers receive buffers that messages may lie in.
     * @param held messages received and not released.
     * @param rings by which others send directly.
     */
    public ReceiveEnd(
            final ControlMemory control,
            final Attachment.Buffers buffers,
            final NodeWaker bell,
            final ReceivedMessages held,
            final DirectRings rings) {
        this.control = control;
        poolAddress = buffers.address();
        bufferBytes = buffers.bufferBytes();
        this.bell = bell;
        this.held = held;
        this.rings = rings;
        directs = rings.receives();
        deliveries = control.deliveryRing();
        releases = control.releaseRing();
    }

    /** Messages received and not released. */
    public ReceivedMessages held() {
        return held;
    }

    /** True if {@link #take} has a message. */
    public boolean isReady() {
        rings.poll();
        if (isNodeReady() || directs.isReady()) {
            return true;
        }
        directs.onIdle();
        return false;
    }

    /**
     * True if a message comes within a microsecond from where the last one came, and is likely to.
     */
    public boolean comesSoon() {
        return directs.comesSoon();
    }

    /** True if the node has delivered a message that may be next; takes those that begin a ring. */
    private boolean isNodeReady() {
        while (deliveries.isReady(position)) {
            if (directs.isEmpty()) {
                return true;
            }
            final long entry = deliveries.entry(position);
            final int node = DeliveryRing.sourceNode(entry);
            final int context = DeliveryRing.sourceContext(entry);
            final int lengthBytes = DeliveryRing.lengthBytes(entry);
            if (!directs.isBegin(node, context, payloadAddress(entry), lengthBytes)) {
                return directs.order(node, context) != DirectReceives.RING_FULL;
            }
            position++;
            giveBack(DeliveryRing.bufferId(entry));
        }
        return false;
    }

    /** Takes the next message, which {@link #isReady} has found. */
    public void take(final PmMessage message) {
        if (directs.isEmpty() || !isInRing()) {
            takeDelivered(message);
        } else {
            directs.receive(message);
        }
    }

    /**
     * Takes messages, of which {@link #isReady} has found one, and releases each.
     *
     * @param limit most messages, 1 or more.
     * @return how many.
     */
    int take(final PmMessageHandler handler, final int limit) {
        return directs.isEmpty() || !isInRing()
                ? takeDelivered(handler, limit)
                : directs.receive(handler, handled, limit);
    }

    /** Messages from the node, as long as none of a ring has to come before them. */
    private int takeDelivered(final PmMessageHandler handler, final int limit) {
        final int most = directs.isEmpty() ? limit : 1;
        int count = 0;
        try {
            do {
                takeDelivered(handled);
                count++;
                try {
                    handler.onMessage(handled);
                } finally {
                    releaseHandled();
                }
            } while (count < most && deliveries.isReady(position));
        } finally {
            bell.onReleased(control);
        }
        return count;
    }

    // The node is notified of all together, because the fence in it costs as much as the rest.
    private void releaseHandled() {
        if (handled.handle() != PmMessage.NO_HANDLE) {
            final long handle = handled.handle();
            handled.clear();
            releases.put(held.release(handle));
        }
    }

    private boolean isInRing() {
        if (!isNodeReady()) {
            return true;
        }
        final long entry = deliveries.entry(position);
        if (directs.order(DeliveryRing.sourceNode(entry), DeliveryRing.sourceContext(entry))
                == DirectReceives.RING_FIRST) {
            return true;
        }
        if (turnLeft == 0) {
            turnLeft = MESSAGES_PER_TURN;
            isTurnOfRings = !isTurnOfRings;
        }
        turnLeft--;
        return isTurnOfRings && directs.isReady();
    }

    private void takeDelivered(final PmMessage message) {
        final long entry = deliveries.entry(position);
        message.set(
                held.hold(position++, DeliveryRing.bufferId(entry)),
                payloadAddress(entry),
                DeliveryRing.lengthBytes(entry),
                DeliveryRing.tag(entry),
                DeliveryRing.sourceNode(entry),
                DeliveryRing.sourceContext(entry));
    }

    private long payloadAddress(final long entry) {
        return poolAddress
                + (long) DeliveryRing.bufferId(entry) * bufferBytes
                + DeliveryRing.payloadOffset(entry);
    }

    /**
     * Releases the message with this handle.
     *
     * @throws IllegalStateException if no such message is held.
     */
    public void release(final long handle) {
        if (DirectReceives.isDirect(handle)) {
            directs.release(handle);
        } else {
            giveBack(held.release(handle));
        }
    }

    private void giveBack(final int bufferId) {
        releases.put(bufferId);
        bell.onReleased(control);
    }

    /** Notifies the node that an event has been taken. */
    public void releaseEvent() {
        releases.put(ReleaseRing.EVENT);
    }
}
