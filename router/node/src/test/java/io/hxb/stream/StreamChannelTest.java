package io.hxb.stream;

import static io.hxb.stream.StreamNodes.LIMIT;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.hxb.config.LoopConfig;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.stream.HxbSelector;
import io.hxb.pm.stream.HxbServerSocketChannel;
import io.hxb.pm.stream.HxbSocketAddress;
import io.hxb.pm.stream.HxbSocketChannel;
import io.hxb.pm.stream.HxbStreams;
import io.hxb.pm.stream.StreamOptions;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.BindException;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/** Streams between two nodes over UDP on loopback. */
@Tag("system")
class StreamChannelTest {
    private static final int PORT = 8080;
    private static final HxbSocketAddress SERVER = new HxbSocketAddress(1, PORT);

    private StreamNodes nodes;

    @BeforeEach
    void start() throws Exception {
        nodes = new StreamNodes();
    }

    @AfterEach
    void close() {
        nodes.close();
    }

    private static ByteBuffer bytes(final String text) {
        return ByteBuffer.wrap(text.getBytes(US_ASCII));
    }

    private static String text(final HxbSocketChannel channel, final int length) throws Exception {
        final ByteBuffer buffer = ByteBuffer.allocate(length);
        while (buffer.hasRemaining() && channel.read(buffer) >= 0) {
            assertTrue(channel.isOpen());
        }
        return new String(buffer.array(), 0, buffer.position(), US_ASCII);
    }

    @Test
    void shouldCarryBytesBothWaysAndEndEachWayByItself() throws Exception {
        // given
        final HxbServerSocketChannel server = nodes.streams(1).listen(PORT);
        final HxbSocketChannel client = nodes.streams(0).connect(SERVER, LIMIT);
        final HxbSocketChannel accepted = server.accept();
        // when
        client.write(new ByteBuffer[] {bytes("one "), bytes("two")});
        client.shutdownOutput();
        // then
        assertEquals("one two", text(accepted, 100), "until the end");
        assertThrows(ClosedChannelException.class, () -> client.write(bytes("late")));
        accepted.write(bytes("answer"));
        assertEquals("answer", text(client, 6));
        accepted.close();
        assertEquals(-1, client.read(ByteBuffer.allocate(1)));
        assertEquals(SERVER, client.remoteAddress());
        assertEquals(SERVER, accepted.localAddress());
        assertEquals(client.localAddress(), accepted.remoteAddress());
    }

    @Test
    void shouldConnectWithinOneContext() throws Exception {
        // given
        final HxbStreams streams = nodes.streams(0);
        final HxbServerSocketChannel server = streams.listen(0);
        // when
        final HxbSocketChannel client = streams.connect(server.localAddress(), LIMIT);
        client.write(bytes("self"));
        // then
        assertEquals("self", text(server.accept(), 4));
    }

    @Test
    void shouldRefuseWhereNobodyListens() throws Exception {
        // given
        final HxbStreams client = nodes.streams(0);
        // when, then
        assertThrows(ConnectException.class, () -> client.connect(SERVER, LIMIT));
    }

    @Test
    void shouldGiveAPortToOneContextUntilItIsClosed() throws Exception {
        // given
        final HxbStreams first = nodes.streams(1);
        final HxbStreams second = nodes.streams(1);
        final HxbServerSocketChannel server = first.listen(PORT);
        // when, then
        assertThrows(BindException.class, () -> second.listen(PORT));
        assertThrows(BindException.class, () -> first.listen(PORT));
        server.close();
        final HxbServerSocketChannel again = second.listen(PORT);
        assertEquals(SERVER, again.localAddress());
        second.close();
        assertEquals(SERVER, first.listen(PORT).localAddress());
    }

    @Test
    void shouldStopAWriterWhosePeerDoesNotReadAndNoOtherStream() throws Exception {
        // given
        final StreamOptions options = StreamNodes.OPTIONS.withWindowBytes(1 << 16);
        final HxbServerSocketChannel server = nodes.streams(1, options).listen(PORT);
        final HxbStreams client = nodes.streams(0, options);
        final HxbSocketChannel slow = client.connect(SERVER, LIMIT).configureBlocking(false);
        final HxbSocketChannel slowEnd = server.accept();
        final HxbSocketChannel quick = client.connect(SERVER, LIMIT);
        final HxbSocketChannel quickEnd = server.accept();
        final byte[] sent = new byte[3 << 16];
        new Random(1).nextBytes(sent);
        final ByteBuffer source = ByteBuffer.wrap(sent);
        // when
        StreamNodes.await(
                "a full window", () -> slow.write(source) == 0 && source.position() == 1 << 16);
        // then
        final byte[] large = new byte[5 << 16];
        new Random(2).nextBytes(large);
        final CompletableFuture<Void> writing =
                CompletableFuture.runAsync(() -> writeAll(quick, large));
        assertArrayEquals(large, read(quickEnd, large.length));
        writing.get();
        assertEquals(1 << 16, source.position(), "the slow one stands still");
        final CompletableFuture<Void> rest =
                CompletableFuture.runAsync(() -> writeAll(slow.configureBlocking(true), source));
        assertArrayEquals(sent, read(slowEnd, sent.length));
        rest.get();
    }

    private static void writeAll(final HxbSocketChannel channel, final byte[] bytes) {
        writeAll(channel, ByteBuffer.wrap(bytes));
    }

    private static void writeAll(final HxbSocketChannel channel, final ByteBuffer bytes) {
        try {
            channel.write(bytes);
        } catch (final java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static byte[] read(final HxbSocketChannel channel, final int length) throws Exception {
        return channel.input().readNBytes(length);
    }

    @Test
    void shouldServeManyStreamsByOneSelector() throws Exception {
        // given
        final int count = 2_000;
        final HxbServerSocketChannel server =
                HxbServerSocketChannel.open(nodes.streams(1)).bind(PORT, count);
        final HxbStreams client = nodes.streams(0);
        final List<HxbSocketChannel> channels = new ArrayList<>();
        try (HxbSelector connecting = HxbSelector.open(client)) {
            for (int i = 0; i < count; i++) {
                final HxbSocketChannel channel =
                        HxbSocketChannel.open(client).configureBlocking(false);
                assertFalse(channel.connect(SERVER));
                connecting.register(channel, SelectionKey.OP_CONNECT, i);
                channels.add(channel);
            }
            int connected = 0;
            while (connected < count) {
                for (final HxbSelector.Key key : connecting.select(LIMIT)) {
                    assertTrue(((HxbSocketChannel) key.channel()).finishConnect());
                    key.cancel();
                    connected++;
                }
            }
        }
        // when
        for (final HxbSocketChannel channel : channels) {
            channel.configureBlocking(true).write(bytes("x"));
        }
        // then
        assertEquals(count, echoed(server, count));
        for (final HxbSocketChannel channel : channels) {
            assertEquals("x", text(channel, 1));
        }
        assertEquals(count, client.streamCount());
    }

    private static int echoed(final HxbServerSocketChannel server, final int count)
            throws Exception {
        int echoed = 0;
        try (HxbSelector selector = HxbSelector.open(server.streams())) {
            server.configureBlocking(false);
            selector.register(server, null);
            while (echoed < count) {
                final List<HxbSelector.Key> ready = selector.select(LIMIT);
                assertFalse(ready.isEmpty(), "echoed " + echoed);
                for (final HxbSelector.Key key : ready) {
                    if (key.channel() == server) {
                        final HxbSocketChannel channel = server.accept().configureBlocking(false);
                        selector.register(channel, SelectionKey.OP_READ, null);
                    } else {
                        final HxbSocketChannel channel = (HxbSocketChannel) key.channel();
                        final ByteBuffer buffer = ByteBuffer.allocate(10);
                        echoed += channel.read(buffer);
                        channel.configureBlocking(true).write(buffer.flip());
                        channel.configureBlocking(false);
                    }
                }
            }
        }
        return echoed;
    }

    @Test
    void shouldWakeABlockedThreadWhenItsChannelIsClosed() throws Exception {
        // given
        final HxbServerSocketChannel server = nodes.streams(1).listen(PORT);
        final HxbSocketChannel client = nodes.streams(0).connect(SERVER, LIMIT);
        final CompletableFuture<Throwable> reading =
                CompletableFuture.supplyAsync(
                        () ->
                                assertThrows(
                                        ClosedChannelException.class,
                                        () -> client.read(ByteBuffer.allocate(1))));
        final CompletableFuture<Throwable> accepting =
                CompletableFuture.supplyAsync(
                        () ->
                                assertThrows(
                                        ClosedChannelException.class,
                                        () -> assertNull(acceptTwice(server))));
        // when
        StreamNodes.await("both to wait or begin", () -> true);
        client.close();
        server.close();
        // then
        assertNotNull(reading.get());
        assertNotNull(accepting.get());
    }

    private static Object acceptTwice(final HxbServerSocketChannel server) throws Exception {
        final HxbSocketChannel first = server.accept();
        assertNotNull(first);
        return server.accept();
    }

    @Test
    void shouldRunOnTheThreadThatRunsTheNodes() throws Exception {
        // given
        nodes.close();
        nodes = new StreamNodes(NodeThreads.invoker(LoopConfig.DEFAULT));
        final HxbServerSocketChannel server = nodes.streams(1).listen(PORT);
        server.configureBlocking(false);
        final HxbSocketChannel client =
                HxbSocketChannel.open(nodes.streams(0)).configureBlocking(false);
        client.connect(SERVER);
        HxbSocketChannel accepted = null;
        while (!client.finishConnect() || accepted == null) {
            accepted = accepted == null ? server.accept() : accepted;
            nodes.run();
        }
        // when
        client.write(bytes("ping"));
        final ByteBuffer got = ByteBuffer.allocate(4);
        accepted.configureBlocking(false);
        while (got.hasRemaining()) {
            accepted.read(got);
            nodes.run();
        }
        accepted.write(got.flip());
        // then
        assertEquals("ping", text(client.configureBlocking(true), 4));
    }
}
