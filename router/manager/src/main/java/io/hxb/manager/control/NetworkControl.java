package io.hxb.manager.control;

import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.vlan.HostTable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Controls the paths of a network, round by round: visits all hosts, keeps the lease, decides, and
 * sees that both ends of each pair have what it wants. What it wants is not kept anywhere but here,
 * and what it sets ends with its sessions or its lease. Owned by one thread; the time is an
 * argument.
 */
public final class NetworkControl {
    /** Changes that are remembered for {@code explain}. */
    private static final int MAX_HISTORY = 256;

    private static final int TRIES = 3;

    private final HostTable table;
    private final ControlSettings settings;
    private final HostRunner runner;
    private final List<ManagedHost> hosts;
    private final PathTuner tuner;
    private final LeaderElection leaderElection;
    private final Map<Long, Integer> wanted = new TreeMap<>();
    private final Deque<AppliedChange> history = new ArrayDeque<>();
    private final ControlCounts counts = new ControlCounts();
    private Map<Integer, ManagedHost> byNumber = Map.of();
    private Decision decision = new Decision(List.of(), "nothing measured yet", 0, "", 0);
    private TrafficMeasurement measurement = new TrafficMeasurement(List.of(), 0, List.of());
    private boolean isStopped;

    /**
     * Visits nobody yet.
     *
     * @param plan of the network, a host-tagged one.
     * @param hosts to be controlled.
     */
    public NetworkControl(
            final VlanPlan plan,
            final ControlSettings settings,
            final HostRunner runner,
            final List<ManagedHost> hosts) {
        table = HostTable.of(plan);
        this.settings = settings;
        this.runner = runner;
        this.hosts = List.copyOf(hosts);
        tuner = new PathTuner(plan, settings.terms());
        leaderElection = new LeaderElection(settings.owner(), settings.leaseMs());
    }

    /** One round. */
    public void step(final long nowNs) {
        final List<ManagedHost> visited = runner.run(hosts, ManagedHost::visit);
        counts.addRound();
        findNumbers(visited);
        if (!settings.isDry()) {
            leaderElection.round(runner, hosts, connected(visited));
        }
        measurement = TrafficMeasurement.of(byNumber, settings.isDry());
        if (isInCommand()) {
            dropForeignPaths(nowNs);
            if (!isStopped) {
                decide(nowNs);
            }
            apply(Map.of());
        } else if (settings.isDry()) {
            decide(nowNs);
        } else {
            wanted.clear();
            tuner.forget();
            decision =
                    new Decision(
                            List.of(), "another server leads, or too few hosts answer", 0, "", 0);
        }
    }

    private boolean isInCommand() {
        return leaderElection.isLeader() && !settings.isDry();
    }

    private static List<ManagedHost> connected(final List<ManagedHost> visited) {
        return visited.stream().filter(host -> host.problem() == ManagedHost.Problem.NONE).toList();
    }

    private void findNumbers(final List<ManagedHost> visited) {
        final Map<Integer, ManagedHost> found = new TreeMap<>();
        for (final ManagedHost host : connected(visited)) {
            if (host.number() < 0 || host.number() >= table.rows().size()) {
                continue;
            }
            if (found.putIfAbsent(host.number(), host) != null) {
                host.setTwice();
            }
        }
        byNumber = found;
    }

    /** Forgets paths that others have set, or that hosts no longer know. */
    private void dropForeignPaths(final long nowNs) {
        final Set<Long> claimed = new HashSet<>(measurement.claimed());
        final Set<Integer> lost = new HashSet<>();
        for (final ManagedHost host : hosts) {
            final boolean isOthers =
                    host.problem() == ManagedHost.Problem.NONE && !host.lease().isOwn();
            final boolean isSilent = nowNs - host.lastHeardNs() > settings.leaseNs();
            if (!host.isReady() && (isOthers || isSilent)) {
                lost.add(host.number());
            }
        }
        final int before = wanted.size();
        wanted.keySet()
                .removeIf(
                        key ->
                                claimed.contains(key)
                                        || lost.contains(PairState.low(key))
                                        || lost.contains(PairState.high(key)));
        counts.addWithdrawn(before - wanted.size());
    }

    private void decide(final long nowNs) {
        final Decision next = tuner.decide(nowNs, measurement.pairs());
        final boolean isNews = !next.changes().isEmpty();
        decision = next;
        if (settings.isDry()) {
            if (isNews && (history.isEmpty() || !isSame(next))) {
                remember(nowNs, next.changes());
            }
            return;
        }
        if (isNews) {
            final Map<Long, Integer> before = new HashMap<>();
            for (final PathChange change : next.changes()) {
                before.put(change.key(), wanted.getOrDefault(change.key(), 0));
                if (change.to() == table.vid(change.low(), change.high())) {
                    wanted.remove(change.key());
                } else {
                    wanted.put(change.key(), change.to());
                }
            }
            apply(before);
            final List<PathChange> made = next.changes().stream().filter(this::holds).toList();
            tuner.onChanged(nowNs, made);
            counts.addChanges(made.size());
            counts.addRefused(next.changes().size() - made.size());
            remember(nowNs, made);
        }
    }

    private boolean isSame(final Decision next) {
        final Set<Long> before = new HashSet<>();
        history.forEach(change -> before.add(change.change().key()));
        return next.changes().stream().allMatch(change -> before.contains(change.key()));
    }

    private boolean holds(final PathChange change) {
        final int vid = change.to() == table.vid(change.low(), change.high()) ? 0 : change.to();
        return vidAt(change.low(), change.high()) == vid
                && vidAt(change.high(), change.low()) == vid;
    }

    private int vidAt(final int host, final int peer) {
        final ManagedHost at = byNumber.get(host);
        return at == null ? -1 : at.claimed().getOrDefault(peer, 0);
    }

    private void remember(final long nowNs, final List<PathChange> changes) {
        for (final PathChange change : changes) {
            if (history.size() == MAX_HISTORY) {
                history.removeFirst();
            }
            history.addLast(new AppliedChange(nowNs, change));
            counts.addRemembered();
        }
    }

    /**
     * Sets the wanted paths on all hosts: all prepare first, then all commit.
     *
     * @param before what was wanted, by pair, of pairs that are to go back if a host refuses.
     */
    private void apply(final Map<Long, Integer> before) {
        for (int tries = 0; tries < TRIES; tries++) {
            final Map<ManagedHost, Map<Integer, Integer>> differences = differences();
            if (differences.isEmpty()) {
                return;
            }
            final List<ManagedHost> concerned = new ArrayList<>(differences.keySet());
            final Set<ManagedHost> agreed = ConcurrentHashMap.newKeySet();
            runner.run(
                    concerned,
                    host -> {
                        if (host.prepare(differences.get(host))) {
                            agreed.add(host);
                        }
                    });
            if (agreed.size() == concerned.size()) {
                runner.run(concerned, host -> host.finish(differences.get(host)));
                return;
            }
            runner.run(List.copyOf(agreed), ManagedHost::abandon);
            final Set<Integer> refusing = new HashSet<>();
            concerned.stream()
                    .filter(host -> !agreed.contains(host))
                    .forEach(host -> refusing.add(host.number()));
            giveIn(refusing, before);
        }
    }

    /** What a host refuses is not wanted of the other end of the pair either. */
    private void giveIn(final Set<Integer> refusing, final Map<Long, Integer> before) {
        counts.addRefusal();
        before.forEach(
                (key, vid) -> {
                    if (refusing.contains(PairState.low(key))
                            || refusing.contains(PairState.high(key))) {
                        if (vid == 0) {
                            wanted.remove(key);
                        } else {
                            wanted.put(key, vid);
                        }
                    }
                });
    }

    /** What has to be set (a VID) or taken back (0) at each host, by peer. */
    private Map<ManagedHost, Map<Integer, Integer>> differences() {
        final Map<ManagedHost, Map<Integer, Integer>> differences = new HashMap<>();
        wanted.forEach(
                (key, vid) -> {
                    final ManagedHost low = byNumber.get(PairState.low(key));
                    final ManagedHost high = byNumber.get(PairState.high(key));
                    if (low != null && high != null && low.isReady() && high.isReady()) {
                        add(differences, low, high.number(), vid);
                        add(differences, high, low.number(), vid);
                    }
                });
        for (final ManagedHost host : byNumber.values()) {
            if (host.isReady()) {
                for (final int peer : host.claimed().keySet()) {
                    if (!wanted.containsKey(PairState.key(host.number(), peer))) {
                        differences.computeIfAbsent(host, key -> new TreeMap<>()).put(peer, 0);
                    }
                }
            }
        }
        return differences;
    }

    private static void add(
            final Map<ManagedHost, Map<Integer, Integer>> differences,
            final ManagedHost host,
            final int peer,
            final int vid) {
        if (host.claimed().getOrDefault(peer, 0) != vid) {
            differences.computeIfAbsent(host, key -> new TreeMap<>()).put(peer, vid);
        }
    }

    /** A round has failed: what was measured does not count, and the next one goes on. */
    void onFailure(final RuntimeException cause) {
        tuner.forget();
        decision = new Decision(List.of(), "the last round failed: " + cause, 0, "", 0);
    }

    /**
     * Changes nothing from now on.
     *
     * @param isFrozen whether what was set stays; otherwise it is taken back in the next round.
     */
    public void stop(final boolean isFrozen) {
        isStopped = true;
        if (!isFrozen) {
            wanted.clear();
        }
        tuner.forget();
        decision = new Decision(List.of(), "stopped: hxb optimise start goes on", 0, "", 0);
    }

    /** Goes on after {@link #stop}. */
    public void start() {
        isStopped = false;
    }

    /** True after {@link #stop}. */
    public boolean isStopped() {
        return isStopped;
    }

    /**
     * Ends all sessions.
     *
     * @param isKept whether what was set stays; otherwise managers undo it.
     */
    public void close(final boolean isKept) {
        if (isKept && isInCommand()) {
            runner.run(
                    byNumber.values().stream().filter(ManagedHost::isReady).toList(),
                    ManagedHost::makeLasting);
        }
        if (!settings.isDry()) {
            leaderElection.giveUp(runner, List.copyOf(byNumber.values()));
        }
        runner.run(List.copyOf(byNumber.values()), ManagedHost::close);
    }

    /** VIDs that it wants, by pair. */
    Map<Long, Integer> wanted() {
        return Map.copyOf(wanted);
    }

    /** What was decided last. */
    public Decision decision() {
        return decision;
    }

    /** Its counts. */
    ControlCounts counts() {
        return counts;
    }

    /** True while it has the lease of more than half of all hosts. */
    public boolean isLeader() {
        return leaderElection.isLeader();
    }

    /** The report as of the last round. */
    public ControlReport report(final long nowNs) {
        return ControlReport.of(nowNs, this, leaderElection, hosts, measurement, history, table);
    }

    boolean isDryRun() {
        return settings.isDry();
    }

    int wantedCount() {
        return wanted.size();
    }
}
