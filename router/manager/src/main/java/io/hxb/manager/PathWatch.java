package io.hxb.manager;

import io.hxb.config.PathHealthConfig;
import io.hxb.linux.LinuxException;
import io.hxb.session.KeyRing;
import io.hxb.vlan.HostTable;
import io.hxb.vlan.Tagger;
import io.hxb.vlan.health.HealthCounts;
import io.hxb.vlan.health.HealthListener;
import io.hxb.vlan.health.PathHealth;
import io.hxb.vlan.health.ProbeSeals;
import io.hxb.vlan.health.ProbeSockets;
import io.hxb.vlan.health.Witnesses;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.security.SecureRandom;
import java.util.concurrent.Future;

/**
 * Probes the paths of a manager's host and reports to the manager, the log and the counts what
 * becomes of them. Owned by the manager's thread once it was started.
 */
final class PathWatch implements HealthListener {
    private static final Logger LOGGER = LoggerFactory.getLogger(PathWatch.class);
    private static final long MIN_STEP_NS = 1_000_000;
    private static final long AFTER_ERROR_NS = 1_000_000_000;

    private final HostTable table;
    private final HostManager manager;
    private final ManagerServer server;
    private final ProbeSockets sockets;
    private final PathHealth health;
    private Future<?> next;
    private long workedNs;

    private PathWatch(
            final PathHealthConfig config,
            final HostManager manager,
            final Tagger tagger,
            final Witnesses witnesses,
            final KeyRing keys,
            final ManagerServer server,
            final ProbeSockets sockets) {
        table = manager.table();
        this.manager = manager;
        this.server = server;
        this.sockets = sockets;
        workedNs = System.nanoTime();
        health =
                new PathHealth(
                        table,
                        manager.paths(),
                        tagger,
                        witnesses,
                        config,
                        new ProbeSeals(keys, table.fingerprint()),
                        incarnation(),
                        sockets,
                        this,
                        workedNs);
        manager.onCounts(this::count);
    }

    private static long incarnation() {
        final SecureRandom random = new SecureRandom();
        long value = 0;
        while (value == 0) {
            value = random.nextLong();
        }
        return value;
    }

    /**
     * Begins to probe.
     *
     * @param witnesses by which the default VID of the host is judged.
     * @param sockets bound to the NICs.
     */
    static PathWatch start(
            final PathHealthConfig config,
            final HostManager manager,
            final Tagger tagger,
            final Witnesses witnesses,
            final KeyRing keys,
            final ManagerServer server,
            final ProbeSockets sockets)
            throws IOException {
        final PathWatch watch =
                new PathWatch(config, manager, tagger, witnesses, keys, server, sockets);
        final var ignored = server.in(0, watch::work);
        for (final int descriptor : sockets.descriptors()) {
            server.whenReadable(descriptor, watch::onReadable);
        }
        return watch;
    }

    /** A NIC has come back under another number. */
    void bind(final int nic, final int ifindex, final String name) {
        try {
            sockets.bind(nic, ifindex, name);
        } catch (final LinuxException e) {
            LOGGER.warn("paths of NIC {} are not probed: {}", name, e.getMessage());
        }
    }

    private void onReadable() {
        final long now = System.nanoTime();
        sockets.receive(health, now);
        if (next != null && now - workedNs >= MIN_STEP_NS) {
            next.cancel(false);
            step(now);
        } else {
            sockets.flush();
        }
    }

    private void work() {
        // Whatever has come is looked at before silence is.
        final long now = System.nanoTime();
        sockets.receive(health, now);
        step(now);
    }

    private void step(final long now) {
        workedNs = now;
        long delayNs = AFTER_ERROR_NS;
        try {
            delayNs = health.work(now);
        } catch (final RuntimeException e) {
            LOGGER.error("probing paths failed", e);
        }
        sockets.flush();
        next = server.in(delayNs, this::work);
    }

    private String name(final int host) {
        return table.rows().get(host).name();
    }

    @Override
    public void onDead(final int host, final int vid, final Reason reason) {
        LOGGER.warn(
                "path dead host {} VID {}: {}",
                name(host),
                vid,
                reason == Reason.LOSSY ? "it loses frames" : "nothing comes, it answers elsewhere");
    }

    @Override
    public void onHealed(final int host, final int vid) {
        LOGGER.info("path back host {} VID {}", name(host), vid);
    }

    @Override
    public void onMoved(final int host, final int from, final int to) {
        LOGGER.info("path moved host {} from VID {} to {}", name(host), from, to);
    }

    @Override
    public void onDefaultMoved(final int from, final int to) {
        LOGGER.info("default VID moved from {} to {}", from, to);
    }

    @Override
    public void onMovesDone() {
        manager.onDetours();
    }

    @Override
    public void onHalf(final int host, final int vid, final int peerVid) {
        LOGGER.warn(
                "half of a pair changed: to {} in VID {}, from it in {}: switches flood until both"
                        + " ends are set to one VID",
                name(host),
                vid,
                peerVid);
    }

    @Override
    public void onWhole(final int host, final int vid) {
        LOGGER.info("both ends of the pair with {} send in VID {} again", name(host), vid);
    }

    private void count() {
        final HealthCounts now = health.counts();
        final ManagerCounts counts = manager.counts();
        counts.set(ManagerCount.PROBES_SENT, now.sent());
        counts.set(ManagerCount.PROBES_RECEIVED, now.received());
        counts.set(ManagerCount.PROBES_REFUSED, now.refused());
        counts.set(ManagerCount.PROBES_WITHHELD, now.withheld());
        counts.set(ManagerCount.PATH_FAILURES, now.failures());
        counts.set(ManagerCount.PATH_RECOVERIES, now.recoveries());
        counts.set(ManagerCount.PATH_MOVES, now.moves());
        counts.set(ManagerCount.DEFAULT_MOVES, now.defaultMoves());
        counts.set(ManagerCount.PROBED_HOSTS, now.hosts());
        counts.set(ManagerCount.DEAD_PATHS, now.deadPaths());
        counts.set(ManagerCount.HALF_PAIRS, now.halfPairs());
    }
}
