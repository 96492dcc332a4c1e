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
import java.nio.charset.StandardCharsets;
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
    private static final long MAX_WAITING_BYTES = 3 << 20;

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
    void shouldCloseTheSlowestWhenTooMuchWaitsForAllTogether() throws Exception {
        // given: three do not read, for none of whom too much waits
        final List<EventStream> slow = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            watch();
            slow.add(stream());
        }
        final HttpClientSocket reader = watch();
        final EventStream read = stream();
        final byte[] event =
                ("data: " + "x".repeat(50_000) + "\n\n").getBytes(StandardCharsets.US_ASCII);
        // when: the first two have almost as much as one may
        for (final EventStream each : slow.subList(0, 2)) {
            while (each.waitingBytes() < EventStream.MAX_WAITING_BYTES - event.length) {
                assertTrue(each.send(event));
            }
        }
        final byte[] long_ = new byte[2 << 20];
        assertTrue(slow.getLast().isOpen());
        while (slow.getLast().isOpen() && slow.getLast().waitingBytes() == 0) {
            slow.getLast().send(long_);
        }
        // then: he has gone for whom most waited
        assertFalse(slow.getLast().isOpen());
        assertTrue(slow.getFirst().isOpen());
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
