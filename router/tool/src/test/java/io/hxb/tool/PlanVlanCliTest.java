package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.tool.report.ExitStatus;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@code hxb plan vlan}: files, differences, and messages for wrong input. */
@Tag("unit")
class PlanVlanCliTest {
    @TempDir private Path folder;

    private static PlanOutput plan(final String... arguments) {
        final List<String> all = new ArrayList<>(List.of("vlan"));
        all.addAll(List.of(arguments));
        return PlanOutput.of(all.toArray(String[]::new));
    }

    private static void assertFails(final String message, final String... arguments) {
        assertEnds(ExitStatus.FAILED, message, arguments);
    }

    private static void assertEnds(
            final int status, final String message, final String... arguments) {
        final PlanOutput output = plan(arguments);
        assertEquals(status, output.status(), output.errors());
        assertTrue(output.errors().contains(message), output.errors());
    }

    @Test
    void shouldWriteAFileForEachSwitchAndThenOnlyChanges() throws IOException {
        // given
        final Path out = folder.resolve("out");
        final String file = folder.resolve("plan.json").toString();
        final String[] first = {
            "--graph", "torus:4x4", "--dialect", "ovs", "--out", out.toString(), "--save", file
        };
        // when
        assertEquals(ExitStatus.OK, plan(first).status());
        // then
        assertTrue(Files.readString(out.resolve("s15.sh")).contains("ovs-ofctl"));

        // when: nothing has changed
        final Path changes = folder.resolve("changes");
        final String[] same = {
            "--graph", "torus:4x4", "--dialect", "ovs", "--out", changes.toString(), "--diff", file
        };
        assertEquals(ExitStatus.OK, plan(same).status());
        // then
        assertFalse(Files.exists(changes.resolve("s15.sh")));

        // when: another rule, but first dry
        final List<String> other = new ArrayList<>(List.of(same));
        other.addAll(List.of("--ties", "table", "--dry-run"));
        assertEquals(ExitStatus.OK, plan(other.toArray(String[]::new)).status());
        assertFalse(Files.exists(changes.resolve("s15.sh")));
        other.removeLast();
        assertEquals(ExitStatus.OK, plan(other.toArray(String[]::new)).status());
        // then
        final String text = Files.readString(changes.resolve("s15.sh"));
        assertTrue(text.contains("replace-flows") && !text.contains("add-br"), text);

        // when, then: whole texts of the same plan beside the changes
        final Path full = folder.resolve("full");
        other.addAll(List.of("--full", full.toString()));
        assertEquals(ExitStatus.OK, plan(other.toArray(String[]::new)).status());
        assertTrue(Files.readString(full.resolve("s15.sh")).contains("add-br"));
        assertEnds(ExitStatus.USAGE, "--full needs --diff", "--graph=torus:4x4", "--full=x");
    }

    @Test
    void shouldPlanSeveralNicsAHostAndReadThatPlanAgain() throws IOException {
        // given
        final Path out = folder.resolve("out");
        final String file = folder.resolve("plan.json").toString();
        final List<String> rails =
                new ArrayList<>(
                        List.of(
                                "--graph",
                                "vbft:2,2",
                                "--hosts-per-switch",
                                "2",
                                "--rails",
                                "2",
                                "--kind",
                                "host-tagged",
                                "--dialect",
                                "ovs",
                                "--out",
                                out.toString()));
        final List<String> first = new ArrayList<>(rails);
        first.addAll(List.of("--save", file));
        // when
        assertEquals(ExitStatus.OK, plan(first.toArray(String[]::new)).status());
        // then: hosts have no settings
        assertTrue(Files.exists(out.resolve("s3b.sh")));
        assertFalse(Files.exists(out.resolve("h0.sh")));
        rails.addAll(List.of("--diff", file, "--dry-run"));
        final PlanOutput same = plan(rails.toArray(String[]::new));
        assertTrue(same.text().contains("nothing changes on any switch"), same.text());
        assertEnds(ExitStatus.USAGE, "rails must be 1..8", "--graph", "vbft:2,2", "--rails", "9");
        assertEnds(ExitStatus.USAGE, "--kind host-tagged", "--graph", "vbft:2,2", "--rails", "2");
    }

    @Test
    void shouldReportWhatIsWrongWithAPlanThatCannotBe() throws IOException {
        assertEnds(ExitStatus.USAGE, "needs 8 VLANs", "--graph", "torus:4x4", "--vlans", "4");
        assertEnds(
                ExitStatus.USAGE,
                "reserved on Cisco IOS",
                "--graph",
                "torus:4x4",
                "--vids",
                "1000-1010",
                "--dialect",
                "ios");
        assertEnds(ExitStatus.USAGE, "within 1-4094", "--graph", "torus:4x4", "--vids", "0-9");
        assertFails("one VLAN only", "--graph", "torus:4x4", "--dialect", "sonic");
        assertEnds(ExitStatus.USAGE, "no hosts", "--graph", "torus:4x4", "--hosts-per-switch", "0");
        assertEnds(
                ExitStatus.USAGE,
                "there is no routing 'fast'",
                "--graph",
                "torus:4x4",
                "--routing",
                "fast");
        assertEnds(
                ExitStatus.USAGE,
                "no configuration for 'nortel'",
                "--graph",
                "torus:4x4",
                "--dialect",
                "nortel");
        assertEnds(
                ExitStatus.USAGE, "host-tagged", "--graph", "vbft:4,4", "--traffic", "kernel-cg");
        assertEnds(
                ExitStatus.USAGE,
                "power of two",
                "--graph",
                "vbft:3,4",
                "--traffic",
                "bit-reversal",
                "--kind",
                "host-tagged");
        assertEnds(
                ExitStatus.USAGE,
                "switch-tagged or host-tagged",
                "--graph",
                "vbft:4,4",
                "--kind",
                "guest");
        assertEnds(ExitStatus.USAGE, "torus 4x4 has 2", "--graph", "torus:4x4", "--order", "xyz");
        assertEnds(
                ExitStatus.USAGE,
                "root must be",
                "--graph",
                "torus:4x4",
                "--routing",
                "updown-tree",
                "--root",
                "16");
        final Path graph = Files.writeString(folder.resolve("two.edges"), "0 1\n2 3\n");
        assertFails("not connected", "--graph", graph.toString());
        final Path loop = Files.writeString(folder.resolve("loop.edges"), "0 1\n1 1\n");
        assertFails("itself", "--graph", loop.toString());
        assertFails("there is no file", "--graph", folder.resolve("none").toString());
    }

    @Test
    void shouldConfigurePortsAndAddressesOfACablingFile() throws IOException {
        // given
        final Path cabling =
                Files.writeString(
                        folder.resolve("cabling.yaml"),
                        """
                        switches:
                          leaf1: [swp1, swp2, swp9]
                          leaf2: [swp1, swp2, swp9]
                          top1:
                          top2:
                        links:
                          - [leaf1.swp1, top1.swp1]
                          - [leaf1.swp2, top2.swp1]
                          - [leaf2.swp1, top1.swp2]
                          - [leaf2.swp2, top2.swp2]
                        hosts:
                          a: {port: leaf1.swp9, mac: "02:00:00:00:00:0a"}
                          b: {port: leaf2.swp9, mac: "02:00:00:00:00:0b"}
                        """);
        // when
        final PlanOutput output =
                plan("--graph", cabling.toString(), "--dialect", "cumulus", "--json");
        // then
        assertEquals(ExitStatus.OK, output.status(), output.errors());
        assertEquals("tops", output.json().get("routing"));
        assertEquals(2, output.json().get("vlans"));
        final PlanOutput text = plan("--graph", cabling.toString(), "--dialect", "cumulus");
        assertTrue(text.text().contains("02:00:00:00:00:0b dev swp1"), text.text());
        assertFalse(text.text().contains("are not known"), text.text());
    }

    @Test
    void shouldWarnOfVidsThatSomeSwitchesKeep() {
        final String[] all = {
            "--graph=fat-tree:2,4,2", "--kind=host-tagged", "--dialect=ios", "--vids=3990-3999"
        };
        final PlanOutput words = plan(all);
        assertEquals(ExitStatus.OK, words.status(), words.errors());
        assertTrue(words.errors().contains("warning: Nexus switches keep"), words.errors());
        final PlanOutput json = plan(all[0], all[1], all[2], all[3], "--json");
        assertEquals(2, ((List<?>) json.json().get("warnings")).size(), json.text());
        assertEnds(
                ExitStatus.USAGE,
                "VID 1 is reserved on Cisco IOS",
                "--graph=fat-tree:2,4,2",
                "--kind=host-tagged",
                "--dialect=ios",
                "--vids=1-9");
    }

    @Test
    void shouldPrintOnlyTheSettingsOfTheSwitches() throws IOException {
        // given
        final Path out = folder.resolve("out");
        final String[] all = {"--graph", "fat-tree:2,4,2", "--dialect", "dell"};
        // when
        final PlanOutput printed = plan(all);
        final PlanOutput json = plan(all[0], all[1], all[2], all[3], "--json");
        final PlanOutput written = plan(all[0], all[1], all[2], all[3], "--out", out.toString());
        // then standard output can be redirected to a switch's file
        assertEquals(ExitStatus.OK, printed.status(), printed.errors());
        final StringBuilder files = new StringBuilder();
        for (int node = 0; node < 14; node++) {
            final Path file = out.resolve("s" + node + dell(out));
            files.append(Files.readString(file)).append('\n');
        }
        assertEquals(files.toString(), printed.text());
        assertTrue(printed.errors().contains("switches passed: 3.75"), printed.errors());
        assertTrue(printed.errors().contains("static MAC addresses"), printed.errors());
        assertTrue(written.text().contains("switches passed: 3.75"), written.text());
        // and programs find the texts in the object
        final Map<?, ?> texts = (Map<?, ?>) json.json().get("texts");
        assertEquals(14, texts.size());
        assertEquals(Files.readString(out.resolve("s0" + dell(out))), texts.get("s0"));
        assertEquals("", json.errors());
    }

    private static String dell(final Path out) throws IOException {
        try (var files = Files.list(out)) {
            return files.findFirst()
                    .orElseThrow()
                    .getFileName()
                    .toString()
                    .replaceFirst("s\\d+", "");
        }
    }

    @Test
    void shouldLookAtTheFilesToWriteBeforeTheWork() throws IOException {
        final Path blocked = Files.writeString(folder.resolve("blocked"), "");
        assertEnds(
                ExitStatus.USAGE,
                "--save /nosuch/plan.json: there is no folder /nosuch",
                "--graph=torus:0x0",
                "--save=/nosuch/plan.json");
        assertEnds(
                ExitStatus.USAGE,
                "blocked is not a folder",
                "--graph=torus:0x0",
                "--dialect=ovs",
                "--out=" + blocked);
    }

    // Table 1 of the switch-tagged paper, as far as its figures can be (see TableOneTest).
    @ParameterizedTest
    @CsvSource({
        "mesh:4x2, 8, 10, 4, 2.75, 5, 32",
        "mesh:2x4, 8, 10, 4, 2.75, 5, 32",
        "torus:4x2, 8, 12, 4, 2.50, 4, 24",
        "torus:2x4, 8, 12, 4, 2.50, 4, 24",
        "mesh:4x4, 16, 24, 4, 3.50, 7, 16",
        "torus:4x4, 16, 32, 8, 3.00, 5, 12",
    })
    void shouldPlanTableOneHoweverItsLatticesAreWritten(
            final String words,
            final int switches,
            final int links,
            final int vlans,
            final double average,
            final int most,
            final int paths) {
        // when
        final Map<String, Object> json =
                plan(
                                "--graph",
                                words,
                                "--hosts-per-switch",
                                Integer.toString(16 / switches),
                                "--ties=table",
                                "--json")
                        .json();
        // then
        assertEquals(switches, json.get("switches"));
        assertEquals(links, json.get("links"));
        assertEquals(vlans, json.get("vlans"));
        assertEquals(average, (Double) json.get("avg_switches"), 0.005);
        assertEquals(most, json.get("max_switches"));
        assertEquals(paths, json.get("max_paths"));
    }

    @Test
    void shouldReportWhenThereAreTooManyPairsForTheExactSearch() {
        // when
        final List<String> arguments =
                List.of(
                        "--graph",
                        "vbft:8,5",
                        "--hosts-per-switch",
                        "4",
                        "--kind",
                        "host-tagged",
                        "--traffic",
                        "all-to-all");
        final PlanOutput text = plan(arguments.toArray(String[]::new));
        final List<String> forPrograms = new ArrayList<>(arguments);
        forPrograms.add("--json");
        final PlanOutput output = plan(forPrograms.toArray(String[]::new));
        // then
        assertEquals(ExitStatus.OK, output.status(), output.errors());
        final Map<?, ?> traffic = (Map<?, ?>) output.json().get("traffic");
        assertTrue(((Number) traffic.get("pairs")).intValue() > 256, output.text());
        assertTrue(
                Boolean.TRUE.equals(traffic.get("optimal"))
                        || text.text().contains("too many for an exact search"),
                text.text());
    }

    @Test
    void shouldReportWhereAFileIsWrong() throws IOException {
        final Path traffic = Files.writeString(folder.resolve("traffic"), "h0 h1 3\nh0 h99\n");
        assertFails(
                ":2: 'h99' is not a host",
                "--graph",
                "vbft:4,4",
                "--kind",
                "host-tagged",
                "--traffic",
                traffic.toString());
        final Path old = Files.writeString(folder.resolve("old.json"), "{\"format\": \"x\"}");
        assertFails(
                "its format is x",
                "--graph",
                "vbft:4,4",
                "--dialect",
                "linux",
                "--diff",
                old.toString());
    }

    @Test
    void shouldCallOptionsThatDoNotGoTogetherWrongUsage() {
        assertEquals(ExitStatus.USAGE, plan().status());
        assertEquals(ExitStatus.USAGE, plan("--graph", "torus:4x4", "--out", "x").status());
        assertEquals(ExitStatus.USAGE, plan("--graph", "torus:4x4", "--vlans", "0").status());
        assertEquals(
                ExitStatus.USAGE,
                plan("--graph", "torus:4x4", "--dialect", "ovs", "--dry-run").status());
        assertEquals(ExitStatus.USAGE, plan("--graph", "torus:4x4", "--ties", "odd").status());
    }
}
