package io.hxb.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Those who watch: many of them, slow ones, and ones that never read. */
@Tag("unit")
class ViewersTest {
    private static final long LIMIT_S = 10;
    private static final int CONNECTIONS = 1_200;
    private static final long MAX_WAITING_BYTES = EventStream.MAX_WAITING_BYTES / 2;
    private static final int EVENT_BYTES = 50_000;

    /** More than any kernel takes. */
    private static final int MAX_EVENTS = 10_000;

    private final BlockingQueue<EventStream> streams = new LinkedBlockingQueue<>();
    private final List<HttpClientSocket> clients = new ArrayList<>();
    private ObserveServer server;

    @BeforeEach
    void start() {
        server =
                new ObserveServer.Builder(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .maxWaitingBytes(MAX_WAITING_BYTES)
                        .route("/", (request, response) -> response.send(200, "text/plain", "here"))
                        .route("/events", (request, response) -> streams.add(response.stream()))
                        .start();
    }

    @AfterEach
    void stop() throws IOException {
        for (final HttpClientSocket client : clients) {
            client.close();
        }
        server.close();
    }

    private HttpClientSocket client() throws IOException {
        final HttpClientSocket client = new HttpClientSocket(server.listening().join());
        clients.add(client);
        return client;
    }

    private HttpClientSocket watch() throws IOException {
        final HttpClientSocket client = client();
        client.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
        return client;
    }

    private EventStream stream() throws InterruptedException {
        return streams.poll(LIMIT_S, TimeUnit.SECONDS);
    }

    private static void awaitLine(final HttpClientSocket client, final String wanted)
            throws IOException {
        String line = client.line();
        while (!line.equals(wanted)) {
            line = client.line();
        }
    }

    @Test
    void shouldTakeAThousandViewersRefuseMoreAndStillAnswer() throws Exception {
        // when
        int refused = 0;
        for (int i = 0; i < CONNECTIONS; i++) {
            watch();
        }
        final List<EventStream> open = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            final EventStream stream = stream();
            if (stream.isOpen()) {
                open.add(stream);
            }
        }
        for (int i = 0; i < CONNECTIONS; i++) {
            refused += clients.get(i).line().contains("503") ? 1 : 0;
        }
        // then
        assertEquals(ConnectionBounds.MAX_STREAMS, open.size());
        assertEquals(CONNECTIONS - ConnectionBounds.MAX_STREAMS, refused);
        assertTrue(open.getFirst().send("sample", "one"));
        awaitLine(clients.getFirst(), "event: sample");
        assertEquals("here", client().ask("GET", "/").body());
        // when: one leaves
        clients.getFirst().close();
        // then: another one may come
        assertTrue(isTakenAfterAWhile(), "its place was not given to another one");
    }

    private boolean isTakenAfterAWhile() throws Exception {
        for (int tries = 0; tries < 100; tries++) {
            watch();
            if (stream().isOpen()) {
                return true;
            }
        }
        return false;
    }

    @Test
    void shouldCloseOneThatDoesNotReadWhenTooMuchWaitsForAllTogether() throws Exception {
        // given: less may wait for all than for one
        watch();
        final EventStream silent = stream();
        final HttpClientSocket reader = watch();
        final EventStream read = stream();
        // when: however much the kernel takes
        long mostWaiting = 0;
        for (int i = 0; i < MAX_EVENTS && silent.send("sample", "x".repeat(EVENT_BYTES)); i++) {
            mostWaiting = Math.max(mostWaiting, silent.waitingBytes());
        }
        // then
        assertFalse(silent.isOpen(), "everything waits in memory");
        assertTrue(mostWaiting < EventStream.MAX_WAITING_BYTES - EVENT_BYTES, "too much waited");
        assertTrue(read.send("sample", "one"));
        awaitLine(reader, "event: sample");
        assertEquals("here", client().ask("GET", "/").body());
    }

    @Test
    void shouldServeOthersWhileSomeNeitherReadNorFinishTheirRequests() throws Exception {
        // given
        watch();
        final EventStream silent = stream();
        for (int i = 0; i < 50; i++) {
            client().send("GET / HT");
            client().send("\u0000\u0001\u0002\r\n");
        }
        final HttpClientSocket reader = watch();
        final EventStream read = stream();
        // when
        int sent = 0;
        while (sent < 1_000 && silent.send("sample", "y".repeat(100_000))) {
            sent++;
        }
        // then
        assertTrue(sent < 1_000, "everything waits in memory");
        assertTrue(read.send("sample", "one"));
        awaitLine(reader, "event: sample");
        assertEquals("here", client().ask("GET", "/").body());
    }
}
