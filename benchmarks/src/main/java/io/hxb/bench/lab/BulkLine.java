package io.hxb.bench.lab;

import io.hxb.bench.harness.BenchNetwork;
import io.hxb.bench.harness.BusyTime;
import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.Program;
import io.hxb.bench.harness.TemporaryFolder;
import io.hxb.bench.harness.Trials;
import io.hxb.bench.message.MessageEnd;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.tool.lab.LabWire;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Two hosts joined by several shaped veth pairs, over which one sends bulk data to the other, and
 * what the machine spends on it; or three in a row, of which the one in the middle is a node of HXB
 * that relays. Used by one thread.
 */
final class BulkLine implements AutoCloseable {
    private static final String LEFT = "left";
    private static final String RIGHT = "right";
    private static final String RELAY = "relay";
    private static final String OTHER_RELAY = "other";
    private static final String PORT = "20000";
    private static final String MPTCP_PORT = "5201";

    /** Headers of IPv4 and UDP, of a frame, and of the message in it. */
    private static final int DATAGRAM_HEADER_BYTES = 28;

    private static final int FRAME_HEADER_BYTES = 64 + 8;
    private static final double LIMIT_SECONDS = 60;
    private static final double NODE_LIMIT_SECONDS = 180;

    /** Bytes of a lone message, and contexts of the programs. */
    private static final int LONE_BYTES = 32;

    private static final int SEND = 1;
    private static final int SINK = 2;
    private static final int PING = 3;
    private static final int PONG = 4;

    /** How frames of HXB cross a link. */
    enum Way {
        /** UDP sockets, in trains. */
        UDP_TRAINS("HXB, UDP trains"),

        /** UDP sockets, frame by frame. */
        UDP("HXB, UDP frame by frame"),

        /** Raw links, by IP in trains. */
        RAW_IP("HXB, raw, IP trains"),

        /** Raw links, as Ethernet frames. */
        RAW("HXB, raw, Ethernet");

        private final String label;

        Way(final String label) {
            this.label = label;
        }

        /** For tables. */
        String label() {
            return label;
        }

        /** True for raw links. */
        boolean isRaw() {
            return this == RAW_IP || this == RAW;
        }

        /** Bytes of the MTU that are no HXB frame. */
        private int headerBytes() {
            return this == RAW ? 0 : DATAGRAM_HEADER_BYTES;
        }
    }

    private final BenchNetwork network;
    private final TemporaryFolder folder;
    private final int links;
    private final int mtu;
    private final boolean hasRelay;
    private final String waiting;
    private final double warmUp;
    private final double seconds;

    /**
     * Makes the network.
     *
     * @param mbit rate of each link; 0 if they are not shaped.
     * @param hasRelay whether a relay is between the hosts, so that only HXB over raw links can be
     *     measured.
     * @param waiting how ends of HXB wait, as {@code loop.wait} in the cluster file.
     * @param warmUp seconds of load before figures count.
     * @param seconds in which they count.
     */
    BulkLine(
            final LabWire wire,
            final int links,
            final int mtu,
            final int mbit,
            final boolean hasRelay,
            final String waiting,
            final double warmUp,
            final double seconds)
            throws Exception {
        this.links = links;
        this.mtu = mtu;
        this.hasRelay = hasRelay;
        this.waiting = waiting;
        this.warmUp = warmUp;
        this.seconds = seconds;
        network =
                hasRelay
                        ? BenchNetwork.of("bulk", LEFT, RIGHT, RELAY, OTHER_RELAY)
                        : BenchNetwork.of("bulk", LEFT, RIGHT);
        folder = new TemporaryFolder();
        for (int i = 0; i < links; i++) {
            if (hasRelay) {
                joinByRelay(wire, i, mbit);
            } else {
                join(wire, i, mbit);
            }
        }
        if (BenchNetwork.isLoopback()) {
            writeCluster(Way.UDP_TRAINS, "");
            return;
        }
        if (hasRelay) {
            wire.prepare(network.name(LEFT), nics());
            wire.prepare(network.name(RELAY), both());
            wire.prepare(network.name(RIGHT), nicsOfY());
        } else {
            wire.prepare(network.name(LEFT), nics());
            wire.prepare(network.name(RIGHT), nics());
        }
        for (final Way way : Way.values()) {
            if (way.isRaw() || !hasRelay) {
                writeCluster(way, "");
            }
        }
        if (!hasRelay) {
            tryMptcp();
        }
    }

    private void join(final LabWire wire, final int link, final int mbit)
            throws IOException, InterruptedException {
        network.join(LEFT, nic(link), RIGHT, nic(link), mtu);
        for (final String host : List.of(LEFT, RIGHT)) {
            network.address(host, nic(link), address(host, link) + "/24");
            shape(wire, host, nic(link), mbit);
        }
    }

    // The other relay has nothing to do, as the ends correct x before y.
    private void joinByRelay(final LabWire wire, final int link, final int mbit)
            throws IOException, InterruptedException {
        final String y = "y" + link;
        network.join(LEFT, nic(link), RELAY, nic(link), mtu);
        network.join(RELAY, y, RIGHT, y, mtu);
        network.join(LEFT, y, OTHER_RELAY, y, mtu);
        network.join(RIGHT, nic(link), OTHER_RELAY, nic(link), mtu);
        shape(wire, LEFT, nic(link), mbit);
        shape(wire, RELAY, nic(link), mbit);
        shape(wire, RELAY, y, mbit);
        shape(wire, RIGHT, y, mbit);
    }

    private void shape(final LabWire wire, final String host, final String nic, final int mbit)
            throws IOException, InterruptedException {
        if (mbit > 0 && !BenchNetwork.isLoopback()) {
            network.shape(host, nic, wire.shaper(mbit * 1_000_000L, mtu));
        }
    }

    private static String nic(final int link) {
        return "x" + link;
    }

    private static String address(final String host, final int link) {
        return BenchNetwork.host("10.96." + link + (host.equals(LEFT) ? ".1" : ".2"));
    }

    /** How long the kernel waits at each NIC for frames to join, in microseconds. */
    void flushTimeout(final int us) throws IOException, InterruptedException {
        assert !hasRelay : "its NICs have other names";
        if (BenchNetwork.isLoopback()) {
            return;
        }
        for (final String host : List.of(LEFT, RIGHT)) {
            for (final String nic : nics()) {
                final String file = "/sys/class/net/" + nic + "/gro_flush_timeout";
                network.exec(host, "sh", "-c", "echo " + us + "000 > " + file);
            }
        }
    }

    private void writeCluster(final Way way, final String loop) throws IOException {
        final List<String> lines = new ArrayList<>();
        lines.add("name: bulk-" + ProcessHandle.current().pid());
        lines.add("shape: " + (hasRelay ? "2x2" : "2"));
        if (way.isRaw()) {
            lines.add("backend: raw");
            final String y = hasRelay ? ", y: " + nicsOfY() : "";
            lines.add("links: {x: " + nics() + y + "}");
            lines.add("frame: {encapsulation: " + (way == Way.RAW_IP ? "ip" : "ethernet") + "}");
        } else {
            lines.add("backend: udp");
            lines.add("links: " + links);
            lines.add("nodes:");
            lines.add("  0: {links: " + hxbAddresses(LEFT) + "}");
            lines.add("  1: {links: " + hxbAddresses(RIGHT) + "}");
            lines.add(
                    "socket: {mtu: "
                            + (mtu - DATAGRAM_HEADER_BYTES)
                            + ", segmentation: "
                            + (way == Way.UDP ? "off" : "auto")
                            + "}");
        }
        lines.add("attach: {directory: " + folder.path() + ",");
        lines.add("  countersDirectory: " + folder.path() + "}");
        lines.add("");
        lines.add(lines.size() - 1, "loop: {" + loop + "}");
        Files.writeString(file(way), String.join("\n", lines));
    }

    private List<String> nics() {
        final List<String> all = new ArrayList<>();
        for (int i = 0; i < links; i++) {
            all.add(nic(i));
        }
        return all;
    }

    private List<String> nicsOfY() {
        return nics().stream().map(nic -> nic.replace('x', 'y')).toList();
    }

    private List<String> both() {
        return Stream.concat(nics().stream(), nicsOfY().stream()).toList();
    }

    private Path file(final Way way) {
        return folder.file(way.name().toLowerCase(Locale.ROOT) + ".yaml");
    }

    private String hxbAddresses(final String host) {
        final List<String> all =
                addresses(host).stream().map(a -> '"' + a + ":" + PORT + '"').toList();
        return "[" + String.join(", ", all) + "]";
    }

    private List<String> addresses(final String host) {
        final List<String> all = new ArrayList<>();
        for (int i = 0; i < links; i++) {
            all.add(address(host, i));
        }
        return all;
    }

    // Not every kernel has it: under a limit of time, the others are measured without.
    private void tryMptcp() throws IOException, InterruptedException {
        try {
            prepareMptcp();
        } catch (final IOException e) {
            if (!Trials.isLimited()) {
                throw e;
            }
            System.err.println("no MPTCP: " + e.getMessage());
        }
    }

    // The server announces its addresses, and the client joins them.
    private void prepareMptcp() throws IOException, InterruptedException {
        for (final String host : List.of(LEFT, RIGHT)) {
            network.exec(host, "ip mptcp limits set subflows 8 add_addr_accepted 8".split(" "));
        }
        for (int i = 0; i < links; i++) {
            final String endpoint = "ip mptcp endpoint add " + address(RIGHT, i) + " dev " + nic(i);
            network.exec(RIGHT, (endpoint + " signal").split(" "));
        }
    }

    /**
     * Datagrams of a C program, whose ends sleep for half a millisecond when they have nothing to
     * do.
     */
    Map<String, Double> plain(final boolean hasTrains) throws Exception {
        final List<String> receive =
                bulk("udp_bulk", "server", hasTrains, "-w", text(1), "-S", text(seconds), PORT);
        final String size = Integer.toString(mtu - DATAGRAM_HEADER_BYTES);
        final List<String> send = bulk("udp_bulk", "client", hasTrains, "-s", size, PORT);
        receive.addAll(addresses(RIGHT));
        send.addAll(addresses(RIGHT));
        return between(receive, send);
    }

    /** The same over packet sockets: UDP over IPv4 in trains, or Ethernet frames one by one. */
    Map<String, Double> raw(final boolean hasTrains) throws Exception {
        final List<String> receive =
                bulk("raw_bulk", "server", hasTrains, "-w", text(1), "-S", text(seconds));
        final String size = Integer.toString(mtu - (hasTrains ? DATAGRAM_HEADER_BYTES : 0));
        final List<String> send = bulk("raw_bulk", "client", hasTrains, "-s", size);
        receive.addAll(nics());
        send.addAll(nics());
        return between(receive, send);
    }

    private Map<String, Double> between(final List<String> receive, final List<String> send)
            throws Exception {
        final Program server = Program.start(network.name(RIGHT), "", receive).ready();
        final Program client = Program.start(network.name(LEFT), "", send);
        try {
            server.next(LIMIT_SECONDS);
            final BusyTime start = BusyTime.now();
            final double rate = server.next(LIMIT_SECONDS).get("MBps").asDouble();
            return figures(rate, start, BusyTime.now());
        } finally {
            client.close();
            server.close();
        }
    }

    private static List<String> bulk(
            final String program,
            final String mode,
            final boolean hasTrains,
            final String... rest) {
        final List<String> command = new ArrayList<>(Peers.c(program, "-m", mode, "-p", "500"));
        if (hasTrains) {
            command.add("-g");
        }
        command.addAll(List.of(rest));
        return command;
    }

    /** One MPTCP connection with a subflow over each link. */
    Map<String, Double> mptcp() throws Exception {
        final long startNs = System.nanoTime() + 2_500_000_000L;
        final String length = text(seconds);
        final Program server =
                Program.start(
                                network.name(RIGHT),
                                "",
                                Peers.c(
                                        "tcp_burst",
                                        "-m",
                                        "server",
                                        "-M",
                                        "-S",
                                        length,
                                        "-t",
                                        Long.toString(startNs),
                                        "0.0.0.0",
                                        MPTCP_PORT))
                        .ready();
        final Program client =
                Program.start(
                        network.name(LEFT),
                        "",
                        Peers.c(
                                "tcp_burst",
                                "-m",
                                "client",
                                "-M",
                                "-S",
                                text(seconds + 3),
                                address(RIGHT, 0),
                                MPTCP_PORT));
        try {
            sleepUntil(startNs);
            final BusyTime start = BusyTime.now();
            sleepUntil(startNs + (long) (seconds * 1e9));
            final BusyTime end = BusyTime.now();
            client.last(LIMIT_SECONDS);
            double bytes = 0;
            for (final JsonNode sample : server.last(LIMIT_SECONDS).get("samples")) {
                bytes += sample.asDouble();
            }
            return figures(bytes / seconds / 1e6, start, end);
        } finally {
            client.close();
            server.close();
        }
    }

    /**
     * Messages of HXB, one a frame, each end an application that runs its node on its own thread.
     */
    Map<String, Double> hxb(final Way way) throws Exception {
        return withNodes(
                way,
                List.of(),
                () -> messages(embedded("sink", way, RIGHT), embedded("send", way, LEFT)));
    }

    /** The same between programs that are attached to nodes in processes of their own. */
    Map<String, Double> attached(final Way way) throws Exception {
        return attached(way, "");
    }

    /** The same with loops of the nodes that the cluster file has. */
    Map<String, Double> attached(final Way way, final String loop) throws Exception {
        writeCluster(way, loop);
        try {
            return attachedToNodes(way);
        } finally {
            writeCluster(way, "");
        }
    }

    private Map<String, Double> attachedToNodes(final Way way) throws Exception {
        return withNodes(
                way,
                List.of(LEFT, RIGHT),
                () ->
                        messages(
                                attached("sink", way, RIGHT, SINK, SEND),
                                attached("send", way, LEFT, SEND, SINK)));
    }

    /** The same, and round trips of 32 bytes between two other programs beside it. */
    Map<String, Double> beside(final Way way) throws Exception {
        return withNodes(way, List.of(LEFT, RIGHT), () -> messagesBeside(way));
    }

    private Map<String, Double> messagesBeside(final Way way) throws Exception {
        final Program pong =
                Program.start(network.name(RIGHT), "", attached("pong", way, RIGHT, PONG, PING));
        final Program ping =
                Program.start(
                        network.name(LEFT), "", attached("ping", way, LEFT, PING, PONG, seconds));
        try {
            pong.ready();
            final Map<String, Double> figures =
                    messages(
                            attached("sink", way, RIGHT, SINK, SEND),
                            attached("send", way, LEFT, SEND, SINK));
            figures.putAll(RelayLine.figures(ping.last(LIMIT_SECONDS)));
            return figures;
        } finally {
            ping.close();
            pong.close();
        }
    }

    private Map<String, Double> withNodes(
            final Way way, final List<String> ends, final Callable<Map<String, Double>> measurement)
            throws Exception {
        final List<String> hosts = new ArrayList<>(ends);
        if (hasRelay) {
            hosts.addAll(List.of(RELAY, OTHER_RELAY));
        }
        final List<Program> nodes = new ArrayList<>();
        try {
            for (final String host : hosts) {
                nodes.add(node(host, way));
            }
            return measurement.call();
        } finally {
            nodes.forEach(Program::close);
        }
    }

    // The command may have to be built first.
    private Program node(final String host, final Way way) throws Exception {
        final Program node =
                Program.start(
                        network.name(host),
                        "",
                        Peers.hxb(
                                "node",
                                "--config",
                                file(way).toString(),
                                "--node",
                                Integer.toString(number(host)),
                                "--json"));
        node.next(NODE_LIMIT_SECONDS);
        return node;
    }

    // Nodes of a square: its corners are 0 and 3, and the relay at x = 1 is the first hop.
    private int number(final String host) {
        return switch (host) {
            case LEFT -> 0;
            case RELAY -> 1;
            case OTHER_RELAY -> 2;
            default -> hasRelay ? 3 : 1;
        };
    }

    private Map<String, Double> messages(final List<String> receive, final List<String> transmit)
            throws Exception {
        final Program sink = Program.start(network.name(RIGHT), "", receive);
        final Program send = Program.start(network.name(LEFT), "", transmit);
        try {
            sink.ready();
            send.ready();
            // The figures of the ends begin and end a moment before and behind these.
            sleepUntil(System.nanoTime() + (long) ((warmUp + 1) * 1e9));
            final BusyTime start = BusyTime.now();
            sleepUntil(System.nanoTime() + (long) (seconds * 1e9));
            final BusyTime end = BusyTime.now();
            final double rate = sink.next(LIMIT_SECONDS).get("MBps").asDouble();
            send.last(LIMIT_SECONDS);
            return figures(rate, start, end);
        } finally {
            send.close();
            sink.close();
        }
    }

    private List<String> embedded(final String role, final Way way, final String host) {
        return end(
                role,
                host,
                frameOf(way),
                seconds + 2,
                "--embed",
                file(way).toString(),
                "--node",
                Integer.toString(number(host)));
    }

    private List<String> attached(
            final String role, final Way way, final String host, final int own, final int peers)
            throws Exception {
        return attached(role, way, host, own, peers, seconds + 2);
    }

    private List<String> attached(
            final String role,
            final Way way,
            final String host,
            final int own,
            final int peers,
            final double length)
            throws Exception {
        return end(
                role,
                host,
                own == PING || own == PONG ? LONE_BYTES : frameOf(way),
                length,
                "--attach",
                ClusterConfigYaml.read(file(way)).socketPath(number(host)).toString(),
                "--context",
                Integer.toString(own),
                "--peer-context",
                Integer.toString(peers));
    }

    // The longest message that a frame holds.
    private int frameOf(final Way way) {
        return mtu - way.headerBytes() - FRAME_HEADER_BYTES & -Long.BYTES;
    }

    private List<String> end(
            final String role,
            final String host,
            final int size,
            final double length,
            final String... more) {
        final List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "--role",
                                role,
                                "--peer",
                                Integer.toString(number(host.equals(LEFT) ? RIGHT : LEFT)),
                                "--wait",
                                waiting,
                                "--size",
                                Integer.toString(size),
                                "--warmup",
                                text(warmUp),
                                "--seconds",
                                text(length)));
        arguments.addAll(List.of(more));
        return Peers.java(MessageEnd.class, arguments.toArray(String[]::new));
    }

    private static Map<String, Double> figures(
            final double megabytesPerSecond, final BusyTime start, final BusyTime end) {
        final double gigabytes = megabytesPerSecond * end.secondsSince(start) / 1e3;
        final Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("MBps", megabytesPerSecond);
        figures.put("cost", end.cpuSecondsSince(start) / gigabytes);
        return figures;
    }

    private static String text(final double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private static void sleepUntil(final long ns) {
        while (ns - System.nanoTime() > 0) {
            LockSupport.parkNanos(ns - System.nanoTime());
        }
    }

    @Override
    public void close() {
        network.close();
        folder.close();
    }
}
