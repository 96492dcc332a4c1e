package io.hxb.manager.control;

import io.hxb.manager.ManagerMessage;
import io.hxb.manager.Status;

/**
 * Who has the lease of a host, as its manager reported last. Owned by the thread that works with
 * the host.
 */
final class HeldLease {
    private LeaseView view = LeaseView.UNKNOWN;
    private long self;

    LeaseView view() {
        return view;
    }

    /**
     * The manager has answered.
     *
     * @param owner that asked for the lease; 0 if nobody did.
     */
    void onReply(final long owner, final ManagerMessage reply) {
        final boolean isHeld = reply.index() > 0;
        // Only the answer to a request shows whether this session has it: the owner may have
        // another.
        final boolean isOwn =
                owner == 0
                        ? view.isOwn() && isHeld && reply.value(0) == self
                        : Status.of(reply.status()) == Status.OK && isHeld;
        self = owner == 0 ? self : owner;
        view = new LeaseView(isOwn, !isHeld, reply.value(1));
    }

    /** Somebody else has got it. */
    void onFenced() {
        view = new LeaseView(false, false, view.generation());
    }

    /** The session has ended. */
    void forget() {
        view = LeaseView.UNKNOWN;
    }
}
