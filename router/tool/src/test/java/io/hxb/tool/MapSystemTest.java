package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.hxb.config.ClusterConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.testing.TestNamespaces;
import io.hxb.tool.graph.GraphFile;
import io.hxb.tool.lab.LabCables;
import io.hxb.tool.lab.LabCabling;
import io.hxb.tool.lab.LabRegistry;
import io.hxb.tool.lab.LabSpec;
import io.hxb.tool.machine.Privileges;
import io.hxb.tool.report.ExitStatus;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The map of labs, while cables are pulled and nodes stop. */
@Tag("system")
class MapSystemTest {
    @TempDir private static Path folder;

    private final String name = "m" + ProcessHandle.current().pid();

    @AfterEach
    void removesTheLab() throws Exception {
        try (HxbProcess down = HxbProcess.run(folder, "lab", "down", "--all")) {
            down.status();
        }
    }

    private void up(final String... options) throws Exception {
        final String[] command =
                Stream.concat(Stream.of("lab", "up", "--name", name), Stream.of(options))
                        .toArray(String[]::new);
        try (HxbProcess up = HxbProcess.start(folder, command)) {
            assertEquals(ExitStatus.OK, up.status(), () -> up.output() + up.errors());
        }
    }

    private HxbProcess map(final String... options) throws Exception {
        return HxbProcess.run(
                folder,
                Stream.concat(Stream.of("map", "--name", name), Stream.of(options))
                        .toArray(String[]::new));
    }

    // Such as 0-1, as a node sees them.
    private List<String> cables(final int node) {
        try (HxbProcess map = map("--json", "--node", Integer.toString(node))) {
            assertEquals(ExitStatus.OK, map.status(), map::errors);
            return ((List<?>) map.json().get("cables"))
                    .stream()
                            .map(cable -> (Map<?, ?>) cable)
                            .map(cable -> cable.get("one") + "-" + cable.get("other"))
                            .toList();
        } catch (final Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldShowTheMapAlsoWithoutACableThatWasCut() throws Exception {
        // given
        assumeTrue(Privileges.canMakeNamespaces(), "skipped: network namespaces need root");
        up("--graph", "ring:4", "--wiring", "direct");
        final LabSpec spec = new LabRegistry(folder.resolve("run/labs")).require(name).spec();
        final List<String> ring = List.of("0-1", "0-3", "1-2", "2-3");
        TestNamespaces.await(
                "all nodes know the ring",
                () -> Stream.of(0, 1, 2, 3).allMatch(node -> cables(node).equals(ring)));

        // then: as text, as a picture and as a graph
        final Path graph = folder.resolve("ring.edges");
        final Path picture = folder.resolve("ring.svg");
        try (HxbProcess map =
                map("--export", graph.toString(), "--svg", picture.toString(), "--advise")) {
            assertEquals(ExitStatus.OK, map.status(), map::errors);
            final String text = map.output();
            assertTrue(text.contains("4 of at most 4 nodes, 4 cables\n"), text);
            assertTrue(text.lines().anyMatch(line -> line.matches("2 .* 1 .*, 3 .*")), text);
            assertFalse(text.contains(" only"), text);
            assertTrue(text.contains("the best next cable is 0-2: mean hops 1.33"), text);
        }
        assertEquals(4, GraphFile.read(graph.toString(), 1).channelCount() / 2);
        assertTrue(Files.readString(picture).contains("</svg>"));

        // when
        final LabCabling.Cable cut =
                spec.cabling().orElseThrow().cables().stream()
                        .filter(cable -> cable.first().node() + cable.second().node() == 5)
                        .findFirst()
                        .orElseThrow();
        new LabCables(spec).pull(cut);

        // then
        TestNamespaces.await(
                "all nodes know the chain",
                () ->
                        Stream.of(0, 1, 2, 3)
                                .allMatch(
                                        node -> cables(node).equals(List.of("0-1", "0-3", "1-2"))));
        try (HxbProcess map = map("--advise")) {
            assertEquals(ExitStatus.OK, map.status(), map::errors);
            final String text = map.output();
            assertTrue(text.contains("4 of at most 4 nodes, 3 cables\n"), text);
            final String nic =
                    cut.first().toString().replaceFirst("(\\d+)\\.(x\\d)", "$2 of node $1");
            assertTrue(text.contains(nic + " "), nic + " in " + text);
            assertTrue(text.contains("through node 0 only: one more cable, for example 2-3"), text);
            assertTrue(text.contains("the best next cable is 2-3: mean hops 1.67"), text);
        }
    }

    @Test
    void shouldShowTheLastMapOfANodeThatDoesNotRun() throws Exception {
        // given
        assumeTrue(Privileges.canMakeNamespaces(), "skipped: network namespaces need root");
        up("--graph", "chain:3", "--wiring", "direct", "--processes");
        TestNamespaces.await(
                "the nodes know the chain", () -> cables(0).equals(List.of("0-1", "1-2")));

        // when
        final ClusterConfig config =
                ClusterConfigYaml.read(folder.resolve("run/labs/" + name + "/cluster.yaml"));
        ProcessHandle.of(CounterFiles.pid(config, 2)).orElseThrow().destroyForcibly();
        TestNamespaces.await("it is not reached", () -> cables(0).equals(List.of("0-1")));

        // then
        try (HxbProcess map = map("--json")) {
            assertEquals(ExitStatus.OK, map.status(), map::errors);
            final Map<?, ?> lost = (Map<?, ?>) ((List<?>) map.json().get("nodes")).get(2);
            assertEquals(false, lost.get("is_reached"));
            assertTrue(((Number) lost.get("unreached_ms")).longValue() > 0, lost::toString);
            final String findings = map.json().get("findings").toString();
            assertTrue(findings.contains("node 2 is known, but has not been reached"), findings);
        }
        try (HxbProcess map = map("--node", "2")) {
            assertEquals(ExitStatus.FAILED, map.status(), map::errors);
            assertTrue(map.output().contains("map of node 2 (dead)"), map::output);
            assertTrue(map.output().contains("3 of at most 3 nodes, 2 cables"), map::output);
            assertTrue(map.output().contains("node 2 is dead: this is how its map was"));
        }
    }

    @Test
    void shouldPointToOtherCommandsInAHyperCrossbar() throws Exception {
        up("--shape", "2", "--links", "1", "--backend", "udp");
        try (HxbProcess map = map("--json")) {
            assertEquals(ExitStatus.FAILED, map.status());
            final String why = map.errors();
            assertTrue(why.contains("is a hyper-crossbar: its cabling is its shape, 2, and"), why);
            assertTrue(why.contains("hxb stat and hxb web show its links"), why);
            assertEquals(false, map.json().get("ok"));
        }
    }
}
