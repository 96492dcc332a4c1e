package io.hxb.bench.lab;

import io.hxb.bench.harness.BenchNetwork;
import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.Program;
import io.hxb.bench.harness.TemporaryFolder;
import io.hxb.bench.message.MessageEnd;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LoopConfig;
import io.hxb.config.yaml.ClusterConfigYaml;

import tools.jackson.databind.JsonNode;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Two hosts joined by one veth pair of MTU 9000, each with services that run all the time: an HXB
 * node as it is by default or with other loops, and a media driver of Aeron. Programs attach to
 * them and talk, as users would run them: nothing is pinned, each measurement has fresh programs.
 * Used by one thread.
 */
final class AttachedLine implements AutoCloseable {
    private static final String LEFT = "left";
    private static final String RIGHT = "right";
    private static final String LEFT_ADDRESS = BenchNetwork.host("10.96.0.1");
    private static final String RIGHT_ADDRESS = BenchNetwork.host("10.96.0.2");
    private static final int HXB_PORT = 25_000;
    private static final int DATAGRAM_HEADER_BYTES = 28;
    private static final String C_PORT = "20100";
    private static final int AERON_PORT = 20_200;
    private static final int MTU = 9000;
    private static final double LIMIT_SECONDS = 40;

    /** Where the two programs of a measurement run. */
    enum Place {
        /** Each on its host. */
        TWO_HOSTS,

        /** Both on the left one. */
        ONE_HOST
    }

    private static int lineCount;

    private final int number = lineCount++;
    private final BenchNetwork network;
    private final TemporaryFolder folder;
    private final Path file;
    private final ClusterConfig cluster;
    private final List<Program> services = new ArrayList<>();
    private List<String> endFlags = List.of();
    private List<String> trainingFlags = List.of();
    private final double warmUp;
    private final double seconds;
    private final boolean isWhole;

    /**
     * Makes the network and starts the services.
     *
     * @param loop of the nodes, as in a cluster file; with empty, the default, there are drivers of
     *     Aeron as well.
     * @param warmUp seconds before figures count.
     * @param seconds in which they count.
     * @param isWhole whether ends of one direction copy every byte of messages of up to a frame.
     */
    AttachedLine(
            final String loop, final double warmUp, final double seconds, final boolean isWhole)
            throws Exception {
        this.warmUp = warmUp;
        this.seconds = seconds;
        this.isWhole = isWhole;
        network = BenchNetwork.of("att" + number, LEFT, RIGHT);
        network.join(LEFT, "x0", RIGHT, "x0", MTU);
        network.address(LEFT, "x0", LEFT_ADDRESS + "/24");
        network.address(RIGHT, "x0", RIGHT_ADDRESS + "/24");
        folder = new TemporaryFolder();
        file = folder.file("cluster.yaml");
        Files.writeString(
                file,
                String.join(
                        "\n",
                        "name: att-" + ProcessHandle.current().pid(),
                        "shape: 2",
                        BenchNetwork.isLoopback() ? udpLinks() : "backend: raw\nlinks: {x: [x0]}",
                        "loop: {" + loop + "}",
                        "attach: {directory: "
                                + folder.path()
                                + ", countersDirectory: "
                                + folder.path()
                                + "}",
                        ""));
        cluster = ClusterConfigYaml.read(file);
        for (final String host : List.of(LEFT, RIGHT)) {
            if (loop.isEmpty()) {
                services.add(driver(host));
            }
            services.add(node(host));
        }
    }

    private String udpLinks() {
        final int port = HXB_PORT + number;
        return """
        backend: udp
        links: 1
        nodes:
          0: {links: ["%s:%d"]}
          1: {links: ["%s:%d"]}
        socket: {mtu: %d}\
        """
                .formatted(LEFT_ADDRESS, port, RIGHT_ADDRESS, port, MTU - DATAGRAM_HEADER_BYTES);
    }

    private Program node(final String host) throws Exception {
        final Program node =
                Program.start(
                        network.name(host),
                        "",
                        Peers.hxb(
                                "node",
                                "--config",
                                file.toString(),
                                "--node",
                                host.equals(LEFT) ? "0" : "1",
                                "--json"));
        node.next(LIMIT_SECONDS);
        return node;
    }

    // As by default but for the MTU and one thread, since there are fewer CPUs than its three.
    private Program driver(final String host) throws Exception {
        return Program.start(
                network.name(host),
                "",
                Peers.java(
                        List.of(
                                "-Daeron.dir=" + driverFolder(host),
                                "-Daeron.dir.delete.on.start=true",
                                "-Daeron.dir.delete.on.shutdown=true",
                                "-Daeron.threading.mode=SHARED",
                                "-Daeron.mtu.length=8960",
                                "-Daeron.ipc.mtu.length=8960"),
                        io.aeron.driver.MediaDriver.class));
    }

    private String driverFolder(final String host) {
        return folder.file("aeron-" + host).toString();
    }

    /** Round trips between two C programs with plain sockets. */
    Map<String, Double> sockets(final String protocol, final boolean isSpinning, final int size)
            throws Exception {
        return plain(Place.TWO_HOSTS, protocol, isSpinning, size, RIGHT_ADDRESS);
    }

    /** Round trips between two programs on one host that have two pipes. */
    Map<String, Double> pipes(final boolean isSpinning, final int size) throws Exception {
        return plain(Place.ONE_HOST, "pipe", isSpinning, size, folder.path().toString());
    }

    private Map<String, Double> plain(
            final Place place,
            final String protocol,
            final boolean isSpinning,
            final int size,
            final String address)
            throws Exception {
        final List<String> both =
                List.of(
                        "-p",
                        protocol,
                        "-w",
                        isSpinning ? "spin" : "block",
                        "-s",
                        Integer.toString(size));
        return roundTrip(
                place,
                c("server", both, List.of(address, C_PORT)),
                c(
                        "client",
                        both,
                        List.of("-W", text(warmUp), "-S", text(seconds), address, C_PORT)));
    }

    private static List<String> c(
            final String mode, final List<String> both, final List<String> more) {
        final List<String> arguments = new ArrayList<>(List.of("-m", mode));
        arguments.addAll(both);
        arguments.addAll(more);
        return Peers.c("socket_pingpong", arguments.toArray(String[]::new));
    }

    /** Round trips between two programs that are attached to their nodes. */
    Map<String, Double> roundTrip(
            final Place place, final LoopConfig.Waiting waiting, final int size) throws Exception {
        return roundTrip(
                place, hxb(place, "pong", waiting, size), hxb(place, "ping", waiting, size));
    }

    /**
     * The same for programs with an ahead-of-time cache, which a program that asks is trained for
     * once.
     */
    Map<String, Double> cachedRoundTrip(
            final Place place, final LoopConfig.Waiting waiting, final int size) throws Exception {
        final Path cache = folder.file("end.aot");
        try {
            if (!Files.exists(cache)) {
                trainingFlags = List.of("-XX:AOTCacheOutput=" + cache, "-Xlog:disable");
                roundTrip(place, waiting, size);
                trainingFlags = List.of();
            }
            endFlags = List.of("-XX:AOTCache=" + cache, "-Xlog:disable");
            return roundTrip(place, waiting, size);
        } finally {
            trainingFlags = List.of();
            endFlags = List.of();
        }
    }

    /** Round trips between two programs that are attached to Aeron's drivers. */
    Map<String, Double> aeronRoundTrip(final Place place, final int size) throws Exception {
        return roundTrip(place, aeron(place, "pong", size), aeron(place, "ping", size));
    }

    /** Messages in one direction between two programs that are attached to their nodes. */
    Map<String, Double> rate(final Place place, final LoopConfig.Waiting waiting, final int size)
            throws Exception {
        return rate(place, hxb(place, "sink", waiting, size), hxb(place, "send", waiting, size));
    }

    /** Messages in one direction between two programs that are attached to Aeron's drivers. */
    Map<String, Double> aeronRate(final Place place, final int size) throws Exception {
        return rate(place, aeron(place, "sink", size), aeron(place, "send", size));
    }

    /** Messages in one direction between two C programs that are attached to their nodes. */
    Map<String, Double> rateOfC(final Place place, final int size) throws Exception {
        final String program = "attached_rate";
        final String contents = isWhole ? "whole" : "untouched";
        return rate(
                place,
                c(program, place, "sink", size, contents),
                c(program, place, "send", size, contents));
    }

    /** Round trips between two C programs that are attached to their nodes. */
    Map<String, Double> roundTripOfC(
            final Place place, final LoopConfig.Waiting waiting, final int size) throws Exception {
        final String mode = waiting.name().toLowerCase(Locale.ROOT);
        final String program = "attached_pingpong";
        return roundTrip(
                place,
                c(program, place, "pong", size, mode),
                c(program, place, "ping", size, mode));
    }

    private List<String> c(
            final String program,
            final Place place,
            final String role,
            final int size,
            final String... more)
            throws Exception {
        final int node = isServer(role) && place == Place.TWO_HOSTS ? 1 : 0;
        final int peer = isServer(role) || place == Place.ONE_HOST ? 0 : 1;
        final List<String> arguments = new ArrayList<>();
        arguments.add(role);
        arguments.add(cluster.socketPath(node).toString());
        arguments.add(isServer(role) ? "2" : "1");
        arguments.add(Integer.toString(peer));
        arguments.add(isServer(role) ? "1" : "2");
        arguments.add(Integer.toString(size));
        arguments.add(text(warmUp));
        arguments.add(text(seconds));
        arguments.addAll(List.of(more));
        return Peers.c(program, arguments.toArray(String[]::new));
    }

    private String host(final Place place) {
        return network.name(place == Place.ONE_HOST ? LEFT : RIGHT);
    }

    private Map<String, Double> roundTrip(
            final Place place, final List<String> server, final List<String> client)
            throws Exception {
        final Program pong = Program.start(host(place), "", server).ready();
        final Program ping = Program.start(network.name(LEFT), "", client);
        final JsonNode figures = Program.served(pong, ping, limit());
        final Map<String, Double> result = RelayLine.figures(figures);
        for (final String name : List.of("first_p50_us", "first_p99_us")) {
            result.put(name, figures.get(name).asDouble());
        }
        return result;
    }

    private Map<String, Double> rate(
            final Place place, final List<String> receiver, final List<String> sender)
            throws Exception {
        final Program sink = Program.start(host(place), "", receiver).ready();
        final Program send = Program.start(network.name(LEFT), "", sender);
        return MessageLine.rate(sink, send, limit());
    }

    private double limit() {
        return warmUp + seconds + LIMIT_SECONDS;
    }

    private static boolean isServer(final String role) {
        return role.equals("pong") || role.equals("sink");
    }

    private List<String> hxb(
            final Place place, final String role, final LoopConfig.Waiting waiting, final int size)
            throws Exception {
        final int node = isServer(role) && place == Place.TWO_HOSTS ? 1 : 0;
        final int peer = isServer(role) || place == Place.ONE_HOST ? 0 : 1;
        return end(
                role,
                size,
                "--attach",
                cluster.socketPath(node).toString(),
                "--peer",
                Integer.toString(peer),
                "--context",
                isServer(role) ? "2" : "1",
                "--peer-context",
                isServer(role) ? "1" : "2",
                "--wait",
                waiting.name());
    }

    private List<String> aeron(final Place place, final String role, final int size) {
        final boolean isRight = isServer(role);
        final String left = LEFT_ADDRESS + ":" + AERON_PORT;
        final String right = RIGHT_ADDRESS + ":" + AERON_PORT;
        final boolean isShared = place == Place.ONE_HOST;
        return end(
                role,
                size,
                "--aeron-driver",
                driverFolder(isRight && !isShared ? RIGHT : LEFT),
                "--aeron",
                isShared ? "" : isRight ? right : left,
                isShared ? "" : isRight ? left : right);
    }

    private List<String> end(final String role, final int size, final String... more) {
        final List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "--role",
                                role,
                                "--size",
                                Integer.toString(size),
                                "--warmup",
                                text(warmUp),
                                "--seconds",
                                text(seconds)));
        arguments.addAll(List.of(more));
        if (isWhole) {
            arguments.add("--whole");
        }
        final List<String> flags = isServer(role) ? endFlags : joined(endFlags, trainingFlags);
        return Peers.java(flags, MessageEnd.class, arguments.toArray(String[]::new));
    }

    private static List<String> joined(final List<String> first, final List<String> second) {
        final List<String> all = new ArrayList<>(first);
        all.addAll(second);
        return all;
    }

    private static String text(final double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }

    @Override
    public void close() {
        services.forEach(Program::close);
        network.close();
        folder.close();
    }
}
