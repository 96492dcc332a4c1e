package io.hxb.bench.message;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LoopConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.linux.Threads;
import io.hxb.node.Node;
import io.hxb.node.NodeOptions;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;

/** One end of a message benchmark, as a program; prints lines of JSON. One thread. */
@Command(name = "message-end", mixinStandardHelpOptions = true)
public final class MessageEnd implements Callable<Integer> {
    private static final JsonMapper JSON = new JsonMapper();
    private static final int CACHE_LINE = 64;
    private static final int SHORT_BYTES = 256;
    private static final long NEIGHBOURS_LIMIT_NS = 30_000_000_000L;

    @Option(names = "--role", required = true, description = "ping, pong, send or sink")
    private String role;

    @Option(names = "--aeron", arity = "2", description = "own and peer's address:port")
    private String[] aeron;

    @Option(names = "--raw", description = "NIC for bare frames")
    private String nic;

    @Option(names = "--overhead", description = "bytes that bare frames add to a message")
    private int overheadBytes;

    @Option(names = "--attach", description = "socket of an HXB node")
    private Path socket;

    @Option(names = "--embed", description = "cluster file of a node on this thread")
    private Path file;

    @Option(names = "--node", description = "node id of the embedded node")
    private int nodeId;

    @Option(names = "--context", defaultValue = "1", description = "own context")
    private int contextId;

    @Option(names = "--peer", description = "node id of the peer")
    private int peerNode;

    @Option(names = "--peer-context", defaultValue = "1", description = "context of the peer")
    private int peerContext;

    @Option(
            names = "--wait",
            defaultValue = "spin",
            description = "while there is nothing to do: block, spin or hybrid, as nodes do")
    private LoopConfig.Waiting waiting;

    @Option(names = "--stream", description = "a stream instead of messages")
    private boolean isStream;

    @Option(names = "--size", defaultValue = "32", description = "bytes of a message")
    private int size;

    @Option(names = "--rate", defaultValue = "0", description = "messages a second, 0 = full speed")
    private double rate;

    @Option(names = "--mtu", defaultValue = "8960", description = "Aeron's MTU")
    private int mtu;

    @Option(names = "--window", defaultValue = "131072", description = "Aeron's window in bytes")
    private int window;

    @Option(
            names = "--send-buffers",
            defaultValue = "0",
            description = "of the context, 0 for 8192 of short messages and 1024 of others")
    private int sendBuffers;

    @Option(
            names = "--cpu",
            defaultValue = "-1",
            description = "of this end's thread; the JIT's threads go where there is room")
    private int cpu;

    @Option(names = "--warm-up", defaultValue = "3", description = "seconds")
    private double warmUp;

    @Option(names = "--seconds", defaultValue = "2", description = "of measuring")
    private double seconds;

    private MessageEnd() {}

    /** Runs one end. */
    public static void main(final String[] arguments) {
        System.exit(
                new CommandLine(new MessageEnd())
                        .setCaseInsensitiveEnumValuesAllowed(true)
                        .execute(arguments));
    }

    @Override
    public Integer call() throws IOException {
        if (cpu >= 0) {
            Threads.pin(cpu);
        }
        say(Map.of("ready", true));
        try (Transport transport = open()) {
            final Loops loops =
                    new Loops(transport, size, (long) (warmUp * 1e9), (long) (seconds * 1e9));
            switch (role) {
                case "ping" -> say(loops.ping());
                case "pong" -> loops.pong();
                case "send" -> say(loops.send(rate));
                case "sink" -> {
                    say(loops.sink());
                    loops.drain();
                }
                default -> throw new IllegalArgumentException("no such role: " + role);
            }
        }
        return 0;
    }

    private Transport open() throws IOException {
        if (aeron != null) {
            return new AeronTransport(aeron[0], aeron[1], mtu, window);
        }
        if (nic != null) {
            return new RawTransport(nic, overheadBytes);
        }
        final PmContextOptions options =
                new PmContextOptions(
                        sendBuffers > 0 ? sendBuffers : size <= SHORT_BYTES ? 8192 : 1024,
                        (size + CACHE_LINE - 1) & -CACHE_LINE,
                        1 << 14,
                        switch (waiting) {
                            case SPIN -> Long.MAX_VALUE;
                            case HYBRID -> PmContextOptions.DEFAULT.spinNs();
                            case BLOCK -> 0;
                        },
                        PmContextOptions.DEFAULT.peerWaitNs());
        if (socket != null) {
            final PmDevice device = PmDevice.attach(socket);
            return transport(device, device::close, options);
        }
        final ClusterConfig config = withWaiting(ClusterConfigYaml.read(file));
        final NodeThreads threads = NodeThreads.invoker(config.loop());
        final Node node = Node.start(NodeOptions.embedded(config, nodeId, threads));
        final PmDevice device = node.device();
        final Runnable closing =
                () -> {
                    device.close();
                    node.close();
                    threads.close();
                };
        // A peer that is quicker than this is told that there is no such context.
        final Transport transport = transport(device, closing, options);
        if (!node.awaitNeighbours(NEIGHBOURS_LIMIT_NS)) {
            throw new IllegalStateException(String.join("; ", node.silentNeighbours()));
        }
        return transport;
    }

    private Transport transport(
            final PmDevice device, final Runnable closing, final PmContextOptions options)
            throws IOException {
        if (isStream) {
            final boolean isServer = role.equals("pong") || role.equals("sink");
            return new StreamTransport(device, closing, isServer, peerNode, size, isSpinning());
        }
        return new PmTransport(
                device, closing, contextId, options, peerNode, peerContext, isSpinning());
    }

    private boolean isSpinning() {
        return waiting == LoopConfig.Waiting.SPIN;
    }

    private ClusterConfig withWaiting(final ClusterConfig config) {
        return config.withLoop(config.loop().withWaiting(waiting));
    }

    private static void say(final Map<String, ?> figures) {
        System.out.println(JSON.writeValueAsString(figures));
        System.out.flush();
    }
}
