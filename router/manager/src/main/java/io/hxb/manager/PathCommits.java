package io.hxb.manager;

import io.hxb.vlan.HostPaths;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Lets changes of paths take effect, numbers them, and wakes the sessions that watch. Owned by the
 * manager's thread.
 */
final class PathCommits {
    private final HostPaths paths;
    private final ManagerCounts counts;
    private final Set<ManagerSession> watchers = new LinkedHashSet<>();
    private long number = 1;

    /** Commits of {@code paths}, of which there was none yet. */
    PathCommits(final HostPaths paths, final ManagerCounts counts) {
        this.paths = paths;
        this.counts = counts;
    }

    /** Commits since the start; the first has number 2. */
    long number() {
        return number;
    }

    /** Lets all changes since the last commit take effect. */
    void commit() {
        paths.commit();
        number++;
        counts.add(ManagerCount.CHANGES);
        if (!watchers.isEmpty()) {
            watchers.forEach(ManagerSession::wake);
        }
    }

    /** From now on a session is woken by every commit. */
    void watch(final ManagerSession session) {
        watchers.add(session);
    }

    /** A session has ended. */
    void forget(final ManagerSession session) {
        watchers.remove(session);
    }
}
