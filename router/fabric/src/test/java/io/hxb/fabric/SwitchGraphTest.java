package io.hxb.fabric;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.generate.GraphSpec;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

@Tag("unit")
class SwitchGraphTest {
    @Test
    void shouldOrderChannelsByNeighbourThenByLink() {
        // given
        final SwitchGraph graph =
                new SwitchGraphBuilder()
                        .addSwitches(3)
                        .addLink(0, 2)
                        .addLink(1, 0)
                        .addLink(0, 2)
                        .addHosts(1)
                        .build();
        // then
        assertEquals(3, graph.degree(0));
        assertEquals(3, graph.outgoing(0, 0));
        assertEquals(0, graph.outgoing(0, 1));
        assertEquals(4, graph.outgoing(0, 2));
        assertEquals(2, graph.outgoingIndex(4));
        assertEquals(1, graph.target(3));
        assertEquals("s0.3 -> s2", graph.channelName(4));
        assertEquals("s1 -> s0", graph.channelName(2));
        assertEquals("4", graph.hostPort(0));
        assertArrayEquals(new int[] {1, 1, 1}, graph.hostCounts());
    }

    @Test
    void shouldNameEveryProblemAtOnce() {
        // given
        final SwitchGraphBuilder builder = new SwitchGraphBuilder().addSwitches(2);
        builder.addLink(0, 0).addLink(0, 7).addLink(0, "p", 1, "q", 0).addLink(0, "p", 1, "r", 0);
        builder.addHost("a", 0, null, 5, 0).addHost("a", 1, null, 5, 0);
        // when
        final String message = assertThrows(GraphException.class, builder::build).getMessage();
        // then
        assertTrue(message.contains("'s0' has a link to itself"), message);
        assertTrue(message.contains("a link needs switch 7"), message);
        assertTrue(message.contains("port 'p' of switch 's0' has two cables"), message);
        assertTrue(message.contains("host 'a' is there twice, on switch 's0' and"), message);
        assertTrue(message.contains("have one MAC address"), message);
    }

    @Test
    void shouldRefuseAGraphInParts() {
        // given
        final SwitchGraphBuilder builder =
                new SwitchGraphBuilder().addSwitches(4).addLink(0, 1).addLink(2, 3);
        // when
        final String message = assertThrows(GraphException.class, builder::build).getMessage();
        // then
        assertEquals(
                "the graph is not connected: no path from switch 's0' to 2 of 4 switches (s2, s3);"
                        + " add the missing links or plan the parts one by one",
                message);
    }

    @Test
    void shouldReadWhatItWrites() {
        // given
        final String text = "# switches 3\n# hosts 0:2 2:1\n0 1\n2 1\n0 1\n";
        // then
        assertEquals(text, EdgeList.format(EdgeList.parse("x", text, 0)));
        final SwitchGraph graph = EdgeList.parse("x", text, 0);
        assertEquals(text, EdgeList.format(graph.toBuilder().build()));
    }

    @Test
    void shouldReadEdgesBetweenNames() {
        // when
        final SwitchGraph graph =
                EdgeList.parse(
                        "f",
                        "# hosts leaf-1:2 rack/2.b:1\nleaf-1 spine  # first\nspine, rack/2.b\n",
                        9);
        // then
        assertEquals("3 switches, 2 links, 3 hosts", graph.toString());
        assertEquals("leaf-1", graph.switchName(0));
        assertEquals("rack/2.b", graph.switchName(2));
        assertArrayEquals(new int[] {2, 0, 1}, graph.hostCounts());
        assertEquals("leaf-1 -> spine", graph.channelName(0));
        final String mixed =
                assertThrows(
                                GraphException.class,
                                () -> EdgeList.parse("f", "a b\n0 1\na 1\na b c\nb b\n", 1))
                        .getMessage();
        assertTrue(mixed.contains("f:2: a link is two numbers of switches or two names"), mixed);
        assertTrue(mixed.contains("f:3: a link is two numbers of switches or two names"), mixed);
        assertTrue(mixed.contains("f:4: a link is two numbers of switches, such as"), mixed);
        assertTrue(mixed.contains("f:5: switch b has a link to itself"), mixed);
        final String lost =
                assertThrows(
                                GraphException.class,
                                () -> EdgeList.parse("f", "# hosts a:1 c:1\na b\n", 1))
                        .getMessage();
        assertEquals("f:1: hosts are on switch 'c', which has no link", lost);
    }

    @Test
    void shouldRefuseWhatIsTooLargeBeforeItIsMade() {
        for (final String words :
                List.of(
                        "random:1000000,4,1",
                        "random:60000,5000,1",
                        "tree:900000000,2",
                        "clos:60000,5000",
                        "dragonfly:60000,60000",
                        "hyperx:65536",
                        "myrinet-clos:30000",
                        "fat-tree:2,4,10")) {
            final GraphException thrown =
                    assertThrows(GraphException.class, () -> GraphSpec.parse(words, 4), words);
            assertTrue(thrown.getMessage().contains("at most"), thrown.getMessage());
        }
        final GraphException hosts =
                assertThrows(GraphException.class, () -> GraphSpec.parse("mesh:256x256", 1024));
        assertTrue(hosts.getMessage().contains("1048576 hosts"), hosts.getMessage());
    }

    @Test
    void shouldReportHowMuchMemoryPathsWouldTake() {
        // given a graph whose paths take more than any heap of a test
        final SwitchGraph ring = GraphSpec.parse("torus:60000", 0);
        // when
        final GraphException thrown =
                assertThrows(GraphException.class, () -> new RouteSetBuilder(ring, 1));
        // then
        assertTrue(
                thrown.getMessage()
                        .matches(
                                "the paths of all pairs .* GiB of memory.*HXB_JAVA_OPTIONS=-Xmx.*"),
                thrown.getMessage());
    }

    @Test
    void shouldPointAtTheLineOfAnEdgeList() {
        // when
        final GraphException thrown =
                assertThrows(
                        GraphException.class, () -> EdgeList.parse("f", "0 1\nx\n# c\n2 2\n", 1));
        // then
        assertEquals(
                """
                f:2: a link is two numbers of switches, such as '0 1', or two names, such as \
                'leaf1 spine1', not 'x'
                f:4: switch 2 has a link to itself; remove the line or correct its end\
                """,
                thrown.getMessage());
    }

    @Test
    void shouldRefusePathsThatJump() {
        // given
        final SwitchGraph graph = Lattice.mesh(3).graph(1);
        final RouteSetBuilder builder = new RouteSetBuilder(graph, 2).endPath();
        // then
        assertThrows(IllegalArgumentException.class, () -> builder.step(2 * 2));
        assertThrows(IllegalArgumentException.class, builder::endPath);
    }

    @Test
    void shouldKeepPathsAndMarks() {
        // given
        final SwitchGraph graph = Lattice.mesh(2).graph(1);
        // when
        final RouteSet routes =
                new RouteSetBuilder(graph, 2)
                        .endPath()
                        .step(1)
                        .endPath()
                        .reinjectedStep(2)
                        .endPath()
                        .endPath()
                        .build();
        // then
        assertEquals(1, routes.length(0, 1));
        assertEquals(1, routes.step(0, 1, 0));
        assertEquals(1, routes.channel(1, 0, 0));
        assertTrue(routes.isReinjected(1, 0, 0));
        assertEquals(2, routes.sumLinks());
        assertEquals("s1 (out and in) -[0]-> s0", routes.describe(1, 0));
    }
}
