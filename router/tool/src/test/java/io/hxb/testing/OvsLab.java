package io.hxb.testing;

import io.hxb.fabric.SwitchGraph;
import io.hxb.tool.lab.OpenVswitch;
import io.hxb.tool.lab.switches.HostPlace;
import io.hxb.tool.lab.switches.SwitchNetwork;

import org.junit.jupiter.api.Assumptions;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A {@link SwitchNetwork} with a tap at every end, its hosts' NICs in one namespace or in one for
 * each. Closed, it leaves nothing behind. Owned by the test's thread.
 */
public final class OvsLab implements AutoCloseable {
    private static final int MTU_BYTES = 1500;

    private final SwitchGraph graph;
    private final TestNamespaces namespaces = new TestNamespaces();
    private final String fabric;
    private final SwitchNetwork network;
    private final List<FrameTap> channelTaps = new ArrayList<>();
    private final List<FrameTap> hostTaps = new ArrayList<>();

    /** Skips the test, with the reason, where there is no Open vSwitch or no root. */
    public static void assumePossible() {
        TestNamespaces.assumeRoot();
        Assumptions.assumeTrue(
                OpenVswitch.isInstalled(),
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
     *     address {@link HostPlace#address}.
     */
    public OvsLab(final SwitchGraph graph, final Path folder, final boolean isApart)
            throws IOException {
        this.graph = graph;
        fabric = add("f");
        final List<HostPlace> hosts = new ArrayList<>();
        final String common = isApart ? null : add("h");
        for (int host = 0; host < graph.hostCount(); host++) {
            hosts.add(
                    isApart
                            ? HostPlace.apart(add("h" + host), host)
                            : new HostPlace(common, "h" + host, ""));
        }
        network = new SwitchNetwork(graph, fabric, hosts, folder);
        try {
            network.makeLinks(MTU_BYTES);
            network.start();
            openTaps();
        } catch (final RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** Makes one without IPv6, whose autoconfiguration would send frames of its own. */
    private String add(final String name) {
        final String namespace = namespaces.add(name);
        TestNamespaces.exec(
                namespace,
                "sh",
                "-c",
                "f=/proc/sys/net/ipv6/conf/default/disable_ipv6; [ ! -e $f ] || echo 1 >$f");
        return namespace;
    }

    private void openTaps() throws IOException {
        final List<String> ends = new ArrayList<>();
        for (int channel = 0; channel < graph.channelCount(); channel++) {
            ends.add(network.port(SwitchGraph.opposite(channel)));
        }
        channelTaps.addAll(FrameTap.open(fabric, ends));
        for (int host = 0; host < graph.hostCount(); host++) {
            hostTaps.addAll(FrameTap.open(namespace(host), List.of(network.host(host).nic())));
        }
    }

    /** The namespace of a host. */
    public String namespace(final int host) {
        return network.host(host).namespace();
    }

    /** Runs a shell script where the switches are. */
    public void run(final String script) {
        network.run(script);
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
        OpenVswitch.stop(fabric);
        namespaces.close();
    }
}
