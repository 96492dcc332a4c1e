package io.hxb.sample;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.config.AttachConfig;
import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.LoopConfig;
import io.hxb.node.Node;
import io.hxb.node.NodeOptions;
import io.hxb.node.loop.NodeThreads;
import io.hxb.pm.PmDevice;
import io.hxb.testing.TestPorts;
import io.hxb.topology.Shape;

import org.agrona.DirectBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

/**
 * The programs that the pages under docs show, compiled and run with the one option of java that
 * docs/howto/java.md names, and nothing but pm-api and Agrona beside them. ReadmeTest compares the
 * pages with them.
 */
@Tag("system")
class DocumentProgramsSystemTest {
    private static final Path ROOT = Path.of(System.getProperty("hxb.root"));

    @TempDir private static Path compiled;
    private static String classPath;

    @TempDir private Path folder;
    private final List<AutoCloseable> open = new ArrayList<>();
    private ClusterConfig config;

    @BeforeAll
    static void compilesTheExamples() throws Exception {
        final String libraries = where(PmDevice.class) + ":" + where(DirectBuffer.class);
        final List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "-Xlint:all",
                                "-Werror",
                                "-proc:none",
                                "-cp",
                                libraries,
                                "-d",
                                compiled.toString()));
        try (Stream<Path> files =
                Files.list(ROOT.resolve("examples/src/main/java/io/hxb/example"))) {
            files.map(Path::toString).forEach(arguments::add);
        }
        final int status =
                ToolProvider.getSystemJavaCompiler()
                        .run(null, null, null, arguments.toArray(String[]::new));
        assertEquals(0, status, "the examples do not compile");
        classPath = compiled + ":" + libraries;
    }

    private static Path where(final Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    @BeforeEach
    void startsTwoNodes() throws IOException {
        final int base = TestPorts.take(4);
        config =
                ClusterConfig.of("documents", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 2, base))
                        .withAttach(new AttachConfig(folder, folder, List.of(), List.of()));
        final NodeThreads threads =
                NodeThreads.start(new LoopConfig(1, LoopConfig.Waiting.BLOCK, 0, 64, List.of(), 0));
        open.add(threads);
        for (int id = 0; id < 2; id++) {
            open.add(Node.start(new NodeOptions(config, id, threads, true, false, link -> link)));
        }
    }

    @AfterEach
    void stopsAll() throws Exception {
        while (!open.isEmpty()) {
            open.removeLast().close();
        }
    }

    @Test
    void shouldUseRemoteMemory() throws Exception {
        // when
        final Program one = start(0, "RemoteMemory", "1");
        final Program two = start(1, "RemoteMemory", "0");
        // then
        one.assertPrinted("values 0, 1, tag 5");
        two.assertPrinted("values 0, 1, tag 5");
        assertEquals("OK\n", one.errors());
        assertEquals("OK\n", two.errors());
    }

    @Test
    void shouldCarryOutAGroupsOperations() throws Exception {
        // given
        final String id = Long.toString(System.nanoTime());
        // when
        final Program one = start(0, "Sum", id);
        final Program two = start(1, "Sum", id);
        // then
        one.assertPrinted("the sum is 4.0, OK");
        two.assertPrinted("the sum is 4.0, OK");
        assertEquals("", one.errors());
    }

    @Test
    void shouldSendBytesToAPort() throws Exception {
        // given
        final Program server = start(1, "Streams", "listen");
        server.awaitError("listening");
        // when
        final Program client = start(0, "Streams", "there and back");
        // then
        client.assertPrinted("there and back");
        server.assertPrinted("there and back");
        assertEquals("", client.errors());
    }

    private Program start(final int node, final String name, final String... arguments)
            throws IOException {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"));
        command.addAll(List.of("-cp", classPath, "io.hxb.example." + name));
        command.addAll(List.of(arguments));
        final String socket = config.socketPath(node).toString();
        final Program program = Program.start(folder, Map.of("HXB_SOCKET", socket), command);
        open.add(program);
        return program;
    }
}
