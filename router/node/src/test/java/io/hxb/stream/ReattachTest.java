package io.hxb.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.hxb.config.AttachConfig;
import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.LoopConfig;
import io.hxb.node.Node;
import io.hxb.node.NodeOptions;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmException;
import io.hxb.pm.stream.HxbServerSocketChannel;
import io.hxb.pm.stream.HxbSocketAddress;
import io.hxb.pm.stream.HxbSocketChannel;
import io.hxb.pm.stream.HxbStreams;
import io.hxb.pm.stream.NodeGoneException;
import io.hxb.testing.TestPorts;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.ConnectException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The loop of a server that attaches again whenever its node has ended: docs/howto/java.md. */
@Tag("system")
class ReattachTest {
    private static final int PORT = 5000;
    private static final int ROUNDS = 3;

    @TempDir private Path directory;

    /** As in docs/howto/java.md; serving is an answer of one byte. */
    private static void serve(final Path socket) throws IOException {
        while (!Thread.currentThread().isInterrupted()) {
            try (PmDevice device = PmDevice.attach(socket);
                    HxbStreams streams = HxbStreams.open(device);
                    HxbServerSocketChannel server = streams.listen(PORT)) {
                while (true) {
                    try (HxbSocketChannel channel = server.accept()) {
                        channel.output().write(7);
                    }
                }
            } catch (final NodeGoneException e) {
                // The node has ended.
            } catch (final PmException e) {
                if (!e.isNodeMissing()) {
                    throw e;
                }
                LockSupport.parkNanos(5_000_000);
            }
        }
    }

    @Test
    void shouldServeAgainAfterEachRestartOfTheNode() throws Exception {
        // given
        final ClusterConfig config =
                ClusterConfig.of(
                                "again",
                                Shape.of(2),
                                Backend.UDP,
                                LinkPlan.udp(1, 2, TestPorts.take(4)))
                        .withAttach(new AttachConfig(directory, directory, List.of(), List.of()));
        final CompletableFuture<Throwable> ended = new CompletableFuture<>();
        final Thread server =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        serve(config.socketPath(0));
                                    } catch (final IOException e) {
                                        ended.complete(e);
                                    }
                                });
        final LoopConfig loop = new LoopConfig(1, LoopConfig.Waiting.BLOCK, 0, 64, List.of(), 0);
        for (int round = 0; round < ROUNDS; round++) {
            // when
            try (NodeThreads threads = NodeThreads.start(loop);
                    Node node =
                            Node.start(new NodeOptions(config, 0, threads, true, false, l -> l));
                    PmDevice device = PmDevice.attach(config.socketPath(0));
                    HxbStreams streams = HxbStreams.open(device)) {
                // then
                StreamNodes.await(
                        "an answer",
                        () -> {
                            assertFalse(ended.isDone(), () -> "ended by " + ended.join());
                            return ask(streams) == 7;
                        });
                if (round == ROUNDS - 1) {
                    server.interrupt();
                    assertEquals(
                            ClosedByInterruptException.class,
                            ended.get(30, TimeUnit.SECONDS).getClass());
                }
                assertEquals(0, node.nodeId());
            }
        }
    }

    private static int ask(final HxbStreams streams) throws IOException {
        try (HxbSocketChannel channel =
                streams.connect(new HxbSocketAddress(0, PORT), StreamNodes.LIMIT)) {
            return channel.input().read();
        } catch (final ConnectException e) {
            return -1; // it has not attached yet
        }
    }
}
