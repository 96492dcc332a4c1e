package io.hxb.fabric.vlan.ovs;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.vlan.config.SetupMaker;
import io.hxb.testing.FrameTap;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.Assumptions;

import java.io.IOException;
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
 * NICs in another, every link a veth pair, and a tap at every end. Closed, it leaves nothing
 * behind.
 */
final class OvsLab implements AutoCloseable {
    private final SwitchGraph graph;
    private final Path folder;
    private final TestNamespaces namespaces = new TestNamespaces();
    private final String fabric;
    private final String outside;
    private final Map<String, String> environment = new HashMap<>();
    private final List<FrameTap> channelTaps = new ArrayList<>();
    private final List<FrameTap> hostTaps = new ArrayList<>();

    /** Skips the test, with the reason, where there is no Open vSwitch or no root. */
    static void assumePossible() {
        TestNamespaces.assumeRoot();
        Assumptions.assumeTrue(
                Files.isExecutable(Path.of("/usr/sbin/ovs-vswitchd")),
                "skipped: Open vSwitch is not installed (Debian: openvswitch-switch)");
    }

    /**
     * Starts the switches without any bridge.
     *
     * @param folder an empty one, for their database and sockets.
     */
    OvsLab(final SwitchGraph graph, final Path folder) throws IOException {
        this.graph = graph;
        this.folder = folder;
        fabric = namespaces.add("f");
        outside = namespaces.add("h");
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

    private void makeLinks() {
        for (final String namespace : List.of(fabric, outside)) {
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
        final List<String> outsideLines = new ArrayList<>();
        for (int host = 0; host < graph.hostCount(); host++) {
            lines.add(
                    "link add %s type veth peer name h%d address %s netns %s"
                            .formatted(hostPort(host), host, macText(host), outside));
            lines.add("link set " + hostPort(host) + " up");
            outsideLines.add("link set h" + host + " up");
        }
        TestNamespaces.ipIn(fabric, lines.toArray(String[]::new));
        TestNamespaces.ipIn(outside, outsideLines.toArray(String[]::new));
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
        final List<String> nics = new ArrayList<>();
        for (int host = 0; host < graph.hostCount(); host++) {
            nics.add("h" + host);
        }
        hostTaps.addAll(FrameTap.open(outside, nics));
        for (final String end : ends) {
            TestNamespaces.awaitCarrier(fabric, end);
        }
        for (final String nic : nics) {
            TestNamespaces.awaitCarrier(outside, nic);
        }
    }

    /** Runs a shell script where the switches are. */
    void run(final String script) throws IOException {
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
    FrameTap channelTap(final int channel) {
        return channelTaps.get(channel);
    }

    /** The tap at a host's own NIC. */
    FrameTap hostTap(final int host) {
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
