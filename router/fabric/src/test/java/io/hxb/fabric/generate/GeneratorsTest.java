package io.hxb.fabric.generate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.EdgeList;
import io.hxb.fabric.GraphException;
import io.hxb.fabric.Lattice;
import io.hxb.fabric.SampleGraphs;
import io.hxb.fabric.SwitchGraph;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.IntStream;

@Tag("unit")
class GeneratorsTest {
    /** The links as sorted words, whatever their order and direction. */
    private static List<String> links(final SwitchGraph graph) {
        return IntStream.range(0, graph.linkCount())
                .mapToObj(
                        link -> {
                            final int a = graph.source(2 * link);
                            final int b = graph.target(2 * link);
                            return Math.min(a, b) + " " + Math.max(a, b);
                        })
                .sorted()
                .toList();
    }

    @Test
    void shouldMakeTheSampleGraphs() {
        assertEquals(links(SampleGraphs.read("mesh4x4")), links(GraphSpec.parse("mesh:4x4", 4)));
        assertEquals(links(SampleGraphs.read("torus4x4")), links(GraphSpec.parse("torus:4x4", 4)));
        assertEquals(links(SampleGraphs.read("torus8x8")), links(GraphSpec.parse("cube:8,2", 4)));
        assertEquals(links(SampleGraphs.read("clos8x4")), links(GraphSpec.parse("clos:8,4", 4)));
        assertEquals(
                links(SampleGraphs.read("ftree4ary3")),
                links(GraphSpec.parse("fat-tree:4,4,3", 4)));
        assertTrue(Lattice.torus(8, 8).matches(SampleGraphs.read("torus8x8")));
        assertTrue(!Lattice.mesh(8, 8).matches(SampleGraphs.read("torus8x8")));
    }

    @Test
    void shouldMakeTheFatTreeOfThePaper() {
        // when
        final SwitchGraph tree = Trees.fatTree(2, 4, 2);
        // then
        assertEquals("14 switches, 24 links, 16 hosts", tree.toString());
        assertEquals(4, tree.degree(13));
        assertEquals(2, tree.degree(0));
        assertEquals(6, tree.degree(8));
    }

    @Test
    void shouldMakeOtherRegularGraphs() {
        assertEquals(
                "16 switches, 32 links, 32 hosts", GraphSpec.parse("hypercube:4", 2).toString());
        assertEquals(
                "64 switches, 96 links, 32 hosts",
                GraphSpec.parse("hyper-crossbar:4x4x2", 2).toString());
        assertEquals(
                "16 switches, 48 links, 16 hosts", GraphSpec.parse("hyperx:4x4", 1).toString());
        assertEquals(
                "36 switches, 90 links, 72 hosts", GraphSpec.parse("dragonfly:4,2", 2).toString());
        assertEquals(
                "8 switches, 16 links, 16 hosts", GraphSpec.parse("myrinet-clos:4", 2).toString());
        assertEquals("16 switches, 15 links, 16 hosts", GraphSpec.parse("tree:16,2", 1).toString());
    }

    @Test
    void shouldMakeTheCablingsOfAFewMachines() {
        assertEquals(List.of("0 1", "0 2", "1 2"), links(GraphSpec.parse("full:3", 1)));
        assertEquals(6, GraphSpec.parse("full:4", 0).linkCount());
        assertEquals(List.of("0 1"), links(GraphSpec.parse("full:2", 1)));
        assertEquals(List.of("0 1", "0 3", "1 2", "2 3"), links(GraphSpec.parse("ring:4", 1)));
        assertEquals(List.of("0 1", "0 2", "1 2"), links(GraphSpec.parse("ring:3", 1)));
        assertEquals(List.of("0 1", "1 2", "2 3"), links(GraphSpec.parse("chain:4", 1)));
        assertEquals(List.of("0 1"), links(GraphSpec.parse("chain:2", 1)));
        assertEquals(List.of("0 1", "0 2", "0 3", "0 4"), links(GraphSpec.parse("star:5", 1)));
        assertEquals(List.of("0 1"), links(GraphSpec.parse("star:2", 1)));
        for (final String words : List.of("full:5", "ring:5", "chain:5", "star:5")) {
            assertEquals(10, GraphSpec.parse(words, 2).hostCount(), words);
        }
    }

    @Test
    void shouldReportCablingsOfTooFewMachines() {
        for (final String words :
                List.of("full:1", "full:0", "ring:2", "ring:0", "chain:1", "star:1", "star:0")) {
            final GraphException thrown =
                    assertThrows(GraphException.class, () -> GraphSpec.parse(words, 1), words);
            final int min = words.startsWith("ring") ? 3 : 2;
            assertEquals(
                    "'%s' needs at least %d switches".formatted(words, min), thrown.getMessage());
        }
        assertThrows(GraphException.class, () -> GraphSpec.parse("ring:3,3", 1));
        assertThrows(GraphException.class, () -> GraphSpec.parse("full:99999", 1));
    }

    @Test
    void shouldGiveEveryDragonflySwitchItsGlobalLinks() {
        // when
        final SwitchGraph graph = Crossbars.dragonfly(4, 2, 1);
        // then
        for (int node = 0; node < graph.switchCount(); node++) {
            assertEquals(5, graph.degree(node));
        }
    }

    @Test
    void shouldMakeRegularRandomGraphsOfASeed() {
        for (int seed = 0; seed < 50; seed++) {
            // when
            final SwitchGraph graph = RandomGraphs.regular(8 + seed, 4, 1, seed);
            // then
            for (int node = 0; node < graph.switchCount(); node++) {
                assertEquals(4, graph.degree(node), "seed " + seed);
            }
            assertEquals(
                    EdgeList.format(graph),
                    EdgeList.format(RandomGraphs.regular(8 + seed, 4, 1, seed)));
            assertEquals(links(graph).size(), links(graph).stream().distinct().count());
        }
        assertEquals(10, RandomGraphs.regular(5, 4, 1, 1).linkCount());
    }

    @Test
    void shouldReportWhatIsWrongWithAGraphInWords() {
        assertThrows(GraphException.class, () -> GraphSpec.parse("torus", 1));
        assertThrows(GraphException.class, () -> GraphSpec.parse("torus:4xx4", 1));
        assertThrows(GraphException.class, () -> GraphSpec.parse("clos:4", 1));
        assertThrows(GraphException.class, () -> GraphSpec.parse("random:5,3,1", 1));
        assertThrows(GraphException.class, () -> GraphSpec.parse("mesh:1000x1000", 1));
        assertThrows(GraphException.class, () -> GraphSpec.parse("fat-tree:3,4,2", 1));
    }
}
