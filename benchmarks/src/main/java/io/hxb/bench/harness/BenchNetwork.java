package io.hxb.bench.harness;

import io.hxb.tool.lab.Shaper;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Network namespaces joined by veth pairs, made for one experiment and removed with it, even when
 * this process is interrupted. Used by one thread.
 *
 * <p>With the system property {@code hxb.loopback} nothing is made: every host is this machine, and
 * talks by addresses of its loopback. There are no NICs of its own then.
 */
public final class BenchNetwork implements AutoCloseable {
    private static final String PREFIX = "hxbb-";
    private static final long UP_LIMIT_NS = 10_000_000_000L;

    private static final boolean IS_LOOPBACK = Boolean.getBoolean("hxb.loopback");

    private final String prefix;
    private final List<String> namespaces = new ArrayList<>();
    private final Thread hook = new Thread(this::remove);

    private BenchNetwork(final String label) {
        prefix = PREFIX + ProcessHandle.current().pid() + "-" + label + "-";
    }

    /**
     * Makes namespaces.
     *
     * @param label short name of the network, unique in this process.
     * @param names short names of the namespaces.
     */
    public static BenchNetwork of(final String label, final String... names)
            throws IOException, InterruptedException {
        if (IS_LOOPBACK) {
            return new BenchNetwork(label);
        }
        removeStale();
        final BenchNetwork network = new BenchNetwork(label);
        Runtime.getRuntime().addShutdownHook(network.hook);
        for (final String name : names) {
            run("ip", "netns", "add", network.name(name));
            network.namespaces.add(network.name(name));
            network.exec(name, "ip", "link", "set", "lo", "up");
            // A veth that comes up sends IPv6 router solicitations into what is measured.
            network.quiet(name);
        }
        return network;
    }

    /**
     * Some kernels have no IPv6 and some do not let it be turned off; the figures hardly change
     * then.
     */
    private void quiet(final String namespace) throws InterruptedException {
        try {
            exec(namespace, "sysctl", "-qw", "net.ipv6.conf.default.disable_ipv6=1");
        } catch (final IOException e) {
            System.err.println(
                    "warning: IPv6 could not be disabled, so its frames are measured too: "
                            + e.getMessage());
        }
    }

    /** True if hosts are addresses of this machine's loopback. */
    public static boolean isLoopback() {
        return IS_LOOPBACK;
    }

    /** The IPv4 address of a host that has {@code 10.x.x.x} in a namespace. */
    public static String host(final String address) {
        return IS_LOOPBACK ? address.replaceFirst("^10\\.", "127.") : address;
    }

    /** The full name of a namespace; empty if there is none. */
    public String name(final String namespace) {
        return IS_LOOPBACK ? "" : prefix + namespace;
    }

    /** Joins two namespaces by a veth pair and waits until it carries frames. */
    public void join(
            final String namespace,
            final String nic,
            final String otherNamespace,
            final String otherNic,
            final int mtu)
            throws IOException, InterruptedException {
        if (IS_LOOPBACK) {
            return;
        }
        final String size = Integer.toString(mtu);
        run(
                "ip",
                "link",
                "add",
                nic,
                "mtu",
                size,
                "netns",
                name(namespace),
                "type",
                "veth",
                "peer",
                "name",
                otherNic,
                "mtu",
                size,
                "netns",
                name(otherNamespace));
        exec(namespace, "ip", "link", "set", nic, "up");
        exec(otherNamespace, "ip", "link", "set", otherNic, "up");
        awaitUp(namespace, nic);
        awaitUp(otherNamespace, otherNic);
    }

    /**
     * Joins two namespaces by a bridge of its own in a third namespace, as the lines of a lab are.
     */
    public void joinByBridge(
            final String namespace,
            final String nic,
            final String otherNamespace,
            final String otherNic,
            final String bridgeNamespace,
            final String bridge,
            final int mtu)
            throws IOException, InterruptedException {
        exec(bridgeNamespace, "ip", "link", "add", bridge, "mtu", "" + mtu, "type", "bridge");
        exec(bridgeNamespace, "ip", "link", "set", bridge, "up");
        join(namespace, nic, bridgeNamespace, bridge + "a", mtu);
        join(otherNamespace, otherNic, bridgeNamespace, bridge + "b", mtu);
        exec(bridgeNamespace, "ip", "link", "set", bridge + "a", "master", bridge);
        exec(bridgeNamespace, "ip", "link", "set", bridge + "b", "master", bridge);
    }

    /** Gives a NIC an IPv4 address such as {@code 10.1.0.1/24}. */
    public void address(final String namespace, final String nic, final String address)
            throws IOException, InterruptedException {
        if (!IS_LOOPBACK) {
            exec(namespace, "ip", "address", "add", address, "dev", nic);
        }
    }

    /** Shapes what leaves a NIC to a rate in bits a second, as labs do. */
    public void shape(final String namespace, final String nic, final long rateBps)
            throws IOException, InterruptedException {
        shape(namespace, nic, Shaper.tbf(rateBps, Shaper.NO_DROPS));
    }

    /** Shapes what leaves a NIC by the arguments of a qdisc of {@code tc}. */
    public void shape(final String namespace, final String nic, final String shaper)
            throws IOException, InterruptedException {
        exec(namespace, ("tc qdisc add dev " + nic + " root " + shaper).split(" "));
    }

    /** MAC address of a NIC, as text. */
    public String mac(final String namespace, final String nic)
            throws IOException, InterruptedException {
        return exec(namespace, "cat", "/sys/class/net/" + nic + "/address").strip();
    }

    /** Runs a command in a namespace and returns what it prints. */
    public String exec(final String namespace, final String... command)
            throws IOException, InterruptedException {
        if (IS_LOOPBACK) {
            throw new IOException("there are no namespaces, as hxb.loopback is set");
        }
        final List<String> all = new ArrayList<>(List.of("ip", "netns", "exec", name(namespace)));
        all.addAll(List.of(command));
        return run(all.toArray(String[]::new));
    }

    private void awaitUp(final String namespace, final String nic)
            throws IOException, InterruptedException {
        final long start = System.nanoTime();
        while (!exec(namespace, "cat", "/sys/class/net/" + nic + "/operstate").startsWith("up")) {
            if (System.nanoTime() - start > UP_LIMIT_NS) {
                throw new IOException(nic + " in " + name(namespace) + " did not come up");
            }
            LockSupport.parkNanos(20_000_000);
        }
    }

    /** Removes everything; the kernel removes the NICs with their namespaces. */
    @Override
    public void close() {
        remove();
        if (!IS_LOOPBACK) {
            Runtime.getRuntime().removeShutdownHook(hook);
        }
    }

    private void remove() {
        namespaces.forEach(BenchNetwork::delete);
        namespaces.clear();
    }

    private static void delete(final String namespace) {
        try {
            run("ip", "netns", "del", namespace);
        } catch (final IOException e) {
            System.err.println("warning: a network namespace was not removed: " + e.getMessage());
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Removes namespaces of runs that were killed. */
    private static void removeStale() throws IOException, InterruptedException {
        for (final String line : run("ip", "netns", "list").split("\n", -1)) {
            final String name = line.split(" ", -1)[0];
            final String[] parts = name.split("-", -1);
            if (name.startsWith(PREFIX)
                    && parts.length > 2
                    && !Files.exists(Path.of("/proc", parts[1]))) {
                delete(name);
            }
        }
    }

    private static String run(final String... command) throws IOException, InterruptedException {
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        final String output =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (!process.waitFor(20, TimeUnit.SECONDS) || process.exitValue() != 0) {
            throw new IOException(
                    String.format(
                            Locale.ROOT, "%s: %s", String.join(" ", command), output.strip()));
        }
        return output;
    }
}
