package io.hxb.fabric.vlan.tree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.Lattice;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.BitSet;
import java.util.List;

@Tag("unit")
class VlanTreeTest {
    /** Links 0: s0-s1, 1: s1-s2, 2: s2-s3, 3: s3-s0. */
    private static SwitchGraph ring() {
        return new SwitchGraphBuilder()
                .addSwitches(4)
                .addLink(0, 1)
                .addLink(1, 2)
                .addLink(2, 3)
                .addLink(3, 0)
                .addHosts(1)
                .build();
    }

    private static BitSet links(final int... numbers) {
        final BitSet links = new BitSet();
        for (final int number : numbers) {
            links.set(number);
        }
        return links;
    }

    @Test
    void shouldKnowTheOnlyPathBetweenTwoSwitches() {
        // given
        final VlanTree tree = VlanTree.of(ring(), links(0, 1, 2));
        // when, then
        assertArrayEquals(new int[] {0, 2, 4}, tree.path(0, 3));
        assertArrayEquals(new int[] {5, 3, 1}, tree.path(3, 0));
        assertArrayEquals(new int[0], tree.path(2, 2));
        assertEquals(3, tree.distance(0, 3));
        assertArrayEquals(new int[] {0, -1, 3, 5}, tree.towards(1));
    }

    @Test
    void shouldAllowSeveralParts() {
        // given
        final VlanTree tree = VlanTree.of(ring(), links(0, 2));
        // when, then
        assertTrue(tree.connects(0, 1));
        assertFalse(tree.connects(1, 2));
        assertThrows(IllegalArgumentException.class, () -> tree.path(1, 2));
    }

    @Test
    void shouldNameTheSwitchesOfALoop() {
        // when
        final GraphException e =
                assertThrows(GraphException.class, () -> VlanTree.of(ring(), links(0, 1, 2, 3)));
        // then
        for (final String name : List.of("s0", "s1", "s2", "s3")) {
            assertTrue(e.getMessage().contains(name), e.getMessage());
        }
    }

    @Test
    void shouldRefuseParallelLinksInOneTree() {
        // given
        final SwitchGraph graph =
                new SwitchGraphBuilder().addSwitches(2).addLink(0, 1).addLink(0, 1).build();
        // when, then
        assertThrows(GraphException.class, () -> VlanTree.of(graph, links(0, 1)));
        assertEquals(1, VlanTree.of(graph, links(1)).linkCount());
    }

    @Test
    void shouldTakeShortestPathsFromEverySource() {
        // given
        final SwitchGraph graph = io.hxb.fabric.generate.RandomGraphs.regular(24, 3, 1, 7);
        // when
        final HostTrees trees = SourceTrees.shortest().make(graph);
        // then
        for (int from = 0; from < 24; from++) {
            final VlanTree tree = trees.trees().get(trees.ofHost(from));
            for (int link = 0; link < graph.linkCount(); link++) {
                final int a = tree.distance(from, graph.source(2 * link));
                final int b = tree.distance(from, graph.target(2 * link));
                assertTrue(Math.abs(a - b) <= 1, "a link is a shorter way from switch " + from);
            }
        }
    }

    @Test
    void shouldMergeTreesThatAgreeAndNoOthers() {
        // given
        final SwitchGraph graph = ring();
        final List<VlanTree> trees =
                List.of(
                        VlanTree.of(graph, links(0)),
                        VlanTree.of(graph, links(1, 2, 3)),
                        VlanTree.of(graph, links(1)));
        final HostTrees given = new HostTrees(graph, trees, new int[] {0, 1, 2, 0});
        // when
        final HostTrees merged = TreeMerge.toAtMost(2, given, "a plan");
        // then
        assertEquals(2, merged.trees().size());
        assertArrayEquals(new int[] {0, 1}, merged.trees().getFirst().links());
        assertArrayEquals(new int[] {0, 1, 0, 0}, merged.ofHosts());
        assertEquals(3, TreeMerge.toAtMost(3, given, "a plan").trees().size());
    }

    @Test
    void shouldReportHowManyVlansAreNeeded() {
        // given
        final Lattice torus = Lattice.torus(5, 4);
        final HostTrees trees =
                LatticeTrees.of(torus, new int[] {0, 1}, LatticeTrees.Ties.BALANCED)
                        .make(torus.graph(1));
        // when
        final GraphException e =
                assertThrows(GraphException.class, () -> TreeMerge.toAtMost(4, trees, "a plan"));
        // then
        assertTrue(e.getMessage().contains("needs 20 VLANs"), e.getMessage());
        assertTrue(e.getMessage().contains("only 4 are allowed"), e.getMessage());
        assertTrue(e.getMessage().contains("--vlans 20"), e.getMessage());
    }

    @Test
    void shouldReportWhatElseThereIsWhereAMakerDoesNotSuitTheGraph() {
        // given
        final List<TreeMaker> makers =
                List.of(
                        new TopTrees(),
                        new DoubleStarTrees(1),
                        LatticeTrees.of(
                                Lattice.mesh(2, 3), new int[] {0, 1}, LatticeTrees.Ties.TABLE));
        // when, then
        for (final TreeMaker maker : makers) {
            final GraphException e = assertThrows(GraphException.class, () -> maker.make(ring()));
            assertTrue(e.getMessage().contains("'updown-tree'"), e.getMessage());
        }
    }
}
