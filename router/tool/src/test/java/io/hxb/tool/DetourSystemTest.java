package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.config.ClusterConfig;
import io.hxb.counter.CounterType;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.report.ExitStatus;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Real nodes on veth NICs in namespaces, one of which is killed. */
@Tag("system")
class DetourSystemTest {
    @TempDir private Path folder;
    private RelayLab lab;

    @BeforeEach
    void needsRoot() {
        assumeTrue(Privileges.canMakeNamespaces(), "skipped: network namespaces need root");
        lab = new RelayLab(folder, "d");
    }

    @AfterEach
    void removesTheLab() throws Exception {
        if (lab != null) {
            lab.down();
        }
    }

    @Test
    void shouldCompleteATransferWhoseRelayIsKilledInTheMiddle() throws Exception {
        // given
        final ClusterConfig config = lab.up("--processes");

        // when
        try (HxbProcess perf = lab.longPerf()) {
            awaitRelayed(perf, config, RelayLab.RELAY);
            assertTrue(
                    ProcessHandle.of(CounterFiles.pid(config, RelayLab.RELAY))
                            .orElseThrow()
                            .destroyForcibly());

            // then
            perf.await("the death is noticed", () -> noticed(config) > 0);
            awaitRelayed(perf, config, RelayLab.OTHER_RELAY);
            perf.interrupt();
            assertEquals(ExitStatus.OK, perf.status(), () -> perf.output() + perf.errors());
            assertEquals(0, perf.json().get("lost"));
        }

        // and: the dead node can be looked at
        try (HxbProcess stat = lab.stat()) {
            assertEquals(ExitStatus.FAILED, stat.status(), stat::errors);
            final List<?> nodes = (List<?>) stat.json().get("nodes");
            assertEquals(4, nodes.size());
            final Map<?, ?> dead = (Map<?, ?>) nodes.get(RelayLab.RELAY);
            assertEquals(
                    CounterFiles.pid(config, RelayLab.RELAY),
                    ((Number) dead.get("pid")).longValue());
        }
    }

    private static void awaitRelayed(
            final HxbProcess perf, final ClusterConfig config, final int relay) {
        final CounterType type = CounterType.FORWARD_RELAYED_FRAMES;
        final long before = CounterFiles.value(config, relay, type);
        perf.await(
                "frames over node " + relay,
                () -> CounterFiles.value(config, relay, type) > before + 500);
    }

    private static long noticed(final ClusterConfig config) {
        return CounterFiles.value(config, 0, CounterType.FLOW_SILENT_ROUTES_EVENTS)
                + CounterFiles.value(config, 0, CounterType.FLOW_BROKEN_HOPS_EVENTS)
                + CounterFiles.value(config, 0, CounterType.FLOW_DETOURED_FRAMES);
    }
}
