package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.tool.report.ExitStatus;
import io.hxb.tool.report.Json;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Routes for each host as users see them: report, files, {@code plan check}. */
@Tag("unit")
class PlanHostRoutesCliTest {
    private static final String EIGHT_CABLES = "# hosts 0:8 1:8\n" + "0 1\n".repeat(8);

    @TempDir private Path folder;

    private PlanOutput exported(final String graph, final Path file, final String... more) {
        final String[] arguments = {"routes", "--graph", graph, "--json", "--out", file.toString()};
        final List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of(more));
        final PlanOutput output = PlanOutput.of(all.toArray(String[]::new));
        assertEquals(0, output.status(), output.errors());
        return output;
    }

    @Test
    void shouldUseEightOfEightCables() throws IOException {
        // given
        final String graph = PlanOutput.file(folder, "cables.edges", EIGHT_CABLES);
        final Path file = folder.resolve("routes.json");
        // when
        final PlanOutput output = exported(graph, file, "--algorithm", "dfsssp");
        // then
        assertEquals("own", output.json().get("selection"));
        assertEquals(8, output.json().get("max_host_paths"));
        final Map<?, ?> tables = (Map<?, ?>) output.json().get("tables");
        assertEquals("hosts", tables.get("destinations"));
        assertEquals(true, tables.get("by_destination"));
        final Map<?, ?> written = Json.parse(Files.readString(file), Map.class, "routes");
        final Map<?, ?> traffic = (Map<?, ?>) written.get("traffic");
        assertEquals(1.0, ((Map<?, ?>) traffic.get("uniform")).get("throughput"));
        assertEquals(1.0, ((Map<?, ?>) traffic.get("shift")).get("throughput"));
        final List<?> channels = (List<?>) written.get("channels");
        assertTrue(channels.stream().allMatch(it -> ((Map<?, ?>) it).get("paths").equals(1)));
    }

    @Test
    void shouldCheckWhatItExported() throws IOException {
        // given
        final Path file = folder.resolve("routes.json");
        exported("clos:4,2", file, "--algorithm=fat-tree", "--hosts-per-switch=2");
        // when
        final PlanOutput checked = PlanOutput.of("check", "--routes", file.toString());
        final PlanOutput json = PlanOutput.of("check", "--routes", file.toString(), "--json");
        // then
        assertEquals(0, checked.status(), checked.errors());
        assertTrue(checked.text().contains("from each switch with hosts to each host"));
        assertTrue(checked.text().contains("uniform traffic: throughput 1.000"), checked.text());
        assertEquals(8, json.json().get("destinations"));
        assertEquals(1.0, json.json().get("throughput"));
        // when a path is taken out, or leads to another host
        final String text = Files.readString(file);
        final String missing =
                text.replaceFirst(",\n\\{\"from\":3,\"to\":3,\"host\":7[^}]*\\}", "");
        final String other = text.replaceFirst("\"to\":3,\"host\":7", "\"to\":3,\"host\":6");
        // then
        final String cut = PlanOutput.file(folder, "cut.json", missing);
        final String wrong = PlanOutput.file(folder, "wrong.json", other);
        PlanOutput.assertEnds(
                ExitStatus.FAILED, "the path from 3 to 7 is missing", "check", "--routes", cut);
        PlanOutput.assertEnds(
                ExitStatus.FAILED,
                "the path from 0 to 6 is out of order",
                "check",
                "--routes",
                wrong);
    }

    @Test
    void shouldPrintThePathsToEachHost() throws IOException {
        // given
        final String graph = PlanOutput.file(folder, "cables.edges", EIGHT_CABLES);
        // when
        final PlanOutput all =
                PlanOutput.of("routes", "--graph", graph, "--algorithm=dfsssp", "--path=0,1");
        final PlanOutput one =
                PlanOutput.of("routes", "--graph", graph, "--algorithm=dfsssp", "--path=0,h9");
        // then
        assertEquals(8, all.text().lines().filter(it -> it.contains(" -> s1 -> h")).count());
        assertEquals(1, one.text().lines().filter(it -> it.contains(" -> s1 -> h")).count());
        assertTrue(one.text().contains(" -> s1 -> h9\n"), one.text());
    }

    @Test
    void shouldTellWhyASwitchWithoutHostsHasNoPaths() {
        final PlanOutput output =
                PlanOutput.of("routes", "--graph=clos:4,2", "--algorithm=fat-tree", "--path=5,h0");
        assertEquals(0, output.status(), output.errors());
        assertTrue(output.text().contains("has no hosts, so no path starts there"), output.text());
    }

    @Test
    void shouldNameTheSelectionOfEachAlgorithm() {
        // when
        final PlanOutput output =
                PlanOutput.of(
                        "compare",
                        "--graph=torus:4x4",
                        "--selection=balanced",
                        "--algorithms=updown-bfs,lash,dfsssp,fat-tree",
                        "--json");
        // then
        final List<?> algorithms = (List<?>) output.json().get("algorithms");
        final List<?> selections =
                algorithms.stream().map(it -> ((Map<?, ?>) it).get("selection")).toList();
        assertEquals(List.of("balanced", "balanced", "own"), selections);
        final String reason =
                ((Map<?, ?>) output.json().get("left_out")).get("fat-tree").toString();
        assertTrue(reason.contains("joins switches of one level; use dfsssp"), reason);
    }

    @Test
    void shouldRefuseWhatDoesNotSuit() {
        PlanOutput.assertEnds(
                ExitStatus.USAGE,
                "the graph is not a fat tree",
                "routes",
                "--graph=torus:4x4",
                "--algorithm=fat-tree");
        PlanOutput.assertEnds(
                ExitStatus.USAGE,
                "dfsssp chooses its paths by itself: --selection does nothing",
                "routes",
                "--graph=torus:4x4",
                "--algorithm=dfsssp",
                "--selection=balanced");
        PlanOutput.assertEnds(
                ExitStatus.USAGE,
                "dfsssp has a path for each host, and a VLAN plan has trees of switches",
                "vlan",
                "--graph=torus:4x4",
                "--routing=dfsssp");
    }

    @Test
    void shouldUseTheLanesAskedFor() {
        for (final String algorithm : List.of("dfsssp", "lash")) {
            // when
            final List<String> words =
                    new ArrayList<>(List.of("routes", "--graph=torus:4x4", "--vcs=6", "--json"));
            words.add("--algorithm=" + algorithm);
            words.addAll(algorithm.equals("lash") ? List.of("--selection=balanced") : List.of());
            final PlanOutput output = PlanOutput.of(words.toArray(String[]::new));
            // then
            assertEquals(0, output.status(), output.errors());
            assertEquals(6, output.json().get("virtual_channels"), algorithm);
            assertEquals(true, output.json().get("acyclic"), algorithm);
        }
    }
}
