package io.hxb.vlan.health;

import io.hxb.vlan.Detours;
import io.hxb.vlan.HostPaths;
import io.hxb.vlan.Tagger;

/**
 * Lets traffic take, of each pair, the first path that neither end has found dead, and lets
 * broadcasts take the default VID that reaches most witnesses. Owned by the thread of its {@link
 * PathHealth}.
 */
final class PathSelector implements Detours {
    private static final long FORGET_NS = 10_000_000_000L;

    private final HostPaths paths;
    private final PeerTable peers;
    private final DefaultVidMonitor defaults;
    private final ProbeSender sender;
    private final HealthListener listener;
    private final HealthTally tally;
    private boolean hasMoved;

    /** A selector for pairs of which nothing has moved yet. */
    PathSelector(
            final HostPaths paths,
            final PeerTable peers,
            final DefaultVidMonitor defaults,
            final ProbeSender sender,
            final HealthListener listener,
            final HealthTally tally) {
        this.paths = paths;
        this.peers = peers;
        this.defaults = defaults;
        this.sender = sender;
        this.listener = listener;
        this.tally = tally;
    }

    @Override
    public int vid(final int host, final int wanted) {
        final PeerHealth peer = peers.find(host);
        return peer == null ? wanted : peer.choose(wanted);
    }

    @Override
    public int peerVid(final int host) {
        final PeerHealth peer = peers.find(host);
        return peer == null ? Tagger.UNTAGGED : peer.peerUsed();
    }

    @Override
    public int others(final int wanted) {
        return defaults.choose(wanted, peers);
    }

    /**
     * Lets traffic take the path that both ends know to be the first that is not dead.
     *
     * @return true if it takes another one now.
     */
    boolean select(final PeerHealth peer, final long nowNs) {
        final int wanted = paths.wanted(peer.host());
        final boolean isDetoured = peer.used() != peer.wanted();
        if (wanted != peer.wanted()) {
            peer.want(wanted, nowNs);
        }
        final int from = peer.used();
        final int to = peer.choose(wanted);
        if (to == from) {
            return false;
        }
        peer.use(to);
        paths.refresh(peer.host());
        hasMoved = true;
        if (isDetoured || to != wanted) {
            tally.moved();
            listener.onMoved(peer.host(), from, to);
        }
        sender.report(peer, nowNs);
        return true;
    }

    /** Lets broadcasts take the VID that reaches most witnesses. */
    void selectDefault() {
        final int from = defaults.used();
        final int to = defaults.choose(defaults.wanted(), peers);
        if (to != from) {
            defaults.use(to);
            paths.refreshOthers();
            hasMoved = true;
            tally.defaultMoved();
            listener.onDefaultMoved(from, to);
        }
    }

    /** Forgets hosts without traffic, unless there is something to report of their paths. */
    void forgetIdle(final long nowNs) {
        for (int i = peers.count() - 1; i >= 0; i--) {
            final PeerHealth peer = peers.get(i);
            final boolean isSilent = nowNs - peer.heardNs() > FORGET_NS;
            final boolean isIdle = peer.use().idleNs(nowNs) > FORGET_NS;
            final boolean isKept =
                    (!isSilent && peer.hasDeadPath()) || defaults.isWitness(peer.host());
            if (isIdle && !isKept && paths.exception(peer.host()) == HostPaths.BY_TABLE) {
                peers.remove(i);
                if (peer.used() != peer.wanted()) {
                    paths.refresh(peer.host());
                    hasMoved = true;
                    listener.onMoved(peer.host(), peer.used(), peer.wanted());
                }
            }
        }
    }

    /** Lets what has moved since the last call take effect. */
    void commit() {
        if (hasMoved) {
            hasMoved = false;
            listener.onMovesDone();
        }
    }
}
