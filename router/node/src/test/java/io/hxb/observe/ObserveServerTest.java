package io.hxb.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A server on loopback, and clients that behave well or not. */
@Tag("unit")
class ObserveServerTest {
    private static final String TOKEN = "0123456789abcdef0123456789abcdef";
    private static final long LIMIT_S = 60;

    private final AtomicLong clockMs = new AtomicLong(1_000_000);
    private final WebSessions sessions =
            new WebSessions(new byte[WebSessions.SECRET_BYTES], clockMs::get);
    private final BlockingQueue<EventStream> streams = new LinkedBlockingQueue<>();
    private final CountDownLatch gone = new CountDownLatch(1);
    private ObserveServer server;
    private InetSocketAddress address;

    @BeforeEach
    void start() throws Exception {
        start(LIMIT_S);
    }

    private void start(final long deadlineSeconds) throws Exception {
        server =
                new ObserveServer.Builder(loopback(0))
                        .token(AccessToken.of(TOKEN))
                        .sessions(sessions)
                        .deadlineNs(TimeUnit.SECONDS.toNanos(deadlineSeconds))
                        .route("/", ObserveServerTest::describe)
                        .route(
                                "/fails",
                                (request, response) -> {
                                    throw new IllegalStateException("on purpose");
                                })
                        .route(
                                "/events",
                                (request, response) -> {
                                    final EventStream stream = response.stream();
                                    stream.onClose(gone::countDown);
                                    streams.add(stream);
                                })
                        .start();
        address = server.listening().get(LIMIT_S, TimeUnit.SECONDS);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private static void describe(final ResourceRequest request, final Response response) {
        response.send(200, "text/plain", request.viewer() + " " + request.query().get("a"));
    }

    private static InetSocketAddress loopback(final int port) {
        return new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port);
    }

    private HttpClientSocket client() throws IOException {
        return new HttpClientSocket(address);
    }

    private HttpClientSocket.Answer ask(
            final String method, final String target, final String... headers) throws IOException {
        try (HttpClientSocket client = client()) {
            return client.ask(method, target, headers);
        }
    }

    @Test
    void shouldAnswerWithHeadersThatKeepPagesApart() throws IOException {
        // when
        final HttpClientSocket.Answer answer = ask("GET", "/?a=1&a=2&b=");
        // then
        assertEquals(200, answer.status());
        assertEquals("PUBLIC 1", answer.body());
        assertEquals("no-store", answer.header("Cache-Control"));
        assertTrue(answer.header("Content-Security-Policy").contains("default-src 'none'"));
        assertEquals("nosniff", answer.header("X-Content-Type-Options"));
        assertEquals("", answer.header("Access-Control-Allow-Origin"));
    }

    @Test
    void shouldAnswerHeadWithoutABodyOnAConnectionThatGoesOn() throws IOException {
        try (HttpClientSocket client = client()) {
            // when
            final HttpClientSocket.Answer head = client.ask("HEAD", "/?a=1");
            final HttpClientSocket.Answer get = client.ask("GET", "/?a=1");
            // then
            assertEquals(200, head.status());
            assertEquals("8", head.header("Content-Length"));
            assertEquals("PUBLIC 1", get.body());
            assertEquals(404, client.ask("GET", "/nothing").status());
            assertEquals(500, client.ask("GET", "/fails").status());
        }
    }

    @Test
    void shouldAnswerPipelinedRequestsInOrder() throws IOException {
        try (HttpClientSocket client = client()) {
            // given
            final StringBuilder all = new StringBuilder();
            for (int i = 0; i < 500; i++) {
                all.append("GET /?a=").append(i).append(" HTTP/1.1\r\nHost: localhost\r\n\r\n");
            }
            // when
            client.send(all.toString());
            // then
            for (int i = 0; i < 500; i++) {
                assertEquals("PUBLIC " + i, client.answer("GET").body());
            }
        }
    }

    @Test
    void shouldRefuseWhatIsNoQuestion() throws IOException {
        // when, then
        final HttpClientSocket.Answer post = ask("POST", "/", "Content-Length: 0");
        assertEquals(405, post.status());
        assertEquals("GET, HEAD", post.header("Allow"));
        assertEquals(405, ask("OPTIONS", "/", "Origin: http://evil.example").status());
        assertEquals(414, ask("GET", "/" + "a".repeat(20_000)).status());
        assertEquals(431, ask("GET", "/", "X: " + "a".repeat(20_000)).status());
        assertEquals(400, ask("GET", "/?a=%zz").status());
        try (HttpClientSocket client = client()) {
            client.send("\u0016\u0003\u0001 garbage\r\n\r\n");
            assertEquals(400, client.answer("GET").status());
            assertTrue(client.isEnded());
        }
    }

    @Test
    void shouldCloseAClientThatSendsItsRequestByteByByte() throws Exception {
        server.close();
        start(2);
        try (HttpClientSocket client = client()) {
            // given: half a request, and an end that would never come in time
            client.send("GET / HTTP/1.1\r\nHost: loc");
            // when, then
            assertTrue(client.isEnded());
            assertEquals(200, ask("GET", "/").status());
        }
    }

    @Test
    void shouldRefuseConnectionsBeyondTheLimitAndGoOn() throws IOException {
        // given
        final List<HttpClientSocket> clients = new ArrayList<>();
        int refused = 0;
        try {
            // when
            for (int i = 0; i < 1_000; i++) {
                clients.add(client());
            }
            for (int i = ConnectionBounds.MAX_REQUESTS; i < clients.size(); i++) {
                refused += clients.get(i).line().contains("503") ? 1 : 0;
            }
            // then
            assertEquals(1_000 - ConnectionBounds.MAX_REQUESTS, refused);
            assertEquals(200, clients.getFirst().ask("GET", "/").status());
        } finally {
            for (final HttpClientSocket client : clients) {
                client.close();
            }
        }
        int status = 0;
        for (int tries = 0; tries < 100 && status != 200; tries++) {
            status = ask("GET", "/").status();
        }
        assertEquals(200, status);
    }

    @Test
    void shouldRefuseOtherNamesAndOtherSites() throws IOException {
        // when, then
        final String port = ":" + address.getPort();
        assertEquals(403, ask("GET", "/", "Host: evil.example" + port).status());
        assertEquals(403, ask("GET", "/", "Host: 10.1.2.3" + port).status());
        assertEquals(403, ask("GET", "/", "Host: ").status());
        assertEquals(200, ask("GET", "/", "Host: 127.0.0.1" + port).status());
        assertEquals(200, ask("GET", "/", "Host: [::1]" + port).status());
        assertEquals(403, ask("GET", "/", "Origin: http://evil.example").status());
        assertEquals(403, ask("GET", "/", "Origin: null").status());
        assertEquals(200, ask("GET", "/", "Origin: http://localhost" + port).status());
    }

    @Test
    void shouldLetProgramsWithTheTokenSeeAll() throws IOException {
        // when, then: also by the name of a proxy
        assertEquals(
                "OPERATOR null",
                ask("GET", "/", "Authorization: Bearer " + TOKEN, "Host: proxy.example").body());
        final HttpClientSocket.Answer wrong =
                ask("GET", "/", "Authorization: Bearer " + TOKEN + "0");
        assertEquals(401, wrong.status());
        assertEquals("Bearer", wrong.header("WWW-Authenticate"));
        assertEquals(401, ask("GET", "/", "Authorization: Basic " + TOKEN).status());
    }

    @Test
    void shouldExchangeATicketOnceForACookie() throws IOException {
        // given
        final String ticket = sessions.ticket(Viewer.OPERATOR);
        // when
        final HttpClientSocket.Answer head = ask("HEAD", "/enter?ticket=" + ticket);
        final HttpClientSocket.Answer first = ask("GET", "/enter?ticket=" + ticket);
        final HttpClientSocket.Answer second = ask("GET", "/enter?ticket=" + ticket);
        // then
        assertEquals(403, head.status());
        assertEquals(303, first.status());
        assertEquals("/", first.header("Location"));
        final String cookie = first.header("Set-Cookie");
        assertTrue(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), cookie);
        assertEquals(403, second.status());
        final String session = cookie.substring(0, cookie.indexOf(';'));
        assertEquals("OPERATOR null", ask("GET", "/", "Cookie: " + session).body());
        assertEquals("PUBLIC null", ask("GET", "/", "Cookie: " + session + "A").body());
        assertEquals(
                403, ask("GET", "/", "Cookie: " + session, "Origin: http://evil.example").status());
        clockMs.addAndGet(WebSessions.SESSION_TIME.toMillis());
        assertEquals("PUBLIC null", ask("GET", "/", "Cookie: " + session).body());
    }

    @Test
    void shouldStreamEventsUntilTheViewerGoes() throws Exception {
        final EventStream stream;
        try (HttpClientSocket client = client()) {
            // when
            client.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
            stream = streams.poll(LIMIT_S, TimeUnit.SECONDS);
            assertTrue(stream.send("sample", "one\ntwo"));
            // then
            assertEquals("HTTP/1.1 200 OK", client.line());
            String line = client.line();
            while (!line.equals("event: sample")) {
                line = client.line();
            }
            assertEquals("data: one", client.line());
            assertEquals("data: two", client.line());
        }
        assertTrue(gone.await(LIMIT_S, TimeUnit.SECONDS), "the server did not notice");
        assertFalse(stream.send("sample", "three"));
    }

    @Test
    void shouldCloseAViewerWhoDoesNotRead() throws Exception {
        try (HttpClientSocket client = client()) {
            // given
            client.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
            final EventStream stream = streams.poll(LIMIT_S, TimeUnit.SECONDS);
            // when
            final String event = "x".repeat(100_000);
            int sent = 0;
            while (sent < 1_000 && stream.send("sample", event)) {
                sent++;
            }
            // then
            assertTrue(sent < 1_000, "everything waits in memory");
            assertTrue(gone.await(LIMIT_S, TimeUnit.SECONDS));
            assertEquals(200, ask("GET", "/").status());
        }
    }

    @Test
    void shouldWarnOnceOfAPortInUseAndListenWhenItIsFree() throws Exception {
        final BlockingQueue<String> warnings = new LinkedBlockingQueue<>();
        final ServerSocket stranger = new ServerSocket();
        stranger.bind(loopback(0));
        final int port = stranger.getLocalPort();
        try (ObserveServer late =
                new ObserveServer.Builder(loopback(port)).warnings(warnings::add).start()) {
            // when
            final String warning = warnings.poll(LIMIT_S, TimeUnit.SECONDS);
            stranger.close();
            // then
            assertTrue(warning.contains("port " + port), warning);
            assertEquals(port, late.listening().get(LIMIT_S, TimeUnit.SECONDS).getPort());
            assertEquals(0, warnings.size());
        }
    }

    @Test
    void shouldTakeOverWhenTheServerOfTheSameNodesEnds(@TempDir final Path folder)
            throws Exception {
        // given
        final Path lock = folder.resolve("c.lock");
        final BlockingQueue<String> warnings = new LinkedBlockingQueue<>();
        final ObserveServer first =
                new ObserveServer.Builder(loopback(0)).turn(new ServingTurn(lock)).start();
        final InetSocketAddress place = first.listening().get(LIMIT_S, TimeUnit.SECONDS);
        try (ObserveServer second =
                new ObserveServer.Builder(place)
                        .turn(new ServingTurn(lock))
                        .warnings(warnings::add)
                        .start()) {
            // when
            first.close();
            // then
            assertEquals(place, second.listening().get(LIMIT_S, TimeUnit.SECONDS));
            assertEquals(0, warnings.size());
        }
    }
}
