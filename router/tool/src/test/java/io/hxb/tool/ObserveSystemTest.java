package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.testing.TestPorts;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Metrics of nodes that are processes, one of which dies, and the page's address. */
@Tag("system")
class ObserveSystemTest {
    private final HttpClient client = HttpClient.newHttpClient();
    @TempDir private Path folder;
    private Path file;
    private int port;

    private HxbProcess node(final int id) throws IOException {
        return HxbProcess.start(
                folder,
                List.of("env", "HXB_OBSERVE=127.0.0.1:" + port),
                "node",
                "--config",
                file.toString(),
                "--node",
                Integer.toString(id));
    }

    private HttpResponse<String> get(final String url) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(URI.create(url)).timeout(Duration.ofSeconds(10)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private boolean shows(final int node, final String state) {
        try {
            return get("http://127.0.0.1:" + port + "/metrics")
                    .body()
                    .contains(
                            "hxb_node_state{node=\"%d\",state=\"%s\"} 1.0\n"
                                    .formatted(node, state));
        } catch (final IOException e) {
            return false;
        } catch (final InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long warnings(final HxbProcess node) {
        return node.errors()
                .lines()
                .filter(line -> line.contains("metrics are not served"))
                .count();
    }

    @Test
    void shouldServeAllNodesFromOnePortWhateverHasItAndWhicheverDies() throws Exception {
        // given: a stranger on the port
        file =
                Files.writeString(
                        folder.resolve("cluster.yaml"),
                        """
                        name: seen
                        shape: 2
                        backend: udp
                        links: {x: 1}
                        udp: {basePort: %d}
                        attach: {directory: %s, countersDirectory: %s}
                        """
                                .formatted(TestPorts.take(4), folder, folder));
        final ServerSocket stranger = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"));
        port = stranger.getLocalPort();
        try (HxbProcess first = node(0)) {
            // when, then: the node runs, and warns once
            first.await("node 0", () -> first.output().contains("is up"));
            first.await("a warning", () -> warnings(first) == 1);
            assertTrue(first.errors().contains("port " + port), first.errors());
            // when, then: the port is free
            stranger.close();
            first.await("metrics", () -> shows(0, "running"));
            try (HxbProcess second = node(1)) {
                second.await("both nodes", () -> shows(1, "running"));
                checkAddressOfThePage(first);
                // when, then: the node that serves is killed, and the other one shows it
                first.process().destroyForcibly().waitFor();
                second.await("a dead node", () -> shows(0, "dead"));
                assertTrue(shows(1, "running"));
                assertEquals(0, warnings(second), second::errors);
                assertEquals(1, warnings(first), first::errors);
            }
        }
    }

    private void checkAddressOfThePage(final HxbProcess node) throws Exception {
        try (HxbProcess web =
                HxbProcess.start(
                        folder,
                        List.of("env", "HXB_OBSERVE=127.0.0.1:" + port),
                        "web",
                        "--json",
                        "--no-open",
                        "--config",
                        file.toString())) {
            assertEquals(0, web.status(), web::errors);
            assertEquals(true, web.json().get("session"), node::errors);
            final String url = web.json().get("url").toString();
            assertEquals(303, get(url).statusCode());
            assertEquals(403, get(url).statusCode());
            assertFalse(url.contains("localhost"));
        }
    }
}
