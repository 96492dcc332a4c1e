package io.hxb.manager;

import io.hxb.vlan.HostPaths;
import io.hxb.vlan.HostTable;
import io.hxb.vlan.Tagger;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Answers the requests of all sessions on one host: each change is checked and numbered, and holds
 * with its batch or not at all. What a session has set ends with it. Owned by one thread. Source:
 * VFREC-Net, section 3.2.
 */
public final class HostManager {
    /** Sessions at once. */
    public static final int MAX_SESSIONS = 64;

    /** Changes of one batch. */
    public static final int MAX_BATCH = 65_536;

    /** Sessions at once of users who may not change paths, so that others still find a place. */
    public static final int MAX_READERS = 32;

    /** Ranks of all sessions together. */
    public static final int MAX_RANKS = 262_144;

    private static final Logger LOGGER = LoggerFactory.getLogger(HostManager.class);

    private final HostTable startTable;
    private final HostPaths paths;
    private final PathClaims claims;
    private final Tagger tagger;
    private final PathStore store;
    private final NamedHosts hosts;
    private final HostAnswers answers;
    private final OptimiserRequests optimiser;
    private final ManagerCounts counts = new ManagerCounts();
    private final Set<ManagerSession> watchers = new LinkedHashSet<>();
    private final LongSupplier clock;
    private final ControlLease lease = new ControlLease();
    private HostTable table;
    private Runnable beforeCounts = () -> {};
    private long changes = 1;
    private int sessions;
    private int readers;
    private int lastSession;
    private int ranks;

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
        this.clock = clock;
        this.table = table;
        startTable = table;
        this.paths = paths;
        this.tagger = tagger;
        this.store = store;
        this.optimiser = new OptimiserRequests(optimiser);
        claims = new PathClaims(paths);
        hosts = new NamedHosts(paths, tagger, kernelState, table.mac(paths.here()));
        answers =
                new HostAnswers(
                        table.fingerprint(), paths, tagger, claims, hosts, kernelState, counts);
        restore();
        paths.commit();
    }

    /** Takes the committed paths, and no others; they take effect with the next commit. */
    private void restore() throws IOException {
        final Map<Long, Integer> saved = store.load();
        claims.clear();
        saved.forEach(
                (mac, vid) -> {
                    final int host = tagger.hostOf(mac);
                    if (host == Tagger.OTHERS || !paths.isPlanned(vid)) {
                        LOGGER.warn(
                                "the committed path of {} in VID {} is not of this plan: left out",
                                String.format("%012x", mac),
                                vid);
                    } else {
                        claims.claim(PathClaims.PERMANENT, host, vid);
                    }
                });
    }

    /**
     * Begins a session.
     *
     * @param mayChange false for those who may only read; they have half of the sessions.
     * @return null if the limit has been reached.
     */
    public ManagerSession open(final boolean mayChange) {
        if (sessions == MAX_SESSIONS || (!mayChange && readers == MAX_READERS)) {
            counts.add(ManagerCount.REFUSED_SESSIONS);
            return null;
        }
        sessions++;
        readers += mayChange ? 0 : 1;
        counts.add(ManagerCount.SESSIONS);
        return new ManagerSession(++lastSession, mayChange);
    }

    /** Ends a session: what it has set is undone, its batch forgotten. */
    public void close(final ManagerSession session) {
        sessions--;
        readers -= session.mayChange() ? 0 : 1;
        ranks -= session.ranks();
        watchers.remove(session);
        optimiser.forget(session);
        lease.leave(session.id(), clock.getAsLong());
        final boolean hasTable = session.before() != null;
        if (hasTable) {
            follow(session.before());
        }
        if (!undo(session.id()) && hasTable) {
            commit();
        }
    }

    private boolean undo(final int session) {
        final int undone = claims.withdrawAll(session);
        counts.add(ManagerCount.UNDONE_PATHS, undone);
        if (undone > 0) {
            commit();
        }
        return undone > 0;
    }

    /** Undoes what a management server has set whose lease is over; to be called now and then. */
    public void expireLease() {
        final int session = lease.expire(clock.getAsLong());
        if (session != ControlLease.NOBODY) {
            undo(session);
        }
    }

    /** Changes since the start, batches counted once; the first has number 2. */
    long changes() {
        return changes;
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

    private void follow(final HostTable next) {
        table = next;
        paths.follow(next);
    }

    /** The table of initial paths. */
    HostTable table() {
        return table;
    }

    /** True if frames from a host come with another VID than frames to it have. */
    static boolean isHalf(final int vid, final int heardVid) {
        return heardVid != Tagger.UNTAGGED && heardVid != vid;
    }

    private void commit() {
        paths.commit();
        changes++;
        counts.add(ManagerCount.CHANGES);
        if (!watchers.isEmpty()) {
            watchers.forEach(ManagerSession::wake);
        }
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
        reply.status(status).number(changes);
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
            case HELLO -> answers.hello(table, reply);
            case HOST -> answers.host(table, request, reply);
            case COUNT -> {
                if (request.index() == 0) {
                    refreshCounts();
                }
                yield answers.count(request, reply);
            }
            case WATCH -> {
                watch(session);
                yield Status.OK;
            }
            case AUTHENTICATE -> Status.MALFORMED;
            case GET -> answers.get(session, request, reply);
            case TRAFFIC -> answers.traffic(session, request, reply);
            case VID_TRAFFIC -> answers.vidTraffic(table, request, reply);
            case NIC -> answers.nic(request, reply);
            case BIND_RANK -> bindRank(session, request);
            case LEASE -> lease(session, request, reply);
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
        commit();
    }

    /** The paths that it manages. */
    HostPaths paths() {
        return paths;
    }

    /** From now on a session is woken by every change. */
    void watch(final ManagerSession session) {
        watchers.add(session);
    }

    private Status lease(
            final ManagerSession session,
            final ManagerMessage request,
            final ManagerMessage reply) {
        final long nowNs = clock.getAsLong();
        expireLease();
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
                    undo(before);
                }
            }
        }
        reply.index(lease.leftMs(nowNs)).value(0, lease.owner()).value(1, lease.generation());
        return status;
    }

    private Status bindRank(final ManagerSession session, final ManagerMessage request) {
        final int rank = request.index();
        final int host = rank < 0 ? NamedHosts.NONE : hosts.any(request);
        if (host == NamedHosts.NONE) {
            return Status.NO_SUCH_HOST;
        }
        if (!session.hasRank(rank)) {
            if (ranks == MAX_RANKS) {
                return Status.LIMIT;
            }
            ranks++;
        }
        session.bind(rank, host);
        return Status.OK;
    }

    private Status change(
            final ManagerSession session,
            final ManagerOperation operation,
            final ManagerMessage request,
            final ManagerMessage reply) {
        if (session.isLeaseholder() && !lease.isHeldBy(session.id(), clock.getAsLong())) {
            counts.add(ManagerCount.FENCED_CHANGES);
            return Status.FENCED;
        }
        if (request.number() != 0 && request.number() != changes) {
            return Status.CHANGED;
        }
        return switch (operation) {
            case SET, RESET -> setOrReset(session, operation, request, reply);
            case RESET_ALL -> resetAll(session, owner(session, request));
            case BEGIN -> begin(session);
            case END -> end(session);
            case COMMIT -> save(session);
            case ROLLBACK -> rollBack(session);
            case TABLE_BEGIN -> {
                session.draft(new TableDraft(table));
                yield session.isInBatch() ? Status.BATCH : Status.OK;
            }
            case TABLE_ROW, TABLE_PAIR -> draft(session, operation, request);
            case TABLE_END -> endTable(session, owner(session, request));
            case KEEP -> keep(session);
            case UNDO_KEEP -> undoKeep(session);
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

    private Status setOrReset(
            final ManagerSession session,
            final ManagerOperation operation,
            final ManagerMessage request,
            final ManagerMessage reply) {
        final int host = hosts.peer(session, request);
        if (host == NamedHosts.NONE) {
            return Status.NO_SUCH_HOST;
        }
        final boolean isSet = operation == ManagerOperation.SET;
        final int vid = request.vid();
        if (isSet && vid != HostPaths.BY_TABLE && !paths.isPlanned(vid)) {
            return Status.NO_SUCH_VID;
        }
        final int owner = owner(session, request);
        if (session.isInBatch()) {
            if (session.batchChanges() == MAX_BATCH) {
                return Status.LIMIT;
            }
            if (!session.hasBatchFailed()) {
                session.note(host, isSet ? vid : NamedHosts.NONE, owner);
            }
        } else {
            apply(host, isSet ? vid : NamedHosts.NONE, owner);
            commit();
        }
        reply.index(host).vid(paths.vid(host));
        return Status.OK;
    }

    private void apply(final int host, final int vid, final int owner) {
        if (vid == NamedHosts.NONE) {
            claims.withdraw(owner, host);
        } else {
            claims.claim(owner, host, vid);
        }
    }

    private static int owner(final ManagerSession session, final ManagerMessage request) {
        return (request.flags() & ManagerMessage.FLAG_PERMANENT) != 0
                ? PathClaims.PERMANENT
                : session.id();
    }

    private Status resetAll(final ManagerSession session, final int owner) {
        if (session.isInBatch()) {
            return Status.BATCH;
        }
        claims.withdrawAll(owner);
        commit();
        return Status.OK;
    }

    private Status begin(final ManagerSession session) {
        if (session.isInBatch()) {
            return Status.BATCH;
        }
        session.beginBatch();
        return Status.OK;
    }

    private Status end(final ManagerSession session) {
        if (!session.isInBatch()) {
            return Status.BATCH;
        }
        final boolean hasFailed = session.hasBatchFailed();
        for (int i = 0; i < session.batchChanges(); i++) {
            apply(session.batchHost(i), session.batchVid(i), session.batchOwner(i));
        }
        if (session.batchChanges() > 0) {
            commit();
        }
        session.endBatch();
        return hasFailed ? Status.BATCH_FAILED : Status.OK;
    }

    private Status draft(
            final ManagerSession session,
            final ManagerOperation operation,
            final ManagerMessage request) {
        final TableDraft draft = session.draft();
        if (draft == null) {
            return Status.BAD_TABLE;
        }
        final int host = request.index();
        if (host < 0 || host >= draft.hosts()) {
            return Status.NO_SUCH_HOST;
        }
        if (!paths.isPlanned(request.vid())) {
            return Status.NO_SUCH_VID;
        }
        if (operation == ManagerOperation.TABLE_ROW) {
            draft.row(host, request.vid(), (int) request.value(0));
            return Status.OK;
        }
        final int other = hosts.any(request);
        if (other == NamedHosts.NONE || other == host) {
            return Status.NO_SUCH_HOST;
        }
        return draft.exception(host, other, request.vid()) ? Status.OK : Status.LIMIT;
    }

    private Status endTable(final ManagerSession session, final int owner) {
        final TableDraft draft = session.draft();
        session.draft(null);
        if (draft == null) {
            return Status.BAD_TABLE;
        }
        final HostTable next;
        try {
            next = draft.finish();
        } catch (final IllegalArgumentException e) {
            LOGGER.warn("a table was refused: {}", e.getMessage());
            return Status.BAD_TABLE;
        }
        if (owner == PathClaims.PERMANENT) {
            session.before(null);
        } else if (session.before() == null) {
            session.before(table);
        }
        follow(next);
        commit();
        return Status.OK;
    }

    private Status keep(final ManagerSession session) {
        if (session.isInBatch()) {
            return Status.BATCH;
        }
        session.replaced(claims.keep(session.id()));
        session.keepTable();
        commit();
        return Status.OK;
    }

    private Status undoKeep(final ManagerSession session) {
        if (session.isInBatch()) {
            return Status.BATCH;
        }
        claims.undoKeep(session.id(), session.replaced());
        session.replaced(new int[0]);
        session.undoKeepTable();
        commit();
        return Status.OK;
    }

    private Status save(final ManagerSession session) {
        if (session.isInBatch()) {
            return Status.BATCH;
        }
        final Map<Long, Integer> vidOfMac = new LinkedHashMap<>();
        for (int host = 0; host < paths.hostCount(); host++) {
            // After a restart, the table of the start holds again.
            if (host != paths.here()
                    && (paths.exception(host) != HostPaths.BY_TABLE
                            || paths.wanted(host) != startTable.vid(paths.here(), host))) {
                vidOfMac.put(tagger.mac(host), paths.wanted(host));
            }
        }
        try {
            store.save(vidOfMac);
        } catch (final IOException e) {
            LOGGER.warn("committed paths: {}", e.getMessage());
            return Status.NOT_WRITTEN;
        }
        claims.withdrawAll(PathClaims.PERMANENT);
        vidOfMac.forEach((mac, vid) -> claims.claim(PathClaims.PERMANENT, tagger.hostOf(mac), vid));
        commit();
        return Status.OK;
    }

    private Status rollBack(final ManagerSession session) {
        if (session.isInBatch()) {
            return Status.BATCH;
        }
        try {
            restore();
        } catch (final IOException e) {
            LOGGER.warn("committed paths: {}", e.getMessage());
            return Status.NOT_READ;
        }
        commit();
        return Status.OK;
    }
}
