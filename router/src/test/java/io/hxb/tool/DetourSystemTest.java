package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.config.ClusterConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.counter.CounterType;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.report.ExitStatus;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Real nodes on veth NICs in namespaces, one of which is killed. */
@Tag("system")
class DetourSystemTest {
    private static final int RELAY = 1;

    @TempDir private Path folder;

    private final String name = "d" + ProcessHandle.current().pid();

    @AfterEach
    void removesTheLab() throws Exception {
        try (HxbProcess down = hxb("lab", "down", "--all")) {
            down.status();
        }
    }

    @Test
    void shouldCompleteATransferWhoseRelayIsKilledInTheMiddle() throws Exception {
        assumeTrue(Privileges.canMakeNamespaces(), "skipped: network namespaces need root");
        // given
        try (HxbProcess up =
                hxb(
                        "lab",
                        "up",
                        "--shape",
                        "2x2",
                        "--links",
                        "1",
                        "--backend",
                        "raw",
                        "--processes",
                        "--name",
                        name)) {
            assertEquals(ExitStatus.OK, up.status(), () -> up.output() + up.errors());
        }
        final ClusterConfig config =
                ClusterConfigYaml.read(folder.resolve("run/labs/" + name + "/cluster.yaml"));
        final long before = CounterFiles.value(config, RELAY, CounterType.FORWARD_RELAYED_FRAMES);

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
                            CounterFiles.value(config, RELAY, CounterType.FORWARD_RELAYED_FRAMES)
                                    > before + 500);
            assertTrue(
                    ProcessHandle.of(CounterFiles.pid(config, RELAY))
                            .orElseThrow()
                            .destroyForcibly());

            // then
            assertEquals(ExitStatus.OK, perf.status(), () -> perf.output() + perf.errors());
            assertEquals(0, perf.json().get("lost"));
        }
        final long noticed =
                CounterFiles.value(config, 0, CounterType.FLOW_SILENT_ROUTES_EVENTS)
                        + CounterFiles.value(config, 0, CounterType.FLOW_BROKEN_HOPS_EVENTS)
                        + CounterFiles.value(config, 0, CounterType.FLOW_DETOURED_FRAMES);
        assertTrue(noticed > 0, "the death was noticed");
        assertTrue(
                CounterFiles.value(config, 2, CounterType.FORWARD_RELAYED_FRAMES) > 0,
                "the other relay");

        // and: the dead node can be looked at
        try (HxbProcess stat = hxb("stat", "--name", name, "--json")) {
            assertEquals(ExitStatus.FAILED, stat.status(), stat::errors);
            final List<?> nodes = (List<?>) stat.json().get("nodes");
            assertEquals(4, nodes.size());
            final Map<?, ?> dead = (Map<?, ?>) nodes.get(RELAY);
            assertEquals(CounterFiles.pid(config, RELAY), ((Number) dead.get("pid")).longValue());
        }
    }

    private HxbProcess hxb(final String... arguments) throws Exception {
        return HxbProcess.start(folder, arguments);
    }
}
