package io.hxb.pm;

import io.hxb.pm.shm.EventRing;

/**
 * The events of a context: messages that failed, then what the node reports of peers. Owned by the
 * context's thread.
 */
final class ContextEvents {
    private final PmDevice device;
    private final ContextState state;
    private final ContextWaiter waiter;
    private final FailedSends failed;
    private final EventRing ring;
    private final ReceiveEnd receives;

    /**
     * Makes the events of a context.
     *
     * @param device whose link events are reported meanwhile.
     * @param failed messages that were sent.
     * @param ring of the node's events, whose entries go back by {@code receives}.
     */
    ContextEvents(
            final PmDevice device,
            final ContextState state,
            final ContextWaiter waiter,
            final FailedSends failed,
            final EventRing ring,
            final ReceiveEnd receives) {
        this.device = device;
        this.state = state;
        this.waiter = waiter;
        this.failed = failed;
        this.ring = ring;
        this.receives = receives;
    }

    /** Takes the next one; {@link PmStatus#OK} or {@link PmStatus#EMPTY}. */
    int poll(final PmEvent event) {
        if (state.isClosed()) {
            return PmStatus.EMPTY;
        }
        device.pollLinkEvents();
        waiter.takeDoneSends();
        if (!failed.isEmpty()) {
            final int index = failed.take();
            event.set(
                    failed.status(index),
                    failed.node(index),
                    failed.context(index),
                    failed.slot(index));
            return PmStatus.OK;
        }
        if (!ring.take()) {
            return PmStatus.EMPTY;
        }
        event.set(ring.status(), ring.node(), ring.context(), PmEvent.NO_SLOT);
        receives.releaseEvent();
        return PmStatus.OK;
    }
}
