package io.hxb.bench.vlan;

import io.hxb.manager.ManagerClient;
import io.hxb.manager.control.ControlReport;
import io.hxb.manager.control.ControlServer;
import io.hxb.manager.control.ControlSettings;
import io.hxb.manager.control.HostPool;
import io.hxb.manager.control.ManagedHost;
import io.hxb.manager.control.NetworkControl;
import io.hxb.manager.control.TuningTerms;
import io.hxb.tool.lab.switches.SwitchLab;
import io.hxb.tool.report.Json;
import io.hxb.vlan.HostTable;

import java.util.ArrayList;
import java.util.List;

/**
 * What {@code hxb optimise} does, for all hosts of a lab, in a thread of its own until it is
 * closed; then what it has set is undone.
 */
final class Tuner implements AutoCloseable {
    private static final int LEASE_MS = 10_000;
    private static final long ANSWER_NS = 2_000_000_000L;
    private static final long HOLD_NS = 30_000_000_000L;

    /** Links with less than a tenth of the traffic that they can carry are left alone. */
    private static final double MIN_LOAD = 0.1;

    private final HostPool pool;
    private final NetworkControl control;
    private final ControlServer server;
    private final Thread thread;

    /**
     * Begins.
     *
     * @param rateBps bits a second of the links.
     * @param intervalNs time from one measurement to the next.
     */
    Tuner(final SwitchLab lab, final long rateBps, final long intervalNs) {
        final long fingerprint = HostTable.of(lab.plan()).fingerprint();
        final List<ManagedHost> hosts = new ArrayList<>();
        for (int host = 0; host < lab.plan().graph().hostCount(); host++) {
            final int number = host;
            hosts.add(
                    new ManagedHost(
                            "host " + host,
                            () -> {
                                final ManagerClient client =
                                        ManagerClient.connect(lab.socket(number));
                                client.answerWithin(ANSWER_NS);
                                return client;
                            },
                            fingerprint,
                            System::nanoTime));
        }
        pool = new HostPool(ANSWER_NS);
        control =
                new NetworkControl(
                        lab.plan(),
                        new ControlSettings(
                                1,
                                LEASE_MS,
                                false,
                                new TuningTerms(
                                        TuningTerms.DEFAULT.minGain(),
                                        TuningTerms.DEFAULT.intervals(),
                                        TuningTerms.DEFAULT.maxChangesPerMinute(),
                                        HOLD_NS,
                                        MIN_LOAD * rateBps / Byte.SIZE)),
                        pool,
                        hosts);
        server = new ControlServer(control, intervalNs, Json::line);
        thread = Thread.ofPlatform().name("tuner").start(this::run);
    }

    private void run() {
        try {
            server.run(report -> {});
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            control.close(false);
        }
    }

    /** Its results so far. */
    ControlReport report() {
        return server.report();
    }

    @Override
    public void close() {
        server.end();
        try {
            thread.join();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        pool.close();
    }
}
