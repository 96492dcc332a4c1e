package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.context.LibHxb;
import io.hxb.context.LibHxb.Build;
import io.hxb.testing.TestPorts;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The libfabric provider against the manual pages of libfabric, over real nodes and UDP. */
@Tag("system")
class LibHxbProviderSystemTest {
    private static final int BASE_PORT = TestPorts.take(4);

    /** The errors that a program gets of a peer that was killed: FI_ECONNREFUSED, FI_ECONNRESET. */
    private static final Set<String> GONE =
            Set.of("Connection refused", "Connection reset by peer");

    @TempDir private Path folder;

    private UdpNodes nodes;
    private LibHxb programs;

    @BeforeEach
    void start() throws Exception {
        LibHxb.assumePresent("gcc", "gcc");
        Assumptions.assumeTrue(
                Files.exists(Path.of("/usr/include/rdma/fabric.h")),
                "skipped: the headers of libfabric are not installed (Debian: libfabric-dev)");
        LibHxb.build(Build.CHECKED, "provider");
        nodes = UdpNodes.start("provider-c", Shape.of(2), folder, BASE_PORT);
        programs = nodes.keep(new LibHxb());
    }

    @AfterEach
    void closeAll() throws Exception {
        if (nodes != null) {
            nodes.close();
        }
    }

    private Process start(final Build build, final int node, final String... command)
            throws Exception {
        final Map<String, String> environment = new HashMap<>();
        environment.put("FI_PROVIDER_PATH", build.file("fi").toString());
        environment.put("FI_PROVIDER", "hxb");
        environment.put("HXB_SOCKET", nodes.socket(node));
        return programs.start(environment, command);
    }

    private Process scenario(final int node, final String name, final String... more)
            throws Exception {
        return scenario(Build.CHECKED, node, name, more);
    }

    /** Starts a scenario of provider.c; the other socket is that of the other node. */
    private Process scenario(
            final Build build, final int node, final String name, final String... more)
            throws Exception {
        final List<String> command = new ArrayList<>();
        command.add(build.file("provider").toString());
        command.add(name);
        command.add(nodes.socket(node));
        command.add(nodes.socket(1 - node));
        command.addAll(List.of(more));
        return start(build, node, command.toArray(new String[0]));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "info",
                "calls",
                "sizes",
                "match",
                "peek",
                "cancel",
                "multi",
                "completion",
                "waiting",
                "full",
                "behind",
                "addresses",
                "closing",
                "remote",
                "atomic",
                "collective",
                "patience"
            })
    void shouldDoAsTheManualPagesDescribe(final String name) throws Exception {
        assertEquals(List.of(), LibHxb.lines(scenario(0, name)));
    }

    /** LibHxbTest has the library below it with ThreadSanitizer every day. */
    @Tag("outside")
    @Test
    void shouldServeManyThreadsWithoutRaces() throws Exception {
        LibHxb.build(Build.THREADS, "provider");
        assertEquals(List.of(), LibHxb.lines(scenario(Build.THREADS, 0, "waiting")));
    }

    @Test
    void shouldDoAsItsModelWithRandomOperations() throws Exception {
        assertEquals(List.of(), LibHxb.lines(scenario(0, "random", "1")));
    }

    @Tag("outside")
    @ParameterizedTest
    @ValueSource(strings = {"2", "3"})
    void shouldDoAsItsModelWithMoreRandomOperations(final String seed) throws Exception {
        assertEquals(List.of(), LibHxb.lines(scenario(0, "random", seed)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"busy", "idle", "asleep"})
    void shouldEndWhatAwaitsAProgramThatIsKilled(final String use) throws Exception {
        // given
        final Process killed = scenario(1, "serve");
        final Process outlive = scenario(0, "outlive", LibHxb.line(killed), use);
        assertEquals("ready", LibHxb.line(outlive));
        // when
        killed.destroyForcibly().waitFor();
        // then
        final List<String> error = LibHxb.lines(outlive);
        assertTrue(GONE.contains(error.getFirst()), error.toString());
    }

    @Test
    void shouldServeOthersAfterAProgramWasKilled() throws Exception {
        final Process server = scenario(1, "serve");
        final String address = LibHxb.line(server);
        for (int i = 0; i < 2; i++) {
            final Process killed = scenario(0, "outlive", address, "busy");
            assertEquals("ready", LibHxb.line(killed));
            killed.destroyForcibly().waitFor();
        }
        assertEquals(List.of(), LibHxb.lines(scenario(0, "outlive", address)));
        server.destroyForcibly().waitFor();
        final String later = LibHxb.line(scenario(1, "serve"));
        assertEquals(List.of(), LibHxb.lines(scenario(0, "outlive", later)));
    }

    @Test
    void shouldBeFoundByFiInfo() throws Exception {
        LibHxb.assumePresent("fi_info", "libfabric-bin");
        LibHxb.build(Build.PLAIN, "fi/libhxb-fi.so");
        final List<String> lines = LibHxb.lines(start(Build.PLAIN, 1, "fi_info", "-p", "hxb"));
        assertTrue(lines.contains("provider: hxb"), lines.toString());
        assertTrue(lines.contains("    fabric: hxb 2"), lines.toString());
        assertTrue(lines.contains("    domain: node 1"), lines.toString());
        assertTrue(lines.contains("    type: FI_EP_RDM"), lines.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"64", "1048576"})
    void shouldRunFiPingpong(final String lengthBytes) throws Exception {
        LibHxb.assumePresent("fi_pingpong", "libfabric-bin");
        LibHxb.build(Build.PLAIN, "fi/libhxb-fi.so");
        final List<String> command =
                List.of(
                        "fi_pingpong",
                        "-p",
                        "hxb",
                        "-e",
                        "rdm",
                        "-c",
                        "-I",
                        "20",
                        "-S",
                        lengthBytes);
        final String port = Integer.toString(TestPorts.take(1));
        final List<String> serve = new ArrayList<>(command);
        serve.addAll(List.of("-B", port));
        final List<String> ask = new ArrayList<>(command);
        ask.addAll(List.of("-P", port, "127.0.0.1"));
        final Process server = start(Build.PLAIN, 1, serve.toArray(new String[0]));
        Process client = start(Build.PLAIN, 0, ask.toArray(new String[0]));
        // The server may not listen yet, and prints nothing when it does.
        for (int i = 0; client.waitFor() != 0 && server.isAlive() && i < 50; i++) {
            client = start(Build.PLAIN, 0, ask.toArray(new String[0]));
        }
        assertEquals(2, LibHxb.lines(client).size());
        assertEquals(2, LibHxb.lines(server).size());
    }
}
