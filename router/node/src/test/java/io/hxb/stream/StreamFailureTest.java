package io.hxb.stream;

import static io.hxb.stream.StreamNodes.LIMIT;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.FlowConfig;
import io.hxb.linux.Memory;
import io.hxb.pm.PmContext;
import io.hxb.pm.PmDevice;
import io.hxb.pm.PmStatus;
import io.hxb.pm.stream.HxbServerSocketChannel;
import io.hxb.pm.stream.HxbSocketAddress;
import io.hxb.pm.stream.HxbSocketChannel;
import io.hxb.pm.stream.HxbStreams;
import io.hxb.pm.stream.ResetReason;
import io.hxb.pm.stream.StreamResetException;
import io.hxb.pm.stream.wire.StreamRecord;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** Peers that vanish, restart or send nonsense, in each state of a stream. */
@Tag("system")
class StreamFailureTest {
    private static final int PORT = 80;
    private static final HxbSocketAddress SERVER = new HxbSocketAddress(1, PORT);

    /** How a node that is gone shows; which of them depends on what was under way. */
    private static final Set<ResetReason> LOST =
            Set.of(ResetReason.PEER_RESTARTED, ResetReason.PEER_UNREACHABLE);

    private StreamNodes nodes;

    @BeforeEach
    void start() throws Exception {
        nodes = new StreamNodes();
    }

    @AfterEach
    void close() {
        nodes.close();
    }

    private static ByteBuffer bytes(final int count) {
        return ByteBuffer.allocate(count);
    }

    private static StreamResetException resetOf(final HxbSocketChannel channel) {
        return assertThrows(StreamResetException.class, () -> channel.read(bytes(1)));
    }

    @Test
    void shouldResetAStreamWhoseReaderHasClosedIt() throws Exception {
        // given
        final HxbServerSocketChannel server = nodes.streams(1).listen(PORT);
        final HxbSocketChannel client = nodes.streams(0).connect(SERVER, LIMIT);
        final HxbSocketChannel accepted = server.accept();
        client.write(bytes(10));
        StreamNodes.await("bytes", () -> accepted.available() == 10);
        // when
        accepted.close();
        // then
        assertEquals(ResetReason.RESET_BY_PEER, resetOf(client).reason());
        assertEquals(1, client.streams().counters().resetsReceived());
    }

    @Test
    void shouldResetAWriterAfterThePeerHasClosed() throws Exception {
        // given
        final HxbServerSocketChannel server = nodes.streams(1).listen(PORT);
        final HxbSocketChannel client = nodes.streams(0).connect(SERVER, LIMIT);
        server.accept().close();
        // when
        assertEquals(-1, client.read(bytes(1)));
        client.write(bytes(1));
        // then
        StreamNodes.await("the reset", () -> !client.isConnected());
        final StreamResetException reset =
                assertThrows(StreamResetException.class, () -> client.write(bytes(1)));
        assertEquals(ResetReason.NO_SUCH_STREAM, reset.reason());
    }

    @Test
    void shouldResetBothSidesOnRequest() throws Exception {
        // given
        final HxbServerSocketChannel server = nodes.streams(1).listen(PORT);
        final HxbSocketChannel client = nodes.streams(0).connect(SERVER, LIMIT);
        final HxbSocketChannel accepted = server.accept();
        // when
        client.reset();
        // then
        assertEquals(ResetReason.RESET_BY_PEER, resetOf(accepted).reason());
        assertFalse(client.isOpen());
        assertEquals(0, client.streams().streamCount());
    }

    @Test
    void shouldResetStreamsOfAProcessThatEnds() throws Exception {
        // given
        final HxbServerSocketChannel server = nodes.streams(0).listen(PORT);
        final BarePeer peer = new BarePeer(nodes.device(1).openContext(3));
        peer.open(0, server.streams().contextId(), PORT);
        final HxbSocketChannel established = server.accept();
        peer.open(0, server.streams().contextId(), PORT);
        final HxbSocketChannel halfClosed = server.accept();
        peer.open(0, server.streams().contextId(), PORT);
        peer.send(StreamRecord.END, 0, 0);
        final HxbSocketChannel ended = server.accept();
        halfClosed.shutdownOutput();
        StreamNodes.await("the end", ended::isInputShutdown);
        // when
        peer.close();
        // then
        assertEquals(ResetReason.PEER_RESTARTED, resetOf(established).reason());
        assertEquals(ResetReason.PEER_RESTARTED, resetOf(halfClosed).reason());
        assertEquals(-1, ended.read(bytes(1)), "it had ended before");
        assertThrows(StreamResetException.class, () -> ended.write(bytes(1)));
        assertEquals(1, server.streams().counters().peersLost());
    }

    @Test
    void shouldReportAPeerThatVanishedBeforeItsStreamsWereAcceptedOrRead() throws Exception {
        // given
        final HxbServerSocketChannel server = nodes.streams(0).listen(PORT);
        final BarePeer peer = new BarePeer(nodes.device(1).openContext(3));
        peer.open(0, server.streams().contextId(), PORT);
        peer.send(StreamRecord.DATA, 0, 10);
        final HxbSocketChannel unread = server.accept();
        StreamNodes.await("bytes", () -> unread.available() == 10);
        peer.open(0, server.streams().contextId(), PORT);
        // when
        peer.close();
        StreamNodes.await("the end of both", () -> server.streams().streamCount() == 0);
        // then
        assertTrue(LOST.contains(resetOf(server.accept()).reason()), "it waited in the backlog");
        assertEquals(10, unread.read(bytes(20)), "what had arrived");
        assertTrue(LOST.contains(resetOf(unread).reason()));
        assertEquals(1, server.streams().counters().peersLost());
    }

    @Test
    void shouldWakeAWriterWhosePeerVanishesWithoutGrantingMore() throws Exception {
        // given
        final HxbServerSocketChannel server = nodes.streams(0).listen(PORT);
        final BarePeer peer = new BarePeer(nodes.device(1).openContext(3));
        peer.open(0, server.streams().contextId(), PORT);
        final HxbSocketChannel accepted = server.accept();
        final FutureTask<Integer> writing = new FutureTask<>(() -> accepted.write(bytes(5_000)));
        Thread.ofPlatform().daemon().start(writing);
        StreamNodes.await(
                "what the peer has granted",
                () -> server.streams().counters().bytesSent() == BarePeer.WINDOW);
        // when
        peer.close();
        // then
        final ExecutionException thrown =
                assertThrows(
                        ExecutionException.class,
                        () -> writing.get(StreamNodes.LIMIT, TimeUnit.NANOSECONDS));
        assertTrue(
                thrown.getCause() instanceof final StreamResetException reset
                        && LOST.contains(reset.reason()),
                thrown::toString);
        assertEquals(0, server.streams().streamCount());
    }

    @Test
    void shouldFailToConnectToAPeerThatVanishesMeanwhile() throws Exception {
        // given
        final BarePeer peer = new BarePeer(nodes.device(1).openContext(3));
        peer.listen(1, PORT);
        final HxbStreams streams = nodes.streams(0);
        final HxbSocketChannel client = HxbSocketChannel.open(streams).configureBlocking(false);
        client.connect(SERVER);
        peer.await(StreamRecord.OPEN);
        final HxbSocketChannel other = HxbSocketChannel.open(streams);
        assertThrows(
                SocketTimeoutException.class,
                () -> other.connect(SERVER, StreamNodes.SECOND / 100),
                "it does not answer");
        // when
        peer.close();
        // then
        assertThrows(ConnectException.class, () -> client.configureBlocking(true).finishConnect());
        assertThrows(ConnectException.class, () -> streams.connect(SERVER, LIMIT));
        assertEquals(0, streams.streamCount());
    }

    @Test
    void shouldResetStreamsOfANodeThatIsStartedAnew() throws Exception {
        // given
        final HxbServerSocketChannel server = nodes.streams(0).listen(PORT);
        final BarePeer peer = new BarePeer(nodes.device(1).openContext(3));
        peer.open(0, server.streams().contextId(), PORT);
        final HxbSocketChannel accepted = server.accept();
        // when
        nodes.stopNode(1);
        nodes.startNode(1);
        nodes.awaitNeighbours();
        // then
        assertTrue(LOST.contains(resetOf(accepted).reason()));
        nodes.streams(1).listen(PORT);
        assertTrue(server.streams().connect(SERVER, LIMIT).isConnected());
    }

    @Test
    void shouldFailWhenThePeersNodeIsGone() throws Exception {
        // given
        final HxbStreams streams = nodes.streams(0);
        final HxbServerSocketChannel server = streams.listen(PORT);
        final BarePeer peer = new BarePeer(nodes.device(1).openContext(3));
        peer.open(0, streams.contextId(), PORT);
        final HxbSocketChannel accepted = server.accept();
        // when
        nodes.stopNode(1);
        // then
        assertThrows(NoRouteToHostException.class, () -> streams.connect(SERVER, LIMIT));
        assertTrue(LOST.contains(resetOf(accepted).reason()));
        nodes.startNode(1);
        nodes.awaitNeighbours();
        nodes.streams(1).listen(PORT);
        assertTrue(streams.connect(SERVER, LIMIT).isConnected(), "it is back");
    }

    @Test
    void shouldReachANodeThatIsBackWhateverIsStillReportedOfItsEnd() throws Exception {
        // given: peers that are given up soon
        final FlowConfig hasty =
                FlowConfig.DEFAULT.withMaxRetransmitNs(20_000_000).withPeerTimeoutNs(100_000_000);
        try (StreamNodes own = new StreamNodes(null, link -> link, hasty)) {
            final HxbStreams streams = own.streams(0);
            for (int round = 0; round < 20; round++) {
                // when
                own.stopNode(1);
                assertThrows(NoRouteToHostException.class, () -> streams.connect(SERVER, LIMIT));
                own.startNode(1);
                own.awaitNeighbours();
                // then: it is not unreachable, and answers that nobody listens
                String answer = "";
                while (!answer.contains("refused")) {
                    answer =
                            assertThrows(
                                            ConnectException.class,
                                            () -> streams.connect(SERVER, LIMIT))
                                    .getMessage();
                }
            }
        }
    }

    @Test
    void shouldCountAndSurviveNonsense() throws Exception {
        // given
        final HxbServerSocketChannel server = nodes.streams(1).listen(PORT);
        final HxbSocketChannel client = nodes.streams(0).connect(SERVER, LIMIT);
        final HxbSocketChannel accepted = server.accept();
        final int target = server.streams().contextId();
        final PmDevice device = nodes.device(0);
        final PmContext forger = device.openContext(3);
        final long seed = System.nanoTime();
        System.out.println("nonsense from seed " + seed);
        final Random random = new Random(seed);
        // when
        for (int i = 0; i < 5_000; i++) {
            send(forger, target, random);
        }
        // then
        client.write(bytes(1));
        assertEquals(1, accepted.read(bytes(2)), "the stream beside is untouched");
        StreamNodes.await("counts", () -> server.streams().counters().malformed() > 100);
        StreamNodes.await("counts", () -> server.streams().counters().unknownStream() > 100);
        assertEquals(0, server.streams().counters().protocolErrors());
    }

    private static void send(final PmContext forger, final int target, final Random random)
            throws IOException {
        final int length = random.nextInt(64);
        int slot = forger.claim(1, target, length);
        while (slot == PmStatus.NO_BUFFERS) {
            forger.awaitSends(StreamNodes.SECOND);
            slot = forger.claim(1, target, length);
        }
        if (slot < 0) {
            throw new IOException(PmStatus.name(slot));
        }
        final long address = forger.sendAddress(slot);
        for (int i = 0; i < length; i++) {
            Memory.putByte(address + i, random.nextInt(4) == 0 ? random.nextInt(256) : 0);
        }
        final boolean isRecord = random.nextBoolean();
        forger.send(
                slot, length, isRecord ? StreamRecord.tag(random.nextInt(10)) : random.nextInt());
    }

    @Test
    void shouldResetAStreamWhenBytesAreMissing() throws Exception {
        // given
        final HxbStreams serving = nodes.streams(1);
        final HxbServerSocketChannel server = serving.listen(PORT);
        final BarePeer peer = new BarePeer(nodes.device(0).openContext(3));
        peer.open(1, serving.contextId(), PORT);
        final HxbSocketChannel accepted = server.accept();
        // when
        peer.send(StreamRecord.DATA, 5, 1);
        // then
        assertEquals(ResetReason.PROTOCOL_ERROR, resetOf(accepted).reason());
        assertEquals(1, serving.counters().protocolErrors());
        peer.await(StreamRecord.RESET);
    }

    @Test
    void shouldResetAStreamWhosePeerSendsMoreThanWasGranted() throws Exception {
        // given
        final HxbStreams serving = nodes.streams(1, StreamNodes.OPTIONS.withWindowBytes(1024));
        final HxbServerSocketChannel server = serving.listen(PORT);
        final BarePeer peer = new BarePeer(nodes.device(0).openContext(3));
        peer.open(1, serving.contextId(), PORT);
        // when
        peer.send(StreamRecord.DATA, 0, 1000);
        peer.send(StreamRecord.DATA, 1000, 25);
        // then
        peer.await(StreamRecord.RESET);
        final HxbSocketChannel accepted = server.accept();
        assertEquals(1000, accepted.read(bytes(2000)), "what was in order");
        assertEquals(ResetReason.PROTOCOL_ERROR, resetOf(accepted).reason());
    }
}
