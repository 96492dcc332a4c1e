package io.hxb.bench.lab;

import io.hxb.bench.harness.BenchNetwork;
import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.Program;
import io.hxb.bench.harness.TemporaryFolder;
import io.hxb.bench.message.MessageEnd;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Two hosts joined by one veth pair of MTU 1500, which talk by UDP: plain sockets of a C program,
 * or HXB over link.udp. Everything blocks. Used by one thread.
 */
final class UdpLine implements AutoCloseable {
    private static final String LEFT = "left";
    private static final String RIGHT = "right";
    private static final String LEFT_ADDRESS = "10.97.0.1";
    private static final String RIGHT_ADDRESS = "10.97.0.2";
    private static final int HXB_PORT = 20_000;
    private static final String C_PORT = "20100";
    private static final double LIMIT_SECONDS = 40;

    private final BenchNetwork network;
    private final TemporaryFolder folder;
    private final Path file;
    private final int size;
    private final double warmUp;
    private final double seconds;

    /**
     * Makes the network.
     *
     * @param size bytes of a message.
     * @param warmUp seconds before figures count.
     * @param seconds in which they count.
     */
    UdpLine(final int size, final double warmUp, final double seconds) throws Exception {
        this.size = size;
        this.warmUp = warmUp;
        this.seconds = seconds;
        network = BenchNetwork.of("udp", LEFT, RIGHT);
        network.join(LEFT, "x0", RIGHT, "x0", 1500);
        network.address(LEFT, "x0", LEFT_ADDRESS + "/24");
        network.address(RIGHT, "x0", RIGHT_ADDRESS + "/24");
        folder = new TemporaryFolder();
        file = folder.file("cluster.yaml");
        Files.writeString(
                file,
                String.join(
                        "\n",
                        "name: udp-" + ProcessHandle.current().pid(),
                        "shape: 2",
                        "backend: udp",
                        "links: 1",
                        "nodes:",
                        "  0: {links: [\"" + LEFT_ADDRESS + ":" + HXB_PORT + "\"]}",
                        "  1: {links: [\"" + RIGHT_ADDRESS + ":" + HXB_PORT + "\"]}",
                        "loop: {wait: block}",
                        "attach: {directory: "
                                + folder.path()
                                + ", countersDirectory: "
                                + folder.path()
                                + "}",
                        ""));
    }

    /** Round trips of datagrams between two C programs. */
    Map<String, Double> plain(final String leftCpu, final String rightCpu) throws Exception {
        final Program pong =
                Program.start(
                                network.name(RIGHT),
                                rightCpu,
                                Peers.c("socket_pingpong", "-m", "server", RIGHT_ADDRESS, C_PORT))
                        .ready();
        final List<String> client =
                Peers.c(
                        "socket_pingpong",
                        "-m",
                        "client",
                        "-s",
                        Integer.toString(size),
                        "-S",
                        text(seconds),
                        RIGHT_ADDRESS,
                        C_PORT);
        final Program ping = Program.start(network.name(LEFT), leftCpu, client);
        return RelayLine.figures(Program.served(pong, ping, seconds + LIMIT_SECONDS));
    }

    /**
     * Round trips of HXB, each end an application that runs its node on its own thread.
     *
     * @param isStream a stream; else messages.
     */
    Map<String, Double> embedded(
            final boolean isStream, final String leftCpu, final String rightCpu) throws Exception {
        final List<String> from = List.of("--embed", file.toString(), "--node");
        final Program pong =
                Program.start(
                                network.name(RIGHT),
                                "",
                                end("pong", isStream, rightCpu, from, "1", "--peer", "0"))
                        .ready();
        final Program ping =
                Program.start(
                        network.name(LEFT),
                        "",
                        end("ping", isStream, leftCpu, from, "0", "--peer", "1"));
        return RelayLine.figures(Program.served(pong, ping, warmUp + seconds + LIMIT_SECONDS));
    }

    /** Round trips of a stream between applications beside their nodes, four processes. */
    Map<String, Double> attached() throws Exception {
        final Program left = node(LEFT, "0");
        final Program right = node(RIGHT, "1");
        try {
            final Program pong =
                    Program.start(
                                    network.name(RIGHT),
                                    "",
                                    end("pong", true, "-1", socket(1), "--peer", "0"))
                            .ready();
            final Program ping =
                    Program.start(
                            network.name(LEFT),
                            "",
                            end("ping", true, "-1", socket(0), "--peer", "1"));
            return RelayLine.figures(Program.served(pong, ping, warmUp + seconds + LIMIT_SECONDS));
        } finally {
            left.close();
            right.close();
        }
    }

    private Program node(final String host, final String id) throws Exception {
        final Program node =
                Program.start(
                        network.name(host),
                        "",
                        Peers.hxb("node", "--config", file.toString(), "--node", id, "--json"));
        node.next(LIMIT_SECONDS);
        return node;
    }

    private List<String> socket(final int node) throws Exception {
        return List.of(
                "--attach",
                io.hxb.config.yaml.ClusterConfigYaml.read(file).socketPath(node).toString());
    }

    private List<String> end(
            final String role,
            final boolean isStream,
            final String cpu,
            final List<String> from,
            final String... more) {
        final List<String> arguments = new ArrayList<>(List.of("--role", role, "--wait", "block"));
        if (isStream) {
            arguments.add("--stream");
        }
        arguments.addAll(List.of("--cpu", cpu, "--size", Integer.toString(size)));
        arguments.addAll(List.of("--warmup", text(warmUp), "--seconds", text(seconds)));
        arguments.addAll(from);
        arguments.addAll(List.of(more));
        return Peers.java(List.of(), MessageEnd.class, arguments.toArray(String[]::new));
    }

    private static String text(final double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }

    @Override
    public void close() {
        network.close();
        folder.close();
    }
}
