package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.config.ClusterConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.counter.CounterType;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.machine.Shell;
import io.hxb.tool.report.ExitStatus;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Real nodes on veth NICs in namespaces, for which the kernel relays. */
@Tag("system")
class KernelRelaySystemTest {
    private static final int RELAY = 1;
    private static final int OTHER_RELAY = 2;

    @TempDir private Path folder;

    private final String name = "k" + ProcessHandle.current().pid();

    @BeforeEach
    void needsRoot() {
        assumeTrue(Privileges.canMakeNamespaces(), "skipped: network namespaces need root");
    }

    @AfterEach
    void removesTheLab() throws Exception {
        try (HxbProcess down = hxb("lab", "down", "--all")) {
            down.status();
        }
    }

    private ClusterConfig up(final String... more) throws Exception {
        final List<String> command =
                new ArrayList<>(
                        List.of(
                                "lab",
                                "up",
                                "--shape",
                                "2x2",
                                "--links",
                                "1",
                                "--backend",
                                "raw",
                                "--name",
                                name));
        command.addAll(List.of(more));
        try (HxbProcess up = hxb(command.toArray(new String[0]))) {
            assertEquals(ExitStatus.OK, up.status(), () -> up.output() + up.errors());
        }
        return ClusterConfigYaml.read(folder.resolve("run/labs/" + name + "/cluster.yaml"));
    }

    @Test
    void shouldRelayInTheKernelAndCountItAmongAllThatIsRelayed() throws Exception {
        // given
        final ClusterConfig config = up("--kernel-relay", "on");
        // when
        try (HxbProcess perf =
                hxb(
                        "perf",
                        "1,1",
                        "--name",
                        name,
                        "--warm-up",
                        "0",
                        "--seconds",
                        "1",
                        "--size",
                        "8192",
                        "--json")) {
            // then
            assertEquals(ExitStatus.OK, perf.status(), () -> perf.output() + perf.errors());
            assertEquals(0, perf.json().get("lost"));
        }
        final long relayed = CounterFiles.value(config, RELAY, CounterType.FORWARD_RELAYED_FRAMES);
        final long ofKernel =
                CounterFiles.value(config, RELAY, CounterType.FORWARD_KERNEL_RELAYED_FRAMES);
        assertTrue(ofKernel > relayed / 2, ofKernel + " of " + relayed);
        assertTrue(relayed >= ofKernel, ofKernel + " of " + relayed);
        final long received =
                CounterFiles.value(config, RELAY, CounterType.LINK_RECEIVED_FRAMES, 0);
        final long sent = CounterFiles.value(config, RELAY, CounterType.LINK_SENT_FRAMES, 1);
        assertTrue(received >= ofKernel, "x received " + received);
        assertTrue(sent >= ofKernel / 2, "y sent " + sent);
    }

    @Test
    void shouldRelayInTheNodeWhereFramesAreCaptured() throws Exception {
        // given
        final ClusterConfig config = up("--capture", folder.resolve("captures").toString());
        // when
        try (HxbProcess perf =
                hxb(
                        "perf",
                        "1,1",
                        "--name",
                        name,
                        "--warm-up",
                        "0",
                        "--count",
                        "1000",
                        "--size",
                        "100",
                        "--json")) {
            // then
            assertEquals(ExitStatus.OK, perf.status(), () -> perf.output() + perf.errors());
        }
        assertEquals(
                0, CounterFiles.value(config, RELAY, CounterType.FORWARD_KERNEL_RELAYED_FRAMES));
        assertTrue(CounterFiles.value(config, RELAY, CounterType.FORWARD_RELAYED_FRAMES) > 0);
    }

    @Test
    void shouldGoRoundARelayThatStandsStill() throws Exception {
        // given
        final ClusterConfig config = up("--kernel-relay", "on", "--processes");
        final String pid = Long.toString(CounterFiles.pid(config, RELAY));
        // when
        try (HxbProcess perf =
                hxb(
                        "perf",
                        "1,1",
                        "--name",
                        name,
                        "--warm-up",
                        "0",
                        "--seconds",
                        "4",
                        "--size",
                        "1000",
                        "--json")) {
            perf.await(
                    "frames over the relay",
                    () ->
                            CounterFiles.value(
                                            config,
                                            RELAY,
                                            CounterType.FORWARD_KERNEL_RELAYED_FRAMES)
                                    > 500);
            Shell.check("", List.of("kill", "-STOP", pid));
            try {
                // then
                assertEquals(ExitStatus.OK, perf.status(), () -> perf.output() + perf.errors());
            } finally {
                Shell.check("", List.of("kill", "-CONT", pid));
            }
            assertEquals(0, perf.json().get("lost"));
        }
        assertTrue(
                CounterFiles.value(config, OTHER_RELAY, CounterType.FORWARD_RELAYED_FRAMES) > 1000,
                "the other relay");
    }

    private HxbProcess hxb(final String... arguments) throws Exception {
        return HxbProcess.start(folder, arguments);
    }
}
