package io.hxb.tool;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.SampleGraphs;
import io.hxb.tool.report.ExitStatus;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import javax.xml.parsers.DocumentBuilderFactory;

/** {@code hxb plan routes} and {@code compare}: results, files and messages. */
@Tag("unit")
class PlanRoutesCliTest {
    private static final Set<String> KEYS =
            Set.of(
                    "algorithm",
                    "selection",
                    "adaptive",
                    "switches",
                    "links",
                    "connected",
                    "acyclic",
                    "sum_links",
                    "avg_links",
                    "avg_links_hosts",
                    "max_links",
                    "max_paths",
                    "max_host_paths",
                    "virtual_channels",
                    "seconds",
                    "tables",
                    "ok");

    @TempDir private Path folder;

    /** The options that stand for an algorithm of the reference table. */
    private static List<String> options(final String name) {
        if (name.equals("minimal")) {
            return List.of("--algorithm", "minimal");
        }
        if (name.equals("updown_bfs_root0")) {
            return List.of("--algorithm", "updown-bfs");
        }
        if (name.startsWith("DL_")) {
            final String[] parts = name.split("_r", -1);
            final String variant =
                    Map.of("DL_UD*", "dl-ud", "DL_mutual", "dl-mutual", "DL_UD-DU*", "dl-ud-du")
                            .get(parts[0]);
            return List.of("--algorithm", variant, "--vcs", parts[1]);
        }
        final List<String> options = new ArrayList<>();
        final String[] parts = name.split("[/_]", 3);
        options.add("--algorithm");
        options.add(parts[0].toLowerCase(Locale.ROOT) + "-turn-" + parts[1]);
        if (parts[2].equals("all_prohibited")) {
            options.add("--no-cycle-detection");
        }
        return options;
    }

    @Test
    void shouldPrintTheReferenceSumsAsTheLastLine() throws IOException {
        for (final String line : SampleGraphs.text("reference_hops.csv").lines().skip(1).toList()) {
            // given
            final String[] row = line.split(",", -1);
            final List<String> arguments =
                    new ArrayList<>(
                            List.of(
                                    "routes",
                                    "--graph",
                                    PlanOutput.sample(folder, row[0] + ".edges")));
            arguments.addAll(List.of("--root", "0", "--hosts-per-switch", "4", "--json"));
            arguments.addAll(options(row[1]));
            // when
            final PlanOutput output = PlanOutput.of(arguments.toArray(String[]::new));
            // then
            assertEquals(0, output.status(), line);
            final Map<String, Object> json = output.json();
            assertTrue(json.keySet().containsAll(KEYS), json.toString());
            final String found =
                    String.format(
                            Locale.ROOT,
                            "%s,%s,%s,%s,%s,%.6f,",
                            row[0],
                            row[1],
                            json.get("switches"),
                            json.get("sum_links"),
                            json.get("max_links"),
                            ((Number) json.get("avg_links")).doubleValue());
            assertTrue(line.startsWith(found), line + " but was " + found);
            assertEquals(true, json.get("connected"));
            assertTrue(json.get("acyclic").equals(true) || row[1].equals("minimal"), line);
        }
    }

    @Test
    void shouldKnowAllNames() throws IOException {
        final String names =
                "minimal updown-bfs updown-dfs l-turn-alpha l-turn-beta r-turn-alpha r-turn-beta"
                    + " dl-ud dl-mutual dl-ud-du multi-tree lash structured silla in-transit"
                    + " dimension-order e-cube west-first north-last negative-first double-y opt-y"
                    + " dimension-reversal-static dimension-reversal-dynamic duato dfsssp";
        for (final String name : names.split(" ", -1)) {
            // when
            final PlanOutput output =
                    PlanOutput.of(
                            "routes",
                            "--graph",
                            PlanOutput.sample(folder, "mesh4x4.edges"),
                            "--algorithm",
                            name,
                            "--json");
            // then
            assertEquals(0, output.status(), () -> name + output.errors());
            final Set<String> keys = new HashSet<>(output.json().keySet());
            keys.removeAll(Set.of("root", "roots"));
            assertEquals(KEYS, keys);
            assertEquals(24, output.json().get("links"));
        }
    }

    @Test
    void shouldReadEveryFormatItWrites() throws Exception {
        // given
        final String yaml =
                PlanOutput.file(
                        folder,
                        "cabling.yaml",
                        """
                        rate: 10gbit
                        switches:
                          leaf1: [swp1, swp2, swp3]
                          leaf2:
                          spine1:
                        links:
                          - [leaf1.swp1, spine1.swp1]
                          - [leaf1.swp2, spine1.swp2]
                          - {from: leaf2.swp1, to: spine1.swp3, rate: 40gbit}
                        hosts:
                          a: {port: leaf1.swp3, mac: "02:00:00:00:00:0a", rate: 1gbit}
                          b: leaf2.swp2
                        """);
        final String dot = folder.resolve("copy.dot").toString();
        final String svg = folder.resolve("picture.svg").toString();
        final String json = folder.resolve("routes.json").toString();
        final String[] first = {
            "routes",
            "--graph",
            yaml,
            "--algorithm",
            "updown-bfs",
            "--json",
            "--out",
            dot,
            "--out",
            svg,
            "--out",
            json
        };
        // when
        final PlanOutput written = PlanOutput.of(first);
        final PlanOutput read =
                PlanOutput.of("routes", "--graph", dot, "--algorithm", "updown-bfs", "--json");
        final PlanOutput path =
                PlanOutput.of(
                        "routes",
                        "--graph",
                        dot,
                        "--algorithm",
                        "updown-bfs",
                        "--path",
                        "leaf1,leaf2");
        // then
        assertEquals(0, written.status(), written.errors());
        assertEquals(0, read.status(), read.errors());
        assertEquals(written.json().get("sum_links"), read.json().get("sum_links"));
        // by either of the parallel links
        assertTrue(path.text().contains(" -> spine1 -> leaf2"), path.text());
        assertTrue(path.text().contains("leaf1.swp"), path.text());
        final String copy = Files.readString(Path.of(dot));
        assertTrue(copy.contains("02:00:00:00:00:0a") && copy.contains("swp3"), copy);
        assertTrue(Files.readString(Path.of(json)).contains("\"paths\":["));
        final String picture = Files.readString(Path.of(svg));
        assertNotNull(
                DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(new ByteArrayInputStream(picture.getBytes(StandardCharsets.UTF_8))));
        assertEquals(
                6, picture.split("<path ", -1).length - 1, "a line for each channel of 3 links");
        assertTrue(picture.contains("leaf1.swp1 -&gt; spine1") && picture.contains("stroke=\"#"));
    }

    @Test
    void shouldJoinLldpNeighboursOfSwitchesAndHosts() throws IOException {
        // given: leaf1 reports the spine and a host, the spine reports both leaves
        final String bridge = "\"capability\":[{\"type\":\"Bridge\",\"enabled\":true}]";
        final String entry =
                "{\"%s\":{\"chassis\":{\"%s\":{%s}},\"port\":{\"id\":{\"type\":\"%s\","
                        + "\"value\":\"%s\"},\"descr\":\"%s\"}}}";
        final String host = "\"capability\":{\"type\":\"Station\",\"enabled\":true}";
        final String lldp =
                "{\"leaf1\":{\"lldp\":{\"interface\":["
                        + entry.formatted("e1", "spine1", bridge, "ifname", "s1", "")
                        + ","
                        + entry.formatted("e9", "node1", host, "mac", "02:00:00:00:00:01", "eth0")
                        + "]}},\n\"spine1\":{\"lldp\":{\"interface\":["
                        + entry.formatted("s1", "leaf1", bridge, "ifname", "e1", "")
                        + ","
                        + entry.formatted("s2", "leaf2", bridge, "ifname", "e1", "")
                        + "]}},\n\"leaf2\":{\"lldp\":{\"interface\":["
                        + entry.formatted("e1", "spine1", bridge, "ifname", "s2", "")
                        + ","
                        + entry.formatted("e9", "node2", host, "mac", "02:00:00:00:00:02", "eth0")
                        + "]}}}";
        final String graph = PlanOutput.file(folder, "lldp.json", lldp);
        final String dot = folder.resolve("lldp.dot").toString();
        // when
        final PlanOutput output =
                PlanOutput.of(
                        "routes", "--graph", graph, "--algorithm", "lash", "--json", "--out", dot);
        // then
        assertEquals(0, output.status(), output.errors());
        assertEquals(3, output.json().get("switches"));
        assertEquals(2, output.json().get("links"), "both ends of a cable are one link");
        final PlanOutput text = PlanOutput.of("routes", "--graph", graph, "--algorithm", "lash");
        assertTrue(text.text().startsWith("3 switches, 2 links, 2 hosts"), text.text());
        assertTrue(Files.readString(Path.of(dot)).contains("02:00:00:00:00:01"));
        PlanOutput.assertEnds(
                ExitStatus.FAILED,
                "lldp.json:1: is not JSON",
                "routes",
                "--graph",
                PlanOutput.file(folder, "lldp.json", "{\"leaf1\" 1}"),
                "--algorithm",
                "lash");
        PlanOutput.assertEnds(
                ExitStatus.FAILED,
                "must be one object with the output of lldpcli of each system",
                "routes",
                "--graph",
                PlanOutput.file(folder, "lldp.json", "{\"lldp\": {}}"),
                "--algorithm",
                "lash");
    }

    @Test
    void shouldReportWhereACablingFileIsWrong() throws IOException {
        final String yaml =
                PlanOutput.file(
                        folder,
                        "c.yaml",
                        """
                        switches:
                          leaf1: [swp1, swp2]
                          spine1:
                        links:
                          - [leaf1.swp1, spine1.swp1]
                          - {from: leaf1.swp2}
                          - [leaf1.swp1, spine1.swp2]
                          - [leaf1.swp7, spine1.swp3]
                          - [leaf1, leaf1]
                          - [leaf1, attic.swp1]
                        hosts:
                          a: spine1.swp9
                          b: spine1.swp9
                        """);
        for (final String message :
                List.of(
                        "c.yaml:6: a link has two ends",
                        "c.yaml:7: port leaf1.swp1 has a cable already, in line 5",
                        "c.yaml:8: switch leaf1 has no port swp7; it has swp1, swp2",
                        "c.yaml:9: the link from leaf1 to leaf1 joins a switch with itself",
                        "c.yaml:10: the end attic.swp1 is at no switch of the list",
                        "c.yaml:13: port spine1.swp9 has a cable already, in line 12")) {
            PlanOutput.assertEnds(
                    ExitStatus.FAILED,
                    message,
                    "routes",
                    "--graph",
                    yaml,
                    "--algorithm",
                    "updown-bfs");
        }
    }

    @Test
    void shouldRefuseGraphsThatCannotBeRouted() throws IOException {
        final String[] tail = {"--algorithm", "updown-bfs"};
        for (final List<String> bad :
                List.of(
                        List.of("p.edges", "0 1\n2 3\n", "p.edges: the graph is not connected"),
                        List.of("l.edges", "0 1\n1 1\n", "l.edges:2: switch 1 has a link to its"),
                        List.of(
                                "x.edges",
                                "0 1\n0 x\n",
                                "x.edges:2: a link is two numbers of switches or two names"),
                        List.of("e.edges", "# none\n", "a graph needs at least one switch"),
                        List.of(
                                "h.edges",
                                "# hosts 0:1 7:2\n0 1\n",
                                "h.edges: host 'h1' needs switch 7"),
                        List.of("d.dot", "graph { a -- a }", "'a' has a link to itself"),
                        List.of("t.dot", "digraph {{", "is not DOT"),
                        List.of(
                                "lone.dot",
                                "graph { h [type=host]; a -- b }",
                                "host 'h' has no cable to a switch"))) {
            final String graph = PlanOutput.file(folder, bad.get(0), bad.get(1));

            PlanOutput.assertEnds(
                    ExitStatus.FAILED, bad.get(2), "routes", "--graph", graph, tail[0], tail[1]);
        }
        PlanOutput.assertEnds(
                ExitStatus.FAILED,
                "there is no file",
                "routes",
                "--graph",
                "none.edges",
                tail[0],
                tail[1]);
        PlanOutput.assertEnds(
                ExitStatus.USAGE,
                "more than 65536 switches",
                "routes",
                "--graph",
                "mesh:1000x1000",
                tail[0],
                tail[1]);
    }

    @Test
    void shouldCallWrongOptionsWrongUsageAndReportTheWayOut() {
        final String[] graph = {"routes", "--graph", "torus:4x4", "--algorithm"};
        PlanOutput.assertEnds(
                ExitStatus.USAGE,
                "there is no algorithm 'fast'",
                graph[0],
                "--graph=x",
                "--algorithm=fast");
        for (final List<String> bad :
                List.of(
                        List.of("--root=-1", "--root must be"),
                        List.of("--vcs=0", "--vcs must be at least 1"),
                        List.of("--selection=best", "--selection must be low-port"),
                        List.of("--out=picture.png", "--out ends in .svg"),
                        List.of("--hosts-per-switch=2000", "must be 0..1024"),
                        List.of("--path=1", "--path is two switches"))) {
            PlanOutput.assertEnds(
                    ExitStatus.USAGE,
                    bad.getLast(),
                    graph[0],
                    graph[1],
                    graph[2],
                    "--algorithm=lash",
                    bad.getFirst());
        }
        for (final List<String> bad :
                List.of(
                        List.of("structured", "--vcs=2", "use lash, dl-ud or updown-dfs"),
                        List.of("west-first", "--vcs=1", "use dimension-order or duato"),
                        List.of("updown-bfs", "--root=16", "must be a switch 0..15"))) {
            PlanOutput.assertEnds(
                    ExitStatus.USAGE,
                    bad.getLast(),
                    graph[0],
                    graph[1],
                    graph[2],
                    graph[3],
                    bad.getFirst(),
                    bad.get(1));
        }
    }

    @Test
    void shouldRefuseOptionsThatDoNothing() {
        for (final String words :
                List.of(
                        "lash --selection low-port: lash chooses its paths by itself",
                        "in-transit --selection random: --selection does nothing, leave it out",
                        "updown-bfs --no-cycle-detection: updown-bfs has no cycle detection",
                        "updown-bfs --vcs 4: updown-bfs has 1 virtual channels on this graph",
                        "duato --root 5: duato has no root")) {
            final String[] parts = words.split(": ", 2);
            final List<String> arguments =
                    new ArrayList<>(List.of("routes", "--graph", "torus:4x4", "--algorithm"));
            arguments.addAll(List.of(parts[0].split(" ", -1)));

            PlanOutput.assertEnds(ExitStatus.USAGE, parts[1], arguments.toArray(String[]::new));
        }
        // and what an algorithm does by itself is reported
        final PlanOutput lash =
                PlanOutput.of("routes", "--graph", "torus:4x4", "--algorithm=lash", "--json");
        assertEquals("own", lash.json().get("selection"));
        assertEquals(false, lash.json().get("adaptive"));
        assertEquals(
                0,
                PlanOutput.of("routes", "--graph=torus:4x4", "--algorithm=lash", "--vcs=200")
                        .status(),
                "as many as needed, at most 200");
    }

    @Test
    void shouldLookAtTheFilesToWriteBeforeTheWork() throws IOException {
        // given words that would be refused, were they looked at before the file
        final String[] plan = {"routes", "--graph", "torus:0x0", "--algorithm", "minimal"};
        final String blocked = PlanOutput.file(folder, "blocked", "");
        for (final List<String> bad :
                List.of(
                        List.of("/nosuch/x.svg", "--out /nosuch/x.svg: there is no folder /nosuch"),
                        List.of(blocked + "/x.json", blocked + " is not a folder"))) {
            PlanOutput.assertEnds(
                    ExitStatus.USAGE,
                    bad.getLast(),
                    plan[0],
                    plan[1],
                    plan[2],
                    plan[3],
                    plan[4],
                    "--out",
                    bad.getFirst());
        }
        Files.createDirectory(folder.resolve("there.svg"));
        PlanOutput.assertEnds(
                ExitStatus.USAGE,
                "is a folder; name a file in it",
                plan[0],
                plan[1],
                plan[2],
                plan[3],
                plan[4],
                "--out",
                folder.resolve("there.svg").toString());
    }

    @Test
    void shouldListThePatternsOfTraffic() throws IOException {
        final String random = PlanOutput.sample(folder, "irr16_0.edges");
        final String[] tail = {"--algorithm", "updown-bfs", "--traffic"};
        for (final List<String> bad :
                List.of(
                        List.of(
                                "zork",
                                "there is no file 'zork', and no such pattern; the patterns"
                                        + " are uniform, all-to-all"),
                        List.of("tornado", "'host-tornado' takes the numbers of the hosts"),
                        List.of("neighbour", "is not a mesh, torus or hyper-crossbar"))) {
            final PlanOutput output =
                    PlanOutput.of(
                            "routes", "--graph", random, tail[0], tail[1], tail[2], bad.getFirst());
            assertEquals(ExitStatus.USAGE, output.status());
            assertTrue(output.errors().contains(bad.getLast()), output.errors());
            assertFalse(output.errors().contains("mesh:4x4"), output.errors());
        }
        // and by coordinates on a torus: each host's neighbour ahead in both dimensions, two links
        final PlanOutput output =
                PlanOutput.of(
                        "routes",
                        "--graph=torus:4x4",
                        "--algorithm=dimension-order",
                        "--traffic=neighbour");
        assertTrue(output.text().matches("(?s).*neighbour +1.000 +1.000.*"), output.text());
    }

    @Test
    void shouldReportTheRootThatWasChosen() throws IOException {
        // given
        final String graph = PlanOutput.sample(folder, "irr32_0.edges");
        final String[] plan = {"routes", "--graph", graph, "--algorithm", "updown-dfs"};
        // when
        final PlanOutput text = PlanOutput.of(plan);
        final PlanOutput json =
                PlanOutput.of(plan[0], plan[1], plan[2], plan[3], plan[4], "--json");
        // then
        final int root = (Integer) json.json().get("root");
        assertTrue(text.text().contains("updown-dfs (root s" + root + ")"), text.text());
        // and the same routes come out with it given
        final PlanOutput given =
                PlanOutput.of(
                        plan[0], plan[1], plan[2], plan[3], plan[4], "--json", "--root=" + root);
        assertEquals(json.json().get("sum_links"), given.json().get("sum_links"));
        assertEquals(json.json().get("max_paths"), given.json().get("max_paths"));
    }

    @Test
    void shouldCompareAllThatSuitTheGraph() {
        // when
        final PlanOutput output = PlanOutput.of("compare", "--graph", "torus:4x4", "--json");
        // then
        assertEquals(0, output.status(), output.errors());
        final List<?> rows = (List<?>) output.json().get("algorithms");
        assertEquals(20, rows.size());
        final String text = PlanOutput.of("compare", "--graph", "torus:4x4").text();
        assertTrue(text.contains("west-first left out"), text);
        assertTrue(text.contains("fat-tree left out"), text);
        assertTrue(text.contains("bit-reversal"), text);
        assertTrue(text.contains("kernel-cg"), text);
    }
}
