package io.hxb.testing;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.vlan.config.SetupMaker;
import io.hxb.linux.Descriptors;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.Sockets;
import io.hxb.os.nic.NicRequest;

import org.junit.jupiter.api.Assumptions;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A graph of Open vSwitch bridges with the userspace datapath in one network namespace, its hosts'
 * NICs in another or in one for each, every link a veth pair, and a tap at every end. Closed, it
 * leaves nothing behind. Owned by the test's thread.
 */
public final class OvsLab implements AutoCloseable {
    // With the value 0 that goes along: switched off. Source: linux/ethtool.h.
    private static final int ETHTOOL_STXCSUM = 0x17;

    private final SwitchGraph graph;
    private final Path folder;
    private final TestNamespaces namespaces = new TestNamespaces();
    private final String fabric;
    private final List<String> outside = new ArrayList<>();
    private final boolean isApart;
    private final Map<String, String> environment = new HashMap<>();
    private final List<FrameTap> channelTaps = new ArrayList<>();
    private final List<FrameTap> hostTaps = new ArrayList<>();

    /** Skips the test, with the reason, where there is no Open vSwitch or no root. */
    public static void assumePossible() {
        TestNamespaces.assumeRoot();
        Assumptions.assumeTrue(
                Files.isExecutable(Path.of("/usr/sbin/ovs-vswitchd")),
                "skipped: Open vSwitch is not installed (Debian: openvswitch-switch)");
    }

    /**
     * Starts the switches without any bridge; all hosts are in one namespace.
     *
     * @param folder an empty one, for their database and sockets.
     */
    public OvsLab(final SwitchGraph graph, final Path folder) throws IOException {
        this(graph, folder, false);
    }

    /**
     * The same.
     *
     * @param isApart whether each host has a namespace of its own, where its NIC is eth0 and its
     *     address {@link #address}.
     */
    public OvsLab(final SwitchGraph graph, final Path folder, final boolean isApart)
            throws IOException {
        this.graph = graph;
        this.folder = folder;
        this.isApart = isApart;
        fabric = namespaces.add("f");
        for (int i = 0; i < (isApart ? graph.hostCount() : 1); i++) {
            outside.add(namespaces.add("h" + i));
        }
        environment.put("OVS_RUNDIR", folder.toString());
        environment.put("OVS_DBDIR", folder.toString());
        environment.put("OVS_LOGDIR", folder.toString());
        environment.put("OVS_DATAPATH_TYPE", "netdev");
        try {
            makeLinks();
            startDaemons();
            openTaps();
        } catch (final IOException | RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    private void makeLinks() throws IOException {
        final List<String> all = new ArrayList<>(outside);
        all.add(fabric);
        for (final String namespace : all) {
            TestNamespaces.exec(
                    namespace,
                    "sh",
                    "-c",
                    "f=/proc/sys/net/ipv6/conf/default/disable_ipv6; [ ! -e $f ] || echo 1 >$f");
        }
        final List<String> lines = new ArrayList<>();
        for (int channel = 0; channel < graph.channelCount(); channel += 2) {
            lines.add(
                    "link add %s type veth peer name %s"
                            .formatted(nic(channel), nic(SwitchGraph.opposite(channel))));
            lines.add("link set " + nic(channel) + " up");
            lines.add("link set " + nic(SwitchGraph.opposite(channel)) + " up");
        }
        for (int host = 0; host < graph.hostCount(); host++) {
            lines.add(
                    "link add %s type veth peer name %s address %s netns %s"
                            .formatted(
                                    hostPort(host), hostNic(host), macText(host), namespace(host)));
            lines.add("link set " + hostPort(host) + " up");
        }
        TestNamespaces.ipIn(fabric, lines.toArray(String[]::new));
        for (int host = 0; host < graph.hostCount(); host++) {
            final String nic = hostNic(host);
            TestNamespaces.ipIn(namespace(host), "link set " + nic + " up");
            if (isApart) {
                TestNamespaces.ipIn(
                        namespace(host), "addr add " + address(host) + "/24 dev " + nic);
                writeChecksums(namespace(host), nic);
            }
        }
    }

    /** The switches forward bytes: the kernel has to write checksums before they see them. */
    private static void writeChecksums(final String namespace, final String nic)
            throws IOException {
        NetworkNamespace.run(
                namespace,
                () -> {
                    final int fd = Sockets.open(Sockets.AF_INET, Sockets.SOCK_DGRAM, 0);
                    try (Arena arena = Arena.ofConfined()) {
                        return new NicRequest(arena, fd, nic).askEthtool(ETHTOOL_STXCSUM);
                    } finally {
                        Descriptors.close(fd);
                    }
                });
    }

    /** The namespace of a host. */
    public String namespace(final int host) {
        return outside.get(isApart ? host : 0);
    }

    /** The address of a host that has a namespace of its own. */
    public static String address(final int host) {
        return "10.77.0." + (1 + host);
    }

    private String hostNic(final int host) {
        return isApart ? "eth0" : "h" + host;
    }

    private String macText(final int host) {
        final String digits = String.format(Locale.ROOT, "%012x", SetupMaker.mac(graph, host));
        return digits.replaceAll("(..)(?!$)", "$1:");
    }

    /** The veth end at the source of a channel: the port's name in the generated scripts. */
    private String nic(final int channel) {
        return graph.switchName(graph.source(channel)) + "p" + graph.sourcePort(channel);
    }

    private String hostPort(final int host) {
        return graph.switchName(graph.hostSwitch(host)) + "p" + graph.hostPort(host);
    }

    private void startDaemons() throws IOException {
        run(
                """
                set -e
                cd "$OVS_RUNDIR"
                ovsdb-tool create conf.db /usr/share/openvswitch/vswitch.ovsschema
                ovsdb-server conf.db --remote=punix:db.sock --detach --no-chdir --pidfile \
                  --log-file=db.log -vconsole:off
                ovs-vsctl --no-wait init
                ovs-vswitchd unix:db.sock --detach --no-chdir --pidfile --log-file=vs.log \
                  -vconsole:off
                """);
    }

    private void openTaps() throws IOException {
        final List<String> ends = new ArrayList<>();
        for (int channel = 0; channel < graph.channelCount(); channel++) {
            ends.add(nic(SwitchGraph.opposite(channel)));
        }
        channelTaps.addAll(FrameTap.open(fabric, ends));
        for (int host = 0; host < graph.hostCount(); host++) {
            hostTaps.addAll(FrameTap.open(namespace(host), List.of(hostNic(host))));
        }
        for (final String end : ends) {
            TestNamespaces.awaitCarrier(fabric, end);
        }
        for (int host = 0; host < graph.hostCount(); host++) {
            TestNamespaces.awaitCarrier(namespace(host), hostNic(host));
        }
    }

    /** Runs a shell script where the switches are. */
    public void run(final String script) throws IOException {
        final ProcessBuilder builder =
                new ProcessBuilder("ip", "netns", "exec", fabric, "sh", "-s");
        builder.environment().putAll(environment);
        // Daemons keep standard output open, so it goes to a file.
        final Path output = Files.createTempFile(folder, "script", ".out");
        final Process process =
                builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try (var stdin = process.getOutputStream()) {
            stdin.write(script.getBytes(StandardCharsets.UTF_8));
        }
        try {
            if (process.waitFor() != 0) {
                throw new AssertionError(
                        Files.readString(output) + "\nis what came of this script:\n" + script);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** The tap that sees what crosses a channel, at its far end. */
    public FrameTap channelTap(final int channel) {
        return channelTaps.get(channel);
    }

    /** The tap at a host's own NIC. */
    public FrameTap hostTap(final int host) {
        return hostTaps.get(host);
    }

    @Override
    public void close() {
        channelTaps.forEach(FrameTap::close);
        hostTaps.forEach(FrameTap::close);
        for (final String daemon : List.of("ovs-vswitchd", "ovsdb-server")) {
            final Path file = folder.resolve(daemon + ".pid");
            try {
                if (Files.exists(file)) {
                    final long pid = Long.parseLong(Files.readString(file).strip());
                    ProcessHandle.of(pid)
                            .ifPresent(
                                    process -> {
                                        process.destroy();
                                        TestNamespaces.await(
                                                daemon + " has ended", () -> !process.isAlive());
                                    });
                }
            } catch (final IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
        namespaces.close();
    }
}
