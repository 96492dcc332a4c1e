package io.hxb.context;

import io.hxb.linux.FileStatus;
import io.hxb.linux.UnixSocket;

import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * Who may attach. Immutable.
 *
 * @param uids user ids that may.
 * @param gids primary group ids that may.
 */
public record AttachAccess(Set<Integer> uids, Set<Integer> gids) {
    /** Copies the sets. */
    public AttachAccess {
        uids = Set.copyOf(uids);
        gids = Set.copyOf(gids);
    }

    /** Root and the user this process runs as. */
    public static AttachAccess ownUser() {
        final int own = ownUid();
        return new AttachAccess(own == 0 ? Set.of(0) : Set.of(0, own), Set.of());
    }

    /** Root, the user this process runs as, and these users and groups. */
    public static AttachAccess ownUserAnd(
            final Collection<Integer> uids, final Collection<Integer> gids) {
        final Set<Integer> all = new HashSet<>(ownUser().uids());
        all.addAll(uids);
        return new AttachAccess(all, Set.copyOf(gids));
    }

    static int ownUid() {
        return FileStatus.ownUid();
    }

    boolean isAllowed(final UnixSocket.Peer peer) {
        return uids.contains(peer.uid()) || gids.contains(peer.gid());
    }
}
