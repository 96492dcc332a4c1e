package io.hxb.tool.socks;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.hxb.tool.option.NodeNames;
import io.hxb.tool.tunnel.Tunnel;
import io.hxb.tool.tunnel.TunnelNodes;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Random;

/** Clients of the proxy, well behaved and not, with two nodes in this process. */
@Tag("system")
class SocksTest {
    private static final int REQUEST_MS = 300;
    private static final byte[] GREETING = {5, 1, 0};

    @TempDir private Path folder;
    private TunnelNodes nodes;
    private ServerSocket service;
    private InetSocketAddress proxy;

    @BeforeEach
    void start() throws Exception {
        nodes = new TunnelNodes(folder);
        service = nodes.service();
        nodes.expose(service);
        final Tunnel tunnel = nodes.tunnel(0);
        final NodeNames names = new NodeNames(nodes.config());
        proxy =
                tunnel.listen(
                        TunnelNodes.any(),
                        connection -> SocksHandler.begin(tunnel, names, connection, REQUEST_MS));
    }

    @AfterEach
    void close() throws Exception {
        nodes.close();
    }

    private Socket ask(final String host, final int port) throws IOException {
        final Socket socket = nodes.keep(new Socket(new Proxy(Proxy.Type.SOCKS, proxy)));
        socket.setSoTimeout(TunnelNodes.LIMIT_MS);
        socket.connect(InetSocketAddress.createUnresolved(host, port));
        return socket;
    }

    @Test
    void shouldLeadClientsOfJavaToNodesByName() throws Exception {
        for (final String name : new String[] {"beta", "BETA.tunnel.hxb", "1.tunnel.hxb", "1"}) {
            // when
            final Socket client = ask(name, 80);
            final Socket served = nodes.accept(service);
            client.getOutputStream().write("ask".getBytes(UTF_8));
            client.shutdownOutput();
            final String asked = new String(served.getInputStream().readAllBytes(), UTF_8);
            served.getOutputStream().write("answer".getBytes(UTF_8));
            served.close();
            // then
            assertEquals("ask", asked);
            assertEquals("answer", new String(client.getInputStream().readAllBytes(), UTF_8));
        }
    }

    @Test
    void shouldAnswerInWordsOfTheProtocolWhatIsWrong() {
        assertRefused("gamma", 80, "Host unreachable");
        assertRefused("example.org", 80, "Host unreachable");
        assertRefused("beta", 81, "Connection refused");
        assertRefused("beta", 0, "server general failure");
    }

    private void assertRefused(final String host, final int port, final String reason) {
        final SocketException thrown =
                assertThrows(SocketException.class, () -> ask(host, port).close());
        assertTrue(
                thrown.getMessage()
                        .toLowerCase(Locale.ROOT)
                        .contains(reason.toLowerCase(Locale.ROOT)),
                thrown::getMessage);
    }

    @Test
    void shouldPassOnWhatAClientSendsBeforeItIsAnswered() throws Exception {
        // given
        final byte[] early = new byte[50_000];
        new Random(3).nextBytes(early);
        final Socket client = nodes.connect(proxy);
        // when: greeting, request, data and end at once
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.write(GREETING);
        all.write(request("beta", 80));
        all.write(early);
        client.getOutputStream().write(all.toByteArray());
        client.shutdownOutput();
        // then
        final Socket served = nodes.accept(service);
        assertArrayEquals(early, served.getInputStream().readAllBytes());
        served.getOutputStream().write(9);
        served.close();
        final byte[] received = client.getInputStream().readAllBytes();
        assertArrayEquals(new byte[] {5, 0, 5, 0}, java.util.Arrays.copyOf(received, 4));
        assertEquals(9, received[received.length - 1]);
    }

    private static byte[] request(final String host, final int port) throws IOException {
        final ByteArrayOutputStream request = new ByteArrayOutputStream();
        request.write(new byte[] {5, 1, 0, 3, (byte) host.length()});
        request.write(host.getBytes(UTF_8));
        request.write(new byte[] {(byte) (port >> 8), (byte) port});
        return request.toByteArray();
    }

    @Test
    void shouldServeSocks4aAndRefuseAddressesOf4() throws Exception {
        // when
        final Socket client = nodes.connect(proxy);
        client.getOutputStream()
                .write(
                        "\4\1\0\120\0\0\0\1me\0beta\0"
                                .getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
        final Socket served = nodes.accept(service);
        served.getOutputStream().write(7);
        // then
        final byte[] received = client.getInputStream().readNBytes(9);
        assertEquals(0x5a, received[1]);
        assertEquals(7, received[8]);
        // when
        final Socket numeric = nodes.connect(proxy);
        numeric.getOutputStream().write(new byte[] {4, 1, 0, 80, 10, 0, 0, 1, 0});
        // then
        assertEquals(0x5b, numeric.getInputStream().readAllBytes()[1]);
    }

    @Test
    void shouldRefuseAddressesAndOtherCommandsThanConnect() throws Exception {
        assertEquals(8, status(new byte[] {5, 1, 0, 1, 127, 0, 0, 1, 0, 80}));
        final byte[] bind = request("beta", 80);
        bind[1] = 2;
        assertEquals(7, status(bind));
        // and a client that wants a password
        final Socket client = nodes.connect(proxy);
        client.getOutputStream().write(new byte[] {5, 1, 2});
        assertArrayEquals(new byte[] {5, (byte) 0xff}, client.getInputStream().readAllBytes());
    }

    private int status(final byte[] request) throws IOException {
        final Socket client = nodes.connect(proxy);
        client.getOutputStream().write(GREETING);
        assertArrayEquals(new byte[] {5, 0}, client.getInputStream().readNBytes(2));
        client.getOutputStream().write(request);
        return client.getInputStream().readAllBytes()[1];
    }

    @Test
    void shouldCloseConnectionsOfStrangersAndOfTheIdle() throws Exception {
        for (final byte[] bytes :
                new byte[][] {
                    "GET / HTTP/1.1\r\n\r\n".getBytes(UTF_8),
                    {0},
                    {5, 1, 0, 5, 1, 0},
                    {5, 1, 0, 5, 9, 0, 3, 0, 0, 0},
                    {},
                    {5},
                    {5, 1, 0, 5, 1}
                }) {
            // when
            final Socket client = nodes.connect(proxy);
            client.getOutputStream().write(bytes);
            // then
            assertTrue(isClosed(client));
        }
        // and a 4a name without end
        final Socket endless = nodes.connect(proxy);
        final byte[] name = new byte[100_000];
        java.util.Arrays.fill(name, (byte) 'a');
        System.arraycopy(new byte[] {4, 1, 0, 80, 0, 0, 0, 1, 0}, 0, name, 0, 9);
        assertTrue(isClosedWhileWriting(endless, name));
        // then others are served
        ask("beta", 80);
        nodes.accept(service);
    }

    private static boolean isClosed(final Socket client) throws IOException {
        try {
            return client.getInputStream().readAllBytes().length < 20;
        } catch (final SocketException e) {
            return true;
        }
    }

    private static boolean isClosedWhileWriting(final Socket client, final byte[] bytes)
            throws IOException {
        try {
            client.getOutputStream().write(bytes);
        } catch (final SocketException e) {
            return true;
        }
        return isClosed(client);
    }
}
