package io.hxb.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.session.KeyRing;
import io.hxb.testing.TestNamespaces;
import io.hxb.vlan.RememberingTagger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

@Tag("unit")
class ManagerServerTest {
    @TempDir private Path folder;

    private final RememberingTagger tagger = new RememberingTagger();
    private ManagerServer server;
    private Path socket;

    @BeforeEach
    void start() throws IOException {
        server = new ManagerServer(TestManager.of(TestManager.table(3), tagger), KeyRing.NONE, 0);
        socket = folder.resolve("manager.sock");
        server.listen(socket, uid -> true);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void shouldUndoWhatAProgramSetWhenItIsGone() throws IOException {
        try (ManagerClient client = ManagerClient.connect(socket)) {
            client.request(ManagerOperation.SET).peerHost(1).vid(12);
            assertEquals(Status.OK.code(), client.exchange().status());
            assertEquals(12, tagger.vid(1));
        }
        TestNamespaces.await("the path is as before", () -> tagger.vid(1) == 11);
    }

    @Test
    void shouldListenAgainWhereItsSocketWasRemoved() throws IOException {
        try (ManagerClient before = ManagerClient.connect(socket)) {
            // when
            Files.delete(socket);
            // then
            TestNamespaces.await("a manager listens there", () -> isThere(socket));
            before.request(ManagerOperation.SET).peerHost(1).vid(12);
            assertEquals(Status.OK.code(), before.exchange().status());
        }
        server.close();
        assertFalse(Files.exists(socket));
    }

    private static boolean isThere(final Path socket) {
        try {
            ManagerClient.connect(socket).close();
            return true;
        } catch (final IOException e) {
            return false;
        }
    }

    @Test
    void shouldAnswerRequestsThatComeInPiecesAndTogether() throws IOException {
        // given: a hundred requests in one piece, cut where it hurts
        final int requests = 100;
        final ByteBuffer all = ByteBuffer.allocate(requests * ManagerMessage.LENGTH);
        final ManagerMessage message = new ManagerMessage();
        for (int i = 0; i < requests; i++) {
            message.wrap(io.netty.buffer.Unpooled.wrappedBuffer(all), i * ManagerMessage.LENGTH)
                    .clear(ManagerOperation.SET.code())
                    .tag(i)
                    .peerHost(1 + i % 2)
                    .vid(11 + i / 2 % 2);
        }
        all.clear();
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            // when
            for (int cut = 37; all.hasRemaining(); cut = cut * 7 % 1000 + 1) {
                final ByteBuffer piece = all.slice(all.position(), Math.min(cut, all.remaining()));
                all.position(all.position() + piece.remaining());
                while (piece.hasRemaining()) {
                    channel.write(piece);
                }
            }
            // then
            final ByteBuffer replies = ByteBuffer.allocate(requests * ManagerMessage.LENGTH);
            while (replies.hasRemaining()) {
                channel.read(replies);
            }
            replies.clear();
            for (int i = 0; i < requests; i++) {
                message.wrap(
                        io.netty.buffer.Unpooled.wrappedBuffer(replies), i * ManagerMessage.LENGTH);
                assertEquals(i, message.tag());
                assertEquals(Status.OK.code(), message.status());
                assertEquals(11 + i / 2 % 2, message.vid());
                assertEquals(i + 2, message.number());
            }
        }
    }

    @Test
    void shouldNotKeepRepliesForAProgramThatDoesNotReadThem() throws IOException {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            channel.configureBlocking(false);
            final ByteBuffer request = ByteBuffer.allocate(ManagerMessage.LENGTH);
            request.put(0, (byte) 1).put(1, (byte) ManagerOperation.HELLO.code());
            long sent = 0;
            int refusals = 0;
            while (refusals < 50 && sent < 1L << 26) {
                request.clear();
                final int written = channel.write(request);
                sent += written;
                refusals = written == 0 ? refusals + 1 : 0;
                if (written == 0) {
                    java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
                }
            }
            assertEquals(50, refusals, "the manager stopped reading, after " + sent + " bytes");
            // others are served
            try (ManagerClient client = ManagerClient.connect(socket)) {
                client.request(ManagerOperation.HELLO);
                assertEquals(3, client.exchange().value(1));
            }
        }
    }

    @Test
    void shouldReplaceTheSocketOfADeadManagerAndNoOther() throws IOException {
        // given: another one listens here
        try (ManagerServer other = other()) {
            final IOException e =
                    assertThrows(IOException.class, () -> other.listen(socket, uid -> true));
            assertTrue(e.getMessage().contains("listens on"), e.getMessage());
            // when: a socket is left that nobody listens on
            final Path left = folder.resolve("left.sock");
            ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                    .bind(UnixDomainSocketAddress.of(left))
                    .close();
            other.listen(left, uid -> true);
            // then
            ManagerClient.connect(left).close();
            final Path file = Files.createFile(folder.resolve("file"));
            assertThrows(IOException.class, () -> other.listen(file, uid -> true));
        }
        assertFalse(Files.exists(folder.resolve("left.sock")));
    }

    private ManagerServer other() throws IOException {
        return new ManagerServer(
                TestManager.of(TestManager.table(3), new RememberingTagger()), KeyRing.NONE, 0);
    }

    @Test
    void shouldAnswerManyRequestsOfOneClientInOrder() throws IOException {
        try (ManagerClient client = ManagerClient.connect(socket)) {
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < ManagerClient.MAX_UNANSWERED; i++) {
                    client.request(ManagerOperation.HOST).index(i % 3);
                    client.post();
                }
                assertThrows(
                        IllegalStateException.class, () -> client.request(ManagerOperation.HELLO));
                for (int i = 0; i < ManagerClient.MAX_UNANSWERED; i++) {
                    assertEquals("h" + i % 3, client.receive().hostName());
                }
            }
        }
    }

    @Test
    void shouldNotifyWatchersOfChanges() throws IOException {
        try (ManagerClient watcher = ManagerClient.connect(socket);
                ManagerClient client = ManagerClient.connect(socket)) {
            // given
            watcher.request(ManagerOperation.WATCH);
            assertEquals(1, watcher.exchange().number());
            assertEquals(0, watcher.awaitChange(1_000_000));
            // when
            client.request(ManagerOperation.SET).peerHost(1).vid(12);
            client.exchange();
            // then
            assertEquals(2, watcher.awaitChange(TimeUnit.SECONDS.toNanos(30)));
            // when: news and answers come mixed
            client.request(ManagerOperation.SET).peerHost(1).vid(11);
            client.exchange();
            watcher.request(ManagerOperation.GET).peerHost(1);
            assertEquals(11, watcher.exchange().vid());
            assertEquals(3, watcher.awaitChange(TimeUnit.SECONDS.toNanos(30)));
        }
    }

    @Test
    void shouldLetReadersReadOnly() throws IOException {
        try (ManagerServer other = other()) {
            final Path place = folder.resolve("other.sock");
            other.listen(place, uid -> false);
            try (ManagerClient client = ManagerClient.connect(place)) {
                client.request(ManagerOperation.SET).peerHost(1).vid(12);
                assertEquals(Status.NOT_ALLOWED.code(), client.exchange().status());
                client.request(ManagerOperation.GET).peerHost(1);
                assertEquals(11, client.exchange().vid());
            }
        }
    }

    @Test
    void shouldReportThatNobodyListens() {
        final IOException e =
                assertThrows(
                        IOException.class, () -> ManagerClient.connect(folder.resolve("other")));
        assertEquals(true, e.getMessage().contains("no manager answers at"), e.getMessage());
    }
}
