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
import io.hxb.node.NodeThreads;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** {@code hxb cat} between processes that are attached to two nodes with two links. */
@Tag("system")
class CatSystemTest {
    private static final String PORT = "5000";
    private static final int FIRST_UDP_PORT = 28_000;

    @TempDir private Path folder;
    private final List<AutoCloseable> open = new ArrayList<>();
    private Path file;

    @BeforeEach
    void startNodes() throws IOException {
        final int base = FIRST_UDP_PORT + (int) (ProcessHandle.current().pid() % 900) * 4;
        final ClusterConfig config =
                ClusterConfig.of("cat", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 2, base))
                        .withAttach(new AttachConfig(folder, folder, List.of(), List.of()));
        file = folder.resolve("cluster.yaml");
        Files.writeString(file, ClusterConfigYaml.write(config));
        final NodeThreads threads =
                NodeThreads.start(new LoopConfig(1, LoopConfig.Waiting.BLOCK, 0, 64, List.of(), 0));
        open.add(threads);
        for (int id = 0; id < 2; id++) {
            open.add(Node.start(new NodeOptions(config, id, threads, true, false, link -> link)));
        }
    }

    @AfterEach
    void stopAll() throws Exception {
        while (!open.isEmpty()) {
            open.removeLast().close();
        }
    }

    private HxbProcess cat(final String node, final String... arguments) throws IOException {
        final List<String> all =
                new ArrayList<>(List.of("cat", "--config", file.toString(), "--node", node));
        all.addAll(List.of("--verbose"));
        all.addAll(List.of(arguments));
        final HxbProcess process = HxbProcess.start(folder, all.toArray(String[]::new));
        open.add(process);
        return process;
    }

    private HxbProcess listening() throws IOException {
        final HxbProcess listener = cat("1", "--listen", PORT);
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
