package io.hxb.tool.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.SwitchGraph;
import io.hxb.observe.live.LinkCondition;
import io.hxb.tool.graph.GraphFile;
import io.hxb.tool.report.UsageException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import javax.xml.parsers.DocumentBuilderFactory;

/** A map as text, as JSON, as a picture and as a graph. */
@Tag("unit")
class MapTextTest {
    @TempDir private Path folder;

    private static MadeUpMap room() {
        final MadeUpMap room =
                new MadeUpMap(5)
                        .join("0-1", 2, 9_000, 20_000)
                        .join("1-2", 1, 1_500, 2_500)
                        .join("0-2", 1, 1_500, 1)
                        .nic(0, "eth1", LinkCondition.GOOD, 9_000, 1)
                        .nic(0, "eth2", LinkCondition.GOOD, 9_000, 1, 2)
                        .nic(0, "eth3", LinkCondition.ALONE, 9_000)
                        .nic(0, "eth4", LinkCondition.DOWN, 9_000);
        room.stopped.add(4);
        return room;
    }

    @Test
    void shouldHaveALineForEachNode() {
        assertEquals(
                """
                cluster room, map of node 0 (running), 2.0 s old: 5 of at most 5 nodes, 4 cables

                node  host  told       cables to                                             NICs here
                0     pc0   2.0 s ago  1 (2 cables, 20 Gbit/s, MTU 9000), 2 (MTU 1500) \
                 eth1: 1, eth2: 1 and 2, eth3: nobody, eth4: down
                1     pc1   3.0 s ago  0 (2 cables, 20 Gbit/s, MTU 9000), 2 (2.5 Gbit/s, MTU 1500)
                2     pc2   4.0 s ago  0 (MTU 1500), 1 (2.5 Gbit/s, MTU 1500)
                3     pc3   5.0 s ago  nobody (not reached)
                4     pc4   6.0 s ago  stopped
                """
                        .replaceAll(" +", " "),
                MapText.of(room().map()).replaceAll(" +", " "));
    }

    @Test
    void shouldAlignItsColumns() {
        final List<String> lines = MapText.of(room().map()).lines().toList();
        final int column = lines.get(2).indexOf("cables to");

        for (int line = 3; line < lines.size(); line++) {
            final String start = lines.get(line).substring(column - 2, column + 1);
            assertTrue(start.matches("  \\S"), lines.get(line));
        }
    }

    @Test
    void shouldReportWhatProgramsNeed() {
        final MadeUpMap room = room();
        final Map<String, Object> report = MapReport.of(room.map(), List.of("a"));

        assertEquals(true, report.get("ok"));
        assertEquals(List.of("a"), report.get("findings"));
        final List<?> nodes = (List<?>) report.get("nodes");
        final Map<?, ?> lost = (Map<?, ?>) nodes.get(3);
        assertEquals(12_000L, lost.get("unreached_ms"));
        assertEquals("0000000000001003", lost.get("identity"));
        assertEquals(MadeUpMap.WRITTEN_MS - 3_000, lost.get("told_ms"));
        final Map<?, ?> own = (Map<?, ?>) nodes.get(0);
        assertEquals(
                List.of(1, 2), ((Map<?, ?>) ((List<?>) own.get("nics")).get(1)).get("partners"));
        assertEquals(3, ((List<?>) report.get("cables")).size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"room.edges", "room.dot", "room"})
    void shouldExportWhatPlansRead(final String name) throws IOException {
        // given
        final Path file = folder.resolve(name);
        MapExport.check(file);
        // when
        Files.writeString(file, MapExport.text(room().map(), file));
        // then: the nodes that are reached
        final SwitchGraph graph = GraphFile.read(file.toString(), 1);
        assertEquals(3, graph.switchCount());
        assertEquals(4, graph.channelCount() / 2);
        assertEquals(3, graph.hostCount());
        if (name.endsWith(".dot")) {
            assertEquals(10_000_000_000L, graph.linkRateBps(0));
        }
    }

    @Test
    void shouldExportByNameWhereNumbersAreMissing() throws IOException {
        // given
        final MadeUpMap room = new MadeUpMap(4, "0-3", "2-3");
        room.unknown.add(1);
        final Path file = folder.resolve("room.edges");
        // when
        Files.writeString(file, MapExport.text(room.map(), file));
        // then
        assertEquals(
                """
                # cables of cluster room: two nodes, Mbit/s
                # switches 3
                node0 node3 10000
                node2 node3 10000
                """,
                Files.readString(file));
        assertEquals(3, GraphFile.read(file.toString(), 1).switchCount());
    }

    @Test
    void shouldExportASingleNode() throws IOException {
        final Path file = folder.resolve("one.edges");
        Files.writeString(file, MapExport.text(new MadeUpMap(2).map(), file));
        assertEquals(1, GraphFile.read(file.toString(), 1).switchCount());
    }

    @Test
    void shouldRefuseEndingsThatStandForOtherFiles() {
        final UsageException refused =
                assertThrows(
                        UsageException.class, () -> MapExport.check(Path.of("a/room.GraphML")));
        assertTrue(refused.getMessage().startsWith("--export a/room.GraphML: this ending"));
    }

    @Test
    void shouldDrawEachNodeAndCable() throws Exception {
        // given
        final Path file = folder.resolve("room.svg");
        // when
        MapPicture.draw(file, room().map());
        // then
        DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(
                        new ByteArrayInputStream(
                                Files.readString(file)
                                        .replaceFirst("<!DOCTYPE[^>]*>", "")
                                        .getBytes(StandardCharsets.UTF_8)));
        final String text = Files.readString(file);
        for (int node = 0; node < 5; node++) {
            assertTrue(text.contains(">pc" + node + "</text>"), text);
            assertTrue(text.contains(">" + node + "</text>"), text);
        }
        assertTrue(text.contains(">2 cables, 20 Gbit/s</text>"), text);
        assertEquals(3, Pattern.compile("<line ").matcher(text).results().count());
    }
}
