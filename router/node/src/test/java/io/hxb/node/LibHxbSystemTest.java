package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.AttachConfig;
import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.LoopConfig;
import io.hxb.context.LibHxb;
import io.hxb.context.LibHxb.Build;
import io.hxb.node.loop.NodeThreads;
import io.hxb.testing.TestPorts;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** The examples in C, C++ and Python between two nodes, and libhxb as it is installed. */
@Tag("system")
class LibHxbSystemTest {
    private static final int BASE_PORT = TestPorts.take(4);
    private static final Path ROOT = Path.of(System.getProperty("hxb.root")).toAbsolutePath();
    private static final Path EXAMPLES = ROOT.resolve("examples/src/main");

    @TempDir private Path folder;

    private final List<AutoCloseable> open = new ArrayList<>();
    private final LibHxb programs = new LibHxb();
    private ClusterConfig config;

    @BeforeEach
    void start() throws IOException {
        config =
                ClusterConfig.of("libhxb", Shape.of(2), Backend.UDP, LinkPlan.udp(1, 1, BASE_PORT))
                        .withAttach(new AttachConfig(folder, folder, List.of(), List.of()));
        final NodeThreads threads = NodeThreads.start(LoopConfig.DEFAULT);
        open.add(threads);
        for (int id = 0; id < 2; id++) {
            open.add(Node.start(new NodeOptions(config, id, threads, true, false, link -> link)));
        }
    }

    @AfterEach
    void closeAll() throws Exception {
        programs.close();
        for (final AutoCloseable resource : open.reversed()) {
            resource.close();
        }
    }

    private Process start(final int node, final String... command) throws IOException {
        return programs.start(
                Map.of(
                        "HXB_SOCKET", config.ownSocketPath(node).toString(),
                        "HXB_LIBRARY", Build.PLAIN.file("libhxb.so").toString()),
                command);
    }

    /** Starts a program that answers, as soon as the node knows that the one before has ended. */
    private Process startAnswering(final String... command) throws IOException {
        for (int i = 0; i < 50; i++) {
            final Process process = start(1, command);
            if ("answering".equals(LibHxb.line(process))) {
                return process;
            }
            LockSupport.parkNanos(100_000_000L);
        }
        throw new AssertionError("no program answers");
    }

    private static void assertFinished(final Process ping) throws Exception {
        final List<String> lines = LibHxb.lines(ping);
        assertEquals(1, lines.size());
        assertTrue(lines.getFirst().startsWith("200 round trips, "), lines.getFirst());
    }

    @Test
    void shouldPlayPingPongInAnyLanguage() throws Exception {
        // given
        LibHxb.build(Build.PLAIN, "libhxb.so", "pingpong", "pingpong++");
        LibHxb.assumePresent("python3", "python3");
        final String inC = Build.PLAIN.file("pingpong").toString();
        final String inCpp = Build.PLAIN.file("pingpong++").toString();
        final String inPython = EXAMPLES.resolve("python/pingpong.py").toString();
        for (final String[] pong : new String[][] {{inC}, {inCpp}, {"python3", inPython}}) {
            // when
            final Process answering = startAnswering(pong);
            // then
            assertFinished(start(0, inC, "1", "200"));
            assertFinished(start(0, inCpp, "1", "200"));
            assertFinished(start(0, "python3", inPython, "1", "200"));
            answering.destroyForcibly().waitFor();
        }
    }

    @Test
    void shouldBeFoundByPkgConfigWhereItIsInstalled() throws Exception {
        // given
        LibHxb.assumePresent("pkg-config", "pkg-config");
        LibHxb.build(Build.PLAIN, "libhxb.so");
        final Path prefix = folder.resolve("staged/opt/hxb");
        final Path libraries = prefix.resolve("lib/any-linux-gnu");
        final String sources = ROOT.resolve("pm-api/src/main/c").toString();
        final Process make =
                programs.start(
                        // What other tests have built is not built again.
                        "flock",
                        sources,
                        "make",
                        "-s",
                        "-j2",
                        "-C",
                        sources,
                        "OUT=" + Build.PLAIN.file(""),
                        "DESTDIR=" + folder.resolve("staged"),
                        "PREFIX=/opt/hxb",
                        "LIBDIR=/opt/hxb/lib/any-linux-gnu",
                        "CC=gcc",
                        "install");
        assertEquals(List.of(), LibHxb.lines(make));
        // when
        final Path program = folder.resolve("pingpong");
        final String compile =
                "gcc -o "
                        + program
                        + " "
                        + EXAMPLES.resolve("c/pingpong.c")
                        + " $(PKG_CONFIG_SYSROOT_DIR="
                        + folder.resolve("staged")
                        + " PKG_CONFIG_PATH="
                        + libraries.resolve("pkgconfig")
                        + " pkg-config --cflags --libs hxb) -Wl,-rpath,"
                        + libraries;
        assertEquals(List.of(), LibHxb.lines(programs.start("sh", "-c", compile)));
        // then
        startAnswering(program.toString());
        assertFinished(start(0, program.toString(), "1", "200"));
        assertTrue(Files.exists(prefix.resolve("share/man/man3/hxb.3")));
        assertTrue(Files.exists(prefix.resolve("include/hxb_rpc.h")));
        final Path pc = libraries.resolve("pkgconfig/hxb.pc");
        assertTrue(Files.readString(pc).contains("libdir=/opt/hxb/lib/any-linux-gnu\n"));
        assertEquals(Set.of("hxb_"), prefixes("-D", libraries.resolve("libhxb.so.0")));
        assertEquals(Set.of("hxb_"), prefixes("-g", libraries.resolve("libhxb.a")));
        final Path provider = libraries.resolve("libfabric/libhxb-fi.so");
        if (Files.exists(provider)) {
            assertEquals(Set.of("fi_p"), prefixes("-D", provider));
            assertEquals(
                    Set.of("MPI_", "PMPI"), prefixes("-D", libraries.resolve("libhxb-openmpi.so")));
        }
        final Path collectives = libraries.resolve("libhxb-coll.so");
        if (Files.exists(collectives)) {
            assertEquals(Set.of("MPI_"), prefixes("-D", collectives));
        }
    }

    /** The first four letters of all that programs see of a library. */
    private Set<String> prefixes(final String names, final Path library) throws Exception {
        final Process list =
                programs.start("nm", names, "--defined-only", "--format=posix", library.toString());
        return LibHxb.lines(list).stream()
                .filter(line -> line.contains(" ") && !line.contains(" A "))
                .map(line -> line.substring(0, 4))
                .collect(Collectors.toSet());
    }
}
