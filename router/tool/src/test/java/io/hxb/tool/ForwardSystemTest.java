package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;

import io.hxb.tool.machine.Privileges;
import io.hxb.tool.report.ExitStatus;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;

/** HTTP by {@code hxb forward} and {@code hxb socks}, over a relay, in labs of both backends. */
@Tag("system")
class ForwardSystemTest {
    private static final int BLOCK_BYTES = 1_000_000;
    private static final int BLOCKS = 100;

    @TempDir private static Path folder;
    private static final Set<String> LABS = new HashSet<>();

    /** Of the lab that the test uses. */
    private String name;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final CountDownLatch stalled = new CountDownLatch(1);
    private HttpServer server;

    @BeforeEach
    void serve() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        final var threads = Executors.newVirtualThreadPerTaskExecutor();
        open.add(threads);
        server.setExecutor(threads);
        server.createContext(
                "/big",
                exchange -> {
                    exchange.sendResponseHeaders(200, (long) BLOCKS * BLOCK_BYTES);
                    try (OutputStream body = exchange.getResponseBody()) {
                        for (int i = 0; i < BLOCKS; i++) {
                            body.write(block(i));
                        }
                    }
                });
        server.createContext(
                "/stall",
                exchange -> {
                    exchange.sendResponseHeaders(200, BLOCK_BYTES);
                    exchange.getResponseBody().write(new byte[10]);
                    exchange.getResponseBody().flush();
                    try {
                        stalled.await();
                    } catch (final InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
        server.start();
    }

    @AfterEach
    void close() throws Exception {
        stalled.countDown();
        server.stop(0);
        while (!open.isEmpty()) {
            open.removeLast().close();
        }
    }

    @AfterAll
    static void removeLabs() throws Exception {
        try (HxbProcess down = HxbProcess.run(folder, "lab", "down", "--all")) {
            down.status();
        }
    }

    private static byte[] block(final int number) {
        final byte[] block = new byte[BLOCK_BYTES];
        Arrays.fill(block, (byte) number);
        block[number] = 77;
        return block;
    }

    private HxbProcess hxb(final String... arguments) throws IOException {
        final HxbProcess process = HxbProcess.start(folder, arguments);
        open.add(process);
        return process;
    }

    /** A lab, a server exposed on its last node; the port and the proxy that lead there. */
    private HxbProcess begin(final String backend) throws Exception {
        assumeTrue(
                backend.equals("udp") || Privileges.canMakeNamespaces(),
                "skipped: network namespaces need root");
        name = backend + ProcessHandle.current().pid();
        // Tests leave nothing in it but what ends with their processes.
        if (LABS.add(name)) {
            makeLab(backend);
        }
        final HxbProcess expose =
                hxb(
                        "expose",
                        "--name",
                        name,
                        "--node",
                        "1,1",
                        "80=" + server.getAddress().getPort());
        expose.await("the port", () -> expose.output().contains("leads to"));
        return expose;
    }

    private void makeLab(final String backend) throws Exception {
        try (HxbProcess up =
                HxbProcess.run(
                        folder,
                        "lab",
                        "up",
                        "--shape",
                        "2x2",
                        "--links",
                        "2",
                        "--backend",
                        backend,
                        "--name",
                        name)) {
            assertEquals(ExitStatus.OK, up.status(), up::errors);
        }
    }

    private InetSocketAddress forward() throws IOException {
        return listening(hxb("forward", "--name", name, "--json", "0:1,1:80"));
    }

    private InetSocketAddress socks() throws IOException {
        return listening(hxb("socks", "--name", name, "--json", "--listen", "0"));
    }

    private static InetSocketAddress listening(final HxbProcess process) {
        process.await("the port", () -> process.output().endsWith("\n"));
        final String[] parts = process.json().get("listen").toString().split(":", 2);
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(parts[1]));
    }

    private static void assertBig(final InputStream body) throws IOException {
        try (body) {
            for (int i = 0; i < BLOCKS; i++) {
                assertTrue(Arrays.equals(block(i), body.readNBytes(BLOCK_BYTES)), "block " + i);
            }
            assertEquals(-1, body.read());
        }
    }

    private static URL url(final InetSocketAddress place, final String path) throws IOException {
        return URI.create("http://127.0.0.1:" + place.getPort() + path).toURL();
    }

    @ParameterizedTest
    @ValueSource(strings = {"udp", "raw"})
    void shouldTransferLargeAnswersByAPortAndByAProxy(final String backend) throws Exception {
        // given
        begin(backend);
        final InetSocketAddress port = forward();
        final InetSocketAddress proxy = socks();
        // when, then
        assertBig(url(port, "/big").openStream());
        // and by a proxy that looks the name up
        final Socket socket = new Socket(new Proxy(Proxy.Type.SOCKS, proxy));
        open.add(socket);
        socket.connect(InetSocketAddress.createUnresolved("1-1." + name + ".hxb", 80));
        socket.getOutputStream().write("GET /big HTTP/1.0\r\n\r\n".getBytes(UTF_8));
        socket.shutdownOutput();
        final InputStream answer = socket.getInputStream();
        for (int ends = 0; ends < 2; ) {
            final int next = answer.read();
            ends = next == '\n' ? ends + 1 : next == '\r' ? ends : 0;
        }
        assertBig(answer);
    }

    @Test
    void shouldResetConnectionsWhenTheFarEndIsKilledAndServeWhenItIsBack() throws Exception {
        // given
        final HxbProcess expose = begin("udp");
        final InetSocketAddress port = forward();
        final InputStream body = url(port, "/stall").openStream();
        body.readNBytes(10);
        // when
        expose.process().destroyForcibly().waitFor();
        // then
        final IOException reset = assertThrows(IOException.class, body::read);
        assertTrue(reset.getMessage().contains("reset"), reset::getMessage);
        // when
        final HxbProcess again =
                hxb(
                        "expose",
                        "--name",
                        name,
                        "--node",
                        "1,1",
                        "80=" + server.getAddress().getPort());
        again.await("the port", () -> again.output().contains("leads to"));
        // then
        assertBig(url(port, "/big").openStream());
    }

    @Test
    void shouldStateWhatIsWrongBeforeItServes() throws Exception {
        // given
        final Path file =
                Files.writeString(
                        folder.resolve("cluster.yaml"),
                        "name: wrong\nshape: 2x2\nbackend: udp\nlinks: 1\nattach: {directory: "
                                + folder
                                + "}\n");
        final String config = file.toString();
        // when, then
        assertFailed(2, "called 'gamma'", "forward", "--config", config, "8080:gamma:80");
        assertFailed(2, "a rule is", "forward", "--config", config, "8080");
        assertFailed(2, "port 80 was given twice", "expose", "--config", config, "80", "79-81");
        assertFailed(2, "at most 1024 ports", "expose", "--config", config, "1-2000");
        assertFailed(2, "64 KiB or more", "socks", "--config", config, "--memory", "1MiB");
        assertFailed(1, "sock", "socks", "--config", config, "--node", "0", "--listen", "0");
    }

    private void assertFailed(final int status, final String reason, final String... arguments)
            throws Exception {
        try (HxbProcess hxb = HxbProcess.run(folder, arguments)) {
            assertEquals(status, hxb.status(), hxb::errors);
            assertTrue(hxb.errors().contains(reason), hxb::errors);
        }
    }
}
