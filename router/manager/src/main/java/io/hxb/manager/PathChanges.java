package io.hxb.manager;

import io.hxb.vlan.HostPaths;

/**
 * Changes the paths of a host for sessions, one at a time or in batches, and undoes what a session
 * has set when it ends. Owned by the manager's thread.
 */
final class PathChanges {
    /** Changes of one batch. */
    static final int MAX_BATCH = 65_536;

    private final HostPaths paths;
    private final PathClaims claims;
    private final NamedHosts hosts;
    private final PathCommits commits;
    private final ManagerCounts counts;

    /** Changes of {@code paths}, by claims. */
    PathChanges(
            final HostPaths paths,
            final PathClaims claims,
            final NamedHosts hosts,
            final PathCommits commits,
            final ManagerCounts counts) {
        this.paths = paths;
        this.claims = claims;
        this.hosts = hosts;
        this.commits = commits;
        this.counts = counts;
    }

    /** Claims a path for a host, or withdraws the claim, now or at the end of the batch. */
    Status setOrReset(
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
            commits.commit();
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

    /** Whose claim a request makes: that of its session, or one that outlives it. */
    static int owner(final ManagerSession session, final ManagerMessage request) {
        return (request.flags() & ManagerMessage.FLAG_PERMANENT) != 0
                ? PathClaims.PERMANENT
                : session.id();
    }

    /** Withdraws all claims of a session, or those that outlive their sessions. */
    Status resetAll(final ManagerSession session, final ManagerMessage request) {
        if (session.isInBatch()) {
            return Status.BATCH;
        }
        claims.withdrawAll(owner(session, request));
        commits.commit();
        return Status.OK;
    }

    /** Begins a batch. */
    Status begin(final ManagerSession session) {
        if (session.isInBatch()) {
            return Status.BATCH;
        }
        session.beginBatch();
        return Status.OK;
    }

    /** Ends a batch: all of its changes hold, or none. */
    Status end(final ManagerSession session) {
        if (!session.isInBatch()) {
            return Status.BATCH;
        }
        final boolean hasFailed = session.hasBatchFailed();
        for (int i = 0; i < session.batchChanges(); i++) {
            apply(session.batchHost(i), session.batchVid(i), session.batchOwner(i));
        }
        if (session.batchChanges() > 0) {
            commits.commit();
        }
        session.endBatch();
        return hasFailed ? Status.BATCH_FAILED : Status.OK;
    }

    /** What a session has set outlives it. */
    Status keep(final ManagerSession session) {
        if (session.isInBatch()) {
            return Status.BATCH;
        }
        session.replaced(claims.keep(session.id()));
        session.keepTable();
        commits.commit();
        return Status.OK;
    }

    /** It does not after all. */
    Status undoKeep(final ManagerSession session) {
        if (session.isInBatch()) {
            return Status.BATCH;
        }
        claims.undoKeep(session.id(), session.replaced());
        session.replaced(new int[0]);
        session.undoKeepTable();
        commits.commit();
        return Status.OK;
    }

    /**
     * Undoes what a session has set.
     *
     * @return true if there was something, which is committed.
     */
    boolean undo(final int session) {
        final int undone = claims.withdrawAll(session);
        counts.add(ManagerCount.UNDONE_PATHS, undone);
        if (undone > 0) {
            commits.commit();
        }
        return undone > 0;
    }
}
