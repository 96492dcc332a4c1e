package io.hxb.context;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LimitConfig;
import io.hxb.config.Share;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the users of a node have of it, and what they may have. Any thread.
 *
 * <p>Root and the node's own user have no limits. All other users together leave a part of the
 * connections and contexts free for them, so that whoever looks after the node can always attach.
 */
final class UserShares {
    /** Of what others may not take all, one part in so many is kept. */
    private static final int RESERVED_PART = 8;

    private static final int NODE_UID = -1;

    private final LimitConfig limits;
    private final int poolBuffers;
    private final Set<Integer> exemptUids;
    private final Map<Share, ShareBook> others = new EnumMap<>(Share.class);
    private final Map<Integer, UserAccount> accounts = new ConcurrentHashMap<>();
    private final UserAccount node;

    /**
     * Opens the books of a node.
     *
     * @param maxConnections processes that may be attached at once.
     * @param exemptUids users without limits.
     */
    UserShares(
            final ClusterConfig cluster, final int maxConnections, final Set<Integer> exemptUids) {
        limits = cluster.limits();
        poolBuffers = cluster.pool().bufferCount();
        this.exemptUids = Set.copyOf(exemptUids);
        final int maxContexts = cluster.context().maxContexts();
        reserve(Share.CONNECTIONS, "the number of connections of a node", maxConnections);
        reserve(Share.CONTEXTS, "context.maxContexts", maxContexts);
        node = new UserAccount(NODE_UID, "the node itself", share -> unlimited(NODE_UID, share));
    }

    /** The books of a node whose own user is that of this process. */
    static UserShares of(final ClusterConfig cluster, final int maxConnections) {
        return new UserShares(cluster, maxConnections, AttachAccess.ownUser().uids());
    }

    private void reserve(final Share share, final String key, final long total) {
        final long limit = Math.max(1, total - Math.max(1, total / RESERVED_PART));
        others.put(share, new ShareBook("all users together", share, key, limit, null));
    }

    /** The account of applications in the node's own process. */
    UserAccount node() {
        return node;
    }

    /** The account of a user; the same one whenever he comes again. */
    UserAccount of(final int uid) {
        return accounts.computeIfAbsent(
                uid,
                id ->
                        new UserAccount(
                                id,
                                "user " + id,
                                exemptUids.contains(id)
                                        ? share -> unlimited(id, share)
                                        : share -> limited(id, share)));
    }

    private ShareBook limited(final int uid, final Share share) {
        return new ShareBook(
                "user " + uid, share, "limits." + share.key(), limit(share), others.get(share));
    }

    private static ShareBook unlimited(final int uid, final Share share) {
        return new ShareBook("user " + uid, share, "none", ShareBook.UNLIMITED, null);
    }

    private long limit(final Share share) {
        final long limit = limits.limit(share);
        return switch (share) {
            case HELD_BUFFERS -> limit > 0 ? limit : Math.max(1, poolBuffers / 4);
            case MESSAGES -> limit > 0 ? limit : ShareBook.UNLIMITED;
            case CONNECTIONS, CONTEXTS, MEMORY_BYTES, REGIONS, FLOWS -> limit;
        };
    }

    /** All accounts that there have been since the node started, the node's own one first. */
    List<UserAccount> accounts() {
        final List<UserAccount> all = new ArrayList<>(accounts.values());
        all.addFirst(node);
        return all;
    }
}
