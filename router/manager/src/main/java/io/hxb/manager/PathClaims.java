package io.hxb.manager;

import io.hxb.vlan.HostPaths;

import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.IntArrayList;

import java.util.ArrayList;
import java.util.List;

/**
 * Who wants which path for which host. Of several claims on one host the newest holds; when it is
 * withdrawn, or its session ends, the one before it holds again; without any, the host follows the
 * table. Owned by the manager's thread. Memory: a claim for each session and host that it has set.
 */
final class PathClaims {
    /** The session of claims that outlive the one that made them. */
    static final int PERMANENT = 0;

    /** No claim. */
    private static final int NOTHING = -1;

    private final HostPaths paths;
    private final Int2ObjectHashMap<List<Claim>> claimsOfHost = new Int2ObjectHashMap<>();

    private record Claim(int session, int vid) {}

    /** Claims on the hosts of {@code paths}, which nobody else changes. */
    PathClaims(final HostPaths paths) {
        this.paths = paths;
    }

    /**
     * Sets the path that a session claims for a host until it withdraws the claim; takes effect
     * with the next commit of the paths.
     *
     * @param session 1 or more, or {@link #PERMANENT}.
     * @param host another host.
     * @param vid one of the plan, or {@link HostPaths#BY_TABLE} to insist on the table.
     */
    void claim(final int session, final int host, final int vid) {
        List<Claim> claims = claimsOfHost.get(host);
        if (claims == null) {
            claims = new ArrayList<>(1);
            claimsOfHost.put(host, claims);
        }
        claims.removeIf(claim -> claim.session == session);
        claims.add(new Claim(session, vid));
        paths.set(host, vid);
    }

    /** Withdraws what a session claims on a host; nothing if it claims nothing. */
    void withdraw(final int session, final int host) {
        final List<Claim> claims = claimsOfHost.get(host);
        if (claims != null && claims.removeIf(claim -> claim.session == session)) {
            hold(host, claims);
            if (claims.isEmpty()) {
                claimsOfHost.remove(host);
            }
        }
    }

    /**
     * Withdraws all claims of a session.
     *
     * @return how many.
     */
    int withdrawAll(final int session) {
        final int[] withdrawn = new int[1];
        claimsOfHost
                .entrySet()
                .removeIf(
                        entry -> {
                            final List<Claim> claims = entry.getValue();
                            if (claims.removeIf(claim -> claim.session == session)) {
                                hold(entry.getKey(), claims);
                                withdrawn[0]++;
                            }
                            return claims.isEmpty();
                        });
        return withdrawn[0];
    }

    /**
     * Lets all claims of a session outlive it, in place of those that outlive their sessions now.
     *
     * @return what was replaced, as {@link #undoKeep} takes it: host, VID that is kept, and VID
     *     before or {@link #NOTHING}, for each.
     */
    int[] keep(final int session) {
        final IntArrayList replaced = new IntArrayList();
        final int[] hosts = claimsOfHost.keySet().stream().mapToInt(Integer::intValue).toArray();
        for (final int host : hosts) {
            final int vid = find(session, host);
            if (vid != NOTHING) {
                replaced.addInt(host);
                replaced.addInt(vid);
                replaced.addInt(find(PERMANENT, host));
                if (vid == HostPaths.BY_TABLE) {
                    withdraw(PERMANENT, host);
                } else {
                    claim(PERMANENT, host, vid);
                }
                withdraw(session, host);
            }
        }
        return replaced.toIntArray();
    }

    /** Undoes {@link #keep}: the claims are those of the session again. */
    void undoKeep(final int session, final int[] replaced) {
        for (int i = 0; i < replaced.length; i += 3) {
            final int host = replaced[i];
            withdraw(PERMANENT, host);
            if (replaced[i + 2] != NOTHING) {
                claim(PERMANENT, host, replaced[i + 2]);
            }
            claim(session, host, replaced[i + 1]);
        }
    }

    private int find(final int session, final int host) {
        final List<Claim> claims = claimsOfHost.get(host);
        if (claims != null) {
            for (final Claim claim : claims) {
                if (claim.session == session) {
                    return claim.vid;
                }
            }
        }
        return NOTHING;
    }

    /** Withdraws all claims of all sessions. */
    void clear() {
        claimsOfHost.keySet().forEach(host -> paths.set(host, HostPaths.BY_TABLE));
        claimsOfHost.clear();
    }

    private void hold(final int host, final List<Claim> claims) {
        paths.set(host, claims.isEmpty() ? HostPaths.BY_TABLE : claims.getLast().vid);
    }

    /** How many other sessions claim a path for a host; lasting claims count as one. */
    int others(final int session, final int host) {
        final List<Claim> claims = claimsOfHost.get(host);
        int others = 0;
        if (claims != null) {
            for (final Claim claim : claims) {
                others += claim.session == session ? 0 : 1;
            }
        }
        return others;
    }

    /** What a session claims on a host; {@link HostPaths#BY_TABLE} if that or nothing. */
    int claimed(final int session, final int host) {
        return Math.max(HostPaths.BY_TABLE, find(session, host));
    }
}
