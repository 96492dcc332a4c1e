package io.hxb.vlan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.Descriptors;
import io.hxb.linux.Errno;
import io.hxb.linux.Linux;
import io.hxb.linux.LinuxException;
import io.hxb.os.MessageVector;
import io.hxb.os.NetworkNamespace;
import io.hxb.os.PacketSocket;
import io.hxb.os.Sockets;
import io.hxb.testing.FrameTap;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32C;

/** Two hosts, a veth pair, and a TAP device before the NIC of one of them. */
@Tag("system")
class TapTaggerSystemTest {
    private static final int[] PLAN = {11, 12, 13};
    private static final int PEERS = 8;
    private static final long OWN_MAC = 0x0200_0000_0001L;
    private static final long PEER_MAC = 0x0200_0000_0002L;
    private static final long UNKNOWN_MAC = 0x0200_0000_0009L;
    private static final long BROADCAST = 0xFFFF_FFFF_FFFFL;
    private static final long BRIDGES = 0x0180_C200_000EL;
    private static final int MTU = 1500;
    private static final int BYTES = 8_000_000;

    private TestNamespaces namespaces;
    private String near;
    private String far;
    private int ifindex;
    private String device;
    private final List<AutoCloseable> resources = new ArrayList<>();

    @BeforeEach
    void makeHosts() {
        TestNamespaces.assumeRoot();
        namespaces = new TestNamespaces();
        near = namespaces.add("near");
        far = namespaces.add("far");
        namespaces.veth(near, "eth0", far, "eth0", MTU);
        TestNamespaces.ipIn(
                near,
                "link set eth0 address 02:00:00:00:00:01",
                "addr add 10.9.0.1/24 dev eth0",
                "addr add fd00:9::1/64 dev eth0 nodad");
        TestNamespaces.ipIn(
                far,
                "link set eth0 address 02:00:00:00:00:02",
                "addr add 10.9.0.2/24 dev eth0",
                "addr add fd00:9::2/64 dev eth0 nodad");
        ifindex = TestNamespaces.info(near, "eth0").ifindex();
        device = TapTagger.deviceName(ifindex);
    }

    @AfterEach
    void removeHosts() throws Exception {
        for (final AutoCloseable resource : resources.reversed()) {
            resource.close();
        }
        if (namespaces != null) {
            namespaces.close();
        }
    }

    private TapTagger tagger() throws IOException {
        final TapTagger tagger = TapTagger.create(PLAN, PEERS);
        resources.add(tagger);
        attach(tagger);
        return tagger;
    }

    private void attach(final TapTagger tagger) throws IOException {
        NetworkNamespace.run(
                near,
                () -> {
                    tagger.attach(0, ifindex);
                    return null;
                });
    }

    private void follow(final TapTagger tagger) {
        try {
            NetworkNamespace.run(
                    near,
                    () -> {
                        tagger.follow();
                        return null;
                    });
        } catch (final IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** The peer tags in the kernel, as it has the rights. */
    private KernelTagger peer() throws IOException {
        final KernelTagger peer = KernelTagger.load(PLAN, PEERS);
        resources.add(peer);
        NetworkNamespace.run(
                far,
                () -> {
                    peer.attach(0, TestNamespaces.info(far, "eth0").ifindex());
                    return null;
                });
        return peer;
    }

    private void setPaths(final Tagger near, final Tagger far) throws LinuxException {
        near.path(Tagger.OTHERS, 11);
        near.commit();
        near.name(1, PEER_MAC, 13);
        far.path(Tagger.OTHERS, 12);
        far.commit();
        far.name(0, OWN_MAC, 13);
    }

    private FrameTap tap(final String namespace, final String nic) throws IOException {
        final FrameTap tap = FrameTap.open(namespace, List.of(nic)).getFirst();
        resources.add(tap);
        return tap;
    }

    private static int vidOnTheWire(final FrameTap from, final FrameTap to, final long mac) {
        to.receive();
        from.send(OWN_MAC, mac, FrameTap.NO_TAG, 1, 2);
        return awaitOne(to).vid();
    }

    private static FrameTap.Seen awaitOne(final FrameTap to) {
        final List<FrameTap.Seen> seen = new ArrayList<>();
        TestNamespaces.await(
                "a frame has arrived",
                () -> {
                    seen.addAll(to.receive());
                    return !seen.isEmpty();
                });
        assertEquals(1, seen.size(), seen::toString);
        return seen.getFirst();
    }

    @Test
    void shouldTagByDestination() throws IOException {
        // given
        final TapTagger tagger = tagger();
        final FrameTap from = tap(near, device);
        final FrameTap to = tap(far, "eth0");
        tagger.name(1, PEER_MAC, Tagger.UNTAGGED);
        assertEquals(FrameTap.NO_TAG, vidOnTheWire(from, to, PEER_MAC), "no path yet");
        // when
        final long others = tagger.traffic(11).sentFrames();
        tagger.path(Tagger.OTHERS, 11);
        tagger.path(1, 12);
        assertEquals(FrameTap.NO_TAG, vidOnTheWire(from, to, PEER_MAC), "not before the commit");
        tagger.commit();
        // then
        assertEquals(12, vidOnTheWire(from, to, PEER_MAC));
        assertEquals(11, vidOnTheWire(from, to, UNKNOWN_MAC));
        assertEquals(11, vidOnTheWire(from, to, BROADCAST));
        assertEquals(FrameTap.NO_TAG, vidOnTheWire(from, to, BRIDGES), "for the next bridge only");
        assertEquals(3, tagger.sentFrames(1));
        assertEquals(1, tagger.traffic(12).sentFrames());
        assertTrue(tagger.traffic(11).sentFrames() >= others + 2, "besides what IPv6 asks");
        assertEquals(0, tagger.traffic(13).sentFrames());
        // when: a frame has a tag already
        from.send(OWN_MAC, PEER_MAC, 77, 1, 2);
        // then
        assertEquals(77, awaitOne(to).vid());
        // when
        tagger.forget(1);
        // then
        assertEquals(11, vidOnTheWire(from, to, PEER_MAC));
    }

    @Test
    void shouldTakeTheTagsOfThePlanOffAndLeaveTheRestToTheKernel() throws IOException {
        // given
        final TapTagger tagger = tagger();
        final FrameTap peer = tap(far, "eth0");
        final FrameTap programs = tap(near, device);
        tagger.name(1, PEER_MAC, 12);
        assertEquals(Tagger.UNTAGGED, tagger.heardVid(1));
        // when
        peer.send(PEER_MAC, OWN_MAC, 13, 1, 2);
        // then
        assertEquals(new FrameTap.Seen(FrameTap.NO_TAG, 1, 2), awaitOne(programs));
        assertEquals(13, tagger.heardVid(1));
        assertEquals(1, tagger.traffic(13).receivedFrames());
        // when: a tag of another plan, no tag, and frames to another host, which are flooded
        peer.send(PEER_MAC, OWN_MAC, 77, 3, 4);
        peer.send(PEER_MAC, OWN_MAC, FrameTap.NO_TAG, 5, 6);
        peer.send(PEER_MAC, UNKNOWN_MAC, 12, 7, 8);
        peer.send(PEER_MAC, BROADCAST, 11, 9, 10);
        // then: only the broadcast comes in, and it does not count for the pair
        assertEquals(new FrameTap.Seen(FrameTap.NO_TAG, 9, 10), awaitOne(programs));
        assertEquals(13, tagger.heardVid(1));
        assertEquals(1, tagger.traffic(12).receivedFrames(), "flooded frames are counted");
        for (final TagDrop reason : TagDrop.values()) {
            assertEquals(0, tagger.drops(reason), reason::toString);
        }
    }

    @Test
    void shouldCarryTcpBothWaysWithSuperPacketsInOnePiece() throws Exception {
        // given
        final TapTagger tagger = tagger();
        final KernelTagger peer = peer();
        setPaths(tagger, peer);
        final int longest;
        try (Longest frames = new Longest(far)) {
            // when
            for (final String network : List.of("10.9.0.", "fd00:9::")) {
                assertEquals(checksum(), transfer(near, far, network + "2"), network);
                assertEquals(checksum(), transfer(far, near, network + "1"), network);
            }
            longest = frames.read();
        }
        // then
        assertTrue(longest > 4 * MTU, "the largest frame had " + longest + " bytes");
        final Tagger.VidTraffic sent = tagger.traffic(13);
        assertTrue(sent.sentBytes() > 2 * BYTES, sent::toString);
        assertTrue(sent.sentFrames() >= 2 * BYTES / MTU, "counted as cut: " + sent);
        assertTrue(sent.sentBytes() / sent.sentFrames() <= MTU + 14, "counted as cut: " + sent);
        // The last acknowledgements may still be on their way.
        TestNamespaces.await(
                () -> "all is for host 1: " + tagger.traffic(13) + tagger.sentBytes(1),
                () -> tagger.traffic(13).sentBytes() == tagger.sentBytes(1));
        assertEquals(13, tagger.heardVid(1));
        assertEquals(13, peer.heardVid(0));
        assertTrue(sent.sentBytes() < 2 * BYTES * 12 / 10, sent::toString);
        TestNamespaces.await(
                () -> "both ways count the same: " + tagger.traffic(13) + peer.traffic(13),
                () ->
                        tagger.traffic(13).receivedBytes() == peer.traffic(13).sentBytes()
                                && tagger.traffic(13).receivedFrames()
                                        == peer.traffic(13).sentFrames());
        assertEquals(0, tagger.drops(TagDrop.TOO_LONG));
        assertEquals(0, tagger.drops(TagDrop.REFUSED));
    }

    /** How long frames are that arrive at a NIC, before anybody cuts them. */
    private static final class Longest implements AutoCloseable {
        private static final int LENGTH = 70_000;
        private static final int BATCH = 16;

        private final int socket;
        private final MessageVector messages =
                new MessageVector(BATCH, 1, 0, PacketSocket.TAG_CONTROL_LENGTH);
        private final Arena arena = Arena.ofConfined();

        Longest(final String namespace) throws IOException {
            final long memory = arena.allocate(LENGTH).address();
            for (int i = 0; i < BATCH; i++) {
                messages.setPiece(i, memory, LENGTH);
            }
            socket =
                    NetworkNamespace.run(
                            namespace,
                            () -> {
                                final int opened = PacketSocket.open();
                                PacketSocket.enableTags(opened);
                                PacketSocket.bind(
                                        opened,
                                        PacketSocket.ALL_ETHER_TYPES,
                                        TestNamespaces.info(namespace, "eth0").ifindex(),
                                        "eth0");
                                return opened;
                            });
        }

        int read() {
            int longest = 0;
            int count = BATCH;
            while (count > 0) {
                count =
                        Sockets.receiveBatch(
                                Linux.errnoSegment(), socket, messages.message(0), BATCH);
                for (int i = 0; i < count; i++) {
                    longest = Math.max(longest, messages.receivedBytes(i));
                    messages.rearm(i);
                }
            }
            return longest;
        }

        @Override
        public void close() {
            Descriptors.close(socket);
            arena.close();
        }
    }

    private long transfer(final String from, final String to, final String address)
            throws Exception {
        try (ServerSocket server =
                NetworkNamespace.run(
                        to, () -> new ServerSocket(0, 1, InetAddress.getByName(address)))) {
            final CompletableFuture<Long> received =
                    CompletableFuture.supplyAsync(() -> receiveAll(server));
            final int port = server.getLocalPort();
            try (Socket socket = NetworkNamespace.run(from, () -> new Socket(address, port));
                    OutputStream out = socket.getOutputStream()) {
                out.write(content());
            }
            return received.get();
        }
    }

    private static long receiveAll(final ServerSocket server) {
        final CRC32C crc = new CRC32C();
        final byte[] buffer = new byte[1 << 16];
        try (Socket socket = server.accept();
                InputStream in = socket.getInputStream()) {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                crc.update(buffer, 0, n);
            }
        } catch (final IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        return crc.getValue();
    }

    private static byte[] content() {
        final byte[] content = new byte[BYTES];
        for (int i = 0; i < BYTES; i++) {
            content[i] = (byte) ((i * 31) >> 3);
        }
        return content;
    }

    private static long checksum() {
        final CRC32C crc = new CRC32C();
        crc.update(content());
        return crc.getValue();
    }

    private String routes(final String arguments) {
        try {
            final Process process =
                    new ProcessBuilder(("ip -n " + near + " " + arguments).split(" ", -1)).start();
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (final IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private String settings() {
        return routes("addr show scope global") + routes("route show table all");
    }

    @Test
    void shouldStandBeforeTheNicAndLeaveNoTrace() throws Exception {
        // given
        TestNamespaces.ipIn(near, "route add default via 10.9.0.2 dev eth0 metric 100");
        final String before = settings();
        final TapTagger tagger = tagger();
        // then
        assertEquals(OWN_MAC, TestNamespaces.info(near, device).mac());
        assertTrue(routes("route get 10.9.0.2").contains("dev " + device + " src 10.9.0.1"));
        assertTrue(routes("route get 192.0.2.1").contains("via 10.9.0.2 dev " + device));
        assertTrue(routes("route get 10.9.0.255").contains("dev " + device));
        assertTrue(routes("-6 route get fd00:9::2").contains("dev " + device));
        // when: addresses and routes come and go at the NIC, and its MTU changes
        TestNamespaces.ipIn(
                near,
                "addr add 10.8.0.1/16 dev eth0",
                "route add 10.7.0.0/16 via 10.8.0.2 dev eth0",
                "route del default dev eth0",
                "link set eth0 mtu 1400");
        // then
        TestNamespaces.await(
                () -> "the device has them: " + routes("route show"),
                () -> {
                    follow(tagger);
                    return routes("route get 10.7.0.1").contains("via 10.8.0.2 dev " + device)
                            && routes("route get 10.8.9.9").contains("dev " + device)
                            && !routes("route get 192.0.2.1").contains(device)
                            && TestNamespaces.info(near, device).mtuBytes() == 1400;
                });
        // when: what is there is looked at again, nothing changes
        final String settled = settings();
        follow(tagger);
        assertEquals(settled, settings());
        // when
        TestNamespaces.ipIn(
                near,
                "link set eth0 mtu " + MTU,
                "route del 10.7.0.0/16 dev eth0",
                "addr del 10.8.0.1/16 dev eth0",
                "route add default via 10.9.0.2 dev eth0 metric 100");
        tagger.close();
        resources.remove(tagger);
        // then
        assertEquals(before, settings());
        assertEquals(checksum(), transfer(near, far, "10.9.0.2"), "as if it had never been there");
    }

    @Test
    void shouldSurviveWhatHappensToNicAndDevice() throws Exception {
        // given
        final TapTagger tagger = tagger();
        final KernelTagger peer = peer();
        setPaths(tagger, peer);
        // when: somebody deletes the device
        TestNamespaces.ipIn(near, "link del " + device);
        TestNamespaces.await(
                "it is there again",
                () -> {
                    follow(tagger);
                    return TestNamespaces.info(near, device).isUp();
                });
        // then
        assertEquals(checksum(), transfer(near, far, "10.9.0.2"));
        // when: the NIC goes down while programs send, and comes up
        TestNamespaces.ipIn(near, "link set eth0 down");
        final FrameTap from = tap(near, device);
        TestNamespaces.await(
                "frames are dropped, and counted",
                () -> {
                    from.send(OWN_MAC, PEER_MAC, FrameTap.NO_TAG, 1, 2);
                    return tagger.drops(TagDrop.DOWN) > 0;
                });
        TestNamespaces.ipIn(near, "link set eth0 up");
        TestNamespaces.awaitCarrier(near, "eth0");
        follow(tagger);
        // then
        assertEquals(checksum(), transfer(far, near, "10.9.0.1"));
        // when: the device allows longer frames than the NIC
        TestNamespaces.ipIn(near, "link set " + device + " mtu 4000");
        sendLong();
        // then
        TestNamespaces.await("it is dropped", () -> tagger.drops(TagDrop.TOO_LONG) > 0);
        // when: the NIC goes
        TestNamespaces.ipIn(near, "link del eth0");
        tagger.onNicGone(0);
        // then
        assertFalse(TestNamespaces.info(near, device).exists());
    }

    /** One UDP packet that needs a frame of 3,000 bytes. */
    private void sendLong() throws IOException {
        NetworkNamespace.run(
                near,
                () -> {
                    try (java.net.DatagramSocket socket = new java.net.DatagramSocket()) {
                        socket.send(
                                new java.net.DatagramPacket(
                                        new byte[3000],
                                        3000,
                                        InetAddress.getByName("10.9.0.2"),
                                        9));
                    }
                    return null;
                });
    }

    @Test
    void shouldRefuseANameThatIsTakenAndLeaveTheNicAlone() throws IOException {
        // given: a device of that name that stays, as ip tuntap makes it
        TestNamespaces.ipIn(near, "tuntap add " + device + " mode tap");
        final String before = routes("route show table all");
        final TapTagger tagger = TapTagger.create(PLAN, PEERS);
        resources.add(tagger);
        // when, then
        final LinuxException e = assertThrows(LinuxException.class, () -> attach(tagger));
        assertEquals(Errno.EBUSY, e.errno());
        assertTrue(e.getMessage().contains("making the TAP device " + device), e::getMessage);
        assertEquals(before, routes("route show table all"));
        // when
        TestNamespaces.ipIn(near, "link del " + device);
        attach(tagger);
        // then
        assertTrue(TestNamespaces.info(near, device).isUp());
    }

    @Test
    void shouldRefuseWhatIsNoVid() throws LinuxException {
        assertThrows(
                IllegalArgumentException.class, () -> TapTagger.create(new int[] {4095}, PEERS));
        try (TapTagger tagger = TapTagger.create(PLAN, PEERS)) {
            tagger.name(1, PEER_MAC, 12);
            assertThrows(IllegalArgumentException.class, () -> tagger.path(1, 14));
            assertThrows(IllegalArgumentException.class, () -> tagger.path(2, 12), "no name");
        }
    }
}
