package io.hxb.tool.lab.switches;

import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.vlan.HostNics;
import io.hxb.fabric.vlan.VlanPlan;
import io.hxb.fabric.vlan.config.Dialect;
import io.hxb.fabric.vlan.config.SetupMaker;
import io.hxb.fabric.vlan.config.SwitchSetup;
import io.hxb.linux.Descriptors;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.Sockets;
import io.hxb.os.nic.NicInfo;
import io.hxb.os.nic.NicRequest;
import io.hxb.tool.lab.OpenVswitch;
import io.hxb.tool.machine.Shell;
import io.hxb.tool.report.ToolException;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * A graph of switches on this machine: a bridge of Open vSwitch for each switch, all in one network
 * namespace, and a veth pair for each link, also to the hosts. Goes with its namespaces and with
 * {@link OpenVswitch#stop}. Owned by one thread.
 */
public final class SwitchNetwork {
    private static final Dialect OVS = Dialect.parse("ovs");

    // With the value 0 that goes along: switched off. Source: linux/ethtool.h.
    private static final int ETHTOOL_STXCSUM = 0x17;

    private static final int MIN_BURST_BYTES = 18_000;
    private static final int MIN_QUEUE_BYTES = 128 << 10;

    // A NIC has 1,000 frames wait (its txqueuelen), not as few as a port of a switch.
    private static final int HOST_QUEUE_BYTES = 1_000 * 1_522;

    private static final String NOBODY = "10.77.255.254";
    private static final int DISCARD_PORT = 9;
    private static final int MAX_NIC_NAME = 15;
    private static final long CARRIER_NS = 30_000_000_000L;
    private static final long LOOK_NS = 2_000_000;

    private final SwitchGraph graph;
    private final HostNics nics;
    private final String fabric;
    private final List<HostPlace> hosts;
    private final OpenVswitch switches;

    /**
     * Names the parts; nothing is made.
     *
     * @param fabric namespace of the switches, which exists.
     * @param hosts where the NIC of each host is to be; the namespaces exist.
     * @param folder an empty one, for the files of the switches.
     */
    public SwitchNetwork(
            final SwitchGraph graph,
            final String fabric,
            final List<HostPlace> hosts,
            final Path folder) {
        this.graph = graph;
        nics = HostNics.of(graph);
        this.fabric = fabric;
        this.hosts = List.copyOf(hosts);
        switches = new OpenVswitch(fabric, folder);
    }

    /**
     * Requires a graph that can be made on this machine.
     *
     * @throws ToolException if names of ports are not numbers, or too long for NICs.
     */
    public static void check(final SwitchGraph graph) {
        final HostNics nics = HostNics.of(graph);
        for (int node = 0; node < graph.switchCount(); node++) {
            if (!nics.isHost(node) && !graph.switchName(node).matches("[A-Za-z][A-Za-z0-9_-]*")) {
                throw new ToolException(
                        "a bridge cannot be called '"
                                + graph.switchName(node)
                                + "': a letter, then letters, digits and dashes");
            }
        }
        for (int channel = 0; channel < graph.channelCount(); channel++) {
            if (!nics.isHost(graph.source(channel))) {
                checkPort(graph.switchName(graph.source(channel)), graph.sourcePort(channel));
            }
        }
        for (int host = 0; host < graph.hostCount() && nics.count() == 1; host++) {
            checkPort(graph.switchName(graph.hostSwitch(host)), graph.hostPort(host));
        }
    }

    private static void checkPort(final String name, final String port) {
        if (!port.matches("\\d{1,6}") || port(name, port).length() > MAX_NIC_NAME) {
            throw new ToolException(
                    "a lab needs ports that are numbered, and names of switch and port of at most "
                            + MAX_NIC_NAME
                            + " characters together, not "
                            + name
                            + " and "
                            + port);
        }
    }

    private static String port(final String name, final String port) {
        return name + "p" + port;
    }

    /**
     * Makes all NICs, each up with its carrier.
     *
     * @param mtuBytes MTU of the hosts.
     */
    public void makeLinks(final int mtuBytes) {
        final List<String> lines = new ArrayList<>();
        for (int channel = 0; channel < graph.channelCount(); channel += 2) {
            if (isToHost(channel)) {
                continue;
            }
            final String near = port(channel);
            final String far = port(SwitchGraph.opposite(channel));
            lines.add(
                    "link add %s mtu %d type veth peer %s mtu %d"
                            .formatted(near, mtuBytes, far, mtuBytes));
            lines.add("link set " + near + " up");
            lines.add("link set " + far + " up");
        }
        for (int host = 0; host < graph.hostCount(); host++) {
            final HostPlace place = hosts.get(host);
            for (int nic = 0; nic < nics.count(); nic++) {
                lines.add(
                        "link add %s mtu %d type veth peer name %s mtu %d address %s netns %s"
                                .formatted(
                                        hostPort(host, nic),
                                        mtuBytes,
                                        place.nic(nic),
                                        mtuBytes,
                                        macText(host),
                                        place.namespace()));
                lines.add("link set " + hostPort(host, nic) + " up");
            }
        }
        ip(fabric, lines);
        for (int host = 0; host < graph.hostCount(); host++) {
            setUp(host);
        }
        awaitCarriers();
    }

    private void setUp(final int host) {
        final HostPlace place = hosts.get(host);
        final List<String> lines = new ArrayList<>(List.of("link set lo up"));
        for (int nic = 0; nic < nics.count(); nic++) {
            lines.add("link set " + place.nic(nic) + " up");
        }
        if (!place.address().isEmpty()) {
            lines.add("addr add " + place.address() + " dev " + place.nic());
            for (int nic = 0; nic < nics.count(); nic++) {
                writeChecksums(place.namespace(), place.nic(nic));
            }
        }
        ip(place.namespace(), lines);
    }

    /** The switches forward bytes: the kernel has to write checksums before they see them. */
    private static void writeChecksums(final String namespace, final String nic) {
        try {
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
        } catch (final IOException e) {
            throw new ToolException(e.getMessage(), e);
        }
    }

    /**
     * Limits all links; once the switches know their ports, which would remove what they have not
     * been set to leave alone.
     *
     * @param rateBps bits a second of each link and direction.
     */
    public void limit(final long rateBps) {
        final StringBuilder text = new StringBuilder();
        final StringBuilder words =
                new StringBuilder("ovs-vsctl -- --id=@own create qos type=linux-noop");
        final List<String> ports = new ArrayList<>();
        for (int channel = 0; channel < graph.channelCount(); channel++) {
            if (!isToHost(channel)) {
                ports.add(port(channel));
            }
        }
        for (int host = 0; host < graph.hostCount(); host++) {
            final StringBuilder ofHost = new StringBuilder();
            for (int nic = 0; nic < nics.count(); nic++) {
                ports.add(hostPort(host, nic));
                ofHost.append(shaper(hosts.get(host).nic(nic), rateBps, HOST_QUEUE_BYTES));
            }
            Shell.check(
                    ofHost.toString(),
                    List.of("tc", "-n", hosts.get(host).namespace(), "-batch", "-"));
        }
        for (final String port : ports) {
            words.append(" -- set port ").append(port).append(" qos=@own");
            text.append(shaper(port, rateBps, MIN_QUEUE_BYTES));
        }
        switches.run(words.append('\n').toString());
        Shell.check(text.toString(), List.of("tc", "-n", fabric, "-batch", "-"));
    }

    /**
     * A link that makes up for 5 ms, but 12 frames at least, in which no CPU was free; and room for
     * 100 ms of frames that wait at a port, but a minimum at least.
     */
    private static String shaper(final String nic, final long rateBps, final long minQueueBytes) {
        final long burstBytes = Math.max(MIN_BURST_BYTES, rateBps / 8 / 200);
        final long queueBytes = Math.max(minQueueBytes, rateBps / 8 / 10);
        return "qdisc replace dev %s root tbf rate %dbit burst %db limit %db%n"
                .formatted(nic, rateBps, burstBytes, queueBytes);
    }

    private void awaitCarriers() {
        for (int channel = 0; channel < graph.channelCount(); channel++) {
            if (!isToHost(channel)) {
                awaitCarrier(fabric, port(channel));
            }
        }
        for (final HostPlace host : hosts) {
            for (int nic = 0; nic < nics.count(); nic++) {
                awaitCarrier(host.namespace(), host.nic(nic));
            }
        }
    }

    private static void awaitCarrier(final String namespace, final String nic) {
        final long startNs = System.nanoTime();
        try {
            NetworkNamespace.run(
                    namespace,
                    () -> {
                        while (!NicInfo.read(nic).hasCarrier()) {
                            if (System.nanoTime() - startNs > CARRIER_NS) {
                                throw new ToolException(nic + " has no carrier after 30 s");
                            }
                            LockSupport.parkNanos(LOOK_NS);
                        }
                        return null;
                    });
        } catch (final IOException e) {
            throw new ToolException(e.getMessage(), e);
        }
    }

    private static void ip(final String namespace, final List<String> lines) {
        Shell.check(String.join("\n", lines) + "\n", List.of("ip", "-n", namespace, "-batch", "-"));
    }

    /**
     * Gives the switches room for what waits at all ports, see {@link OpenVswitch#widenBuffers};
     * once they know where frames go.
     */
    public void widenBuffers() {
        final long startNs = System.nanoTime();
        while (!switches.widenBuffers()) {
            if (System.nanoTime() - startNs > CARRIER_NS) {
                throw new ToolException("the switches have forwarded no frame in 30 s");
            }
            askForNobody();
            LockSupport.parkNanos(100 * LOOK_NS);
        }
    }

    /** Lets the first host broadcast an ARP request for an address that no host has. */
    private void askForNobody() {
        try {
            NetworkNamespace.run(
                    hosts.getFirst().namespace(),
                    () -> {
                        try (DatagramSocket socket = new DatagramSocket()) {
                            final InetAddress nobody = InetAddress.getByName(NOBODY);
                            socket.send(new DatagramPacket(new byte[1], 1, nobody, DISCARD_PORT));
                        }
                        return null;
                    });
        } catch (final IOException e) {
            throw new ToolException("a host cannot send: " + e.getMessage(), e);
        }
    }

    /** Starts the switches, without any bridge. */
    public void start() {
        switches.start();
    }

    /** Runs a shell script where the switches are. */
    public void run(final String script) {
        switches.run(script);
    }

    /**
     * The settings of the switches that carry frames as planned: a script for each, in the
     * planner's own words, by the name of the switch.
     *
     * @param isLearning whether they have to learn where hosts are, instead of being configured.
     */
    public static Map<String, String> scripts(final VlanPlan plan, final boolean isLearning) {
        final Map<String, String> scripts = new LinkedHashMap<>();
        for (final SwitchSetup setup : SetupMaker.of(plan)) {
            scripts.put(setup.name(), OVS.full(isLearning ? withoutAddresses(setup) : setup));
        }
        return scripts;
    }

    private static SwitchSetup withoutAddresses(final SwitchSetup setup) {
        return new SwitchSetup(setup.name(), setup.isLearning(), setup.ports(), List.of());
    }

    /** The NIC at the source of a channel: the port's name in the generated scripts. */
    public String port(final int channel) {
        return port(graph.switchName(graph.source(channel)), graph.sourcePort(channel));
    }

    /** NICs of each host. */
    public int nicCount() {
        return nics.count();
    }

    private boolean isToHost(final int channel) {
        return nics.isHost(graph.source(channel)) || nics.isHost(graph.target(channel));
    }

    /** The NIC of the switch that one of a host's NICs is plugged into. */
    public String hostPort(final int host, final int nic) {
        return nics.count() == 1
                ? port(graph.switchName(graph.hostSwitch(host)), graph.hostPort(host))
                : port(SwitchGraph.opposite(nics.channel(host, nic)));
    }

    /** Where a host's NIC is. */
    public HostPlace host(final int host) {
        return hosts.get(host);
    }

    private String macText(final int host) {
        final String digits = String.format(Locale.ROOT, "%012x", SetupMaker.mac(graph, host));
        return digits.replaceAll("(..)(?!$)", "$1:");
    }
}
