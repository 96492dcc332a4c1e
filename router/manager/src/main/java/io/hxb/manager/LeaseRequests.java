package io.hxb.manager;

import java.util.function.LongSupplier;

/**
 * Answers requests of management servers for the lease, and undoes what one has set when its lease
 * is over. Owned by the manager's thread.
 */
final class LeaseRequests {
    private final ControlLease lease = new ControlLease();
    private final PathChanges changes;
    private final LongSupplier clock;

    /**
     * A lease that nobody has.
     *
     * @param clock the time in ns, which only grows.
     */
    LeaseRequests(final PathChanges changes, final LongSupplier clock) {
        this.changes = changes;
        this.clock = clock;
    }

    /** Gives the lease to a session, takes it back, or reports who has it. */
    Status answer(
            final ManagerSession session,
            final ManagerMessage request,
            final ManagerMessage reply) {
        final long nowNs = clock.getAsLong();
        expire();
        Status status = Status.OK;
        if (request.value(0) != 0) {
            if (!session.mayChange()) {
                return Status.NOT_ALLOWED;
            }
            if (request.index() < 0
                    || request.index() > ControlLease.MAX_MS
                    || request.value(1) < 1) {
                return Status.MALFORMED;
            }
            final int before = lease.session();
            status =
                    lease.ask(
                            session.id(),
                            request.value(0),
                            request.value(1),
                            request.index(),
                            nowNs);
            if (status == Status.OK) {
                session.holdLease();
                if (before != ControlLease.NOBODY && before != lease.session()) {
                    changes.undo(before);
                }
            }
        }
        reply.index(lease.leftMs(nowNs)).value(0, lease.owner()).value(1, lease.generation());
        return status;
    }

    /** True if a session once had the lease and has it no longer: it must not change paths. */
    boolean isFenced(final ManagerSession session) {
        return session.isLeaseholder() && !lease.isHeldBy(session.id(), clock.getAsLong());
    }

    /** Undoes what a management server has set whose lease is over. */
    void expire() {
        final int session = lease.expire(clock.getAsLong());
        if (session != ControlLease.NOBODY) {
            changes.undo(session);
        }
    }

    /** A session has ended. */
    void leave(final ManagerSession session) {
        lease.leave(session.id(), clock.getAsLong());
    }
}
