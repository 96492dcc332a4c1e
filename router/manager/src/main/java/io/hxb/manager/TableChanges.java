package io.hxb.manager;

import io.hxb.vlan.HostPaths;
import io.hxb.vlan.HostTable;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes the table of initial paths for sessions, which draft the next one row by row. Owned by
 * the manager's thread.
 */
final class TableChanges {
    private static final Logger LOGGER = LoggerFactory.getLogger(TableChanges.class);

    private final HostPaths paths;
    private final NamedHosts hosts;
    private final PathCommits commits;
    private HostTable table;

    /**
     * Changes of a table.
     *
     * @param paths those of {@code table}.
     */
    TableChanges(
            final HostTable table,
            final HostPaths paths,
            final NamedHosts hosts,
            final PathCommits commits) {
        this.table = table;
        this.paths = paths;
        this.hosts = hosts;
        this.commits = commits;
    }

    /** The table that holds. */
    HostTable table() {
        return table;
    }

    /** Begins a draft. */
    Status begin(final ManagerSession session) {
        session.draft(new TableDraft(table));
        return session.isInBatch() ? Status.BATCH : Status.OK;
    }

    /** Takes a row of the draft, or an exception from its rows. */
    Status draft(
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

    /** Lets the draft hold, until the session ends or from now on. */
    Status end(final ManagerSession session, final boolean isPermanent) {
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
        if (isPermanent) {
            session.before(null);
        } else if (session.before() == null) {
            session.before(table);
        }
        follow(next);
        commits.commit();
        return Status.OK;
    }

    /**
     * A session has ended: the table before it holds again, with the next commit.
     *
     * @return false if the session has set no table.
     */
    boolean undo(final ManagerSession session) {
        if (session.before() == null) {
            return false;
        }
        follow(session.before());
        return true;
    }

    private void follow(final HostTable next) {
        table = next;
        paths.follow(next);
    }
}
