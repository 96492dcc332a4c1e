package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.config.ClusterConfig;
import io.hxb.counter.CounterType;
import io.hxb.testing.TestNamespaces;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.machine.Shell;
import io.hxb.tool.report.ExitStatus;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

/** Real nodes on veth NICs in namespaces, for which the kernel relays. */
@Tag("system")
class KernelRelaySystemTest {
    @TempDir private Path folder;
    private RelayLab lab;

    @BeforeEach
    void needsRoot() {
        assumeTrue(Privileges.canMakeNamespaces(), "skipped: network namespaces need root");
        lab = new RelayLab(folder, "k");
    }

    @AfterEach
    void removesTheLab() throws Exception {
        if (lab != null) {
            lab.down();
        }
    }

    /** The kernel relays, and that is counted among all that is relayed. */
    private void checkCounts(final ClusterConfig config) throws Exception {
        // when
        try (HxbProcess perf = lab.perf("--seconds", "1", "--size", "8192")) {
            // then
            assertEquals(ExitStatus.OK, perf.status(), () -> perf.output() + perf.errors());
            assertEquals(0, perf.json().get("lost"));
        }
        // Both are copied a few times a second: what is read first may be the older one.
        final long ofKernel =
                CounterFiles.value(
                        config, RelayLab.RELAY, CounterType.FORWARD_KERNEL_RELAYED_FRAMES);
        final long relayed =
                CounterFiles.value(config, RelayLab.RELAY, CounterType.FORWARD_RELAYED_FRAMES);
        assertTrue(relayed >= ofKernel, ofKernel + " of " + relayed);
        TestNamespaces.await(
                () -> ofKernel + " of " + relayed + " are of the kernel",
                () ->
                        CounterFiles.value(
                                        config,
                                        RelayLab.RELAY,
                                        CounterType.FORWARD_KERNEL_RELAYED_FRAMES)
                                > relayed / 2);
        // The counters of links are brought up to date at another time. Frames that go round a link
        // which is left out for a moment come by the other dimension.
        TestNamespaces.await(
                () ->
                        "the links count "
                                + ofKernel
                                + " frames of the kernel, too: "
                                + links(config),
                () ->
                        linkCounter(config, CounterType.LINK_RECEIVED_FRAMES) >= ofKernel
                                && linkCounter(config, CounterType.LINK_SENT_FRAMES)
                                        >= ofKernel / 2);
    }

    private static String links(final ClusterConfig config) {
        return linkCounter(config, CounterType.LINK_RECEIVED_FRAMES)
                + " received, "
                + linkCounter(config, CounterType.LINK_SENT_FRAMES)
                + " sent";
    }

    /** In both dimensions. */
    private static long linkCounter(final ClusterConfig config, final CounterType type) {
        return CounterFiles.value(config, RelayLab.RELAY, type, 0)
                + CounterFiles.value(config, RelayLab.RELAY, type, 1);
    }

    @Test
    void shouldRelayInTheNodeWhereFramesAreCaptured() throws Exception {
        // given
        final ClusterConfig config = lab.up("--capture", folder.resolve("captures").toString());
        // when
        try (HxbProcess perf = lab.perf("--count", "1000", "--size", "100")) {
            // then
            assertEquals(ExitStatus.OK, perf.status(), () -> perf.output() + perf.errors());
        }
        assertEquals(
                0,
                CounterFiles.value(
                        config, RelayLab.RELAY, CounterType.FORWARD_KERNEL_RELAYED_FRAMES));
        assertTrue(
                CounterFiles.value(config, RelayLab.RELAY, CounterType.FORWARD_RELAYED_FRAMES) > 0);
    }

    @Test
    void shouldRelayInTheKernelAndGoRoundARelayThatStandsStill() throws Exception {
        // given
        final ClusterConfig config = lab.up("--kernel-relay", "on", "--processes");
        checkCounts(config);
        final String pid = Long.toString(CounterFiles.pid(config, RelayLab.RELAY));
        // when
        try (HxbProcess perf = lab.longPerf()) {
            awaitRelayed(
                    perf, config, RelayLab.RELAY, CounterType.FORWARD_KERNEL_RELAYED_FRAMES, 500);
            Shell.check("", List.of("kill", "-STOP", pid));
            try {
                // then
                awaitRelayed(
                        perf,
                        config,
                        RelayLab.OTHER_RELAY,
                        CounterType.FORWARD_RELAYED_FRAMES,
                        1000);
                perf.interrupt();
                assertEquals(ExitStatus.OK, perf.status(), () -> perf.output() + perf.errors());
            } finally {
                Shell.check("", List.of("kill", "-CONT", pid));
            }
            assertEquals(0, perf.json().get("lost"));
        }
    }

    private static void awaitRelayed(
            final HxbProcess perf,
            final ClusterConfig config,
            final int relay,
            final CounterType type,
            final int frames) {
        final long before = CounterFiles.value(config, relay, type);
        perf.await(
                "frames over node " + relay,
                () -> CounterFiles.value(config, relay, type) > before + frames);
    }
}
