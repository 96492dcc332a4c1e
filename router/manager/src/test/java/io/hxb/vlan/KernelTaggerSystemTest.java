package io.hxb.vlan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.linux.LinuxException;
import io.hxb.os.NetworkNamespace;
import io.hxb.testing.FrameTap;
import io.hxb.testing.TestNamespaces;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32C;

/** Two hosts, a veth pair, and what their programs make of the frames between them. */
@Tag("system")
class KernelTaggerSystemTest {
    private static final int[] PLAN = {11, 12, 13};
    private static final int PEERS = 8;
    private static final long OWN_MAC = 0x0200_0000_0001L;
    private static final long PEER_MAC = 0x0200_0000_0002L;
    private static final long UNKNOWN_MAC = 0x0200_0000_0009L;
    private static final long BROADCAST = 0xFFFF_FFFF_FFFFL;
    private static final long BRIDGES = 0x0180_C200_000EL;
    private static final int MTU = 1500;

    private TestNamespaces namespaces;
    private String near;
    private String far;
    private final List<AutoCloseable> resources = new ArrayList<>();

    @BeforeEach
    void makeHosts() {
        TestNamespaces.assumeRoot();
        namespaces = new TestNamespaces();
        near = namespaces.add("near");
        far = namespaces.add("far");
        namespaces.veth(near, "eth0", far, "eth0", MTU);
        TestNamespaces.ipIn(
                near, "link set eth0 address 02:00:00:00:00:01", "addr add 10.9.0.1/24 dev eth0");
        TestNamespaces.ipIn(
                far, "link set eth0 address 02:00:00:00:00:02", "addr add 10.9.0.2/24 dev eth0");
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

    private KernelTagger tagger(final String namespace) throws IOException {
        final KernelTagger tagger = KernelTagger.load(PLAN, PEERS);
        resources.add(tagger);
        return NetworkNamespace.run(
                namespace,
                () -> {
                    tagger.attach(0, TestNamespaces.info(namespace, "eth0").ifindex());
                    return tagger;
                });
    }

    private FrameTap tap(final String namespace) throws IOException {
        final FrameTap tap = FrameTap.open(namespace, List.of("eth0")).getFirst();
        resources.add(tap);
        return tap;
    }

    private static int vidOnTheWire(final FrameTap from, final FrameTap to, final long mac) {
        to.receive();
        from.send(OWN_MAC, mac, FrameTap.NO_TAG, 1, 2);
        final List<FrameTap.Seen> seen = new ArrayList<>();
        TestNamespaces.await(
                "a frame has arrived",
                () -> {
                    seen.addAll(to.receive());
                    return !seen.isEmpty();
                });
        assertEquals(1, seen.size(), seen::toString);
        return seen.getFirst().vid();
    }

    @Test
    void shouldTagByDestination() throws IOException {
        // given
        final KernelTagger tagger = tagger(near);
        final FrameTap from = tap(near);
        final FrameTap to = tap(far);
        tagger.name(1, PEER_MAC, Tagger.UNTAGGED);
        assertEquals(FrameTap.NO_TAG, vidOnTheWire(from, to, PEER_MAC), "no path yet");
        // when
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
        assertEquals(2, tagger.traffic(11).sentFrames());
        assertEquals(0, tagger.traffic(13).sentFrames());
        // when: one of two paths changes, and then the other
        tagger.path(1, 13);
        tagger.commit();
        assertEquals(13, vidOnTheWire(from, to, PEER_MAC));
        tagger.path(Tagger.OTHERS, 12);
        tagger.commit();
        // then
        assertEquals(13, vidOnTheWire(from, to, PEER_MAC));
        assertEquals(12, vidOnTheWire(from, to, UNKNOWN_MAC));
        assertEquals(13, tagger.vid(1));
        // when
        tagger.forget(1);
        assertEquals(12, vidOnTheWire(from, to, PEER_MAC));
        tagger.close();
        // then
        assertEquals(FrameTap.NO_TAG, vidOnTheWire(from, to, PEER_MAC), "programs leave no trace");
    }

    @Test
    void shouldLeaveFramesAloneThatAreTaggedAlready() throws IOException {
        // given
        final KernelTagger tagger = tagger(near);
        final FrameTap from = tap(near);
        final FrameTap to = tap(far);
        tagger.path(Tagger.OTHERS, 11);
        tagger.commit();
        // when
        from.send(OWN_MAC, PEER_MAC, 77, 1, 2);
        // then
        final List<FrameTap.Seen> seen = new ArrayList<>();
        TestNamespaces.await(
                "a frame has arrived",
                () -> {
                    seen.addAll(to.receive());
                    return !seen.isEmpty();
                });
        assertEquals(77, seen.getFirst().vid());
    }

    @Test
    void shouldHearThePathOfAPeerAndNotThatOfItsBroadcasts() throws IOException {
        // given
        final KernelTagger tagger = tagger(near);
        final FrameTap peer = tap(far);
        tagger.name(1, PEER_MAC, 12);
        assertEquals(Tagger.UNTAGGED, tagger.heardVid(1));
        // when
        peer.send(PEER_MAC, OWN_MAC, 13, 1, 2);
        TestNamespaces.await("it is heard", () -> tagger.heardVid(1) == 13);
        peer.send(PEER_MAC, BROADCAST, 11, 1, 2);
        TestNamespaces.await(
                "the broadcast has come in", () -> tagger.traffic(11).receivedFrames() == 1);
        // then
        assertEquals(13, tagger.heardVid(1));
    }

    @Test
    void shouldCarryTcpInBothDirectionsOverOneVid() throws Exception {
        // given
        final int bytes = 20_000_000;
        for (final String namespace : List.of(near, far)) {
            final KernelTagger tagger = tagger(namespace);
            tagger.path(Tagger.OTHERS, 11);
            tagger.commit();
            tagger.name(1, namespace.equals(near) ? PEER_MAC : OWN_MAC, 13);
        }
        final KernelTagger tagger = (KernelTagger) resources.getFirst();
        // when
        final long sum = transfer(bytes);
        // then
        assertEquals(checksum(bytes), sum);
        final Tagger.VidTraffic traffic = tagger.traffic(13);
        assertTrue(traffic.sentBytes() > bytes, traffic::toString);
        assertTrue(traffic.sentFrames() >= bytes / MTU, traffic::toString);
        assertTrue(traffic.receivedFrames() > 0, traffic::toString);
        // The last acknowledgements may still be on their way.
        TestNamespaces.await(
                () -> "all is for host 1: " + tagger.traffic(13) + tagger.sentBytes(1),
                () -> tagger.traffic(13).sentBytes() == tagger.sentBytes(1));
        assertEquals(13, tagger.heardVid(1));
        assertTrue(tagger.traffic(11).sentFrames() <= 4, "only ARP asks everybody");
    }

    private long transfer(final int bytes) throws Exception {
        final ServerSocket server =
                NetworkNamespace.run(
                        far, () -> new ServerSocket(0, 1, InetAddress.getByName("10.9.0.2")));
        resources.add(server);
        final CompletableFuture<Long> received =
                CompletableFuture.supplyAsync(
                        () -> {
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
                        });
        final Socket socket =
                NetworkNamespace.run(near, () -> new Socket("10.9.0.2", server.getLocalPort()));
        resources.add(socket);
        try (OutputStream out = socket.getOutputStream()) {
            out.write(content(bytes));
        }
        return received.get();
    }

    private static byte[] content(final int bytes) {
        final byte[] content = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            content[i] = (byte) ((i * 31) >> 3);
        }
        return content;
    }

    private static long checksum(final int bytes) {
        final CRC32C crc = new CRC32C();
        crc.update(content(bytes));
        return crc.getValue();
    }

    @Test
    void shouldRefuseWhatIsNoVid() throws LinuxException {
        assertThrows(
                IllegalArgumentException.class, () -> KernelTagger.load(new int[] {4095}, PEERS));
        assertThrows(
                IllegalArgumentException.class, () -> KernelTagger.load(new int[] {3, 3}, PEERS));
        try (KernelTagger tagger = KernelTagger.load(PLAN, PEERS)) {
            tagger.name(1, PEER_MAC, 12);
            assertThrows(IllegalArgumentException.class, () -> tagger.path(1, 14));
            assertThrows(IllegalArgumentException.class, () -> tagger.path(2, 12), "no name");
            assertThrows(IllegalArgumentException.class, () -> tagger.name(2, PEER_MAC, 12));
            assertThrows(IllegalArgumentException.class, () -> tagger.name(1, OWN_MAC, 12));
        }
    }

    @Test
    void shouldFindEachOfManyHosts() throws LinuxException {
        // given: as many as there is room for, with addresses as one maker's cards have them
        final int hosts = 4096;
        try (KernelTagger tagger = KernelTagger.load(PLAN, hosts)) {
            for (int host = 0; host < hosts; host++) {
                tagger.name(host, OWN_MAC + host, PLAN[host % PLAN.length]);
            }
            for (int host = 0; host < hosts; host++) {
                assertEquals(PLAN[host % PLAN.length], tagger.vid(host));
            }
            // when: the VIDs of all change in one batch
            for (int host = 0; host < hosts; host++) {
                tagger.path(host, PLAN[(host + 1) % PLAN.length]);
            }
            assertEquals(PLAN[1], tagger.vid(1));
            tagger.commit();
            // then
            for (int host = 0; host < hosts; host++) {
                assertEquals(PLAN[(host + 1) % PLAN.length], tagger.vid(host));
            }
        }
    }
}
