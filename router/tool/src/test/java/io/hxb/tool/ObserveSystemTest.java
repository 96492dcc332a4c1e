package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.context.OtherUser;
import io.hxb.testing.TestPorts;
import io.hxb.tool.machine.Privileges;

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
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

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

    @Test
    void shouldShowEachUserTheirOwnValuesOnly() throws Exception {
        assumeTrue(Privileges.isRoot(), "skipped: becoming another user needs root");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        // given: a node, and two users of a tenant and one of another
        port = TestPorts.take(1);
        file =
                Files.writeString(
                        folder.resolve("cluster.yaml"),
                        """
                        name: shared
                        shape: 2
                        backend: udp
                        links: {x: 1}
                        udp: {basePort: %d}
                        attach:
                          directory: %s
                          countersDirectory: %s
                        tenants: {physics: {uids: [1000, 1001]}, chemistry: {uids: [1002]}}
                        """
                                .formatted(TestPorts.take(4), folder, folder));
        final Path socket = folder.resolve("shared-0.sock");
        try (HxbProcess node = node(0)) {
            node.await("the page", () -> shows(0, "running"));
            try (OtherUser one = OtherUser.start(socket, 1_000, 1_000, List.of());
                    OtherUser two = OtherUser.start(socket, 1_001, 1_001, List.of());
                    OtherUser three = OtherUser.start(socket, 1_002, 1_002, List.of())) {
                int context = 0;
                for (final OtherUser user : List.of(one, two, three)) {
                    assertEquals("attached", user.request("attach"));
                    assertEquals("opened", user.request("open " + ++context));
                }
                final String operator = session("all");
                node.await("values of all users", () -> seesAll(operator));
                // What lets these users read the class path would let them read this, too.
                final Path secret = folder.resolve("shared.observe.secret");
                assertEquals(
                        "rw-------",
                        PosixFilePermissions.toString(Files.getPosixFilePermissions(secret)));
                Files.delete(secret);
                // when, then
                final String cookie = session("own", 1_000);
                assertEquals(Set.of(1_000), seenBy(cookie));
                assertEquals(Set.of(1_002), seenBy(session("own", 1_002)));
                // and of flows and contexts what belongs to a user or the tenant
                assertEquals(Set.of(0, 1, 2, 3), contexts(operator));
                assertEquals(Set.of(1, 2), contexts(cookie));
                assertEquals(Set.of(3), contexts(session("own", 1_002)));
                assertEquals(Set.of(), contexts("none=1"));
                assertTrue(body("/api/v1/flows?node=2", operator).contains("malformed"));
                assertTrue(body("/metrics", cookie).contains("user=\"tenant physics\""));
                assertFalse(body("/metrics", session("own", 1_002)).contains("physics"));
                assertEquals(Set.of(), seenBy("none=1"));
                // when, then: a changed ticket is none
                assertEquals(Set.of(), seenBy(cookie.substring(0, cookie.length() - 1)));
            }
        }
    }

    private Set<Integer> contexts(final String cookie) {
        return Pattern.compile("\"context\":(\\d+)")
                .matcher(body("/api/v1/flows", cookie))
                .results()
                .map(each -> Integer.valueOf(each.group(1)))
                .collect(Collectors.toSet());
    }

    // They become known between two requests, so that the answers may differ until then.
    private boolean seesAll(final String cookie) {
        final Set<Integer> all = Set.of(1_000, 1_001, 1_002);
        return inMetrics(cookie).containsAll(all) && inInterface(cookie).containsAll(all);
    }

    // Users whose values are shown, which metrics and the interface agree about.
    private Set<Integer> seenBy(final String cookie) {
        final Set<Integer> users = inMetrics(cookie);
        assertEquals(users, inInterface(cookie));
        return users;
    }

    private Set<Integer> inMetrics(final String cookie) {
        return users(body("/metrics", cookie), "user=\"user ");
    }

    private Set<Integer> inInterface(final String cookie) {
        return users(body("/api/v1/users", cookie), "\"user\":\"user ");
    }

    private static Set<Integer> users(final String text, final String before) {
        return Pattern.compile(Pattern.quote(before) + "(\\d+)\"")
                .matcher(text)
                .results()
                .map(each -> Integer.valueOf(each.group(1)))
                .collect(Collectors.toSet());
    }

    private String body(final String path, final String cookie) {
        try {
            final HttpRequest request =
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                            .header("Cookie", cookie)
                            .build();
            return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
        } catch (final IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    // The cookie that hxb web leads to.
    private String session(final String sees, final int... uid) {
        final List<String> prefix =
                new ArrayList<>(List.of("env", "HXB_OBSERVE=127.0.0.1:" + port));
        for (final int user : uid) {
            // May read everything, for the class path may be in root's home, but write nothing.
            prefix.addAll(
                    List.of(
                            "setpriv",
                            "--reuid=" + user,
                            "--regid=" + user,
                            "--clear-groups",
                            "--inh-caps=-all,+dac_read_search",
                            "--ambient-caps=-all,+dac_read_search",
                            "--bounding-set=-all,+dac_read_search"));
        }
        try (HxbProcess web =
                HxbProcess.start(
                        folder,
                        prefix,
                        "web",
                        "--json",
                        "--no-open",
                        "--config",
                        file.toString())) {
            assertEquals(0, web.status(), web::errors);
            assertEquals(sees, web.json().get("sees"), web::output);
            return get(web.json().get("url").toString())
                    .headers()
                    .firstValue("Set-Cookie")
                    .orElseThrow()
                    .replaceFirst(";.*", "");
        } catch (final IOException | InterruptedException e) {
            throw new IllegalStateException(e);
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
