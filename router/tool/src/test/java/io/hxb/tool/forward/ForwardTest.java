package io.hxb.tool.forward;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.hxb.pm.PmDevice;
import io.hxb.pm.stream.HxbSocketAddress;
import io.hxb.pm.stream.HxbStreams;
import io.hxb.tool.tunnel.Tunnel;
import io.hxb.tool.tunnel.TunnelNodes;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/** Connections of TCP through two tunnels of nodes in this process. */
@Tag("system")
class ForwardTest {
    private static final HxbSocketAddress SERVICE = new HxbSocketAddress(1, 80);

    @TempDir private Path folder;
    private TunnelNodes nodes;
    private ServerSocket service;

    @BeforeEach
    void start() throws Exception {
        nodes = new TunnelNodes(folder);
        service = nodes.service();
    }

    @AfterEach
    void close() throws Exception {
        nodes.close();
    }

    private InetSocketAddress forward(final HxbSocketAddress target, final String... options)
            throws IOException {
        final Tunnel tunnel = nodes.tunnel(0, options);
        return tunnel.listen(
                TunnelNodes.any(), connection -> ForwardHandler.begin(tunnel, connection, target));
    }

    @Test
    void shouldCarryBothDirectionsAndEndEachForItself() throws Exception {
        // given
        nodes.expose(service);
        final Socket client = nodes.connect(forward(SERVICE));
        final byte[] asked = new byte[3_000_000];
        new Random(1).nextBytes(asked);
        // when: the client ends first, and the service answers after the end
        final Thread sender = write(client, asked);
        final Socket served = nodes.accept(service);
        final byte[] seen = served.getInputStream().readAllBytes();
        sender.join();
        served.getOutputStream().write(asked);
        served.close();
        // then
        assertArrayEquals(asked, seen);
        assertArrayEquals(asked, client.getInputStream().readAllBytes());
    }

    @Test
    void shouldCarryALongAnswerToASlowReaderWhoHasEnded() throws Exception {
        // given
        nodes.expose(service);
        final Socket client = nodes.connect(forward(SERVICE));
        client.getOutputStream().write(1);
        client.shutdownOutput();
        final Socket served = nodes.accept(service);
        assertEquals(1, served.getInputStream().readAllBytes().length);
        final byte[] answer = new byte[30_000_000];
        new Random(4).nextBytes(answer);
        final AtomicLong written = new AtomicLong();
        // when: nothing is read until the service stands still
        final Thread writer =
                Thread.startVirtualThread(
                        () -> {
                            try (served) {
                                for (int i = 0; i < answer.length; i += 100_000) {
                                    served.getOutputStream().write(answer, i, 100_000);
                                    written.addAndGet(100_000);
                                }
                            } catch (final IOException e) {
                                throw new AssertionError(e);
                            }
                        });
        final long[] last = {-1, System.nanoTime()};
        TunnelNodes.await("standstill", () -> isUnchanged(written, last));
        // then
        assertTrue(written.get() < answer.length, "written " + written);
        assertArrayEquals(answer, client.getInputStream().readAllBytes());
        writer.join();
    }

    private static Thread write(final Socket socket, final byte[] bytes) {
        return Thread.startVirtualThread(
                () -> {
                    try {
                        socket.getOutputStream().write(bytes);
                        socket.shutdownOutput();
                    } catch (final IOException e) {
                        throw new AssertionError(e);
                    }
                });
    }

    @Test
    void shouldPassOnWhatAServiceSaysFirstAndItsEndBeforeTheClients() throws Exception {
        // given
        nodes.expose(service);
        final Socket client = nodes.connect(forward(SERVICE));
        final Socket served = nodes.accept(service);
        // when
        served.getOutputStream().write("220 ready".getBytes(UTF_8));
        served.shutdownOutput();
        final String greeting = new String(client.getInputStream().readAllBytes(), UTF_8);
        client.getOutputStream().write("and still heard".getBytes(UTF_8));
        client.close();
        // then
        assertEquals("220 ready", greeting);
        assertEquals("and still heard", new String(served.getInputStream().readAllBytes(), UTF_8));
    }

    @Test
    void shouldPassOnAResetInEachDirection() throws Exception {
        // given
        nodes.expose(service);
        final InetSocketAddress local = forward(SERVICE);
        final Socket client = nodes.connect(local);
        final Socket served = nodes.accept(service);
        // when
        client.setSoLinger(true, 0);
        client.close();
        // then
        assertThrows(SocketException.class, () -> served.getInputStream().read());
        // given
        final Socket second = nodes.connect(local);
        final Socket reset = nodes.accept(service);
        // when
        reset.setSoLinger(true, 0);
        reset.close();
        // then
        assertThrows(SocketException.class, () -> second.getInputStream().read());
    }

    @Test
    void shouldResetAConnectionThatNobodyAcceptsOrWhoseServiceIsNotThere() throws Exception {
        // given
        nodes.expose(service);
        service.close();
        // when, then
        for (final int port : new int[] {80, 81}) {
            assertRefused(forward(new HxbSocketAddress(1, port)));
        }
    }

    @Test
    void shouldResetAConnectionToSomethingElseThanExpose() throws Exception {
        // given
        final PmDevice device = nodes.keep(PmDevice.attach(nodes.config().socketPath(1)));
        final HxbStreams streams = nodes.keep(HxbStreams.open(device));
        final var listener = streams.listen(80);
        final Socket client = nodes.connect(forward(SERVICE));
        // when
        listener.accept().output().write("SSH-2.0".getBytes(UTF_8));
        // then
        assertThrows(SocketException.class, () -> client.getInputStream().read());
    }

    @Test
    void shouldServeTwoHundredConnectionsAtOnce() throws Exception {
        // given
        nodes.expose(service);
        final InetSocketAddress local = forward(SERVICE);
        final List<Socket> clients = new ArrayList<>();
        final byte[] bytes = new byte[20_000];
        new Random(2).nextBytes(bytes);
        // when: all are open before the first sends
        for (int i = 0; i < 200; i++) {
            clients.add(nodes.connect(local));
        }
        final List<Socket> served = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            served.add(nodes.accept(service));
        }
        for (final Socket socket : served) {
            Thread.startVirtualThread(() -> echo(socket));
        }
        final List<Thread> senders = clients.stream().map(client -> write(client, bytes)).toList();
        // then
        for (final Socket client : clients) {
            assertArrayEquals(bytes, client.getInputStream().readAllBytes());
        }
        for (final Thread sender : senders) {
            sender.join();
        }
    }

    private static void echo(final Socket socket) {
        try (socket) {
            socket.getInputStream().transferTo(socket.getOutputStream());
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldRefuseMoreConnectionsThanMayBeOnEitherSideAndTakeOthersLater() throws Exception {
        // given
        nodes.expose(service, "--connections", "2");
        final InetSocketAddress wide = forward(SERVICE);
        final InetSocketAddress narrow = forward(SERVICE, "--connections", "1");
        final Socket first = nodes.connect(wide);
        final Socket second = nodes.connect(narrow);
        nodes.accept(service);
        nodes.accept(service);
        // when, then
        for (final InetSocketAddress full : List.of(wide, narrow)) {
            assertRefused(full);
        }
        // when
        first.setSoLinger(true, 0);
        first.close();
        second.setSoLinger(true, 0);
        second.close();
        // then
        TunnelNodes.await("room", () -> isServed(narrow));
    }

    // The reset comes after the connection was accepted, perhaps before connect() looks at it.
    private void assertRefused(final InetSocketAddress local) {
        assertThrows(SocketException.class, () -> nodes.connect(local).getInputStream().read());
    }

    private boolean isServed(final InetSocketAddress local) throws IOException {
        try (Socket client = nodes.connect(local)) {
            client.setSoTimeout(200);
            client.getOutputStream().write(1);
            client.shutdownOutput();
            service.setSoTimeout(200);
            try (Socket served = service.accept()) {
                return served.getInputStream().read() == 1;
            }
        } catch (final IOException e) {
            return false;
        }
    }

    @Test
    void shouldHoldBackAWriterWhoseReaderIsSlowAndNobodyElse() throws Exception {
        // given
        nodes.expose(service, "--memory", "64MiB");
        final InetSocketAddress local = forward(SERVICE, "--memory", "64MiB");
        final Socket client = nodes.connect(local);
        final Socket served = nodes.accept(service);
        final int length = 60_000_000;
        final AtomicLong written = new AtomicLong();
        final Thread writer =
                Thread.startVirtualThread(
                        () -> {
                            try {
                                final OutputStream output = client.getOutputStream();
                                final byte[] piece = new byte[10_000];
                                for (int i = 0; i < length / piece.length; i++) {
                                    output.write(piece);
                                    written.addAndGet(piece.length);
                                }
                                client.shutdownOutput();
                            } catch (final IOException e) {
                                throw new AssertionError(e);
                            }
                        });
        // when: nobody reads, and the writer stands still
        final long[] last = {-1, System.nanoTime()};
        TunnelNodes.await("standstill", () -> isUnchanged(written, last));
        // then: what waits is bounded by the tunnels' memory and the buffers of the kernel
        assertTrue(written.get() < 20_000_000, "written " + written);
        final Socket other = nodes.connect(local);
        final Socket second = nodes.accept(service);
        other.getOutputStream().write(7);
        assertEquals(7, second.getInputStream().read());
        assertEquals(length, served.getInputStream().readAllBytes().length);
        writer.join();
    }

    private static boolean isUnchanged(final AtomicLong value, final long[] last) {
        if (value.get() != last[0]) {
            last[0] = value.get();
            last[1] = System.nanoTime();
        }
        return System.nanoTime() - last[1] > 300_000_000L;
    }

    @Test
    void shouldResetConnectionsWhenTheFarTunnelEnds() throws Exception {
        // given
        final Tunnel far = nodes.expose(service);
        final Socket client = nodes.connect(forward(SERVICE));
        final Socket served = nodes.accept(service);
        served.getOutputStream().write(5);
        assertEquals(5, client.getInputStream().read());
        // when
        far.close();
        // then
        assertThrows(SocketException.class, () -> client.getInputStream().read());
        assertThrows(SocketException.class, () -> served.getInputStream().read());
    }
}
