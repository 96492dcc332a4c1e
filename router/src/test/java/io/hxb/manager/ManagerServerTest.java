package io.hxb.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.hxb.testing.TestNamespaces;
import io.hxb.vlan.HostPaths;
import io.hxb.vlan.HostRow;
import io.hxb.vlan.RememberingTagger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Map;

class ManagerServerTest {
    private static final int[] PLAN = {11, 12};

    @TempDir private Path folder;

    private final RememberingTagger tagger = new RememberingTagger();
    private ManagerServer server;
    private Path socket;

    @BeforeEach
    void start() throws IOException {
        final List<HostRow> rows =
                List.of(
                        new HostRow("a", 0x02_0000_0000_01L, 11, 0),
                        new HostRow("b", 0x02_0000_0000_02L, 12, 1),
                        new HostRow("c", 0x02_0000_0000_03L, 11, 2));
        final BitSet plan = new BitSet();
        plan.set(11, 13);
        final HostPaths paths = HostPaths.of(rows, 0, plan, tagger);
        final PathStore store =
                new PathStore() {
                    @Override
                    public Map<Long, Integer> load() {
                        return Map.of();
                    }

                    @Override
                    public void save(final Map<Long, Integer> vidOfMac) {}
                };
        final Surroundings surroundings =
                new Surroundings() {
                    @Override
                    public long macOf(final byte[] address) {
                        return 0;
                    }

                    @Override
                    public List<NicState> nics() {
                        return List.of();
                    }
                };
        server =
                new ManagerServer(
                        new HostManager(rows.getFirst().mac(), paths, PLAN, tagger, store,
                                surroundings));
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
            client.request(Operation.SET).peerHost(1).vid(12);
            assertEquals(Status.OK.code(), client.exchange().status());
            assertEquals(12, tagger.vid(1));
        }
        TestNamespaces.await("the path is as before", () -> tagger.vid(1) == 11);
    }

    @Test
    void shouldAnswerRequestsThatComeInPiecesAndTogether() throws IOException {
        // given: a hundred requests in one piece, cut where it hurts
        final int requests = 100;
        final ByteBuffer all = ByteBuffer.allocate(requests * ManagerMessage.LENGTH);
        final ManagerMessage message = new ManagerMessage();
        for (int i = 0; i < requests; i++) {
            message.wrap(io.netty.buffer.Unpooled.wrappedBuffer(all), i * ManagerMessage.LENGTH)
                    .clear(Operation.SET.code())
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
                        io.netty.buffer.Unpooled.wrappedBuffer(replies),
                        i * ManagerMessage.LENGTH);
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
            request.put(0, (byte) 1).put(1, (byte) Operation.HELLO.code());
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
                client.request(Operation.HELLO);
                assertEquals(3, client.exchange().value(1));
            }
        }
    }

    @Test
    void shouldSayThatNobodyListens() {
        final IOException e =
                assertThrows(
                        IOException.class, () -> ManagerClient.connect(folder.resolve("other")));
        assertEquals(true, e.getMessage().contains("no manager answers at"), e.getMessage());
    }
}
