package io.hxb.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.session.KeyRing;
import io.hxb.vlan.RememberingTagger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The manager's functions over HTTP. */
@Tag("unit")
class ManagerHttpTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    @TempDir private Path folder;

    private final RememberingTagger tagger = new RememberingTagger();
    private ManagerServer server;
    private SocketAddress socket;
    private InetSocketAddress loopback;

    private record Answer(int status, JsonNode content) {
        String error() {
            return content.path("error").asString("");
        }
    }

    @BeforeEach
    void start() throws IOException {
        server = new ManagerServer(TestManager.of(TestManager.table(4), tagger), KeyRing.NONE, 0);
        final Path path = folder.resolve("manager.sock");
        server.listen(path, uid -> true);
        socket = UnixDomainSocketAddress.of(path);
        loopback = server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private Answer ask(final String method, final String path, final String body)
            throws IOException {
        return exchange(
                socket,
                "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s"
                        .formatted(method, path, body.length(), body));
    }

    private Answer get(final String path) throws IOException {
        return ask("GET", path, "");
    }

    private static Answer exchange(final SocketAddress place, final String request)
            throws IOException {
        try (SocketChannel channel = SocketChannel.open(place)) {
            channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.UTF_8)));
            return answer(channel);
        }
    }

    private static Answer answer(final SocketChannel channel) throws IOException {
        final StringBuilder text = new StringBuilder();
        final ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        while (!isWhole(text) && channel.read(buffer.clear()) >= 0) {
            text.append(StandardCharsets.UTF_8.decode(buffer.flip()));
        }
        final String[] parts = text.toString().split("\r\n\r\n", 2);
        return new Answer(Integer.parseInt(parts[0].split(" ", -1)[1]), JSON.readTree(parts[1]));
    }

    private static boolean isWhole(final CharSequence text) {
        final String[] parts = text.toString().split("\r\n\r\n", 2);
        return parts.length == 2
                && parts[1].length()
                        == Integer.parseInt(
                                parts[0].replaceAll("(?si).*content-length: (\\d+).*", "$1"));
    }

    @Test
    void shouldReadAndChangePathsByNameNumberMacAndIp() throws IOException {
        assertEquals("h0", get("/v1").content().path("name").asString());
        assertEquals(3, get("/v1/routes").content().path("routes").size());
        for (final String peer : List.of("h1", "1", "02:00:00:00:00:02", "10.0.0.9")) {
            assertEquals(200, ask("PUT", "/v1/routes/" + peer, "{\"vid\": 12}").status(), peer);
            assertEquals(12, tagger.vid(1), peer);
            assertEquals(
                    12, get("/v1/routes/" + peer).content().path("vid").intValue(), "of " + peer);
            assertEquals(200, ask("DELETE", "/v1/routes/" + peer, "").status(), peer);
            assertEquals(11, tagger.vid(1), peer);
        }
        ask("PUT", "/v1/routes/h2", "{\"vid\": 12}");
        assertEquals(200, ask("DELETE", "/v1/routes", "").status());
        assertEquals(11, tagger.vid(2));
        assertEquals(2, get("/v1/traffic").content().path("vids").size());
        assertEquals(1500, get("/v1/nics").content().path("nics").get(0).path("mtu_bytes").asInt());
        assertTrue(get("/v1/counts").content().path("requests").asInt() > 10);
        assertEquals(200, ask("POST", "/v1/commit", "").status());
    }

    @Test
    void shouldChangeABatchTogetherOrNotAtAll() throws IOException {
        final Answer done =
                ask(
                        "POST",
                        "/v1/batch",
                        "{\"changes\": [{\"peer\": \"h1\", \"vid\": 12}, {\"peer\": \"h2\","
                                + " \"vid\": 12}]}");
        assertEquals(200, done.status());
        assertEquals(List.of(12, 12), List.of(tagger.vid(1), tagger.vid(2)));
        final Answer failed =
                ask(
                        "POST",
                        "/v1/batch",
                        "{\"changes\": [{\"peer\": \"h1\", \"vid\": null}, {\"peer\": \"h2\","
                                + " \"vid\": 13}]}");
        assertEquals(400, failed.status());
        assertEquals(1, failed.content().path("index").asInt());
        assertEquals(List.of(12, 12), List.of(tagger.vid(1), tagger.vid(2)));
        assertEquals(
                409,
                ask(
                                "POST",
                                "/v1/batch",
                                "{\"expect\": 77, \"changes\": [{\"peer\": \"h1\", \"vid\": 11}]}")
                        .status());
    }

    @Test
    void shouldReportWhatIsWrong() throws IOException {
        assertTrue(ask("PUT", "/v1/routes/h9", "{\"vid\": 12}").error().contains("no other host"));
        for (final String vid : List.of("0x", "13", "4095", "70000", "-1", "\"a\"", "1e9")) {
            assertEquals(400, ask("PUT", "/v1/routes/h1", "{\"vid\": " + vid + "}").status(), vid);
        }
        assertEquals(404, ask("GET", "/v2/routes", "").status());
        assertEquals(404, ask("GET", "/v1/routes/h1/more", "").status());
        assertEquals(405, ask("POST", "/v1/routes", "").status());
        assertEquals(405, ask("GET", "/v1/commit", "").status());
        assertEquals(400, ask("POST", "/v1/batch", "[").status());
        assertEquals(400, ask("GET", "/v1/routes/%zz", "").status());
        final String chunked =
                String.join(
                        "\r\n",
                        "PUT /v1/routes/h1 HTTP/1.1",
                        "Transfer-Encoding: chunked",
                        "",
                        "b",
                        "{\"vid\": 12}",
                        "0",
                        "",
                        "");
        assertEquals(200, exchange(socket, chunked).status());
        assertEquals(
                413,
                exchange(socket, "PUT /v1 HTTP/1.1\r\nContent-Length: 9000000\r\n\r\n").status());
        assertEquals(431, exchange(socket, "GET /v1 HTTP/1.1\r\nX: " + "a".repeat(9000)).status());
        assertEquals(400, exchange(socket, "HELLO\r\n\r\n").status());
    }

    @Test
    void shouldOnlyReadOverTcpAndNotForPagesOfOtherNames() throws IOException {
        final String body = "{\"vid\": 12}";
        assertEquals(
                403,
                exchange(
                                loopback,
                                "PUT /v1/routes/h1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                                        + body.length()
                                        + "\r\n\r\n"
                                        + body)
                        .status());
        assertEquals(11, tagger.vid(1));
        assertEquals(
                200, exchange(loopback, "GET /v1 HTTP/1.1\r\nHost: 127.0.0.1:7\r\n\r\n").status());
        assertEquals(
                403, exchange(loopback, "GET /v1 HTTP/1.1\r\nHost: evil.test\r\n\r\n").status());
    }

    @Test
    void shouldReportTheNextChange() throws IOException {
        final long now = get("/v1/watch?after=0").content().path("changes").asLong();
        assertEquals(1, now);
        final CompletableFuture<Answer> watch =
                CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                return get("/v1/watch?after=" + now);
                            } catch (final IOException e) {
                                throw new java.io.UncheckedIOException(e);
                            }
                        });
        ask("PUT", "/v1/routes/h1", "{\"vid\": 12}");
        assertEquals(2, watch.join().content().path("changes").asLong());
        assertEquals(400, get("/v1/watch?after=x").status());
    }

    @Test
    void shouldAnswerSeveralRequestsOfOneConnection() throws IOException {
        try (SocketChannel channel = SocketChannel.open(socket)) {
            final String one = "GET /v1/routes/h1 HTTP/1.1\r\n\r\n";
            channel.write(ByteBuffer.wrap((one + one).getBytes(StandardCharsets.US_ASCII)));
            final ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
            String text = "";
            while (text.split("\"ok\":true", -1).length < 3) {
                assertTrue(channel.read(buffer) > 0, text);
                text = StandardCharsets.UTF_8.decode(buffer.duplicate().flip()).toString();
            }
            channel.write(
                    ByteBuffer.wrap(
                            "GET /v1 HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
            int read = 0;
            while (read >= 0) {
                read = channel.read(buffer);
            }
        }
    }

    private static long answers(final SocketChannel channel, final long wanted) throws IOException {
        final ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        final StringBuilder rest = new StringBuilder();
        long count = 0;
        while (count < wanted && channel.read(buffer.clear()) >= 0) {
            rest.append(StandardCharsets.US_ASCII.decode(buffer.flip()));
            for (int at = rest.indexOf("HTTP/1.1 200"); at >= 0; ) {
                count++;
                rest.delete(0, at + 12);
                at = rest.indexOf("HTTP/1.1 200");
            }
            rest.delete(0, Math.max(0, rest.length() - 12));
        }
        return count;
    }

    private static void write(final SocketChannel channel, final ByteBuffer bytes) {
        try {
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (final IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** Whatever comes at once is answered in turn: not nested, and no faster than it is read. */
    @Test
    void shouldAnswerAsManyRequestsAsComeAtOnce() throws Exception {
        for (final String path : List.of("/v1/watch", "/v1/table")) {
            final byte[] one =
                    ("GET " + path + " HTTP/1.1\r\n\r\n").getBytes(StandardCharsets.US_ASCII);
            final int count = 1_000_000 / one.length;
            final ByteBuffer all = ByteBuffer.allocate(count * one.length);
            while (all.hasRemaining()) {
                all.put(one);
            }
            try (SocketChannel channel = SocketChannel.open(socket)) {
                final Thread writer = Thread.ofVirtual().start(() -> write(channel, all.flip()));

                assertEquals(count, answers(channel, count), path);

                writer.join();
            }
            assertEquals(200, get("/v1").status(), "the manager goes on");
        }
    }

    @Test
    void shouldAnswerRequestsAfterAWatchWhenThatEnds() throws IOException {
        try (SocketChannel channel = SocketChannel.open(socket)) {
            final String watch = "GET /v1/watch?after=1 HTTP/1.1\r\n\r\n";
            final String more = watch.replace("=1", "=2") + "GET /v1/watch HTTP/1.1\r\n\r\n";
            channel.write(ByteBuffer.wrap((watch + more).getBytes(StandardCharsets.US_ASCII)));

            ask("PUT", "/v1/routes/h1", "{\"vid\": 12}");
            assertEquals(1, answers(channel, 1));

            ask("PUT", "/v1/routes/h1", "{\"vid\": 11}");
            assertEquals(2, answers(channel, 2));
        }
    }

    @Test
    void shouldAnswerHeadWithoutABody() throws IOException {
        final int length;
        try (SocketChannel channel = SocketChannel.open(socket)) {
            send(channel, "HEAD /v1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            final String head = rest(channel);
            assertTrue(head.startsWith("HTTP/1.1 200 "), head);
            assertTrue(head.endsWith("\r\n\r\n"), head);
            length = Integer.parseInt(head.replaceAll("(?si).*content-length: (\\d+).*", "$1"));
        }
        try (SocketChannel channel = SocketChannel.open(socket)) {
            send(channel, "GET /v1 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            assertEquals(length, rest(channel).split("\r\n\r\n", 2)[1].length());
        }
    }

    @Test
    void shouldAskForABodyThatTheClientHoldsBack() throws IOException {
        try (SocketChannel channel = SocketChannel.open(socket)) {
            // given: as curl does with more than 1 KiB
            final String body = "{\"vid\": 12}";
            send(
                    channel,
                    "PUT /v1/routes/h1 HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
                            + "Connection: close\r\nContent-Length: %d\r\n\r\n"
                                    .formatted(body.length()));
            // when
            final ByteBuffer buffer = ByteBuffer.allocate(1 << 10);
            channel.read(buffer);
            final String first = StandardCharsets.UTF_8.decode(buffer.flip()).toString();
            assertTrue(first.startsWith("HTTP/1.1 100 "), first);
            send(channel, body);
            // then
            final String answer = rest(channel);
            assertTrue(answer.startsWith("HTTP/1.1 200 "), answer);
            assertEquals(12, tagger.vid(1));
        }
    }

    @Test
    void shouldTakeARequestInManyParts() throws IOException {
        final String body = "{\"vid\": 12}" + " ".repeat(20_000);
        final String request =
                "PUT /v1/routes/h1 HTTP/1.1\r\nX: %s\r\nContent-Length: %d\r\n\r\n%s"
                        .formatted("a".repeat(7_000), body.length(), body);
        try (SocketChannel channel = SocketChannel.open(socket)) {
            for (int at = 0; at < request.length(); at += 1_000) {
                send(channel, request.substring(at, Math.min(request.length(), at + 1_000)));
            }
            assertEquals(200, answer(channel).status());
        }
    }

    @Test
    void shouldRefuseWhatIsTooLong() throws IOException {
        final String host = "Host: localhost\r\n";
        assertEquals(
                431,
                exchange(socket, "GET /v1 HTTP/1.1\r\n" + host + "A: " + "a".repeat(9000))
                        .status());
        assertEquals(414, exchange(socket, "GET /" + "a".repeat(9000)).status());
        assertEquals(
                413,
                exchange(
                                socket,
                                "PUT /v1/table HTTP/1.1\r\n"
                                        + host
                                        + "Content-Length: 1048577\r\n\r\n")
                        .status());
        assertEquals(400, exchange(socket, "NONSENSE\r\n\r\n").status());
        assertEquals(505, exchange(socket, "GET /v1 HTTP/3.0\r\n" + host + "\r\n").status());
    }

    private static void send(final SocketChannel channel, final String text) throws IOException {
        channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static String rest(final SocketChannel channel) throws IOException {
        final StringBuilder text = new StringBuilder();
        final ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        while (channel.read(buffer.clear()) >= 0) {
            text.append(StandardCharsets.UTF_8.decode(buffer.flip()));
        }
        return text.toString();
    }

    @Test
    void shouldReadAndSetTheTable() throws IOException {
        // given
        assertEquals(4, get("/v1/table").content().path("rows").size());
        // when, then
        assertEquals(400, ask("PUT", "/v1/table", "{\"rows\": [{\"host\": \"h1\"}]}").status());
        final String rows =
                "{\"rows\": [{\"host\": \"h0\", \"vid\": 11, \"rank\": 1},"
                        + " {\"host\": 1, \"vid\": 12, \"rank\": 0}],"
                        + " \"pairs\": [{\"a\": \"h0\", \"b\": \"h2\", \"vid\": 12}]}";
        assertEquals(200, ask("PUT", "/v1/table", rows).status());
        assertEquals(List.of(12, 12, 11), List.of(tagger.vid(1), tagger.vid(2), tagger.vid(3)));
        final JsonNode table = get("/v1/table").content();
        assertEquals(0, table.path("rows").get(1).path("rank").intValue());
        assertEquals(12, table.path("pairs").get(0).path("vid").intValue());
    }
}
