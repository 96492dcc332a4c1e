package io.hxb.manager;

import io.hxb.vlan.HostPaths;
import io.hxb.vlan.HostTable;
import io.hxb.vlan.Tagger;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The paths that were committed to the manager's file, and hold when it starts again. Owned by the
 * manager's thread.
 */
final class CommittedPaths {
    private static final Logger LOGGER = LoggerFactory.getLogger(CommittedPaths.class);

    private final HostTable startTable;
    private final HostPaths paths;
    private final Tagger tagger;
    private final PathStore store;
    private final PathClaims claims;
    private final PathCommits commits;

    /**
     * Committed paths, of which none holds yet.
     *
     * @param startTable the table that holds after a restart.
     */
    CommittedPaths(
            final HostTable startTable,
            final HostPaths paths,
            final Tagger tagger,
            final PathStore store,
            final PathClaims claims,
            final PathCommits commits) {
        this.startTable = startTable;
        this.paths = paths;
        this.tagger = tagger;
        this.store = store;
        this.claims = claims;
        this.commits = commits;
    }

    /** Takes the committed paths, and no others; they take effect with the next commit. */
    void restore() throws IOException {
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

    /** Writes the paths that hold now, which hold after a restart, too. */
    Status save(final ManagerSession session) {
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
            LOGGER.warn("cannot save the committed paths: {}", e.getMessage());
            return Status.NOT_WRITTEN;
        }
        claims.withdrawAll(PathClaims.PERMANENT);
        vidOfMac.forEach((mac, vid) -> claims.claim(PathClaims.PERMANENT, tagger.hostOf(mac), vid));
        commits.commit();
        return Status.OK;
    }

    /** Takes the committed paths again. */
    Status rollBack(final ManagerSession session) {
        if (session.isInBatch()) {
            return Status.BATCH;
        }
        try {
            restore();
        } catch (final IOException e) {
            LOGGER.warn("cannot restore the committed paths: {}", e.getMessage());
            return Status.NOT_READ;
        }
        commits.commit();
        return Status.OK;
    }
}
