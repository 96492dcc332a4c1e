package io.hxb.bench.message;

import io.hxb.config.ClusterConfig;
import io.hxb.config.LoopConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.node.Node;
import io.hxb.node.NodeOptions;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.PmContextOptions;
import io.hxb.pm.PmDevice;

import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Path;

/** Which HXB node an end uses, attached or embedded, and how. One thread. */
final class HxbEndOptions {
    private static final int CACHE_LINE = 64;
    private static final int SHORT_BYTES = 256;
    private static final long NEIGHBOURS_LIMIT_NS = 30_000_000_000L;

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

    @Option(
            names = "--send-buffers",
            defaultValue = "0",
            description = "of the context, 0 for 8192 of short messages and 1024 of others")
    private int sendBuffers;

    /**
     * Opens the node, or attaches to it, and waits for its neighbours.
     *
     * @param sizeBytes bytes of a message.
     * @param isServer true for the end that a stream is opened to.
     * @param contents what is done with those of messages of up to a frame.
     */
    Transport open(final int sizeBytes, final boolean isServer, final Contents contents)
            throws IOException {
        if (socket != null) {
            final PmDevice device = PmDevice.attach(socket);
            return transport(device, device::close, sizeBytes, isServer, contents);
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
        // Before the neighbours are there, as a quicker peer would otherwise find no such context.
        final Transport transport = transport(device, closing, sizeBytes, isServer, contents);
        if (!node.awaitNeighbours(NEIGHBOURS_LIMIT_NS)) {
            throw new IllegalStateException(String.join("; ", node.silentNeighbours()));
        }
        return transport;
    }

    private ClusterConfig withWaiting(final ClusterConfig config) {
        return config.withLoop(config.loop().withWaiting(waiting));
    }

    private Transport transport(
            final PmDevice device,
            final Runnable closing,
            final int sizeBytes,
            final boolean isServer,
            final Contents contents)
            throws IOException {
        final boolean isSpinning = waiting == LoopConfig.Waiting.SPIN;
        if (!isStream && sizeBytes > device.mtuBytes()) {
            return new LargeTransport(
                    device,
                    closing,
                    contextId,
                    PmContextOptions.DEFAULT.withSpinNs(contextOptions(64).spinNs()),
                    peerNode,
                    peerContext,
                    sizeBytes,
                    isSpinning);
        }
        return isStream
                ? new StreamTransport(device, closing, isServer, peerNode, sizeBytes, isSpinning)
                : new PmTransport(
                        device,
                        closing,
                        contextId,
                        contextOptions(sizeBytes),
                        peerNode,
                        peerContext,
                        isSpinning,
                        contents);
    }

    private PmContextOptions contextOptions(final int sizeBytes) {
        return new PmContextOptions(
                sendBuffers > 0 ? sendBuffers : sizeBytes <= SHORT_BYTES ? 8192 : 1024,
                (sizeBytes + CACHE_LINE - 1) & -CACHE_LINE,
                1 << 14,
                switch (waiting) {
                    case SPIN -> Long.MAX_VALUE;
                    case HYBRID -> PmContextOptions.DEFAULT.spinNs();
                    case BLOCK -> 0;
                },
                PmContextOptions.DEFAULT.peerWaitNs());
    }
}
