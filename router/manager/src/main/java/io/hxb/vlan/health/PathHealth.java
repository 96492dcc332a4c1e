package io.hxb.vlan.health;

import io.hxb.config.PathHealthConfig;
import io.hxb.trunk.health.HoldDown;
import io.hxb.vlan.HostPaths;
import io.hxb.vlan.HostTable;
import io.hxb.vlan.Tagger;

/**
 * Probes the paths from one host to those it exchanges frames with, and moves a pair to another VID
 * when the one in use carries nothing, or too little, in one of the directions. Owned by one
 * thread, which hands it the frames that come in before it lets it work.
 *
 * <p>Each host sends beats on its path in use. A path that is silent is in doubt: then requests go
 * out on it and on others, and the verdict is that it is dead if the host answers there and not
 * here; a host that answers nowhere is itself gone or stopped, and nothing changes. Both ends tell
 * each other what they hear, and use the first path that neither has found dead. A death on one
 * path puts those of other hosts in the same VID in doubt, so that few beats suffice.
 */
public final class PathHealth {
    private static final long REQUEST_STEP_NS = 1_000_000;
    private static final long LOOK_NS = 50_000_000;

    private final ProbeReceiver receiver;
    private final PathHealthConfig config;
    private final HealthListener listener;
    private final TrafficWatch traffic;
    private final SilentVidDetector vids;
    private final DefaultVidMonitor defaults;
    private final HealthTally tally = new HealthTally();
    private final PeerTable peers;
    private final ProbeSender sender;
    private final PathSelector selector;
    private final FailureDetector detector;
    private final WitnessProber witnessProber;
    private int first;
    private int active;

    /**
     * A host that has probed nothing yet.
     *
     * @param paths of the host, which follow what this finds from now on.
     * @param witnesses by which the default VID of the host is judged.
     * @param incarnation random, not 0.
     */
    public PathHealth(
            final HostTable table,
            final HostPaths paths,
            final Tagger tagger,
            final Witnesses witnesses,
            final PathHealthConfig config,
            final ProbeSeals seals,
            final long incarnation,
            final ProbeLink link,
            final HealthListener listener,
            final long nowNs) {
        this.config = config;
        this.listener = listener;
        traffic = new TrafficWatch(table, paths, tagger, nowNs);
        vids = new SilentVidDetector(table.vids(), nowNs);
        defaults = new DefaultVidMonitor(witnesses, paths, table.vids(), config, nowNs);
        peers =
                new PeerTable(
                        table,
                        paths,
                        new HoldDown.Terms(
                                config.holdDownNs(), config.maxHoldDownNs(), config.healBeats()));
        sender =
                new ProbeSender(
                        table, paths.here(), config, seals, incarnation, link, tally, nowNs);
        receiver = new ProbeReceiver(table, paths, seals, incarnation, peers, sender, tally);
        selector = new PathSelector(paths, peers, defaults, sender, listener, tally);
        detector = new FailureDetector(table, peers, defaults, selector, sender, listener, tally);
        witnessProber = new WitnessProber(peers, defaults, detector, selector, sender);
        paths.follow(selector);
    }

    /** What has happened so far, and what is known now. */
    public HealthCounts counts() {
        int dead = 0;
        int half = 0;
        for (int i = 0; i < peers.count(); i++) {
            final PeerHealth peer = peers.get(i);
            dead += peer.deadPaths();
            half += peer.use().isHalfReported() ? 1 : 0;
        }
        return tally.counts(peers.count(), dead, half);
    }

    /**
     * Takes a frame that came in.
     *
     * @param mac address of its sender, first byte highest.
     * @param address its bytes from the EtherType on.
     * @param lengthBytes how many.
     */
    public void onFrame(
            final long mac, final long address, final int lengthBytes, final long nowNs) {
        sender.budget().onTime(nowNs);
        final PeerHealth peer = receiver.receive(mac, address, lengthBytes, nowNs);
        if (peer != null) {
            onProbe(peer, receiver.probe(), nowNs);
            selector.commit();
        }
    }

    private void onProbe(final PeerHealth peer, final Probe probe, final long nowNs) {
        vids.onFrame(probe.vid(), nowNs);
        final VlanPath path = peer.findOrAdd(probe.vid(), nowNs);
        if (path == null) {
            return;
        }
        final boolean isHealed = path.onFrame(probe.sent(), nowNs);
        if (isHealed) {
            tally.recovered();
            listener.onHealed(peer.host(), path.vid());
        }
        if (probe.has(Probe.REPLY)) {
            final int round = peer.validation().roundOf(probe.round());
            if (round >= 0) {
                path.onReply(round);
            }
        }
        final boolean isNew = probe.has(Probe.IN_USE) && peer.use().onPeerTraffic(nowNs);
        final boolean hasMoved = selector.select(peer, nowNs);
        if (probe.has(Probe.LOOK)) {
            sender.send(peer, path, Probe.REPLY, Probe.NO_ROUND, nowNs);
        }
        if (probe.has(Probe.REQUEST)) {
            final int round = probe.round();
            final VlanPath used = peer.path(peer.used());
            sender.send(peer, path, Probe.REPLY, round, nowNs);
            // The other host does not hear this one: perhaps this host does not hear it either.
            if (isNew || (used != null && nowNs - used.heardNs() > doubtNs(peer) * 3 / 4)) {
                detector.validate(peer, nowNs);
            }
        }
        if (isHealed && !hasMoved) {
            sender.report(peer, nowNs);
        }
    }

    /**
     * Does what is due.
     *
     * @return how long nothing else is due if no frame comes, in ns.
     */
    public long work(final long nowNs) {
        sender.budget().onTime(nowNs);
        traffic.look(nowNs, host -> onTraffic(host, nowNs), host -> peers.findOrAdd(host, nowNs));
        vids.clearUsers();
        sender.setPairCount(active);
        final boolean isAsking = workOnPairs(nowNs);
        witnessProber.work(nowNs);
        if (sender.isSlowed()) {
            validateSilentVids(nowNs);
        }
        selector.forgetIdle(nowNs);
        selector.commit();
        if (isAsking) {
            return REQUEST_STEP_NS;
        }
        return active > 0 || defaults.hasTraffic()
                ? Math.min(LOOK_NS, config.heartbeatNs() / 2)
                : LOOK_NS;
    }

    private boolean workOnPairs(final long nowNs) {
        final int count = peers.count();
        active = 0;
        boolean isAsking = false;
        boolean isShort = false;
        for (int i = 0; i < count; i++) {
            final int index = (first + i) % count;
            final PeerHealth peer = peers.get(index);
            workOnPair(peer, nowNs);
            isAsking |= peer.validation().isOpen();
            if (!isShort && !sender.budget().isEasy()) {
                // Those that found no frames come first the next time.
                isShort = true;
                first = index;
            }
        }
        return isAsking;
    }

    private void onTraffic(final int host, final long nowNs) {
        if (host == Tagger.OTHERS) {
            defaults.onTraffic(nowNs);
            return;
        }
        final PeerHealth peer = peers.findOrAdd(host, nowNs);
        if (peer.use().onTraffic(nowNs)) {
            detector.validate(peer, nowNs);
        }
    }

    private void workOnPair(final PeerHealth peer, final long nowNs) {
        selector.select(peer, nowNs);
        final PairUse use = peer.use();
        final boolean isActive = use.isActive(nowNs);
        if (isActive) {
            active++;
            vids.onUser(peer.used(), nowNs);
            workOnUsedPath(peer, nowNs);
        }
        if (peer.validation().isOpen()) {
            detector.work(peer, nowNs);
        }
        if (use.isSpareDue(nowNs) && sender.budget().isEasy()) {
            probeSpares(peer, isActive, nowNs);
        }
        if (use.onLook(isAgreed(peer, nowNs), nowNs)) {
            if (use.isHalfReported()) {
                listener.onHalf(peer.host(), peer.used(), peer.peerUsed());
            } else {
                listener.onWhole(peer.host(), peer.used());
            }
        }
    }

    private boolean isAgreed(final PeerHealth peer, final long nowNs) {
        return peer.peerUsed() == peer.used()
                || !peer.isKnown()
                || nowNs - peer.heardNs() > 2 * config.spareHeartbeatNs();
    }

    /** How long a path in use may be silent. */
    private long doubtNs(final PeerHealth peer) {
        return Math.max(config.silenceNs(), peer.peerIntervalNs() * 5 / 2);
    }

    private void workOnUsedPath(final PeerHealth peer, final long nowNs) {
        final VlanPath path = peer.path(peer.used());
        if (path == null) {
            return;
        }
        final long silentNs = nowNs - Math.max(path.heardNs(), peer.use().sinceNs());
        if (silentNs > doubtNs(peer)) {
            detector.validate(peer, nowNs);
        } else if (path.state() == PathState.HEARD
                && path.lostPercent() > config.lossPercent()
                && hasOther(peer, path)) {
            detector.fail(peer, path, HealthListener.Reason.LOSSY, nowNs);
        }
        if (peer.isKnown() && peer.use().isBeatDue(nowNs) && sender.budget().isEasy()) {
            peer.use().onBeat(nowNs, sender.intervalNs());
            sender.send(peer, path, 0, 0, nowNs);
        }
    }

    private static boolean hasOther(final PeerHealth peer, final VlanPath path) {
        for (int i = 0; i < peer.paths().size(); i++) {
            final VlanPath other = peer.paths().get(i);
            if (!other.equals(path) && other.isProven()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Those that are not in use, one after the other; and the one that should be, if it is dead.
     */
    private void probeSpares(final PeerHealth peer, final boolean isActive, final long nowNs) {
        final int index = peer.use().onSpare(nowNs, config.spareHeartbeatNs(), peer.paths().size());
        final VlanPath wanted = peer.path(peer.wanted());
        final VlanPath spare = peer.paths().get(index);
        if (wanted != null && (!isActive || wanted.isDead())) {
            sender.send(peer, wanted, 0, 0, nowNs);
        }
        if (!spare.equals(wanted) && spare.vid() != peer.used() && (isActive || spare.isDead())) {
            sender.send(peer, spare, 0, 0, nowNs);
        }
    }

    // Where there are too many paths for beats every few milliseconds, each VID still has many.
    private void validateSilentVids(final long nowNs) {
        for (int i = 0; i < peers.count(); i++) {
            final PeerHealth peer = peers.get(i);
            if (peer.use().isActive(nowNs)
                    && vids.isSilent(peer.used(), sender.intervalNs(), config.silenceNs(), nowNs)) {
                detector.validate(peer, nowNs);
            }
        }
    }
}
