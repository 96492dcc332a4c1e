package io.hxb.manager;

import io.hxb.vlan.HostTable;

import org.agrona.collections.Int2IntHashMap;
import org.agrona.collections.IntArrayList;

/**
 * What one connection to the manager has begun: its batch, and its ranks. Owned by the manager's
 * thread.
 */
public final class ManagerSession {
    private static final int NO_HOST = -1;

    private final int id;
    private final boolean mayChange;
    private final IntArrayList batchHosts = new IntArrayList();
    private final IntArrayList batchVids = new IntArrayList();
    private final IntArrayList batchOwners = new IntArrayList();
    private final Int2IntHashMap hostOfRank = new Int2IntHashMap(NO_HOST);
    private final HostPathSearch search = new HostPathSearch();
    private Runnable watcher = () -> {};
    private boolean isLeaseholder;
    private TableDraft draft;
    private HostTable before;
    private HostTable kept;
    private int[] replaced = {};
    private boolean isInBatch;
    private boolean hasBatchFailed;

    /**
     * A session without anything.
     *
     * @param id 1 or more.
     * @param mayChange false for a user who may only read.
     */
    ManagerSession(final int id, final boolean mayChange) {
        this.id = id;
        this.mayChange = mayChange;
    }

    /** Sets who is notified of changes; called by the manager's thread, in the middle of one. */
    void onChange(final Runnable action) {
        watcher = action;
    }

    /** Paths have changed. */
    void wake() {
        watcher.run();
    }

    int id() {
        return id;
    }

    boolean mayChange() {
        return mayChange;
    }

    /** From now on it changes paths only while it has the lease. */
    void holdLease() {
        isLeaseholder = true;
    }

    /** True if it has, or had, the lease of a management server. */
    boolean isLeaseholder() {
        return isLeaseholder;
    }

    boolean isInBatch() {
        return isInBatch;
    }

    boolean hasBatchFailed() {
        return hasBatchFailed;
    }

    void beginBatch() {
        isInBatch = true;
        hasBatchFailed = false;
    }

    void failBatch() {
        hasBatchFailed = true;
        dropChanges();
    }

    /** Changes that wait for the end of the batch. */
    int batchChanges() {
        return batchHosts.size();
    }

    /** Notes a change; {@code owner} is the session whose claim it becomes. */
    void note(final int host, final int vid, final int owner) {
        batchHosts.addInt(host);
        batchVids.addInt(vid);
        batchOwners.addInt(owner);
    }

    int batchHost(final int i) {
        return batchHosts.getInt(i);
    }

    int batchVid(final int i) {
        return batchVids.getInt(i);
    }

    int batchOwner(final int i) {
        return batchOwners.getInt(i);
    }

    void endBatch() {
        isInBatch = false;
        hasBatchFailed = false;
        dropChanges();
    }

    private void dropChanges() {
        batchHosts.clear();
        batchVids.clear();
        batchOwners.clear();
    }

    /** The paths that it has computed. */
    HostPathSearch search() {
        return search;
    }

    /** The table that it is about to set; null if none was begun. */
    TableDraft draft() {
        return draft;
    }

    void draft(final TableDraft value) {
        draft = value;
    }

    /** The table that holds again when this session ends; null if it has set none. */
    HostTable before() {
        return before;
    }

    void before(final HostTable value) {
        before = value;
    }

    /** The table that it has set outlives it. */
    void keepTable() {
        kept = before;
        before = null;
    }

    /** It does not after all. */
    void undoKeepTable() {
        before = kept == null ? before : kept;
        kept = null;
    }

    /** What {@link PathClaims#keep} has replaced. */
    int[] replaced() {
        return replaced;
    }

    void replaced(final int[] value) {
        replaced = value;
    }

    /** Ranks that have a host. */
    int ranks() {
        return hostOfRank.size();
    }

    boolean hasRank(final int rank) {
        return hostOfRank.containsKey(rank);
    }

    void bind(final int rank, final int host) {
        hostOfRank.put(rank, host);
    }

    /** The host of a rank, -1 if it has none. */
    int hostOf(final int rank) {
        return hostOfRank.get(rank);
    }
}
