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

    @Option(
            names = "--attach",
            paramLabel = "SOCKET",
            description = "attach to the HXB node at this socket")
    private Path socket;

    @Option(
            names = "--embed",
            paramLabel = "FILE",
            description = "run a node of this cluster file on this thread")
    private Path file;

    @Option(names = "--node", paramLabel = "N", description = "give the embedded node this id")
    private int nodeId;

    @Option(
            names = "--context",
            paramLabel = "N",
            defaultValue = "1",
            description = "open this context (default: ${DEFAULT-VALUE})")
    private int contextId;

    @Option(names = "--peer", paramLabel = "N", description = "send to the node of this id")
    private int peerNode;

    @Option(
            names = "--peer-context",
            paramLabel = "N",
            defaultValue = "1",
            description = "send to this context (default: ${DEFAULT-VALUE})")
    private int peerContext;

    @Option(
            names = "--wait",
            paramLabel = "WAIT",
            defaultValue = "spin",
            description = "wait by block, spin or hybrid, as nodes do (default: ${DEFAULT-VALUE})")
    private LoopConfig.Waiting waiting;

    @Option(names = "--stream", description = "send by a stream instead of messages")
    private boolean isStream;

    @Option(
            names = "--send-buffers",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "give the context this many send buffers; 0: 8192 for short messages "
                            + "and 1024 for others (default: ${DEFAULT-VALUE})")
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
