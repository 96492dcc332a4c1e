package io.hxb.stream;

import static io.hxb.stream.StreamNodes.LIMIT;
import static io.hxb.stream.StreamNodes.SECOND;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hxb.pm.stream.HxbSelector;
import io.hxb.pm.stream.HxbServerSocketChannel;
import io.hxb.pm.stream.HxbSocketAddress;
import io.hxb.pm.stream.HxbSocketChannel;
import io.hxb.pm.stream.HxbStreams;
import io.hxb.pm.stream.NodeGoneException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** What programs with streams see when the node of their machine ends. */
@Tag("system")
class NodeGoneTest {
    private StreamNodes nodes;
    private HxbStreams streams;

    @BeforeEach
    void start() throws Exception {
        nodes = new StreamNodes();
        streams = nodes.streams(1);
    }

    @AfterEach
    void close() throws Exception {
        // The node has ended; the test's end stops it as it was begun.
        streams.close();
        nodes.startNode(1);
        nodes.close();
    }

    @Test
    void shouldReadWhatHadArrivedAndThenSayThatTheNodeIsGone() throws Exception {
        // given
        final HxbServerSocketChannel server = streams.listen(0);
        final HxbSocketChannel client = nodes.streams(0).connect(server.localAddress(), LIMIT);
        final HxbSocketChannel accepted = server.accept();
        client.output().write(new byte[100_000]);
        StreamNodes.await("all of it", () -> accepted.available() == 100_000);
        // when
        nodes.killNode(1);
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
        nodes.killNode(1);
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
            nodes.killNode(1);
            // then
            final HxbSelector.Key ready = selector.select(LIMIT).getFirst();
            assertThrows(NodeGoneException.class, () -> client.read(ByteBuffer.allocate(1)));
            ready.cancel();
            assertThrows(NodeGoneException.class, () -> selector.select(SECOND));
        }
    }
}
