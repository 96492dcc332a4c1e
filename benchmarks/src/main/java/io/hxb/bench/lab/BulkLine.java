package io.hxb.bench.lab;

import io.hxb.bench.harness.BusyTime;
import io.hxb.bench.harness.Peers;
import io.hxb.bench.harness.Program;
import io.hxb.bench.message.MessageEnd;
import io.hxb.counter.CounterReader;
import io.hxb.counter.CounterType;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * Bulk data that one host of a {@link BulkNetwork} sends to the other by messages of HXB, and what
 * the machine spends on it. Used by one thread.
 */
final class BulkLine implements AutoCloseable {
    /** Figure: times that a node left a link out. */
    static final String EXCLUSIONS = "exclusions";

    private static final String LEFT = BulkNetwork.LEFT;
    private static final String RIGHT = BulkNetwork.RIGHT;

    /** Headers of a frame, and of the message in it. */
    private static final int FRAME_HEADER_BYTES = 64 + 8;

    private static final double LIMIT_SECONDS = 60;
    private static final double NODE_LIMIT_SECONDS = 180;

    /** Lone messages, and contexts of the programs. */
    private static final BulkSize LONE = new BulkSize(32);

    private static final int SEND = 1;
    private static final int SINK = 2;
    private static final int PING = 3;
    private static final int PONG = 4;

    private final BulkNetwork network;
    private final BulkCluster cluster;
    private final String waiting;
    private final double warmUp;
    private final double seconds;

    /**
     * Prepares nodes for the hosts.
     *
     * @param waiting how ends of HXB wait, as {@code loop.wait} in the cluster file.
     * @param warmUp seconds of load before figures count.
     * @param seconds in which they count.
     */
    BulkLine(
            final BulkNetwork network,
            final String waiting,
            final double warmUp,
            final double seconds)
            throws Exception {
        this.network = network;
        this.waiting = waiting;
        this.warmUp = warmUp;
        this.seconds = seconds;
        cluster = new BulkCluster(network);
    }

    /** Messages of HXB, each end an application that runs its node on its own thread. */
    Map<String, Double> hxb(final BulkWay way, final BulkSize size) throws Exception {
        return withNodes(
                way,
                List.of(),
                () ->
                        messages(
                                embedded("sink", way, size, RIGHT),
                                embedded("send", way, size, LEFT)));
    }

    /** The same between programs that are attached to nodes in processes of their own. */
    Map<String, Double> attached(final BulkWay way, final BulkSize size) throws Exception {
        return withNodes(
                way,
                List.of(LEFT, RIGHT),
                () ->
                        messages(
                                attached("sink", way, size, RIGHT, SINK, SEND),
                                attached("send", way, size, LEFT, SEND, SINK)));
    }

    /** The same, and how often a node left a link out from its start on, as {@link #EXCLUSIONS}. */
    Map<String, Double> watched(final BulkWay way, final BulkSize size) throws Exception {
        return withNodes(
                way,
                List.of(LEFT, RIGHT),
                () -> {
                    final Map<String, Double> figures =
                            messages(
                                    attached("sink", way, size, RIGHT, SINK, SEND),
                                    attached("send", way, size, LEFT, SEND, SINK));
                    long exclusions = 0;
                    for (final String host : List.of(LEFT, RIGHT)) {
                        try (CounterReader counters =
                                CounterReader.open(
                                        cluster.countersPath(way, network.number(host)))) {
                            exclusions += counters.sum(CounterType.LINK_EXCLUDED_EVENTS);
                        }
                    }
                    figures.put(EXCLUSIONS, (double) exclusions);
                    return figures;
                });
    }

    /** The same with loops of the nodes that the cluster file has. */
    Map<String, Double> attached(final BulkWay way, final BulkSize size, final String loop)
            throws Exception {
        cluster.write(way, loop);
        try {
            return attached(way, size);
        } finally {
            cluster.write(way, "");
        }
    }

    /** The same, and round trips of 32 bytes between two other programs beside it. */
    Map<String, Double> beside(final BulkWay way, final BulkSize size) throws Exception {
        return withNodes(way, List.of(LEFT, RIGHT), () -> messagesBeside(way, size));
    }

    private Map<String, Double> messagesBeside(final BulkWay way, final BulkSize size)
            throws Exception {
        final List<String> answer = attached("pong", way, LONE, RIGHT, PONG, PING);
        final List<String> ask = attached("ping", way, LONE, LEFT, PING, PONG, seconds);
        final Program pong = Program.start(network.name(RIGHT), "", answer);
        final Program ping = Program.start(network.name(LEFT), "", ask);
        try {
            pong.ready();
            final Map<String, Double> figures =
                    messages(
                            attached("sink", way, size, RIGHT, SINK, SEND),
                            attached("send", way, size, LEFT, SEND, SINK));
            figures.putAll(RelayLine.figures(ping.last(LIMIT_SECONDS)));
            return figures;
        } finally {
            ping.close();
            pong.close();
        }
    }

    private Map<String, Double> withNodes(
            final BulkWay way,
            final List<String> ends,
            final Callable<Map<String, Double>> measurement)
            throws Exception {
        final List<String> hosts = new ArrayList<>(ends);
        if (network.hasRelay()) {
            hosts.addAll(List.of(BulkNetwork.RELAY, BulkNetwork.OTHER_RELAY));
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
    private Program node(final String host, final BulkWay way) throws Exception {
        final Program node =
                Program.start(
                        network.name(host),
                        "",
                        Peers.hxb(
                                "node",
                                "--config",
                                cluster.file(way).toString(),
                                "--node",
                                Integer.toString(network.number(host)),
                                "--json"));
        node.next(NODE_LIMIT_SECONDS);
        return node;
    }

    private Map<String, Double> messages(final List<String> receive, final List<String> transmit)
            throws Exception {
        final Program sink = Program.start(network.name(RIGHT), "", receive);
        final Program send = Program.start(network.name(LEFT), "", transmit);
        try {
            sink.ready();
            send.ready();
            // The figures of the ends begin and end a moment before and after these.
            BulkFigures.sleepUntil(System.nanoTime() + (long) ((warmUp + 1) * 1e9));
            final BusyTime start = BusyTime.now();
            BulkFigures.sleepUntil(System.nanoTime() + (long) (seconds * 1e9));
            final BusyTime end = BusyTime.now();
            final JsonNode found = sink.next(LIMIT_SECONDS);
            send.last(LIMIT_SECONDS);
            return BulkFigures.figures(found, start, end);
        } finally {
            send.close();
            sink.close();
        }
    }

    private List<String> embedded(
            final String role, final BulkWay way, final BulkSize size, final String host) {
        return end(
                role,
                host,
                bytes(way, size),
                seconds + 2,
                "--embed",
                cluster.file(way).toString(),
                "--node",
                Integer.toString(network.number(host)));
    }

    private List<String> attached(
            final String role,
            final BulkWay way,
            final BulkSize size,
            final String host,
            final int own,
            final int peers)
            throws Exception {
        return attached(role, way, size, host, own, peers, seconds + 2);
    }

    private List<String> attached(
            final String role,
            final BulkWay way,
            final BulkSize size,
            final String host,
            final int own,
            final int peers,
            final double length)
            throws Exception {
        return end(
                role,
                host,
                bytes(way, size),
                length,
                "--attach",
                cluster.socketPath(way, network.number(host)).toString(),
                "--context",
                Integer.toString(own),
                "--peer-context",
                Integer.toString(peers));
    }

    private int bytes(final BulkWay way, final BulkSize size) {
        return size.bytes(network.mtu() - way.headerBytes() - FRAME_HEADER_BYTES & -Long.BYTES);
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
                                Integer.toString(network.number(host.equals(LEFT) ? RIGHT : LEFT)),
                                "--wait",
                                waiting,
                                "--size",
                                Integer.toString(size),
                                "--warmup",
                                BulkFigures.text(warmUp),
                                "--seconds",
                                BulkFigures.text(length)));
        arguments.addAll(List.of(more));
        return Peers.java(MessageEnd.class, arguments.toArray(String[]::new));
    }

    @Override
    public void close() {
        cluster.close();
    }
}
