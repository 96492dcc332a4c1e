package io.hxb.tool.lab;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkConfig;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.fabric.GraphException;
import io.hxb.fabric.SwitchGraphBuilder;
import io.hxb.fabric.generate.GraphSpec;
import io.hxb.tool.measure.Pair;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The cables that a lab makes of a graph. */
@Tag("unit")
class LabCablingTest {
    private static LabCabling of(final String words, final int parallel) {
        return LabCabling.of(words, GraphSpec.parse(words, 1), parallel);
    }

    private static List<String> text(final LabCabling cabling) {
        return cabling.cables().stream().map(LabCabling.Cable::toString).toList();
    }

    @Test
    void shouldNumberTheLinksOfANodeInTheOrderOfItsCables() {
        assertEquals(List.of("0.x0 - 1.x0", "0.x1 - 2.x0", "1.x1 - 2.x1"), text(of("full:3", 1)));
        assertEquals(List.of("0.x0 - 1.x0", "1.x1 - 2.x0", "2.x1 - 3.x0"), text(of("chain:4", 1)));
        assertEquals(
                List.of("0.x0 - 1.x0", "0.x1 - 2.x0", "0.x2 - 3.x0", "0.x3 - 4.x0"),
                text(of("star:5", 1)));
        assertEquals(List.of("0.x0 - 1.x0", "0.x1 - 1.x1"), text(of("full:2", 2)));
    }

    @Test
    void shouldUseEveryNicForOneCableOnly() {
        for (final String words :
                List.of("ring:4", "full:5", "torus:4x4", "random:16,4,7", "hypercube:4")) {
            // when
            final LabCabling cabling = of(words, 2);
            // then
            final Set<LabCabling.End> ends = new HashSet<>();
            for (final LabCabling.Cable cable : cabling.cables()) {
                assertTrue(ends.add(cable.first()), words + ": " + cable);
                assertTrue(ends.add(cable.second()), words + ": " + cable);
            }
            for (int node = 0; node < cabling.nodeCount(); node++) {
                for (int link = 0; link < cabling.linkCount(node); link++) {
                    assertTrue(ends.contains(new LabCabling.End(node, link)), words);
                }
                assertEquals(cabling.linkCount(node), cabling.neighbours(node).size());
            }
        }
    }

    @Test
    void shouldReadACableAsItIsWritten() {
        final LabCabling.Cable cable = LabCabling.Cable.parse("17.x7 - 254.x0");

        assertEquals(17, cable.first().node());
        assertEquals(7, cable.first().link());
        assertEquals("17.x7 - 254.x0", cable.toString());
        for (final String text : List.of("", "0.x0-1.x0", "0.y0 - 1.x0", "0.x0 - 1.x0 ")) {
            assertThrows(IllegalArgumentException.class, () -> LabCabling.Cable.parse(text), text);
        }
    }

    @Test
    void shouldKnowHowFarNodesAreFromEachOther() {
        assertArrayEquals(new int[] {0, 1, 2, 1}, of("ring:4", 1).distances(0));
        assertArrayEquals(new int[] {2, 1, 0, 1}, of("chain:4", 1).distances(2));
        assertEquals(
                List.of(new Pair(0, 1), new Pair(0, 2), new Pair(0, 3)),
                Pair.oneOfEachDistance(of("chain:4", 1).distances(0), 0));
        assertEquals(
                List.of(new Pair(0, 1)), Pair.oneOfEachDistance(of("full:4", 1).distances(0), 0));
    }

    @Test
    void shouldKnowWhichCablesOfAPathCanBeSpared() {
        assertEquals(4, of("ring:4", 1).spareCables(0, 2).size());
        assertEquals("[0.x0 - 1.x0, 1.x1 - 2.x0]", of("ring:5", 1).spareCables(0, 2).toString());
        assertEquals("[0.x0 - 1.x0]", of("full:3", 1).spareCables(1, 0).toString());
        assertEquals(List.of(), of("chain:4", 1).spareCables(0, 3));
        assertEquals(6, of("chain:4", 2).spareCables(0, 3).size());
        // Those of other nodes are no use.
        assertEquals(List.of(), of("star:5", 1).spareCables(0, 1));
    }

    @Test
    void shouldRefuseGraphsThatPeopleCannotCable() {
        refuse("full:10", 1, "a node has at most 8 cables; s0 of full:10 would have 9");
        refuse("full:6", 2, "would have 10, 2 for each link");
        refuse("ring:256", 1, "2 to 255 nodes, one for each switch of the graph; ring:256 has 256");
        refuse("mesh:1", 1, "mesh:1 has 1");
        refuse("ring:3", 0, "--parallel must be 1..8: 0");
        refuse("ring:3", 9, "--parallel must be 1..8: 9");
    }

    private static void refuse(final String words, final int parallel, final String part) {
        final GraphException thrown = assertThrows(GraphException.class, () -> of(words, parallel));

        assertTrue(thrown.getMessage().contains(part), thrown.getMessage());
    }

    @Test
    void shouldMakeACableOfEachParallelLink() {
        // given
        final SwitchGraphBuilder graph = new SwitchGraphBuilder();
        graph.addSwitches(2);
        graph.addLink(0, 1);
        graph.addLink(1, 0);

        // when
        final LabCabling cabling = LabCabling.of("file", graph.build(), 1);

        // then
        assertEquals(List.of("0.x0 - 1.x0", "1.x1 - 0.x1"), text(cabling));
        assertEquals("2", cabling.linkCountsText());
    }

    @Test
    void shouldWriteTheNicsOfEachNodeIntoTheClusterFile(@TempDir final Path folder)
            throws IOException {
        // given
        final LabSpec spec =
                new LabSpec("t", Shape.of(2), 1, Backend.RAW, 0, 9000).withCabling(of("star:5", 1));
        final ClusterConfig config =
                ClusterConfig.of("t", spec.shape(), spec.backend(), LabCluster.rawLinks(spec));

        // when
        final String text = ClusterConfigYaml.write(config);
        final Path file = Files.writeString(folder.resolve("cluster.yaml"), text);
        final ClusterConfig read = ClusterConfigYaml.read(file);

        // then: only the node in the middle has others
        assertTrue(text.contains("cabling: any\nmaxNodes: 5\n"), text);
        assertTrue(text.contains("\nnics: [x0]\n"), text);
        assertTrue(text.contains("    nics: [x0, x1, x2, x3]\n"), text);
        assertEquals(1, text.lines().filter(line -> line.startsWith("    nics:")).count(), text);
        for (int node = 0; node < 5; node++) {
            assertEquals(
                    LabNames.nics(spec, node),
                    read.links(node).stream().map(LinkConfig::nic).toList());
            assertEquals(LabNames.namespace("t", node), read.netns(node));
        }
        assertEquals("1-4", of("star:5", 1).linkCountsText());
    }
}
