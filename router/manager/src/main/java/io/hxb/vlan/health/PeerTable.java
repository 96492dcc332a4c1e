package io.hxb.vlan.health;

import io.hxb.trunk.health.HoldDown;
import io.hxb.vlan.HostPaths;
import io.hxb.vlan.HostTable;

import org.agrona.collections.Int2ObjectHashMap;

import java.util.ArrayList;
import java.util.List;

/** The hosts whose paths are watched. Owned by the thread of its {@link PathHealth}. */
final class PeerTable {
    private final HostTable table;
    private final HostPaths paths;
    private final HoldDown.Terms terms;
    private final Int2ObjectHashMap<PeerHealth> peerOfHost = new Int2ObjectHashMap<>();
    private final List<PeerHealth> peers = new ArrayList<>();

    /**
     * A table without hosts.
     *
     * @param terms on which dead paths are used again.
     */
    PeerTable(final HostTable table, final HostPaths paths, final HoldDown.Terms terms) {
        this.table = table;
        this.paths = paths;
        this.terms = terms;
    }

    int count() {
        return peers.size();
    }

    /** One of the hosts, by an index from 0 to {@link #count} - 1. */
    PeerHealth get(final int index) {
        return peers.get(index);
    }

    /** What is known of a host; null if it is not watched. */
    PeerHealth find(final int host) {
        return peerOfHost.get(host);
    }

    /** As {@link #find}; from now on the host is watched. */
    PeerHealth findOrAdd(final int host, final long nowNs) {
        PeerHealth peer = peerOfHost.get(host);
        if (peer == null) {
            peer = new PeerHealth(paths.here(), host, table, terms, nowNs);
            peer.want(paths.wanted(host), nowNs);
            peer.use(paths.wanted(host));
            peerOfHost.put(host, peer);
            peers.add(peer);
        }
        return peer;
    }

    /** Forgets the host at an index, whose place the last one takes. */
    void remove(final int index) {
        final PeerHealth peer = peers.get(index);
        peers.set(index, peers.getLast());
        peers.removeLast();
        peerOfHost.remove(peer.host());
    }
}
