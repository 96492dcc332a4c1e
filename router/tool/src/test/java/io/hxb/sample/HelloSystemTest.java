package io.hxb.sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
import io.hxb.tool.FastStart;
import io.hxb.tool.machine.Privileges;
import io.hxb.topology.Shape;

import org.agrona.DirectBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import javax.tools.ToolProvider;
import javax.xml.parsers.DocumentBuilderFactory;

/**
 * The program of {@code examples/}, which docs/howto/java.md quotes, compiled and run as a user
 * would: with nothing on its class path but pm-api and what its POM names, in two processes,
 * without any option of java.
 */
@Tag("system")
class HelloSystemTest {
    private static final Path ROOT = Path.of(System.getProperty("hxb.root"));

    @TempDir private static Path compiled;
    private static String classPath;

    @TempDir private Path folder;
    private final List<AutoCloseable> open = new ArrayList<>();

    @BeforeAll
    static void compilesTheExample() throws Exception {
        assertEquals(List.of("agrona"), dependencies("pm-api/pom.xml"));
        assertEquals(List.of("pm-api"), dependencies("examples/pom.xml"));
        final String libraries = where(PmDevice.class) + ":" + where(DirectBuffer.class);
        final String classes = compiled.toString();
        final String source =
                ROOT.resolve("examples/src/main/java/io/hxb/example/Hello.java").toString();
        final List<String> arguments =
                List.of("-Xlint:all", "-Werror", "-cp", libraries, "-d", classes, source);
        final int status =
                ToolProvider.getSystemJavaCompiler()
                        .run(null, null, null, arguments.toArray(String[]::new));
        assertEquals(0, status, "the example does not compile");
        classPath = classes + ":" + libraries;
    }

    @AfterEach
    void stopsAll() throws Exception {
        while (!open.isEmpty()) {
            open.removeLast().close();
        }
    }

    /** What a user of the artefact with this POM gets along with it. */
    private static List<String> dependencies(final String pom) throws Exception {
        final NodeList elements =
                DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(ROOT.resolve(pom).toFile())
                        .getElementsByTagName("dependency");
        final List<String> artifacts = new ArrayList<>();
        for (int i = 0; i < elements.getLength(); i++) {
            final Element dependency = (Element) elements.item(i);
            if (dependency.getElementsByTagName("optional").getLength() == 0
                    && dependency.getElementsByTagName("scope").getLength() == 0) {
                artifacts.add(
                        dependency.getElementsByTagName("artifactId").item(0).getTextContent());
            }
        }
        return artifacts;
    }

    private static Path where(final Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    @Test
    void shouldExchangeMessagesOverUdpWhicheverStartsFirst() throws Exception {
        final ClusterConfig config = startNodes();
        for (int first = 0; first < 2; first++) {
            // given a program that has sent before the other is there
            final int second = 1 - first;
            final Program early = hello(config, first, second);
            early.awaitError("sent");
            // when
            final Program late = hello(config, second, first);
            // then
            early.assertPrinted("hello from node " + second);
            late.assertPrinted("hello from node " + first);
        }
    }

    @Test
    void shouldListTheNodesWhenNoneIsChosen() throws Exception {
        // given
        final ClusterConfig config = startNodes();
        // when
        final Program hello = start(Map.of("HXB_RUN", folder.toString()), command(1));
        // then
        assertEquals(1, hello.status());
        assertTrue(hello.errors().contains("set HXB_SOCKET"), hello::errors);
        for (int node = 0; node < 2; node++) {
            final String socket = config.socketPath(node).toString();
            assertTrue(hello.errors().contains(socket), hello::errors);
        }
    }

    @Tag("outside")
    @Test
    void shouldExchangeMessagesInARawLab() throws Exception {
        assumeTrue(Privileges.canMakeNamespaces(), "skipped: network namespaces need root");
        // given
        final String lab = "s" + ProcessHandle.current().pid();
        open.add(() -> tool("down", "--name", lab).status());
        final Program up = tool("up", "--shape", "2", "--backend", "raw", "--name", lab);
        assertEquals(0, up.status(), up::errors);
        // when
        final Program early = inLab(lab, 0, 1);
        early.awaitError("sent");
        final Program late = inLab(lab, 1, 0);
        // then
        early.assertPrinted("hello from node 1");
        late.assertPrinted("hello from node 0");
    }

    private ClusterConfig startNodes() throws IOException {
        final int base = TestPorts.take(4);
        final ClusterConfig config =
                ClusterConfig.of("hello", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 2, base))
                        .withAttach(new AttachConfig(folder, folder, List.of(), List.of()));
        final NodeThreads threads =
                NodeThreads.start(new LoopConfig(1, LoopConfig.Waiting.BLOCK, 0, 64, List.of(), 0));
        open.add(threads);
        for (int id = 0; id < 2; id++) {
            open.add(Node.start(new NodeOptions(config, id, threads, true, false, link -> link)));
        }
        return config;
    }

    private Program hello(final ClusterConfig config, final int node, final int peer)
            throws IOException {
        return start(Map.of("HXB_SOCKET", config.socketPath(node).toString()), command(peer));
    }

    private Program inLab(final String lab, final int node, final int peer) throws IOException {
        final List<String> all =
                new ArrayList<>(List.of("exec", "--name", lab, Integer.toString(node), "--"));
        all.addAll(command(peer));
        return tool(all.toArray(String[]::new));
    }

    private List<String> command(final int peer) {
        final String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return List.of(
                java,
                "-XX:TieredStopAtLevel=1",
                "-cp",
                classPath,
                "io.hxb.example.Hello",
                Integer.toString(peer));
    }

    private Program tool(final String... arguments) throws IOException {
        final List<String> all = new ArrayList<>(List.of("lab"));
        all.addAll(List.of(arguments));
        final List<String> command = FastStart.command(all.toArray(String[]::new));
        return start(Map.of("HXB_RUN", folder.resolve("run").toString()), command);
    }

    private Program start(final Map<String, String> variables, final List<String> command)
            throws IOException {
        final Program program = Program.start(folder, variables, command);
        open.add(program);
        return program;
    }
}
