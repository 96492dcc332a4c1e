package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.FlowConfig;
import io.hxb.config.RouteConfig;
import io.hxb.context.LibHxb;
import io.hxb.context.LibHxb.Build;
import io.hxb.testing.TestPorts;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** The libfabric provider after a loss that only one of two endpoints has seen. */
@Tag("system")
class LibHxbProviderLossSystemTest {
    private static final int BASE_PORT = TestPorts.take(4);
    private static final int LOSS_PERCENT = 2;
    private static final long SEED = 43;
    private static final long TIMEOUT_NS = 1_000_000_000;
    private static final FlowConfig FLOW =
            new FlowConfig(
                    1024,
                    16,
                    100_000,
                    64,
                    2_000_000,
                    500_000_000,
                    TIMEOUT_NS,
                    8_192,
                    60_000_000_000L,
                    new RouteConfig(
                            RouteConfig.DEFAULT.silenceNs(),
                            RouteConfig.DEFAULT.retryNs(),
                            TIMEOUT_NS));

    @TempDir private Path folder;

    private final LossyLinks links = new LossyLinks(LOSS_PERCENT, SEED);
    private UdpNodes nodes;
    private LibHxb programs;

    @BeforeEach
    void start() throws Exception {
        LibHxb.assumePresent("gcc", "gcc");
        Assumptions.assumeTrue(
                Files.exists(Path.of("/usr/include/rdma/fabric.h")),
                "skipped: the headers of libfabric are not installed (Debian: libfabric-dev)");
        LibHxb.build(Build.CHECKED, "provider");
        nodes = UdpNodes.start("loss-c", Shape.of(2), folder, BASE_PORT, FLOW, links::wrap);
        programs = nodes.keep(new LibHxb());
    }

    @AfterEach
    void closeAll() throws Exception {
        if (nodes != null) {
            nodes.close();
        }
    }

    private static void answer(final Process program) throws Exception {
        program.outputWriter().write("done\n");
        program.outputWriter().flush();
    }

    @ParameterizedTest
    @CsvSource({"0, second, long", "0, first, short"})
    void shouldBeginAnewAfterALossSeenByOneEndOnly(
            final int loser, final String speaker, final String length) throws Exception {
        loseAndBeginAnew(loser, speaker, length);
    }

    @Tag("outside")
    @ParameterizedTest
    @CsvSource({"1, second, short", "1, first, long"})
    void shouldBeginAnewAfterALossSeenByTheOtherEndOnly(
            final int loser, final String speaker, final String length) throws Exception {
        loseAndBeginAnew(loser, speaker, length);
    }

    private void loseAndBeginAnew(final int loser, final String speaker, final String length)
            throws Exception {
        // given
        final Process program =
                programs.start(
                        Map.of(
                                "FI_PROVIDER_PATH",
                                Build.CHECKED.file("fi").toString(),
                                "FI_PROVIDER",
                                "hxb"),
                        Build.CHECKED.file("provider").toString(),
                        "parted",
                        nodes.socket(loser),
                        nodes.socket(1 - loser),
                        speaker,
                        length);
        assertEquals("cut", LibHxb.line(program));
        // when
        links.cut(true);
        answer(program);
        assertEquals("heal", LibHxb.line(program));
        assertTrue(links.cutFrames() > 0);
        links.cut(false);
        answer(program);
        // then
        assertEquals("", String.join("\n", LibHxb.lines(program)));
        assertTrue(links.lostFrames() > 0);
    }
}
