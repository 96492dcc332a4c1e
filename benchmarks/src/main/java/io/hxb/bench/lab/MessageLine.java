package io.hxb.bench.lab;

import io.hxb.bench.harness.BenchNetwork;
import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.Program;
import io.hxb.bench.harness.TemporaryFolder;
import io.hxb.bench.message.MessageEnd;
import io.hxb.config.AttachConfig;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LoopConfig;
import io.hxb.config.SecurityConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.session.KeyFile;
import io.hxb.topology.Shape;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Two namespaces joined by one veth pair of MTU 9000, over which the two ends of a message
 * benchmark talk, the thread of each on a CPU of its own. Used by one thread.
 */
final class MessageLine implements AutoCloseable {
    private static final String LEFT = "left";
    private static final String RIGHT = "right";
    private static final String LEFT_ADDRESS = "10.98.0.1";
    private static final String RIGHT_ADDRESS = "10.98.0.2";
    private static final int MTU = 9000;

    /** What carries the messages; both ends use their invoker layout. */
    enum Transport {
        /** The PM API over an embedded node. */
        HXB(0),

        /** Frames of the same length and the system calls for them, without a node. */
        RAW(0),

        /** Aeron's UDP transport as it comes, except for the MTU. */
        AERON(1 << 17),

        /** The same with a window of 1 MiB. */
        AERON_WIDE(1 << 20);

        private final int windowBytes;

        Transport(final int windowBytes) {
            this.windowBytes = windowBytes;
        }
    }

    /** What an HXB frame adds to the only message in it: header and record. */
    static final int FRAME_OVERHEAD_BYTES = 72;

    private final BenchNetwork network;
    private final List<String> flags;
    private final TemporaryFolder folder;
    private final double warmUp;
    private final double seconds;

    /**
     * Makes the network.
     *
     * @param warmUp seconds before figures count.
     * @param seconds in which they count.
     * @param flags more JVM flags for both ends.
     */
    MessageLine(
            final String label, final double warmUp, final double seconds, final List<String> flags)
            throws Exception {
        this.flags = List.copyOf(flags);
        this.warmUp = warmUp;
        this.seconds = seconds;
        network = BenchNetwork.of(label, LEFT, RIGHT);
        network.join(LEFT, "x0", RIGHT, "x0", MTU);
        network.address(LEFT, "x0", LEFT_ADDRESS + "/24");
        network.address(RIGHT, "x0", RIGHT_ADDRESS + "/24");
        folder = new TemporaryFolder();
        KeyFile.generate(folder.file("key"));
        for (final SecurityConfig.Mode mode : SecurityConfig.Mode.values()) {
            writeCluster(mode);
        }
    }

    // Both ends spin unless their arguments disable it.
    private void writeCluster(final SecurityConfig.Mode mode) throws IOException {
        final ClusterConfig cluster = HxbNode.cluster(Shape.of(2), 1);
        final List<String> keys =
                mode == SecurityConfig.Mode.NONE
                        ? List.of()
                        : List.of(folder.file("key").toString());
        Files.writeString(
                file(mode),
                ClusterConfigYaml.write(
                        cluster.withAttach(
                                        new AttachConfig(
                                                folder.path(), folder.path(), List.of(), List.of()))
                                .withSecurity(new SecurityConfig(mode, keys))
                                .withLoop(cluster.loop().withWaiting(LoopConfig.Waiting.SPIN))));
    }

    private Path file(final SecurityConfig.Mode mode) {
        return folder.file(mode + ".yaml");
    }

    /** Round trips of messages between two ends that spin, each on its CPU. */
    Map<String, Double> roundTrip(final Transport transport, final int size) throws Exception {
        return roundTrip(transport, size, LoopConfig.Waiting.SPIN, false);
    }

    /**
     * Round trips of messages.
     *
     * @param waiting how both ends wait, of HXB and of bare frames.
     * @param isOnOneCpu true if both ends share a CPU, false if each has its own.
     */
    Map<String, Double> roundTrip(
            final Transport transport,
            final int size,
            final LoopConfig.Waiting waiting,
            final boolean isOnOneCpu)
            throws Exception {
        return roundTrip(
                end(transport, SecurityConfig.Mode.NONE, true, "pong", size),
                end(transport, SecurityConfig.Mode.NONE, false, "ping", size),
                waiting,
                isOnOneCpu);
    }

    /** Round trips of HXB's messages between two ends with a CPU each, by the mode of their key. */
    Map<String, Double> roundTrip(
            final SecurityConfig.Mode mode, final int size, final LoopConfig.Waiting waiting)
            throws Exception {
        return roundTrip(
                end(Transport.HXB, mode, true, "pong", size),
                end(Transport.HXB, mode, false, "ping", size),
                waiting,
                false);
    }

    private Map<String, Double> roundTrip(
            final List<String> server,
            final List<String> client,
            final LoopConfig.Waiting waiting,
            final boolean isOnOneCpu)
            throws Exception {
        for (final List<String> end : List.of(server, client)) {
            end.addAll(List.of("--wait", waiting.name()));
        }
        if (isOnOneCpu) {
            client.set(client.indexOf("--cpu") + 1, "1");
        }
        final Program pong = Program.start(network.name(RIGHT), "", server).ready();
        final Program ping = Program.start(network.name(LEFT), "", client);
        return RelayLine.figures(Program.served(pong, ping, limit()));
    }

    /**
     * Messages in one direction.
     *
     * @param rate messages a second; 0 for full speed.
     */
    Map<String, Double> rate(final Transport transport, final int size, final double rate)
            throws Exception {
        return rate(transport, SecurityConfig.Mode.NONE, size, rate);
    }

    /** HXB's messages in one direction, at full speed, by the mode of the ends' key. */
    Map<String, Double> rate(final SecurityConfig.Mode mode, final int size) throws Exception {
        return rate(Transport.HXB, mode, size, 0);
    }

    private Map<String, Double> rate(
            final Transport transport,
            final SecurityConfig.Mode mode,
            final int size,
            final double rate)
            throws Exception {
        final List<String> sender = end(transport, mode, false, "send", size);
        sender.addAll(List.of("--rate", Double.toString(rate)));
        final Program sink =
                Program.start(network.name(RIGHT), "", end(transport, mode, true, "sink", size))
                        .ready();
        final Program send = Program.start(network.name(LEFT), "", sender);
        return rate(sink, send, limit());
    }

    /** The figures of two ends of which one sends to the other; ends both. */
    static Map<String, Double> rate(final Program sink, final Program send, final double limit)
            throws Exception {
        try {
            final JsonNode received = sink.next(limit);
            final JsonNode sent = send.last(limit);
            final Map<String, Double> figures = new LinkedHashMap<>();
            figures.put("kmsgps", received.get("messages_per_s").asDouble() / 1e3);
            figures.put("messages", received.get("messages").asDouble());
            figures.put("MBps", received.get("MBps").asDouble());
            figures.put("disordered", received.get("disordered").asDouble());
            figures.put("sender_cpu_ns", sent.get("cpu_ns_per_message").asDouble());
            figures.put("receiver_cpu_ns", received.get("cpu_ns_per_message").asDouble());
            figures.put(
                    "allocated",
                    sent.get("allocated_bytes").asDouble()
                            + received.get("allocated_bytes").asDouble());
            return figures;
        } finally {
            send.close();
            sink.close();
        }
    }

    private List<String> end(
            final Transport transport,
            final SecurityConfig.Mode mode,
            final boolean isRight,
            final String role,
            final int size) {
        final List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "--role",
                                role,
                                "--cpu",
                                isRight ? "1" : "0",
                                "--size",
                                Integer.toString(size),
                                "--warmup",
                                String.format(Locale.ROOT, "%.1f", warmUp),
                                "--seconds",
                                String.format(Locale.ROOT, "%.1f", seconds)));
        if (transport == Transport.RAW) {
            arguments.addAll(
                    List.of("--raw", "x0", "--overhead", Integer.toString(FRAME_OVERHEAD_BYTES)));
        } else if (transport != Transport.HXB) {
            arguments.addAll(
                    List.of(
                            "--window",
                            Integer.toString(transport.windowBytes),
                            "--aeron",
                            (isRight ? RIGHT_ADDRESS : LEFT_ADDRESS) + ":40123",
                            (isRight ? LEFT_ADDRESS : RIGHT_ADDRESS) + ":40123"));
        } else {
            arguments.addAll(
                    List.of(
                            "--embed",
                            file(mode).toString(),
                            "--node",
                            isRight ? "1" : "0",
                            "--peer",
                            isRight ? "0" : "1"));
        }
        return Peers.java(flags, MessageEnd.class, arguments.toArray(String[]::new));
    }

    private double limit() {
        return warmUp + seconds + 40;
    }

    @Override
    public void close() {
        network.close();
        folder.close();
    }
}
