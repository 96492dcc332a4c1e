package io.hxb.vlan.health;

import io.hxb.config.PathHealthConfig;
import io.hxb.trunk.health.HoldDown;
import io.hxb.vlan.Detours;
import io.hxb.vlan.HostPaths;
import io.hxb.vlan.HostTable;
import io.hxb.vlan.Tagger;

import org.agrona.collections.Int2ObjectHashMap;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Probes the paths from one host to those it exchanges frames with, and moves a pair to another VID
 * when the one in use carries nothing, or too little, in one of the directions. Owned by one
 * thread, which hands it the frames that come in before it lets it work.
 *
 * <p>Each host sends beats on its path in use. A path that is silent is in doubt: then questions go
 * out on it and on others, and the verdict is that it is dead if the host answers there and not
 * here; a host that answers nowhere is itself gone or stopped, and nothing changes. Both ends tell
 * each other what they hear, and use the first path that neither has found dead. A death on one
 * path puts those of other hosts in the same VID in doubt, so that few beats suffice.
 */
public final class PathHealth implements Detours {
    private static final long QUESTION_STEP_NS = 1_000_000;
    private static final long LOOK_NS = 50_000_000;
    private static final long FORGET_NS = 10_000_000_000L;
    private static final long SECOND_NS = 1_000_000_000L;
    private static final int MIN_ANSWERS = 2;

    private final HostTable table;
    private final long fingerprint;
    private final HostPaths paths;
    private final PathHealthConfig config;
    private final HoldDown.Terms terms;
    private final ProbeSeals seals;
    private final long incarnation;
    private final ProbeLink link;
    private final HealthListener listener;
    private final ProbeBudget budget;
    private final TrafficWatch traffic;
    private final SilentVidDetector vids;
    private final DefaultVidMonitor defaults;
    private final HealthTally tally = new HealthTally();
    private final Int2ObjectHashMap<PeerHealth> peerOfHost = new Int2ObjectHashMap<>();
    private final List<PeerHealth> peers = new ArrayList<>();
    private final Probe in = new Probe();
    private final Probe out = new Probe();
    private final MemorySegment buffer = Arena.ofAuto().allocate(Probe.MAX_LENGTH, Long.BYTES);
    private long intervalNs;
    private int first;
    private int active;
    private boolean hasMoved;

    /**
     * A host that has probed nothing yet.
     *
     * @param paths of the host, which ask this from now on.
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
        this.table = table;
        fingerprint = table.fingerprint();
        this.paths = paths;
        this.config = config;
        terms = new HoldDown.Terms(config.holdDownNs(), config.maxHoldDownNs(), config.healBeats());
        this.seals = seals;
        this.incarnation = incarnation;
        this.link = link;
        this.listener = listener;
        budget = new ProbeBudget(config.framesPerSecond(), nowNs);
        traffic = new TrafficWatch(table, paths, tagger, nowNs);
        vids = new SilentVidDetector(table.vids(), nowNs);
        defaults = new DefaultVidMonitor(witnesses, paths, table.vids(), config, nowNs);
        intervalNs = config.heartbeatNs();
        paths.follow(this);
    }

    @Override
    public int vid(final int host, final int wanted) {
        final PeerHealth peer = peerOfHost.get(host);
        return peer == null ? wanted : peer.choose(wanted);
    }

    @Override
    public int peerVid(final int host) {
        final PeerHealth peer = peerOfHost.get(host);
        return peer == null ? Tagger.UNTAGGED : peer.peerUsed();
    }

    @Override
    public int others(final int wanted) {
        return defaults.choose(wanted, peerOfHost);
    }

    /** What has happened so far, and what is known now. */
    public HealthCounts counts() {
        int dead = 0;
        int half = 0;
        for (final PeerHealth peer : peers) {
            dead += peer.deadPaths();
            half += peer.use().isHalfTold() ? 1 : 0;
        }
        return tally.counts(peers.size(), dead, half);
    }

    private PeerHealth findOrAdd(final int host, final long nowNs) {
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

    /**
     * Takes a frame that came in.
     *
     * @param mac address of its sender, first byte highest.
     * @param address its bytes from the EtherType on.
     * @param lengthBytes how many.
     */
    public void onFrame(
            final long mac, final long address, final int lengthBytes, final long nowNs) {
        budget.onTime(nowNs);
        in.wrap(address, lengthBytes);
        if (!in.isWellFormed() || !isOurs(mac) || !seals.isValid(in)) {
            tally.refused();
            return;
        }
        final PeerHealth known = peerOfHost.get(in.sender());
        if (in.receiverIncarnation() != incarnation) {
            tally.received();
            if (known != null) {
                known.onGreeting(in.senderIncarnation());
            }
            greet();
        } else if (in.number() == 0) {
            tally.received();
            if (known != null) {
                known.onGreeting(in.senderIncarnation());
            }
        } else {
            final PeerHealth peer = findOrAdd(in.sender(), nowNs);
            if (peer.onFrame(in, nowNs)) {
                tally.received();
                onProbe(peer, nowNs);
                commit();
            } else {
                tally.refused();
            }
        }
    }

    private boolean isOurs(final long mac) {
        final int sender = in.sender();
        return in.table() == fingerprint
                && in.receiver() == paths.here()
                && sender != paths.here()
                && sender < table.rows().size()
                && table.mac(sender) == mac
                && paths.isPlanned(in.vid());
    }

    /** Tells a host that does not know it who this one is; it learns nothing else. */
    private void greet() {
        if (budget.isEasy() && budget.take()) {
            out.wrap(buffer.address(), Probe.MAX_LENGTH)
                    .clear()
                    .table(fingerprint)
                    .incarnations(incarnation, in.senderIncarnation())
                    .hosts(paths.here(), in.sender())
                    .vids(in.vid(), 0, 0);
            seals.seal(out);
            tally.sent();
            link.send(table.mac(in.sender()), in.vid(), out.address(), out.length());
        }
    }

    private void onProbe(final PeerHealth peer, final long nowNs) {
        vids.onFrame(in.vid(), nowNs);
        final VlanPath path = peer.findOrAdd(in.vid(), nowNs);
        if (path == null) {
            return;
        }
        final boolean isHealed = path.onFrame(in.sent(), nowNs);
        if (isHealed) {
            tally.recovered();
            listener.onHealed(peer.host(), path.vid());
        }
        if (in.has(Probe.ANSWER)) {
            final int round = peer.inquiry().roundOf(in.round());
            if (round >= 0) {
                path.onAnswer(round);
            }
        }
        final boolean isNew = in.has(Probe.IN_USE) && peer.use().onPeerTraffic(nowNs);
        final boolean hasMovedNow = follow(peer, nowNs);
        if (in.has(Probe.LOOK)) {
            send(peer, path, Probe.ANSWER, Probe.NO_ROUND, nowNs);
        }
        if (in.has(Probe.QUESTION)) {
            final int round = in.round();
            final VlanPath used = peer.path(peer.used());
            send(peer, path, Probe.ANSWER, round, nowNs);
            // Whoever asks does not hear: perhaps this host does not either.
            if (isNew || (used != null && nowNs - used.heardNs() > doubtNs(peer) * 3 / 4)) {
                ask(peer, nowNs);
            }
        }
        if (isHealed && !hasMovedNow) {
            notifyListener(peer, nowNs);
        }
    }

    /**
     * Does what is due.
     *
     * @return how long nothing else is due if no frame comes, in ns.
     */
    public long work(final long nowNs) {
        budget.onTime(nowNs);
        traffic.look(nowNs, host -> onTraffic(host, nowNs), host -> findOrAdd(host, nowNs));
        vids.clearUsers();
        final int count = peers.size();
        final long pairsNs = 2 * SECOND_NS / config.framesPerSecond() * active;
        intervalNs = Math.max(config.heartbeatNs(), pairsNs);
        active = 0;
        boolean isAsking = false;
        boolean isShort = false;
        for (int i = 0; i < count; i++) {
            final int index = (first + i) % count;
            final PeerHealth peer = peers.get(index);
            tend(peer, nowNs);
            isAsking |= peer.inquiry().isOpen();
            if (!isShort && !budget.isEasy()) {
                // Those that found no frames come first the next time.
                isShort = true;
                first = index;
            }
        }
        if (defaults.watch(nowNs)) {
            tendDefault(nowNs);
        }
        if (intervalNs > config.heartbeatNs()) {
            askWhereVidsAreSilent(nowNs);
        }
        forget(nowNs);
        commit();
        if (isAsking) {
            return QUESTION_STEP_NS;
        }
        return active > 0 || defaults.hasTraffic()
                ? Math.min(LOOK_NS, config.heartbeatNs() / 2)
                : LOOK_NS;
    }

    private void onTraffic(final int host, final long nowNs) {
        if (host == Tagger.OTHERS) {
            defaults.onTraffic(nowNs);
            return;
        }
        final PeerHealth peer = findOrAdd(host, nowNs);
        if (peer.use().onTraffic(nowNs)) {
            ask(peer, nowNs);
        }
    }

    private void tend(final PeerHealth peer, final long nowNs) {
        follow(peer, nowNs);
        final PairUse use = peer.use();
        final boolean isActive = use.isActive(nowNs);
        if (isActive) {
            active++;
            vids.onUser(peer.used(), nowNs);
            tendUsed(peer, nowNs);
        }
        if (peer.inquiry().isOpen()) {
            tendInquiry(peer, nowNs);
        }
        if (use.isSpareDue(nowNs) && budget.isEasy()) {
            probeSpares(peer, isActive, nowNs);
        }
        if (use.onLook(isAgreed(peer, nowNs), nowNs)) {
            if (use.isHalfTold()) {
                listener.onHalf(peer.host(), peer.used(), peer.peerUsed());
            } else {
                listener.onWhole(peer.host(), peer.used());
            }
        }
    }

    /** Sees whether the default VID reaches the witnesses, and takes another one if not. */
    private void tendDefault(final long nowNs) {
        final long heardNs = lastHeardInDefault(nowNs);
        for (int i = 0; i < defaults.count(); i++) {
            final PeerHealth peer = findOrAdd(defaults.host(i), nowNs);
            final VlanPath path = peer.findOrAdd(defaults.used(), nowNs);
            if (path != null) {
                if (defaults.isLookDue(i) && budget.isEasy()) {
                    lookAt(peer, path, defaults.onLook(i), nowNs);
                }
                if (defaults.isSilent(i, path, heardNs)) {
                    ask(peer, nowNs);
                }
            }
            defaults.replaceIfGone(i, peer);
        }
        followDefault();
    }

    private long lastHeardInDefault(final long nowNs) {
        long heardNs = nowNs - FORGET_NS;
        for (int i = 0; i < defaults.count(); i++) {
            final VlanPath path =
                    findOrAdd(defaults.host(i), nowNs).findOrAdd(defaults.used(), nowNs);
            if (path != null) {
                heardNs = Math.max(heardNs, path.heardNs());
            }
        }
        return heardNs;
    }

    private void lookAt(
            final PeerHealth peer,
            final VlanPath path,
            final boolean isWantedDue,
            final long nowNs) {
        send(peer, path, Probe.LOOK, Probe.NO_ROUND, nowNs);
        final VlanPath wanted = isWantedDue ? peer.findOrAdd(defaults.wanted(), nowNs) : null;
        if (wanted != null) {
            send(peer, wanted, Probe.LOOK, Probe.NO_ROUND, nowNs);
        }
    }

    private void followDefault() {
        final int from = defaults.used();
        final int to = defaults.choose(defaults.wanted(), peerOfHost);
        if (to != from) {
            defaults.use(to);
            paths.refreshOthers();
            hasMoved = true;
            tally.defaultMoved();
            listener.onDefaultMoved(from, to);
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

    private void tendUsed(final PeerHealth peer, final long nowNs) {
        final VlanPath path = peer.path(peer.used());
        if (path == null) {
            return;
        }
        final long silentNs = nowNs - Math.max(path.heardNs(), peer.use().sinceNs());
        if (silentNs > doubtNs(peer)) {
            ask(peer, nowNs);
        } else if (path.state() == PathState.HEARD
                && path.lostPercent() > config.lossPercent()
                && hasOther(peer, path)) {
            fail(peer, path, HealthListener.Reason.LOSSY, nowNs);
        }
        if (peer.isKnown() && peer.use().isBeatDue(nowNs) && budget.isEasy()) {
            peer.use().onBeat(nowNs, intervalNs);
            send(peer, path, 0, 0, nowNs);
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
            send(peer, wanted, 0, 0, nowNs);
        }
        if (!spare.equals(wanted) && spare.vid() != peer.used() && (isActive || spare.isDead())) {
            send(peer, spare, 0, 0, nowNs);
        }
    }

    private void ask(final PeerHealth peer, final long nowNs) {
        if (peer.inquiry().mayBegin(nowNs) && peer.paths().size() > 1) {
            peer.inquiry().begin(nowNs);
            for (int i = 0; i < peer.paths().size(); i++) {
                peer.paths().get(i).clearAnswers();
            }
            tendInquiry(peer, nowNs);
        }
    }

    private void tendInquiry(final PeerHealth peer, final long nowNs) {
        final PathInquiry inquiry = peer.inquiry();
        if (!inquiry.isDue(nowNs)) {
            return;
        }
        if (inquiry.rounds() >= PathInquiry.ROUNDS && isAnswered(peer)) {
            inquiry.end(true, nowNs);
            judge(peer, nowNs);
        } else if (inquiry.rounds() >= PathInquiry.MAX_ROUNDS) {
            inquiry.end(false, nowNs);
        } else if (budget.isLeft()) {
            askRound(peer, nowNs);
        } else {
            tally.withheld();
        }
    }

    private static boolean isAnswered(final PeerHealth peer) {
        for (int i = 0; i < peer.paths().size(); i++) {
            if (peer.paths().get(i).answers() >= MIN_ANSWERS) {
                return true;
            }
        }
        return false;
    }

    /**
     * The path in use and the first two others, of which one is by another NIC if there is one; all
     * of them if none of these answers.
     */
    private void askRound(final PeerHealth peer, final long nowNs) {
        final boolean isWide = peer.inquiry().rounds() > PathInquiry.ROUNDS;
        final int round = peer.inquiry().next(nowNs);
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
                path.onAsked();
                send(peer, path, Probe.QUESTION, round, nowNs);
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
            if (path.asked() >= PathInquiry.ROUNDS
                    && path.answers() == 0
                    && path.state() != PathState.DEAD
                    && path.heardNs() - peer.inquiry().startNs() < 0) {
                fail(peer, path, HealthListener.Reason.SILENT, nowNs);
            }
        }
    }

    private void fail(
            final PeerHealth peer,
            final VlanPath path,
            final HealthListener.Reason reason,
            final long nowNs) {
        path.fail(reason == HealthListener.Reason.LOSSY, nowNs);
        tally.failed();
        listener.onDead(peer.host(), path.vid(), reason);
        if (!follow(peer, nowNs)) {
            notifyListener(peer, nowNs);
        }
        if (reason == HealthListener.Reason.SILENT) {
            doubt(path.vid(), nowNs);
        }
    }

    /** What killed one path in a VID may have killed those to other hosts. */
    private void doubt(final int vid, final long nowNs) {
        for (int i = 0; i < peers.size(); i++) {
            final PeerHealth peer = peers.get(i);
            final boolean isUsed = peer.used() == vid && peer.use().isActive(nowNs);
            if (isUsed || (defaults.used() == vid && defaults.isWitness(peer.host()))) {
                final VlanPath path = peer.path(vid);
                if (path != null
                        && path.state() != PathState.DEAD
                        && nowNs - path.heardNs() > PathInquiry.ROUND_NS) {
                    ask(peer, nowNs);
                }
            }
        }
    }

    // Where there are too many paths for beats every few milliseconds, each VID still has many.
    private void askWhereVidsAreSilent(final long nowNs) {
        for (int i = 0; i < peers.size(); i++) {
            final PeerHealth peer = peers.get(i);
            if (peer.use().isActive(nowNs)
                    && vids.isSilent(peer.used(), intervalNs, config.silenceNs(), nowNs)) {
                ask(peer, nowNs);
            }
        }
    }

    /**
     * Lets traffic take the path that both ends know to be the first that is not dead.
     *
     * @return true if it takes another one now.
     */
    private boolean follow(final PeerHealth peer, final long nowNs) {
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
        notifyListener(peer, nowNs);
        return true;
    }

    /** Tells a host at once what has changed, where it can be heard. */
    private void notifyListener(final PeerHealth peer, final long nowNs) {
        for (int i = 0; i < peer.paths().size(); i++) {
            final VlanPath path = peer.paths().get(i);
            if (path.vid() == peer.used() || path.isProven()) {
                send(peer, path, 0, 0, nowNs);
            }
        }
    }

    private void send(
            final PeerHealth peer,
            final VlanPath path,
            final int flags,
            final int round,
            final long nowNs) {
        if (!budget.take()) {
            tally.withheld();
            return;
        }
        final PairUse use = peer.use();
        out.wrap(buffer.address(), Probe.MAX_LENGTH)
                .clear()
                .table(fingerprint)
                .incarnations(incarnation, peer.address())
                .number(peer.nextNumber())
                .hosts(paths.here(), peer.host())
                .vids(path.vid(), peer.used(), peer.wanted())
                .intervalNs(use.isActive(nowNs) ? intervalNs : 0)
                .sent(path.send())
                .flags(flags | (use.hasTraffic(nowNs) ? Probe.IN_USE : 0), round);
        for (int i = 0; i < peer.paths().size(); i++) {
            final VlanPath each = peer.paths().get(i);
            out.add(each.vid(), each.state());
        }
        seals.seal(out);
        tally.sent();
        link.send(peer.mac(), path.vid(), out.address(), out.length());
    }

    /** Forgets hosts without traffic, unless there is something to say of their paths. */
    private void forget(final long nowNs) {
        for (int i = peers.size() - 1; i >= 0; i--) {
            final PeerHealth peer = peers.get(i);
            final boolean isSilent = nowNs - peer.heardNs() > FORGET_NS;
            final boolean isIdle = peer.use().idleNs(nowNs) > FORGET_NS;
            final boolean isKept =
                    (!isSilent && peer.hasDeadPath()) || defaults.isWitness(peer.host());
            if (isIdle && !isKept && paths.exception(peer.host()) == HostPaths.BY_TABLE) {
                peers.set(i, peers.getLast());
                peers.removeLast();
                peerOfHost.remove(peer.host());
                if (peer.used() != peer.wanted()) {
                    paths.refresh(peer.host());
                    hasMoved = true;
                    listener.onMoved(peer.host(), peer.used(), peer.wanted());
                }
            }
        }
    }

    private void commit() {
        if (hasMoved) {
            hasMoved = false;
            listener.onMovesDone();
        }
    }
}
