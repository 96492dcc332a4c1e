package io.hxb.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.session.ClusterKey;
import io.hxb.session.KeyRing;
import io.hxb.testing.TestNamespaces;
import io.hxb.vlan.RememberingTagger;
import io.netty.buffer.Unpooled;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * Programs that come over TCP, with a key, another or none, and what others make of their words.
 */
@Tag("unit")
class ManagerKeyTest {
    private static final InetSocketAddress HERE =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final ClusterKey KEY = key(1);
    private static final ClusterKey OLD_KEY = key(2);

    private final RememberingTagger tagger = new RememberingTagger();
    private HostManager manager;
    private ManagerServer server;
    private InetSocketAddress address;

    private static ClusterKey key(final int seed) {
        final byte[] secret = new byte[ClusterKey.LENGTH];
        secret[0] = (byte) seed;
        return new ClusterKey(secret);
    }

    @BeforeEach
    void start() throws IOException {
        manager = TestManager.of(TestManager.table(3), tagger);
        server = new ManagerServer(manager, KeyRing.of(KEY, OLD_KEY), 0);
        address = server.listen(HERE);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void shouldLetThoseWithAKeyChangePathsAndOthersOfThisMachineReadThem() throws IOException {
        for (final ClusterKey key : List.of(KEY, OLD_KEY)) {
            try (ManagerClient client = ManagerClient.connect(address, key)) {
                for (int i = 0; i < 100; i++) {
                    client.request(ManagerOperation.SET).peerHost(1).vid(11 + i % 2);
                    assertEquals(Status.OK.code(), client.exchange().status());
                }
                assertEquals(12, tagger.vid(1));
            }
        }
        try (ManagerClient client = ManagerClient.connect(address, null)) {
            client.request(ManagerOperation.GET).peerHost(1);
            assertEquals(Status.OK.code(), client.exchange().status());
            client.request(ManagerOperation.SET).peerHost(1).vid(12);
            assertEquals(Status.NOT_ALLOWED.code(), client.exchange().status());
        }
    }

    @Test
    void shouldNotifyNodesWithAnotherKey() {
        final IOException e =
                assertThrows(IOException.class, () -> ManagerClient.connect(address, key(3)));
        assertTrue(e.getMessage().contains("another key"), e.getMessage());
    }

    private static int descriptors() {
        return new File("/proc/self/fd").list().length;
    }

    /** Management servers try again and again. */
    @Test
    void shouldLeaveNoDescriptorBehindWhenAKeyIsRefused() {
        assertThrows(IOException.class, () -> ManagerClient.connect(address, key(3)));
        final int before = descriptors();
        for (int i = 0; i < 50; i++) {
            assertThrows(IOException.class, () -> ManagerClient.connect(address, key(3)));
        }
        // The server closes its ends in its own time.
        TestNamespaces.await(
                () -> before + " descriptors have become " + descriptors(),
                () -> descriptors() < before + 20);
    }

    @Test
    void shouldBeOpenToOtherMachinesOnlyWithAKey() throws IOException {
        try (ManagerServer open =
                new ManagerServer(
                        TestManager.of(TestManager.table(3), new RememberingTagger()),
                        KeyRing.NONE,
                        0)) {
            final IOException e =
                    assertThrows(
                            IOException.class,
                            () -> open.listen(new InetSocketAddress("0.0.0.0", 0)));
            assertTrue(e.getMessage().contains("only with the key"), e.getMessage());
        }
    }

    /** What a program with the key sends: AUTHENTICATE, then two changes, each sealed. */
    private static List<byte[]> recorded(final InetSocketAddress place) throws IOException {
        final List<byte[]> recording = new ArrayList<>();
        try (SocketChannel listener = SocketChannel.open(place)) {
            final byte[] nonce = new byte[ManagerMessage.PEER_LENGTH];
            recording.add(message(ManagerOperation.AUTHENTICATE, 1, null));
            final ByteBuffer hello = ByteBuffer.wrap(recording.getFirst());
            listener.write(hello);
            final ByteBuffer answer = read(listener, ManagerMessage.LENGTH);
            final byte[] theirs =
                    new ManagerMessage().wrap(Unpooled.wrappedBuffer(answer), 0).peerBytes();
            final MessageSeal seal = MessageSeal.of(KEY, nonce, theirs)[0];
            for (int i = 0; i < 2; i++) {
                recording.add(message(ManagerOperation.SET, 2 + i, seal));
            }
            for (final byte[] message : recording.subList(1, 3)) {
                listener.write(ByteBuffer.wrap(message));
                read(listener, MessageSeal.SEALED_LENGTH);
            }
        }
        return recording;
    }

    private static byte[] message(
            final ManagerOperation operation, final int tag, final MessageSeal seal) {
        final byte[] bytes =
                new byte[seal == null ? ManagerMessage.LENGTH : MessageSeal.SEALED_LENGTH];
        final var buffer = Unpooled.wrappedBuffer(bytes);
        final ManagerMessage message =
                new ManagerMessage().wrap(buffer, 0).clear(operation.code()).tag(tag);
        if (seal == null) {
            message.index(KEY.id());
        } else {
            message.peerHost(1).vid(12);
            seal.write(message, buffer, ManagerMessage.LENGTH);
        }
        return bytes;
    }

    private static ByteBuffer read(final SocketChannel channel, final int bytes)
            throws IOException {
        final ByteBuffer buffer = ByteBuffer.allocate(bytes);
        int read = 0;
        while (buffer.hasRemaining() && read >= 0) {
            read = channel.read(buffer);
        }
        return buffer.flip();
    }

    @Test
    void shouldIgnoreWhatWasRecorded() throws IOException {
        // given
        final List<byte[]> recording = recorded(address);
        TestNamespaces.await("its changes are undone", () -> tagger.vid(1) == 11);
        final long changes = manager.changes();
        // when: all of it is replayed
        try (SocketChannel channel = SocketChannel.open(address)) {
            final ByteBuffer all = ByteBuffer.allocate(1_000);
            recording.forEach(all::put);
            channel.write(all.flip());
            read(channel, ManagerMessage.LENGTH);
            // then
            assertEquals(0, read(channel, 1).remaining(), "the connection ends without an answer");
        }
        assertEquals(1, manager.counts().value(ManagerCount.BROKEN_SEALS));
        assertEquals(changes, manager.changes());
        assertEquals(11, tagger.vid(1));
    }

    @Test
    void shouldEndConnectionsWhoseMessagesAreChangedRepeatedOrLeftOut() throws IOException {
        for (int way = 0; way < 3; way++) {
            try (SocketChannel channel = SocketChannel.open(address)) {
                // given
                channel.write(ByteBuffer.wrap(message(ManagerOperation.AUTHENTICATE, 1, null)));
                final byte[] theirs =
                        new ManagerMessage()
                                .wrap(Unpooled.wrappedBuffer(read(channel, 64)), 0)
                                .peerBytes();
                final MessageSeal seal = MessageSeal.of(KEY, new byte[16], theirs)[0];
                final byte[] first = message(ManagerOperation.SET, 2, seal);
                final byte[] second = message(ManagerOperation.SET, 3, seal);
                // when
                if (way == 0) {
                    first[16] ^= 7;
                    channel.write(ByteBuffer.wrap(first));
                } else if (way == 1) {
                    channel.write(ByteBuffer.wrap(first));
                    assertEquals(80, read(channel, 80).remaining());
                    channel.write(ByteBuffer.wrap(first));
                } else {
                    channel.write(ByteBuffer.wrap(second));
                }
                // then
                assertEquals(0, read(channel, 1).remaining(), "way " + way);
            }
            assertEquals(1 + way, manager.counts().value(ManagerCount.BROKEN_SEALS));
        }
        TestNamespaces.await("what was set is undone", () -> tagger.vid(1) == 11);
    }

    @Test
    void shouldFindPlaceForThoseWithAKeyInAFloodOfOthers() throws IOException {
        // given
        final List<SocketChannel> flood = new ArrayList<>();
        try {
            for (int i = 0; i < 3 * UnknownSenders.MAX; i++) {
                flood.add(SocketChannel.open(address));
            }
            // when
            try (ManagerClient client = ManagerClient.connect(address, KEY)) {
                client.request(ManagerOperation.SET).peerHost(1).vid(12);
                // then
                assertEquals(Status.OK.code(), client.exchange().status());
            }
            assertNotEquals(0, manager.counts().value(ManagerCount.DROPPED_STRANGERS));
        } finally {
            for (final SocketChannel channel : flood) {
                channel.close();
            }
        }
    }
}
