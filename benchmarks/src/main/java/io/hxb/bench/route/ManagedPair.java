package io.hxb.bench.route;

import io.hxb.bench.harness.Network;
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
 * Two hosts of a plan in network namespaces of their own, joined by a veth pair, each with a
 * network manager or none. Used by one thread; closed, it leaves nothing behind.
 */
final class ManagedPair implements AutoCloseable {
    /** Addresses of the two hosts. */
    static final String FIRST = "10.78.0.1", SECOND = "10.78.0.2";

    private static final double START_LIMIT_S = 60;

    private final Deque<AutoCloseable> resources = new ArrayDeque<>();
    private final List<Program> managers = new ArrayList<>();
    private final TemporaryFolder folder = new TemporaryFolder();
    private final Network network;

    private final int nics;
    private boolean isProbing = true;

    private ManagedPair(final String label, final int mtuBytes, final int nics)
            throws IOException, InterruptedException {
        this.nics = nics;
        resources.push(folder);
        network = Network.of(label, "a", "b");
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

    /**
     * Hosts with managers that are ready.
     *
     * @param tagger who tags: auto, kernel or tap.
     * @param more arguments of the first host's manager.
     */
    static ManagedPair managed(
            final String label, final int mtuBytes, final String tagger, final String... more)
            throws IOException, InterruptedException {
        return manage(new ManagedPair(label, mtuBytes, 1), tagger, more);
    }

    /** The same, tagged in the kernel, with managers that do not probe the path. */
    static ManagedPair withoutProbes(final String label, final int mtuBytes)
            throws IOException, InterruptedException {
        final ManagedPair pair = new ManagedPair(label, mtuBytes, 1);
        pair.isProbing = false;
        return manage(pair, "kernel");
    }

    /** The same with two NICs a host, each in a network of its own, tagged in the kernel. */
    static ManagedPair ofTwoNics(final String label, final int mtuBytes)
            throws IOException, InterruptedException {
        return manage(new ManagedPair(label, mtuBytes, 2), "kernel");
    }

    private static ManagedPair manage(
            final ManagedPair pair, final String tagger, final String... more)
            throws IOException, InterruptedException {
        try {
            final String plan = pair.folder.file("net.plan").toString();
            pair.network.exec(
                    "a",
                    Peers.hxb(
                                    "plan",
                                    "vlan",
                                    "--graph",
                                    "vbft:2,2",
                                    "--hosts-per-switch",
                                    "1",
                                    "--rails",
                                    Integer.toString(pair.nics),
                                    "--kind",
                                    "host-tagged",
                                    "--save",
                                    plan)
                            .toArray(String[]::new));
            pair.manage("a", plan, tagger, more);
            pair.manage("b", plan, tagger);
            return pair;
        } catch (final IOException | InterruptedException | RuntimeException e) {
            pair.close();
            throw e;
        }
    }

    private void manage(
            final String host, final String plan, final String tagger, final String... more)
            throws IOException, InterruptedException {
        final List<String> command =
                Peers.hxb(
                        "manager",
                        "--json",
                        "--plan",
                        plan,
                        "--nic",
                        nics == 1 ? "eth0" : "eth0,eth1",
                        "--tagger",
                        tagger,
                        "--socket",
                        folder.file(host + ".sock").toString());
        if (!isProbing) {
            command.add("--no-health");
        }
        command.addAll(List.of(more));
        final Program manager = Program.start(network.name(host), "", command);
        resources.push(manager);
        managers.add(manager);
        manager.next(START_LIMIT_S);
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
                System.err.println("left behind: " + e.getMessage());
            }
        }
    }
}
