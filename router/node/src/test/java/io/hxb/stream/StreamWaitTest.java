package io.hxb.stream;

import static io.hxb.stream.StreamNodes.LIMIT;
import static io.hxb.stream.StreamNodes.SECOND;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.pm.stream.HxbSelector;
import io.hxb.pm.stream.HxbServerSocketChannel;
import io.hxb.pm.stream.HxbSocketAddress;
import io.hxb.pm.stream.HxbSocketChannel;
import io.hxb.pm.stream.HxbStreams;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A thread that waits for one stream serves the others of its process. */
@Tag("system")
class StreamWaitTest {
    private static final int PORT = 7400;
    private static final HxbSocketAddress SERVER = new HxbSocketAddress(1, PORT);

    private StreamNodes nodes;
    private HxbStreams client;
    private HxbServerSocketChannel server;

    @BeforeEach
    void start() throws Exception {
        nodes = new StreamNodes();
        // So that no wait ends early because a peer has to be asked.
        client = nodes.streams(0, StreamNodes.OPTIONS.withKeepAliveNs(60 * SECOND));
        server = nodes.streams(1).listen(PORT);
    }

    @AfterEach
    void close() {
        nodes.close();
    }

    /** A stream whose peer does not read, and in whose write a thread waits. */
    private CompletableFuture<Void> blockedWriter() throws Exception {
        final HxbSocketChannel first = client.connect(SERVER, LIMIT);
        final HxbSocketChannel end = server.accept();
        final CompletableFuture<Void> writing =
                CompletableFuture.runAsync(
                        () -> {
                            try {
                                first.write(ByteBuffer.allocate(1_000_000));
                            } catch (final IOException e) {
                                throw new UncheckedIOException(e);
                            }
                        },
                        StreamWaitTest::inThread);
        StreamNodes.await(
                "a full window", () -> end.available() == StreamNodes.OPTIONS.windowBytes());
        assertFalse(writing.isDone());
        return writing;
    }

    @Test
    void shouldCarryOtherStreamsWhileAWriteWaits() throws Exception {
        // given
        final HxbSocketChannel second = client.connect(SERVER, LIMIT);
        final HxbSocketChannel secondEnd = server.accept();
        final var _ = blockedWriter();
        inThread(() -> echo(secondEnd));
        // when, then: the write goes on waiting, so that nothing would arrive after it
        for (int i = 0; i < 100; i++) {
            second.write(ByteBuffer.wrap(new byte[] {(byte) i}));
            final ByteBuffer answer = ByteBuffer.allocate(10);
            assertEquals(1, second.read(answer));
            assertEquals(i, answer.get(0));
        }
    }

    private static Thread inThread(final Runnable task) {
        return Thread.ofPlatform().daemon().start(task);
    }

    private static void echo(final HxbSocketChannel channel) {
        final ByteBuffer buffer = ByteBuffer.allocate(64);
        try {
            while (channel.read(buffer.clear()) >= 0) {
                channel.write(buffer.flip());
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldConnectWhileAWriteWaits() throws Exception {
        // given
        final var _ = blockedWriter();
        // when
        for (int i = 0; i < 20; i++) {
            assertTrue(client.connect(SERVER, LIMIT).isConnected());
        }
    }

    @Test
    void shouldListenAndCloseWhileAWriteWaits() throws Exception {
        // given
        final var _ = blockedWriter();
        // when
        for (int i = 0; i < 5; i++) {
            try (HxbServerSocketChannel other = client.listen(0)) {
                final HxbSocketChannel channel = client.connect(other.localAddress(), LIMIT);
                final HxbSocketChannel accepted = other.accept(LIMIT);
                channel.close();
                // then
                assertEquals(-1, accepted.read(ByteBuffer.allocate(1)));
            }
        }
    }

    @Test
    void shouldReadInOrderWhatWasCopiedOutOfMessages() throws Exception {
        // given
        final HxbSocketChannel first = client.connect(SERVER, LIMIT);
        final HxbSocketChannel end = server.accept();
        final byte[] sent = new byte[200_000];
        new Random(3).nextBytes(sent);
        first.write(ByteBuffer.wrap(sent));
        StreamNodes.await("all of it", () -> end.available() == sent.length);
        // when: time enough for copies, in which other messages arrive
        final HxbSocketChannel second = client.connect(SERVER, LIMIT);
        final HxbSocketChannel secondEnd = server.accept();
        final ByteBuffer one = ByteBuffer.allocate(1);
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < SECOND / 100) {
            second.write(one.clear());
            secondEnd.read(one.clear());
        }
        // then
        assertArrayEquals(sent, end.input().readNBytes(sent.length));
    }

    @Test
    void shouldEndEachWaitThatIsInterrupted() throws Exception {
        // given: a leader and three followers
        final HxbSocketChannel blocked = client.connect(SERVER, LIMIT);
        final HxbServerSocketChannel other = client.listen(0);
        final HxbSocketChannel reader = client.connect(SERVER, LIMIT);
        final HxbSocketChannel ender = client.connect(SERVER, LIMIT);
        ender.output().write(1);
        ender.shutdownOutput();
        final List<Callable<Object>> waits =
                List.of(
                        () -> blocked.write(ByteBuffer.allocate(1_000_000)),
                        other::accept,
                        () -> reader.read(ByteBuffer.allocate(1)),
                        () -> ender.awaitDelivery(0));
        final List<CompletableFuture<Throwable>> ends = new ArrayList<>();
        final List<Thread> threads = new ArrayList<>();
        for (final Callable<Object> wait : waits) {
            final CompletableFuture<Throwable> end = new CompletableFuture<>();
            final Thread thread =
                    inThread(() -> end.complete(assertThrows(Throwable.class, wait::call)));
            StreamNodes.await("a waiting thread", () -> isWaiting(thread));
            ends.add(end);
            threads.add(thread);
        }
        for (int i = 0; i < threads.size(); i++) {
            // when
            threads.get(i).interrupt();
            // then
            assertInstanceOf(
                    ClosedByInterruptException.class, ends.get(i).get(30, TimeUnit.SECONDS));
        }
        assertFalse(blocked.isOpen() || other.isOpen() || reader.isOpen() || ender.isOpen());
    }

    private static boolean isWaiting(final Thread thread) {
        return Stream.of(thread.getStackTrace())
                .map(StackTraceElement::getMethodName)
                .anyMatch(Set.of("sleep", "follow")::contains);
    }

    @Test
    void shouldConnectAllWhenMoreConnectThanTheBacklogHolds() throws Exception {
        // given
        final int count = 1_000;
        try (HxbServerSocketChannel narrow = nodes.streams(1).listen(0, 5);
                HxbSelector selector = HxbSelector.open(client)) {
            // when: all at once
            for (int i = 0; i < count; i++) {
                final HxbSocketChannel channel =
                        HxbSocketChannel.open(client).configureBlocking(false);
                assertFalse(channel.connect(narrow.localAddress()));
                selector.register(channel, SelectionKey.OP_CONNECT, i);
            }
            final CompletableFuture<Integer> accepting =
                    CompletableFuture.supplyAsync(() -> accept(narrow, count));
            int connected = 0;
            while (connected < count) {
                for (final HxbSelector.Key key : selector.select(LIMIT)) {
                    assertTrue(((HxbSocketChannel) key.channel()).finishConnect());
                    key.cancel();
                    connected++;
                }
            }
            // then
            assertEquals(count, accepting.get());
            assertTrue(narrow.streams().counters().refused() > 0, "the backlog was never full");
        }
    }

    private static int accept(final HxbServerSocketChannel from, final int count) {
        try {
            for (int i = 0; i < count; i++) {
                from.accept(LIMIT);
            }
            return count;
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void shouldReportWhyItHasNotConnectedWhenTheBacklogStaysFull() throws Exception {
        // given
        final HxbServerSocketChannel narrow = nodes.streams(1).listen(0, 1);
        client.connect(narrow.localAddress(), LIMIT);
        // when, then: a busy node may answer later than the first ends
        StreamNodes.await("the backlog as the reason", () -> isOfBacklog(narrow.localAddress()));
    }

    private boolean isOfBacklog(final HxbSocketAddress address) {
        return assertThrows(SocketTimeoutException.class, () -> client.connect(address, SECOND / 5))
                .getMessage()
                .contains("backlog");
    }
}
