package io.hxb.tool.lab.switches;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.generate.Trees;
import io.hxb.os.NetworkNamespace;
import io.hxb.testing.OvsLab;
import io.hxb.tool.lab.LabNames;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.machine.Shell;
import io.hxb.tool.report.ToolException;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Hosts and switches of a lab: they carry connections, and leave nothing behind. */
@Tag("system")
class SwitchLabSystemTest {
    private static final SwitchGraph GRAPH = Trees.vbft(2, 2, 2);

    @TempDir private Path folder;

    private final String name = "sw" + ProcessHandle.current().pid();

    @BeforeEach
    void needsSwitches() {
        OvsLab.assumePossible();
    }

    private SwitchLabSpec spec(final long rateBps) {
        return SwitchLabSpec.of(
                new LabSpec(name, Shape.of(GRAPH.hostCount()), 1, Backend.RAW, rateBps, 1500),
                "vbft:2,2",
                GRAPH,
                false,
                true);
    }

    private boolean hasNamespaces() {
        final Path place = Path.of("/run/netns", LabNames.switchNamespace(name));
        return Files.exists(place)
                || Files.exists(Path.of("/run/netns", LabNames.namespace(name, 0)));
    }

    private void connect(final int from, final int to) throws IOException {
        try (ServerSocket server =
                        NetworkNamespace.run(
                                LabNames.namespace(name, to),
                                () ->
                                        new ServerSocket(
                                                0,
                                                1,
                                                InetAddress.getByName(HostPlace.address(to))));
                Socket socket = NetworkNamespace.run(LabNames.namespace(name, from), Socket::new)) {
            NetworkNamespace.run(
                    LabNames.namespace(name, from),
                    () -> {
                        socket.connect(
                                new InetSocketAddress(HostPlace.address(to), server.getLocalPort()),
                                30_000);
                        return null;
                    });
            assertTrue(socket.isConnected());
        }
    }

    @Test
    void shouldCarryConnectionsOverLimitedLinksAndLeaveNothing() throws IOException {
        // given
        final LabRegistry registry = new LabRegistry(folder);
        final String shaper;
        try (SwitchLab lab = SwitchLab.start(registry, spec(10_000_000))) {
            // when
            connect(0, 2);
            shaper =
                    Shell.check(
                            "",
                            List.of(
                                    "tc",
                                    "-n",
                                    LabNames.switchNamespace(name),
                                    "qdisc",
                                    "show",
                                    "dev",
                                    lab.network().port(0)));

            // then
            assertTrue(registry.require(name).hasSwitches());
            assertTrue(Files.exists(lab.socket(3)));
            assertTrue(Files.exists(lab.folder().resolve("net.plan")));
            final ToolException taken =
                    assertThrows(
                            ToolException.class, () -> SwitchLab.start(registry, spec(0)).close());
            assertTrue(taken.getMessage().contains("is up already"), taken.getMessage());
            final ToolException nodes =
                    assertThrows(ToolException.class, () -> registry.requireNodes(name));
            assertTrue(nodes.getMessage().contains("no nodes of HXB"), nodes.getMessage());
        }
        assertTrue(shaper.contains("rate 10Mbit"), shaper);
        assertFalse(hasNamespaces());
        assertEquals(List.of(), registry.list());
        assertFalse(Files.exists(registry.folder(name)));
    }

    @Test
    void shouldTearDownALabThatCannotBeMade() {
        // given: paths of sockets that are longer than the kernel allows
        final LabRegistry registry = new LabRegistry(folder.resolve("x".repeat(100)));

        // when
        assertThrows(ToolException.class, () -> SwitchLab.start(registry, spec(0)).close());

        // then
        assertFalse(hasNamespaces());
        assertEquals(List.of(), registry.list());
    }
}
