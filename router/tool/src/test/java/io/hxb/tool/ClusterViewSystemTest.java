package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.testing.TestNamespaces;
import io.hxb.testing.TestPorts;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** What one machine shows of another one: two nodes with run folders of their own. */
@Tag("system")
class ClusterViewSystemTest {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final HttpClient client = HttpClient.newHttpClient();
    @TempDir private Path folder;
    private Path file;
    private int port;

    private HxbProcess node(final int id, final String listen) throws IOException {
        final Path machine = Files.createDirectories(folder.resolve("machine-" + id));
        return HxbProcess.start(
                machine,
                List.of("env", "HXB_OBSERVE=" + listen),
                "node",
                "--config",
                file.toString(),
                "--node",
                Integer.toString(id));
    }

    private JsonNode network() {
        try {
            final URI url = URI.create("http://127.0.0.1:" + port + "/api/v1/network");
            return JSON.readTree(
                    client.send(
                                    HttpRequest.newBuilder(url)
                                            .timeout(Duration.ofSeconds(10))
                                            .build(),
                                    HttpResponse.BodyHandlers.ofString())
                            .body());
        } catch (final IOException e) {
            return JSON.createObjectNode();
        } catch (final InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private boolean shows(final String list, final int node, final Predicate<JsonNode> what) {
        final JsonNode all = network().path(list);
        for (final JsonNode each : all) {
            if (each.path("node").asInt() == node && what.test(each)) {
                return true;
            }
        }
        return false;
    }

    private boolean isNode(final int node, final String state) {
        return shows("nodes", node, each -> each.path("state").asString().equals(state));
    }

    private boolean isLink(final int node, final String link, final String state) {
        return shows(
                "links",
                node,
                each ->
                        each.path("link").asString().equals(link)
                                && each.path("state").asString().equals(state));
    }

    @Test
    void shouldShowALinkThatIsPulledElsewhereAndANodeThatIsKilledThere() throws Exception {
        TestNamespaces.assumeRoot();
        // given
        try (TestNamespaces namespaces = new TestNamespaces()) {
            final String here = namespaces.add("0");
            final String there = namespaces.add("1");
            namespaces.veth(here, "n0", there, "n0", 1500);
            namespaces.veth(here, "n1", there, "n1", 1500);
            port = TestPorts.take(1);
            file =
                    Files.writeString(
                            folder.resolve("cluster.yaml"),
                            """
                            name: seen
                            shape: 2
                            backend: raw
                            links:
                              x: [n0, n1]
                            netns: %s
                            """
                                    .formatted(here.substring(0, here.length() - 1) + "{node}"));
            try (HxbProcess first = node(0, "127.0.0.1:" + port);
                    HxbProcess second = node(1, "none")) {
                first.await("the other machine", () -> isNode(1, "running"));
                first.await(
                        "its links", () -> isLink(1, "x.0", "good") && isLink(1, "x.1", "good"));
                assertTrue(shows("nodes", 0, each -> each.path("local").asBoolean()));
                assertTrue(shows("nodes", 1, each -> !each.path("local").asBoolean(true)));
                assertTrue(shows("nodes", 1, each -> each.path("start_ms").asLong() > 0));
                // when
                final long pulledNs = System.nanoTime();
                TestNamespaces.ipIn(there, "link set n0 down");
                // then
                first.await("its pulled link", () -> isLink(1, "x.0", "down"));
                final long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - pulledNs);
                System.out.println("a pulled link was shown after " + tookMs + " ms");
                // A link whose loops find no CPU is excluded for a moment.
                first.await("the other link", () -> isLink(1, "x.1", "good"));
                // when
                second.process().destroyForcibly().waitFor();
                // then: nobody knows how its links are now
                first.await("a node that is not heard", () -> isNode(1, "unheard"));
                assertTrue(isLink(1, "x.0", "unknown"), () -> network().toString());
                assertTrue(isNode(0, "running"));
                final JsonNode timeline = network().path("timeline");
                final JsonNode last = timeline.get(timeline.size() - 1);
                assertEquals("fault", last.path("kind").asString(), timeline::toString);
            }
        }
    }
}
