package io.hxb.manager;

import io.hxb.vlan.HostPaths;

import org.agrona.collections.Int2ObjectHashMap;

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
        final List<Claim> claims = claimsOfHost.get(host);
        if (claims != null) {
            for (final Claim claim : claims) {
                if (claim.session == session) {
                    return claim.vid;
                }
            }
        }
        return HostPaths.BY_TABLE;
    }
}
