package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.context.LibHxb;
import io.hxb.testing.TestPorts;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The tests that come with libfabric, over the provider, as listed in benchmarks/fabtests.list. */
@Tag("system")
@Tag("outside")
class FabtestsSystemTest {
    private static final Path ROOT = Path.of(System.getProperty("hxb.root")).toAbsolutePath();
    private static final int BASE_PORT = TestPorts.take(4);

    @TempDir private Path folder;

    @Test
    void shouldPassOrRefuseAsListed() throws Exception {
        run("ci");
    }

    /** The sweeps of all lengths. */
    @Tag("long")
    @Test
    void shouldPassOrRefuseTheRestAsListed() throws Exception {
        run("long");
    }

    private void run(final String profile) throws Exception {
        // given
        final String sources = System.getenv("FABTESTS");
        Assumptions.assumeTrue(
                sources != null && !sources.isBlank(),
                "skipped: FABTESTS does not name the folder fabtests/ of libfabric's sources"
                        + " (benchmarks/fabtests --fetch DIR gets them)");
        LibHxb.assumePresent("gcc", "gcc");
        Assumptions.assumeTrue(
                Files.exists(Path.of("/usr/include/rdma/fabric.h")),
                "skipped: the headers of libfabric are not installed (Debian: libfabric-dev)");
        final UdpNodes nodes = UdpNodes.start("fabtests", Shape.of(2), folder, BASE_PORT);
        try {
            // when
            final Process tests =
                    new ProcessBuilder(
                                    ROOT.resolve("benchmarks/fabtests").toString(),
                                    sources,
                                    "--profile",
                                    profile,
                                    "--sockets",
                                    nodes.socket(0) + "," + nodes.socket(1))
                            .redirectErrorStream(true)
                            .start();
            final String output =
                    new String(tests.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            // then
            assertEquals(0, tests.waitFor(), output);
        } finally {
            nodes.close();
        }
    }
}
