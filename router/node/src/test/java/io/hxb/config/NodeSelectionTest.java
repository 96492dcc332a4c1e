package io.hxb.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

@Tag("unit")
class NodeSelectionTest {
    private static final ClusterConfig CONFIG =
            ClusterConfig.of("c", Shape.of(2, 3), Backend.UDP, LinkPlan.udp(2, 1, 5000))
                    .withHosts(Map.of("pc7", 0x0201L));

    private static NodeSelection resolve(
            final String option, final Map<String, String> environment, final String host) {
        return NodeSelection.resolve(CONFIG, option, environment, host, false);
    }

    @Test
    void shouldPreferTheOptionThenTheVariableThenTheFileThenTheScheduler() {
        // given
        final Map<String, String> all = Map.of("HXB_NODE", "3", "SLURM_PROCID", "4");
        final Map<String, String> slurm = Map.of("SLURM_PROCID", "4", "SLURM_NODEID", "2");
        // when / then
        assertEquals(new NodeSelection(2, 0x0100L, "--node"), resolve("0,1", all, "pc7"));
        assertEquals(new NodeSelection(3, 0x0101L, "HXB_NODE"), resolve(null, all, "pc7"));
        assertEquals(new NodeSelection(5, 0x0201L, "--node"), resolve("pc7", all, "pc8"));
        assertEquals(5, resolve(null, Map.of("HXB_NODE", "pc7"), "pc8").node());
        assertEquals(5, resolve(null, slurm, "pc7.example.org").node());
        assertEquals(new NodeSelection(4, 0x0200L, "SLURM_PROCID"), resolve(null, slurm, "pc8"));
        assertEquals(1, resolve(null, Map.of("SLURM_NODEID", "1"), "pc8").node());
    }

    @Test
    void shouldTakeTheOrdinalOfAStatefulSetOnlyInKubernetes() {
        // given
        final Map<String, String> kubernetes = Map.of("KUBERNETES_SERVICE_HOST", "10.0.0.1");
        // when
        final NodeSelection identity = resolve(null, kubernetes, "hxb-5");
        // then
        assertEquals(5, identity.node());
        assertThrows(ConfigException.class, () -> resolve(null, Map.of(), "hxb-5"));
    }

    @Test
    void shouldNotTakeTheNameOfAMachineForThatOfAPod() {
        // given
        final Map<String, String> kubernetes = Map.of("KUBERNETES_SERVICE_HOST", "10.0.0.1");
        // when: ordinals have no 0 before them
        for (final String machine : List.of("rack1-01", "rack2-01", "rack-00")) {
            assertThrows(ConfigException.class, () -> resolve(null, kubernetes, machine), machine);
        }
        assertEquals(0, resolve(null, kubernetes, "hxb-0").node());
        // then: kubelet has told that the network is the machine's
        final ConfigException shared =
                assertThrows(
                        ConfigException.class,
                        () -> NodeSelection.resolve(CONFIG, null, kubernetes, "worker-4", true));
        assertTrue(shared.getMessage().contains("hostNetwork"), shared.getMessage());
    }

    @Test
    void shouldReportWhatToDoWithoutASetting() {
        // when
        final ConfigException nothing =
                assertThrows(ConfigException.class, () -> resolve(null, Map.of(), "pc9"));
        final ConfigException outside =
                assertThrows(ConfigException.class, () -> resolve("6", Map.of(), "pc9"));
        final ConfigException rubbish =
                assertThrows(
                        ConfigException.class,
                        () -> resolve(null, Map.of("HXB_NODE", "one"), "pc9"));
        // then
        assertTrue(nothing.getMessage().contains("give --node X,Y,Z, set HXB_NODE"));
        assertTrue(outside.getMessage().contains("--node does not name a node of 2x3"));
        assertTrue(rubbish.getMessage().contains("HXB_NODE does not name a node"));
    }

    @Test
    void shouldFindTheNodesThatHaveASocketHere(@TempDir final Path folder) throws Exception {
        // given
        final ClusterConfig config =
                CONFIG.withAttach(new AttachConfig(folder, folder, List.of(), List.of()));
        assertEquals(List.of(), config.nodesWithSocket());
        // when
        for (final String name :
                List.of(
                        "c-5.sock",
                        "c-2.sock",
                        "c-6.sock",
                        "cc-1.sock",
                        "c-3.counters",
                        "c-x.sock")) {
            Files.createFile(folder.resolve(name));
        }
        // then
        assertEquals(List.of(2, 5), config.nodesWithSocket());
        assertEquals(
                List.of(),
                CONFIG.withAttach(
                                new AttachConfig(
                                        folder.resolve("gone"), folder, List.of(), List.of()))
                        .nodesWithSocket());
    }
}
