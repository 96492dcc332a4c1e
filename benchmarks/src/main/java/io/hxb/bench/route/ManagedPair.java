package io.hxb.bench.route;

import io.hxb.bench.harness.BenchNetwork;
import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.Program;
import io.hxb.bench.harness.TemporaryFolder;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Two hosts of a plan in network namespaces of their own, joined by a veth pair, with network
 * managers or without. Used by one thread; closed, it leaves nothing behind.
 */
final class ManagedPair implements AutoCloseable {
    /** Addresses of the two hosts. */
    static final String FIRST = "10.78.0.1", SECOND = "10.78.0.2";

    private static final double START_LIMIT_S = 60;

    private final Deque<AutoCloseable> resources = new ArrayDeque<>();
    private final List<Program> managers = new ArrayList<>();
    private final TemporaryFolder folder = new TemporaryFolder();
    private final BenchNetwork network;

    private final int nics;
    private Path plan;

    private ManagedPair(final String label, final int mtuBytes, final int nics)
            throws IOException, InterruptedException {
        this.nics = nics;
        resources.push(folder);
        network = BenchNetwork.of(label, "a", "b");
        resources.push(network);
        for (int nic = 0; nic < nics; nic++) {
            final String name = "eth" + nic;
            network.join("a", name, "b", name, mtuBytes);
            // Those that a plan without addresses gives its hosts.
            network.exec("a", "ip", "link", "set", name, "address", "02:48:58:42:00:00");
            network.exec("b", "ip", "link", "set", name, "address", "02:48:58:42:00:01");
        }
        network.address("a", "eth0", FIRST + "/24");
        network.address("b", "eth0", SECOND + "/24");
    }

    /** Hosts without managers. */
    static ManagedPair plain(final String label, final int mtuBytes)
            throws IOException, InterruptedException {
        return new ManagedPair(label, mtuBytes, 1);
    }

    /** The same with two NICs a host, each in a network of its own. */
    static ManagedPair ofTwoNics(final String label, final int mtuBytes)
            throws IOException, InterruptedException {
        return new ManagedPair(label, mtuBytes, 2);
    }

    /**
     * Hosts with managers that are ready.
     *
     * @param tagger who tags: auto, kernel or tap.
     * @param more arguments of the first host's manager.
     */
    static ManagedPair managed(
            final String label, final int mtuBytes, final String tagger, final String... more)
            throws IOException, InterruptedException {
        final ManagedPair pair = plain(label, mtuBytes);
        try {
            pair.start("a", tagger, more);
            pair.start("b", tagger);
            return pair;
        } catch (final IOException | InterruptedException | RuntimeException e) {
            pair.close();
            throw e;
        }
    }

    /**
     * Starts a manager on each host, and waits until they are ready.
     *
     * @param more arguments of both.
     */
    void manage(final String tagger, final String... more)
            throws IOException, InterruptedException {
        start("a", tagger, more);
        start("b", tagger, more);
    }

    private void start(final String host, final String tagger, final String... more)
            throws IOException, InterruptedException {
        final List<String> command =
                Peers.hxb(
                        "manager",
                        "--json",
                        "--plan",
                        plan().toString(),
                        "--nic",
                        nics == 1 ? "eth0" : "eth0,eth1",
                        "--tagger",
                        tagger,
                        "--socket",
                        folder.file(host + ".sock").toString());
        command.addAll(List.of(more));
        final Program manager = Program.start(network.name(host), "", command);
        resources.push(manager);
        managers.add(manager);
        manager.next(START_LIMIT_S);
    }

    private Path plan() throws IOException, InterruptedException {
        if (plan == null) {
            plan = folder.file("net.plan");
            network.exec(
                    "a",
                    Peers.hxb(
                                    "plan",
                                    "vlan",
                                    "--graph",
                                    "vbft:2,2",
                                    "--hosts-per-switch",
                                    "1",
                                    "--rails",
                                    Integer.toString(nics),
                                    "--kind",
                                    "host-tagged",
                                    "--save",
                                    plan.toString())
                            .toArray(String[]::new));
        }
        return plan;
    }

    /** Stops the managers, and waits until the hosts are as they were without them. */
    void leaveAlone() {
        for (final Program manager : managers) {
            manager.close();
            resources.remove(manager);
        }
        managers.clear();
    }

    /** The network namespace of the first host. */
    String first() {
        return network.name("a");
    }

    /** The network namespace of the second host. */
    String second() {
        return network.name("b");
    }

    /** The Unix socket of the first host's manager. */
    Path socket() {
        return folder.file("a.sock");
    }

    /** CPU time that the managers have taken so far, in ns. */
    long managersCpuNs() throws IOException {
        long sum = 0;
        for (final Program manager : managers) {
            sum += manager.cpuNs();
        }
        return sum;
    }

    @Override
    public void close() {
        while (!resources.isEmpty()) {
            try {
                resources.pop().close();
            } catch (final Exception e) {
                System.err.println("warning: not removed: " + e.getMessage());
            }
        }
    }
}
