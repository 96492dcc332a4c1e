package io.hxb.vlan.health;

import io.hxb.vlan.HostTable;

/**
 * Finds out which paths are dead. A path that is silent is in doubt: then requests are sent on it
 * and on others, and it is dead if the host replies there and not here. Owned by the thread of its
 * {@link PathHealth}.
 */
final class FailureDetector {
    private static final int MIN_REPLIES = 2;

    private final HostTable table;
    private final PeerTable peers;
    private final DefaultVidMonitor defaults;
    private final PathSelector selector;
    private final ProbeSender sender;
    private final HealthListener listener;
    private final HealthTally tally;

    /** A detector that doubts no path yet. */
    FailureDetector(
            final HostTable table,
            final PeerTable peers,
            final DefaultVidMonitor defaults,
            final PathSelector selector,
            final ProbeSender sender,
            final HealthListener listener,
            final HealthTally tally) {
        this.table = table;
        this.peers = peers;
        this.defaults = defaults;
        this.selector = selector;
        this.sender = sender;
        this.listener = listener;
        this.tally = tally;
    }

    /** Begins to validate the paths of a host, unless that is under way. */
    void validate(final PeerHealth peer, final long nowNs) {
        if (peer.validation().mayBegin(nowNs) && peer.paths().size() > 1) {
            peer.validation().begin(nowNs);
            for (int i = 0; i < peer.paths().size(); i++) {
                peer.paths().get(i).clearReplies();
            }
            work(peer, nowNs);
        }
    }

    /** Sends the next round if it is due, or gives the verdict. */
    void work(final PeerHealth peer, final long nowNs) {
        final PathValidation validation = peer.validation();
        if (!validation.isDue(nowNs)) {
            return;
        }
        if (validation.rounds() >= PathValidation.ROUNDS && hasReplies(peer)) {
            validation.end(true, nowNs);
            judge(peer, nowNs);
        } else if (validation.rounds() >= PathValidation.MAX_ROUNDS) {
            validation.end(false, nowNs);
        } else if (sender.budget().isLeft()) {
            sendRound(peer, nowNs);
        } else {
            tally.withheld();
        }
    }

    private static boolean hasReplies(final PeerHealth peer) {
        for (int i = 0; i < peer.paths().size(); i++) {
            if (peer.paths().get(i).replies() >= MIN_REPLIES) {
                return true;
            }
        }
        return false;
    }

    /**
     * The path in use and the first two others, of which one is by another NIC if there is one; all
     * of them if there is no reply on these.
     */
    private void sendRound(final PeerHealth peer, final long nowNs) {
        final boolean isWide = peer.validation().rounds() > PathValidation.ROUNDS;
        final int round = peer.validation().next(nowNs);
        final VlanPath apart = firstByAnotherNic(peer);
        int others = apart == null ? 2 : 1;
        for (int i = 0; i < peer.paths().size(); i++) {
            final VlanPath path = peer.paths().get(i);
            final boolean isUsed =
                    path.vid() == peer.used()
                            || (defaults.isWatched() && path.vid() == defaults.used());
            final boolean isOther = others > 0 && path.state() != PathState.DEAD;
            if (isUsed || isWide || path.equals(apart) || isOther) {
                others -= isUsed || path.equals(apart) ? 0 : 1;
                path.onRequest();
                sender.send(peer, path, Probe.REQUEST, round, nowNs);
            }
        }
    }

    private VlanPath firstByAnotherNic(final PeerHealth peer) {
        if (table.spread().nicCount() == 1) {
            return null;
        }
        final int nic = table.nic(peer.used());
        for (int i = 0; i < peer.paths().size(); i++) {
            final VlanPath path = peer.paths().get(i);
            if (path.state() != PathState.DEAD && table.nic(path.vid()) != nic) {
                return path;
            }
        }
        return null;
    }

    private void judge(final PeerHealth peer, final long nowNs) {
        for (int i = 0; i < peer.paths().size(); i++) {
            final VlanPath path = peer.paths().get(i);
            if (path.requests() >= PathValidation.ROUNDS
                    && path.replies() == 0
                    && path.state() != PathState.DEAD
                    && path.heardNs() - peer.validation().startNs() < 0) {
                fail(peer, path, HealthListener.Reason.SILENT, nowNs);
            }
        }
    }

    /** A path is dead: traffic leaves it, and the other host is notified. */
    void fail(
            final PeerHealth peer,
            final VlanPath path,
            final HealthListener.Reason reason,
            final long nowNs) {
        path.fail(reason == HealthListener.Reason.LOSSY, nowNs);
        tally.failed();
        listener.onDead(peer.host(), path.vid(), reason);
        if (!selector.select(peer, nowNs)) {
            sender.report(peer, nowNs);
        }
        if (reason == HealthListener.Reason.SILENT) {
            doubt(path.vid(), nowNs);
        }
    }

    /** What killed one path in a VID may have killed those to other hosts. */
    private void doubt(final int vid, final long nowNs) {
        for (int i = 0; i < peers.count(); i++) {
            final PeerHealth peer = peers.get(i);
            final boolean isUsed = peer.used() == vid && peer.use().isActive(nowNs);
            if (isUsed || (defaults.used() == vid && defaults.isWitness(peer.host()))) {
                final VlanPath path = peer.path(vid);
                if (path != null
                        && path.state() != PathState.DEAD
                        && nowNs - path.heardNs() > PathValidation.ROUND_NS) {
                    validate(peer, nowNs);
                }
            }
        }
    }
}
