package io.hxb.manager;

import io.hxb.vlan.HostPaths;
import io.hxb.vlan.HostTable;
import io.hxb.vlan.Tagger;

import java.io.IOException;
import java.util.function.LongSupplier;

/**
 * Answers the requests of all sessions on one host: each change is checked and numbered, and holds
 * with its batch or not at all. What a session has set ends with it. Owned by one thread. Source:
 * VFREC-Net, section 3.2.
 */
public final class HostManager {
    private final HostPaths paths;
    private final NamedHosts hosts;
    private final HostAnswers answers;
    private final OptimiserRequests optimiser;
    private final LeaseRequests lease;
    private final SessionLimits limits;
    private final PathChanges changes;
    private final TableChanges tables;
    private final CommittedPaths committed;
    private final PathCommits commits;
    private final ManagerCounts counts = new ManagerCounts();
    private Runnable beforeCounts = () -> {};

    /**
     * Takes over the paths of a host, and lets what was committed hold.
     *
     * @param paths those of {@code table}, written by nobody else from now on.
     * @param tagger what {@code paths} writes.
     */
    public HostManager(
            final HostTable table,
            final HostPaths paths,
            final Tagger tagger,
            final PathStore store,
            final KernelState kernelState)
            throws IOException {
        this(table, paths, tagger, store, kernelState, System::nanoTime);
    }

    /**
     * The same with another clock.
     *
     * @param clock the time in ns, which only grows; asked where leases are concerned.
     */
    public HostManager(
            final HostTable table,
            final HostPaths paths,
            final Tagger tagger,
            final PathStore store,
            final KernelState kernelState,
            final LongSupplier clock)
            throws IOException {
        this(table, paths, tagger, store, kernelState, clock, null);
    }

    /**
     * The same with an optimiser.
     *
     * @param optimiser for the plan of {@code table}; null if paths are not computed here.
     */
    public HostManager(
            final HostTable table,
            final HostPaths paths,
            final Tagger tagger,
            final PathStore store,
            final KernelState kernelState,
            final LongSupplier clock,
            final PathOptimiser optimiser)
            throws IOException {
        this.paths = paths;
        this.optimiser = new OptimiserRequests(optimiser);
        final PathClaims claims = new PathClaims(paths);
        hosts = new NamedHosts(paths, tagger, kernelState, table.mac(paths.here()));
        answers =
                new HostAnswers(
                        table.fingerprint(), paths, tagger, claims, hosts, kernelState, counts);
        commits = new PathCommits(paths, counts);
        changes = new PathChanges(paths, claims, hosts, commits, counts);
        lease = new LeaseRequests(changes, clock);
        limits = new SessionLimits(counts);
        tables = new TableChanges(table, paths, hosts, commits);
        committed = new CommittedPaths(table, paths, tagger, store, claims, commits);
        committed.restore();
        paths.commit();
    }

    /**
     * Begins a session.
     *
     * @param mayChange false for those who may only read; they have half of the sessions.
     * @return null if the limit has been reached.
     */
    public ManagerSession open(final boolean mayChange) {
        return limits.open(mayChange);
    }

    /** Ends a session: what it has set is undone, its batch forgotten. */
    public void close(final ManagerSession session) {
        limits.close(session);
        commits.forget(session);
        optimiser.forget(session);
        lease.leave(session);
        final boolean hasTable = tables.undo(session);
        if (!changes.undo(session.id()) && hasTable) {
            commits.commit();
        }
    }

    /** Undoes what a management server has set whose lease is over; to be called now and then. */
    public void expireLease() {
        lease.expire();
    }

    /** Changes since the start, batches counted once; the first has number 2. */
    long changes() {
        return commits.number();
    }

    /** What has happened so far; {@link #refreshCounts} brings it up to date. */
    ManagerCounts counts() {
        return counts;
    }

    /** Brings the counts up to date. */
    void refreshCounts() {
        beforeCounts.run();
    }

    /** Sets who brings the counts up to date before they are read. */
    void onCounts(final Runnable action) {
        beforeCounts = action;
    }

    /** The table of initial paths. */
    HostTable table() {
        return tables.table();
    }

    /** True if frames from a host come with another VID than frames to it have. */
    static boolean isHalf(final int vid, final int heardVid) {
        return heardVid != Tagger.UNTAGGED && heardVid != vid;
    }

    /** Answers a request; {@code reply} lies over another {@link ManagerMessage#LENGTH} bytes. */
    public void handle(
            final ManagerSession session,
            final ManagerMessage request,
            final ManagerMessage reply) {
        reply.reply(request);
        counts.add(ManagerCount.REQUESTS);
        final Status status = answer(session, request, reply);
        if (status != Status.OK && status != Status.END_OF_LIST) {
            counts.add(ManagerCount.REFUSED_REQUESTS);
        }
        if (status != Status.OK && session.isInBatch()) {
            session.failBatch();
        }
        reply.status(status).number(commits.number());
    }

    private Status answer(
            final ManagerSession session,
            final ManagerMessage request,
            final ManagerMessage reply) {
        if (request.version() != ManagerMessage.VERSION) {
            return Status.VERSION;
        }
        final ManagerOperation operation = ManagerOperation.of(request.operation());
        if (operation == null || request.kind() == null) {
            return Status.MALFORMED;
        }
        return switch (operation) {
            case HELLO -> answers.hello(tables.table(), reply);
            case HOST -> answers.host(tables.table(), request, reply);
            case COUNT -> {
                if (request.index() == 0) {
                    refreshCounts();
                }
                yield answers.count(request, reply);
            }
            case WATCH -> {
                commits.watch(session);
                yield Status.OK;
            }
            case AUTHENTICATE -> Status.MALFORMED;
            case GET -> answers.get(session, request, reply);
            case TRAFFIC -> answers.traffic(session, request, reply);
            case VID_TRAFFIC -> answers.vidTraffic(tables.table(), request, reply);
            case NIC -> answers.nic(request, reply);
            case BIND_RANK -> bindRank(session, request);
            case LEASE -> lease.answer(session, request, reply);
            case SET,
                    RESET,
                    RESET_ALL,
                    BEGIN,
                    END,
                    COMMIT,
                    ROLLBACK,
                    TABLE_BEGIN,
                    TABLE_ROW,
                    TABLE_PAIR,
                    TABLE_END,
                    KEEP,
                    UNDO_KEEP ->
                    session.mayChange()
                            ? change(session, operation, request, reply)
                            : Status.NOT_ALLOWED;
            case DEMAND, OPTIMISE, CHOICE ->
                    session.mayChange()
                            ? optimiser.answer(session, operation, request, reply)
                            : Status.NOT_ALLOWED;
        };
    }

    /** Detours have changed, which take effect now. */
    void onDetours() {
        commits.commit();
    }

    /** The paths that it manages. */
    HostPaths paths() {
        return paths;
    }

    /** From now on a session is woken by every change. */
    void watch(final ManagerSession session) {
        commits.watch(session);
    }

    private Status bindRank(final ManagerSession session, final ManagerMessage request) {
        final int rank = request.index();
        final int host = rank < 0 ? NamedHosts.NONE : hosts.any(request);
        if (host == NamedHosts.NONE) {
            return Status.NO_SUCH_HOST;
        }
        return limits.bindRank(session, rank, host);
    }

    private Status change(
            final ManagerSession session,
            final ManagerOperation operation,
            final ManagerMessage request,
            final ManagerMessage reply) {
        if (lease.isFenced(session)) {
            counts.add(ManagerCount.FENCED_CHANGES);
            return Status.FENCED;
        }
        if (request.number() != 0 && request.number() != commits.number()) {
            return Status.CHANGED;
        }
        return switch (operation) {
            case SET, RESET -> changes.setOrReset(session, operation, request, reply);
            case RESET_ALL -> changes.resetAll(session, request);
            case BEGIN -> changes.begin(session);
            case END -> changes.end(session);
            case COMMIT -> committed.save(session);
            case ROLLBACK -> committed.rollBack(session);
            case TABLE_BEGIN -> tables.begin(session);
            case TABLE_ROW, TABLE_PAIR -> tables.draft(session, operation, request);
            case TABLE_END ->
                    tables.end(
                            session, PathChanges.owner(session, request) == PathClaims.PERMANENT);
            case KEEP -> changes.keep(session);
            case UNDO_KEEP -> changes.undoKeep(session);
            case HELLO,
                    GET,
                    BIND_RANK,
                    TRAFFIC,
                    VID_TRAFFIC,
                    NIC,
                    HOST,
                    WATCH,
                    COUNT,
                    LEASE,
                    AUTHENTICATE,
                    DEMAND,
                    OPTIMISE,
                    CHOICE ->
                    Status.MALFORMED;
        };
    }
}
