package io.hxb.stream;

import static io.hxb.stream.StreamNodes.LIMIT;
import static io.hxb.stream.StreamNodes.SECOND;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.LoopConfig;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.stream.HxbServerSocketChannel;
import io.hxb.pm.stream.HxbSocketChannel;
import io.hxb.pm.stream.HxbStreams;
import io.hxb.pm.stream.ResetReason;
import io.hxb.pm.stream.StreamOptions;
import io.hxb.pm.stream.StreamResetException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** What a reader and a writer see when a stream ends, in order or not. */
@Tag("system")
class StreamEndTest {
    private static final int WINDOW = 4096;
    private static final StreamOptions OPTIONS = StreamNodes.OPTIONS.withWindowBytes(WINDOW);

    private StreamNodes nodes;
    private HxbSocketChannel client;
    private HxbSocketChannel accepted;

    @BeforeEach
    void start() throws Exception {
        nodes = new StreamNodes();
        connect();
    }

    private void connect() throws Exception {
        final HxbServerSocketChannel server = nodes.streams(1, OPTIONS).listen(0);
        client = nodes.streams(0, OPTIONS).connect(server.localAddress(), LIMIT);
        accepted = server.accept();
    }

    @AfterEach
    void close() {
        nodes.close();
    }

    private static ByteBuffer bytes(final int count) {
        return ByteBuffer.allocate(count);
    }

    /** A thread that waits in a write of three windows while one is taken. */
    private FutureTask<Integer> blockedWrite() throws Exception {
        final FutureTask<Integer> writing = new FutureTask<>(() -> client.write(bytes(3 * WINDOW)));
        Thread.ofPlatform().daemon().start(writing);
        StreamNodes.await("a full window", () -> accepted.available() == WINDOW);
        return writing;
    }

    private static Throwable failure(final FutureTask<?> task) {
        return assertThrows(ExecutionException.class, () -> task.get(LIMIT, TimeUnit.NANOSECONDS))
                .getCause();
    }

    @Test
    void shouldResetThePeerWhenClosedInTheMiddleOfAWrite() throws Exception {
        // given
        final FutureTask<Integer> writing = blockedWrite();
        // when
        client.close();
        // then
        assertInstanceOf(AsynchronousCloseException.class, failure(writing));
        assertEquals(WINDOW, accepted.input().readNBytes(WINDOW).length, "what was sent");
        final StreamResetException reset =
                assertThrows(StreamResetException.class, () -> accepted.read(bytes(1)));
        assertEquals(ResetReason.RESET_BY_PEER, reset.reason());
    }

    @Test
    void shouldResetThePeerWhenTheStreamsAreClosedInTheMiddleOfAWrite() throws Exception {
        // given
        final FutureTask<Integer> writing = blockedWrite();
        // when
        client.streams().close();
        // then
        assertInstanceOf(StreamResetException.class, failure(writing));
        assertThrows(StreamResetException.class, () -> accepted.input().readAllBytes());
    }

    @Test
    void shouldFinishAWriteBeforeTheEndThatAnotherThreadAsksFor() throws Exception {
        // given
        final FutureTask<Integer> writing = blockedWrite();
        // when
        client.shutdownOutput();
        // then
        assertTrue(client.isOutputShutdown());
        assertEquals(3 * WINDOW, accepted.input().readAllBytes().length);
        assertEquals(3 * WINDOW, writing.get(LIMIT, TimeUnit.NANOSECONDS));
    }

    @Test
    void shouldNotifyAWriterWhenThePeerHasReadAll() throws Exception {
        // given
        client.write(bytes(10));
        client.shutdownOutput();
        // when, then
        assertFalse(client.awaitDelivery(SECOND / 100), "nobody has read it");
        assertEquals(10, accepted.read(bytes(20)));
        assertFalse(client.isDelivered(), "nobody has read the end");
        assertEquals(-1, accepted.read(bytes(1)));
        assertTrue(client.awaitDelivery(LIMIT));
        accepted.reset();
        assertTrue(client.awaitDelivery(LIMIT), "whatever comes later");
    }

    @Test
    void shouldNotifyAWriterWhosePeerHasClosedAfterTheLastByte() throws Exception {
        // given
        client.write(bytes(10));
        assertEquals(10, accepted.read(bytes(20)));
        accepted.close();
        assertEquals(-1, client.read(bytes(1)));
        // when
        client.shutdownOutput();
        // then
        assertTrue(client.awaitDelivery(LIMIT), "it had read everything");
    }

    @Test
    void shouldNotifyAWriterWhosePeerHasClosedBeforeReadingAll() throws Exception {
        // given
        client.write(bytes(10));
        client.shutdownOutput();
        accepted.shutdownOutput();
        assertEquals(9, accepted.read(bytes(9)));
        assertEquals(-1, client.read(bytes(1)), "the peer's own bytes are complete");
        // when
        accepted.close();
        // then
        assertThrows(StreamResetException.class, () -> client.awaitDelivery(LIMIT));
        assertThrows(StreamResetException.class, () -> client.awaitDelivery(LIMIT));
    }

    @Test
    void shouldNotPretendToEndAStreamThatWasReset() throws Exception {
        // given
        client.write(bytes(10));
        // when
        accepted.reset();
        StreamNodes.await("the reset", () -> !client.isConnected());
        // then
        assertThrows(StreamResetException.class, client::shutdownOutput);
    }

    @Test
    void shouldReadAllOfAPeerWhoseProcessHasEndedInOrderMeanwhile() throws Exception {
        // given
        nodes.close();
        nodes = new StreamNodes(NodeThreads.invoker(LoopConfig.DEFAULT));
        final HxbServerSocketChannel server =
                nodes.streams(1, OPTIONS).listen(0).configureBlocking(false);
        final HxbStreams sending = nodes.streams(0, OPTIONS);
        client = HxbSocketChannel.open(sending).configureBlocking(false);
        client.connect(server.localAddress());
        accepted = null;
        while (!client.finishConnect() || accepted == null) {
            nodes.run();
            accepted = accepted == null ? server.accept() : accepted;
        }
        client.configureBlocking(true).write(bytes(3_000));
        assertEquals(1, accepted.read(bytes(1)), "3,000 are in the reader's queue");
        client.write(bytes(1_000));
        client.close();
        sending.close();
        // when
        assertEquals(2_999, accepted.read(bytes(2_999)), "which grants more to nobody");
        for (int i = 0; i < 2_000; i++) {
            nodes.run();
        }
        // then
        assertEquals(1_000, accepted.read(bytes(2_000)));
        assertEquals(-1, accepted.read(bytes(1)));
    }

    @Test
    void shouldStopWaitingForAConnectionThatDoesNotCome() throws Exception {
        // given
        final HxbServerSocketChannel server = nodes.streams(1).listen(0);
        // when
        assertThrows(SocketTimeoutException.class, () -> server.accept(SECOND / 100));
        // then
        assertTrue(nodes.streams(0).connect(server.localAddress(), LIMIT).isConnected());
        assertTrue(server.accept(LIMIT).isConnected());
    }
}
