package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.SampleGraphs;
import io.hxb.fabric.plan.RoutingAlgorithm;
import io.hxb.tool.report.ExitStatus;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** {@code hxb plan check}: what it reports of tables and paths, also of those we export. */
@Tag("unit")
class PlanCheckCliTest {
    @TempDir private Path folder;

    @Test
    void shouldExportTablesThatPassTheCheck() throws IOException {
        final String exported = folder.resolve("routes.json").toString();
        for (final String graph :
                List.of("torus:4x4", "mesh:4x4", PlanOutput.sample(folder, "irr16_0.edges"))) {
            for (final RoutingAlgorithm algorithm : RoutingAlgorithm.values()) {
                // given
                Files.deleteIfExists(Path.of(exported));
                final PlanOutput output =
                        PlanOutput.of(
                                "routes",
                                "--graph",
                                graph,
                                "--algorithm",
                                algorithm.routingName(),
                                "--json",
                                "--out",
                                exported);
                if (!Files.exists(Path.of(exported))) {
                    assertEquals(
                            ExitStatus.USAGE, output.status(), "an algorithm that does not suit");
                    continue;
                }
                // when
                final PlanOutput checked = PlanOutput.of("check", "--routes", exported, "--json");
                // then
                final String what = graph + " " + algorithm + " " + checked;
                final Map<?, ?> tables = (Map<?, ?>) output.json().get("tables");
                assertEquals(true, checked.json().get("connected"), what);
                assertEquals(tables.get("acyclic"), checked.json().get("acyclic"), what);
                assertEquals(tables.get("sum_links"), checked.json().get("sum_links"), what);
                if (algorithm == RoutingAlgorithm.MINIMAL) {
                    assertEquals(
                            checked.status() != 0,
                            tables.get("use").toString().contains("can deadlock"),
                            what);
                } else {
                    assertEquals(0, checked.status(), what);
                }
            }
        }
    }

    @Test
    void shouldReportWhatExportedPathsAreGoodFor() throws IOException {
        // given
        final String exported = folder.resolve("silla.json").toString();
        // when
        final PlanOutput silla =
                PlanOutput.of(
                        "routes",
                        "--graph",
                        PlanOutput.sample(folder, "irr16_0.edges"),
                        "--algorithm=silla",
                        "--out",
                        exported);
        // then
        assertTrue(silla.text().contains("as static tables the escape paths"), silla.text());
        assertTrue(silla.text().contains("while switches choose at every hop"), silla.text());
        final String json = Files.readString(Path.of(exported));
        assertTrue(json.contains("\"use\":\"static tables: these are the escape paths"), json);
        // and a path that was bent is found
        final String bent =
                PlanOutput.file(
                        folder,
                        "bent.json",
                        json.replaceFirst("\"channels\":\\[\\d+", "\"channels\":[999999"));
        PlanOutput.assertEnds(
                ExitStatus.FAILED, "there is no virtual channel", "check", "--routes", bent);
        PlanOutput.assertEnds(
                ExitStatus.FAILED,
                "has no 'switches' and 'paths'",
                "check",
                "--routes",
                PlanOutput.file(folder, "x", "{}"));
        PlanOutput.assertEnds(ExitStatus.USAGE, "give --lfts and --topology", "check");
        PlanOutput.assertEnds(
                ExitStatus.USAGE, "give --lfts and --topology", "check", "--lfts=x", "--routes=y");
    }

    @Test
    void shouldNameTheHostThatGetsWhatIsForAnother() throws IOException {
        // given tables that send everything out of port 1
        final String topology =
                PlanOutput.file(folder, "t.lst", SampleGraphs.openSm("torus4x4-subnet.lst"));
        final String lfts =
                SampleGraphs.openSm("torus4x4-updn-lfts.dump")
                        .replaceAll("(?m)^(0x[0-9a-f]{4}) \\d{3}", "$1 005");
        // when
        final PlanOutput output =
                PlanOutput.of(
                        "check",
                        "--lfts",
                        PlanOutput.file(folder, "l", lfts),
                        "--topology",
                        topology,
                        "--json");
        // then
        assertEquals(1, output.status());
        assertEquals(false, output.json().get("ok"));
        assertEquals(false, output.json().get("connected"));
        final String problem = output.json().get("problem").toString();
        assertTrue(
                problem.matches(
                        "the path from s\\d+ to h\\d+ .* at switch s\\d+ port \\d+, ends at switch"
                                + " s\\d+ port 5, where the host h\\d+.* is: delivered to the wrong"
                                + " host"),
                problem);
    }

    @Test
    void shouldReportWhetherTablesOfOpenSmCanDeadlock() throws IOException {
        // given
        final String topology =
                PlanOutput.file(folder, "t.lst", SampleGraphs.openSm("torus4x4-subnet.lst"));
        for (final String engine : List.of("minhop", "updn")) {
            final String name = "torus4x4-" + engine + "-lfts.dump";
            final String lfts = PlanOutput.file(folder, name, SampleGraphs.openSm(name));
            // when
            final PlanOutput output =
                    PlanOutput.of("check", "--lfts", lfts, "--topology", topology, "--json");
            // then
            final boolean isSafe = engine.equals("updn");
            assertEquals(isSafe ? 0 : 1, output.status(), output.errors());
            assertEquals(isSafe, output.json().get("acyclic"));
            assertEquals(true, output.json().get("connected"));
            final String text =
                    PlanOutput.of("check", "--lfts", lfts, "--topology", topology).text();
            assertEquals(isSafe, !text.contains("waits for [s"), text);
            assertFalse(text.isEmpty());
            assertEquals(!isSafe, text.contains("service levels are not considered"), text);
        }
    }
}
