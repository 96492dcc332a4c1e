package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import io.hxb.tool.machine.Privileges;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/** Prometheus itself, with the files of deploy/observe, looks at a lab whose cable is pulled. */
@Tag("system")
@Tag("outside")
class PrometheusSystemTest {
    private static final Path PROGRAM = Path.of("/usr/bin/prometheus");
    private static final long LIMIT_S = 120;

    private final HttpClient client = HttpClient.newHttpClient();
    private final String lab = "prom" + ProcessHandle.current().pid();
    @TempDir private Path folder;

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            return socket.getLocalPort();
        }
    }

    private void hxb(final int port, final String... arguments) throws Exception {
        try (HxbProcess command =
                HxbProcess.start(
                        folder, List.of("env", "HXB_OBSERVE=127.0.0.1:" + port), arguments)) {
            assertEquals(0, command.status(), () -> command.output() + command.errors());
        }
    }

    private Process prometheus(final int port, final int own) throws IOException {
        final Path deployed = Path.of(System.getProperty("hxb.root"), "deploy/observe");
        Files.copy(deployed.resolve("alerts.yaml"), folder.resolve("alerts.yaml"));
        Files.writeString(
                folder.resolve("prometheus.yaml"),
                Files.readString(deployed.resolve("prometheus.yaml"))
                        .replace("127.0.0.1:9109", "127.0.0.1:" + port)
                        .replace(": 5s", ": 1s"));
        return new ProcessBuilder(
                        PROGRAM.toString(),
                        "--config.file=" + folder.resolve("prometheus.yaml"),
                        "--storage.tsdb.path=" + folder.resolve("data"),
                        "--web.listen-address=127.0.0.1:" + own)
                .redirectErrorStream(true)
                .redirectOutput(new File("/dev/null"))
                .start();
    }

    private String ask(final int port, final String path) throws InterruptedException {
        try {
            return client.send(
                            HttpRequest.newBuilder(
                                            URI.create(
                                                    "http://127.0.0.1:" + port + "/api/v1/" + path))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (final IOException e) {
            return "";
        }
    }

    private void await(final int port, final String path, final Predicate<String> condition)
            throws InterruptedException {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_S);
        String answer = ask(port, path);
        while (!condition.test(answer)) {
            if (System.nanoTime() - deadlineNs > 0) {
                fail(path + ": " + answer);
            }
            LockSupport.parkNanos(100_000_000);
            answer = ask(port, path);
        }
    }

    @Test
    void shouldFireTheAlertOfALinkWhoseCableIsPulled() throws Exception {
        Assumptions.assumeTrue(Privileges.isRoot(), "skipped: labs with NICs need root");
        Assumptions.assumeTrue(
                Files.isExecutable(PROGRAM),
                "skipped: there is no " + PROGRAM + " (package prometheus)");
        final int port = freePort();
        final int own = freePort();
        // given
        hxb(port, "lab", "up", "--name", lab, "--shape", "2");
        final Process prometheus = prometheus(port, own);
        try {
            await(own, "targets", text -> text.contains("\"health\":\"up\""));
            await(
                    own,
                    "query?query=sum(hxb_node_state%7Bstate=%22running%22%7D)",
                    text -> text.contains("\"2\""));
            // when
            hxb(port, "lab", "exec", "--name", lab, "0", "--", "ip", "link", "set", "x0", "down");
            // then
            await(
                    own,
                    "alerts",
                    text ->
                            text.contains("\"alertname\":\"HxbLinkDown\"")
                                    && text.contains("\"alertname\":\"HxbLinkExcluded\"")
                                    && text.contains("\"state\":\"firing\"")
                                    && text.contains("\"link\":\"x.0\""));
        } finally {
            prometheus.destroyForcibly().waitFor();
            hxb(port, "lab", "down", "--name", lab);
        }
    }
}
