package io.hxb.stream;

import static io.hxb.stream.StreamNodes.LIMIT;
import static io.hxb.stream.StreamNodes.SECOND;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hxb.config.AttachConfig;
import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.LoopConfig;
import io.hxb.node.Node;
import io.hxb.node.NodeOptions;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.PmDevice;
import io.hxb.pm.stream.HxbSelector;
import io.hxb.pm.stream.HxbServerSocketChannel;
import io.hxb.pm.stream.HxbSocketAddress;
import io.hxb.pm.stream.HxbSocketChannel;
import io.hxb.pm.stream.HxbStreams;
import io.hxb.pm.stream.NodeGoneException;
import io.hxb.testing.TestPorts;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** What programs with streams see when the node of their machine ends. */
@Tag("system")
class NodeGoneTest {
    @TempDir private Path directory;

    private NodeThreads threads;
    private Node node;
    private PmDevice device;
    private HxbStreams streams;

    @BeforeEach
    void start() throws Exception {
        final ClusterConfig config =
                ClusterConfig.of(
                                "gone",
                                Shape.of(2),
                                Backend.UDP,
                                LinkPlan.udp(1, 2, TestPorts.take(4)))
                        .withAttach(new AttachConfig(directory, directory, List.of(), List.of()));
        threads =
                NodeThreads.start(new LoopConfig(1, LoopConfig.Waiting.BLOCK, 0, 64, List.of(), 0));
        node = Node.start(new NodeOptions(config, 0, threads, true, false, link -> link));
        device = PmDevice.attach(config.socketPath(0));
        streams = HxbStreams.open(device);
    }

    private void endNode() {
        node.close();
        threads.close();
    }

    @AfterEach
    void close() {
        streams.close();
        device.close();
    }

    @Test
    void shouldReadWhatHadArrivedAndThenReportThatTheNodeIsGone() throws Exception {
        // given
        final HxbServerSocketChannel server = streams.listen(0);
        final HxbSocketChannel client = streams.connect(server.localAddress(), LIMIT);
        final HxbSocketChannel accepted = server.accept();
        client.output().write(new byte[100_000]);
        StreamNodes.await("all of it", () -> accepted.available() == 100_000);
        // when
        endNode();
        // then
        assertEquals(100_000, accepted.input().readNBytes(100_000).length);
        final ByteBuffer one = ByteBuffer.allocate(1);
        assertThrows(NodeGoneException.class, () -> accepted.read(one));
        assertThrows(NodeGoneException.class, () -> accepted.write(one));
        final HxbSocketAddress elsewhere = new HxbSocketAddress(0, 5000);
        assertThrows(NodeGoneException.class, () -> streams.connect(elsewhere, LIMIT));
        assertThrows(NodeGoneException.class, () -> streams.listen(0));
    }

    @Test
    void shouldEndALoopOfAccepts() throws Exception {
        // given
        final HxbServerSocketChannel server = streams.listen(0);
        final CompletableFuture<Throwable> ended = new CompletableFuture<>();
        Thread.ofPlatform()
                .daemon()
                .start(() -> ended.complete(assertThrows(Throwable.class, server::accept)));
        // when
        endNode();
        // then
        assertInstanceOf(NodeGoneException.class, ended.get(30, TimeUnit.SECONDS));
        assertFalse(server.isOpen());
        assertThrows(ClosedChannelException.class, server::accept);
    }

    @Test
    void shouldEndALoopOfSelections() throws Exception {
        // given
        final HxbServerSocketChannel server = streams.listen(0);
        final HxbSocketChannel client =
                streams.connect(server.localAddress(), LIMIT).configureBlocking(false);
        try (HxbSelector selector = HxbSelector.open(streams)) {
            selector.register(client, SelectionKey.OP_READ, null);
            // when
            endNode();
            // then
            final HxbSelector.Key ready = selector.select(LIMIT).getFirst();
            assertThrows(NodeGoneException.class, () -> client.read(ByteBuffer.allocate(1)));
            ready.cancel();
            assertThrows(NodeGoneException.class, () -> selector.select(SECOND));
        }
    }
}
