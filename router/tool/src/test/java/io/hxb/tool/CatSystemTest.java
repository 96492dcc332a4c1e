package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.AttachConfig;
import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.LoopConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.node.Node;
import io.hxb.node.NodeOptions;
import io.hxb.node.loop.NodeThreads;
import io.hxb.testing.TestPorts;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

/** {@code hxb cat} between processes that are attached to two nodes with two links. */
@Tag("system")
class CatSystemTest {
    private static final String PORT = "5000";

    @TempDir private Path folder;
    private final List<AutoCloseable> open = new ArrayList<>();
    private final List<Node> nodes = new ArrayList<>();
    private Path file;

    @BeforeEach
    void startNodes() throws IOException {
        final int base = TestPorts.take(4);
        final ClusterConfig config =
                ClusterConfig.of("cat", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 2, base))
                        .withAttach(new AttachConfig(folder, folder, List.of(), List.of()));
        file = folder.resolve("cluster.yaml");
        Files.writeString(file, ClusterConfigYaml.write(config));
        final NodeThreads threads =
                NodeThreads.start(new LoopConfig(1, LoopConfig.Waiting.BLOCK, 0, 64, List.of(), 0));
        open.add(threads);
        for (int id = 0; id < 2; id++) {
            final Node node =
                    Node.start(new NodeOptions(config, id, threads, true, false, link -> link));
            nodes.add(node);
            open.add(node);
        }
    }

    @AfterEach
    void stopAll() throws Exception {
        while (!open.isEmpty()) {
            open.removeLast().close();
        }
    }

    private HxbProcess cat(final String node, final String... arguments) throws IOException {
        return shell("exec \"$0\" \"$@\"", node, arguments);
    }

    /**
     * Starts a command by a shell.
     *
     * @param script where {@code "$0" "$@"} is the command.
     */
    private HxbProcess shell(final String script, final String node, final String... arguments)
            throws IOException {
        final List<String> all =
                new ArrayList<>(List.of("cat", "--config", file.toString(), "--node", node));
        all.addAll(List.of("--verbose"));
        all.addAll(List.of(arguments));
        final HxbProcess process =
                HxbProcess.start(folder, List.of("sh", "-c", script), all.toArray(String[]::new));
        open.add(process);
        return process;
    }

    private HxbProcess listening() throws IOException {
        return listening("exec \"$0\" \"$@\" </dev/null");
    }

    private HxbProcess listening(final String script) throws IOException {
        final HxbProcess listener = shell(script, "1", "--listen", PORT);
        listener.await("the port", () -> listener.errors().contains("listening"));
        return listener;
    }

    @Test
    void shouldCopyInputToThePeersOutput() throws Exception {
        // given
        final byte[] bytes = new byte[3_000_000];
        new Random(9).nextBytes(bytes);
        final HxbProcess listener = listening();
        // when
        final HxbProcess client = cat("0", "1", PORT);
        try (OutputStream input = client.process().getOutputStream()) {
            input.write(bytes);
        }
        // then
        assertEquals(0, listener.status(), listener::errors);
        assertEquals(0, client.status(), client::errors);
        assertArrayEquals(bytes, listener.outputBytes());
        assertTrue(client.errors().contains("sent 3000000 bytes"), client::errors);
    }

    @Test
    void shouldCopyAFileThatBeginsAfterThePeersInputHasEnded() throws Exception {
        // given
        final byte[] bytes = new byte[15_000_000];
        new Random(3).nextBytes(bytes);
        Files.write(folder.resolve("file"), bytes);
        for (int round = 0; round < 2; round++) {
            final HxbProcess listener = listening();
            // when
            final HxbProcess client =
                    shell("(sleep 0.3; cat " + folder + "/file) | \"$0\" \"$@\"", "0", "1", PORT);
            // then
            assertEquals(0, client.status(), client::errors);
            assertEquals(0, listener.status(), listener::errors);
            assertEquals(sha256(bytes), sha256(listener.outputBytes()), "round " + round);
            assertEquals(0, client.outputBytes().length);
        }
    }

    private static String sha256(final byte[] bytes) throws NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }

    @Test
    void shouldCopyBothWaysAtOnce() throws Exception {
        // given
        final byte[] bytes = new byte[5_000_000];
        new Random(4).nextBytes(bytes);
        Files.write(folder.resolve("file"), bytes);
        final String script = "exec \"$0\" \"$@\" <" + folder + "/file";
        final HxbProcess listener = listening(script);
        // when
        final HxbProcess client = shell(script, "0", "1", PORT);
        // then
        assertEquals(0, client.status(), client::errors);
        assertEquals(0, listener.status(), listener::errors);
        assertArrayEquals(bytes, listener.outputBytes());
        assertArrayEquals(bytes, client.outputBytes());
    }

    @Test
    void shouldFailOnBothSidesWhenOutputCannotBeWrittenOrInputNotRead() throws Exception {
        // given
        final HxbProcess full = listening("exec \"$0\" \"$@\" </dev/null >/dev/full");
        final HxbProcess writer = shell("exec \"$0\" \"$@\" </dev/zero", "0", "1", PORT);
        // then
        assertFailed(full, "cannot write to standard output: No space left on device");
        assertFailed(writer, "connection reset by peer");
        // given
        final HxbProcess listener = listening();
        final HxbProcess unreadable = shell("exec \"$0\" \"$@\" </", "0", "1", PORT);
        // then
        assertFailed(unreadable, "cannot read standard input: Is a directory");
        assertFailed(listener, "connection reset by peer");
    }

    private static void assertFailed(final HxbProcess process, final String reason)
            throws InterruptedException {
        assertEquals(1, process.status(), process::errors);
        assertTrue(process.errors().contains(reason), process::errors);
    }

    @Test
    void shouldFailInWordsWhenTheSenderIsKilledAndWhenNobodyComes() throws Exception {
        // given
        final HxbProcess listener = listening();
        final HxbProcess client = cat("0", "1", PORT);
        listener.await("the connection", () -> listener.errors().contains("connected"));
        // when
        client.process().destroyForcibly().waitFor();
        // then
        assertFailed(listener, "connection reset: the peer's process or node has ended");
        assertFailed(cat("1", "--listen", PORT, "--timeout", "100ms"), "nobody has connected");
    }

    @Test
    void shouldFailInWordsWhenItsNodeIsStopped() throws Exception {
        // given
        final HxbProcess listener = listening();
        final HxbProcess client = cat("0", "1", PORT);
        listener.await("the connection", () -> listener.errors().contains("connected"));
        // when
        nodes.get(1).close();
        // then
        assertFailed(listener, "the node of this machine is gone");
        assertEquals(1, client.status());
        assertTrue(client.errors().contains("node"), client::errors);
    }

    @Test
    void shouldFailInWordsWhenThePeersProcessIsKilled() throws Exception {
        // given
        final HxbProcess listener = listening();
        final HxbProcess client = cat("0", "1", PORT);
        listener.await("the connection", () -> listener.errors().contains("connected"));
        // when
        listener.process().destroyForcibly().waitFor();
        // then
        assertEquals(1, client.status());
        assertTrue(client.errors().contains("connection reset"), client::errors);
        final HxbProcess refused = cat("0", "1", PORT);
        assertEquals(1, refused.status());
        assertTrue(refused.errors().contains("refused"), refused::errors);
    }
}
