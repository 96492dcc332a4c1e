package io.hxb.tool.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SampleGraphs;
import io.hxb.fabric.SwitchGraph;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;

/** Graphs of other programs: Graphviz, PTM, NetworkX, BookSim, OpenSM. */
@Tag("unit")
class GraphFileTest {
    @TempDir private Path folder;

    private SwitchGraph read(final String name, final String text, final String... hosts)
            throws IOException {
        final Path file = Files.writeString(folder.resolve(name), text);
        return GraphFile.read(file.toString(), 1, Set.of(hosts));
    }

    private void assertRefused(final String message, final String name, final String text) {
        final GraphException thrown =
                assertThrows(GraphException.class, () -> read(name, text), name);
        assertEquals(1, thrown.getMessage().lines().count(), thrown.getMessage());
        assertTrue(
                thrown.getMessage().startsWith(folder.resolve(name) + message),
                thrown.getMessage());
    }

    private static Set<String> hosts(final SwitchGraph graph) {
        final Set<String> hosts = new TreeSet<>();
        for (int host = 0; host < graph.hostCount(); host++) {
            final String at = graph.switchName(graph.hostSwitch(host));
            hosts.add(graph.hostName(host) + " at " + at + "." + graph.hostPort(host));
        }
        return hosts;
    }

    @Test
    void shouldTakeStrictAtItsWord() throws IOException {
        // when, then
        assertEquals(
                "3 switches, 2 links, 3 hosts",
                read("s.dot", "strict graph g { a -- b; b -- a; b -- c; }").toString());
        assertEquals(
                "3 switches, 3 links, 3 hosts",
                read("s.dot", "graph g { a -- b; b -- a; b -- c; }").toString());
        final SwitchGraph graph =
                read("s.dot", "strict graph g { a -- b; a -- b [rate=\"40gbit\"]; }");
        assertEquals(40_000_000_000L, graph.linkRateBps(0));
        assertEquals(
                "2 switches, 1 links, 2 hosts",
                read("s.dot", "strict digraph g { a -> b; a -> b; b -> a }").toString());
    }

    @Test
    void shouldTakeOppositeArcsForOneCable() throws IOException {
        // when, then
        assertEquals(
                "3 switches, 2 links, 3 hosts",
                read("a.dot", "digraph { a -> b; b -> a; b -> c; c -> b }").toString());
        assertEquals(
                "3 switches, 2 links, 3 hosts",
                read("a.dot", "digraph { a -> b; c -> b }").toString());
        assertEquals(
                "2 switches, 2 links, 2 hosts",
                read("a.dot", "digraph { a -> b; a -> b; b -> a; b -> a }").toString());
        assertEquals(
                "2 switches, 2 links, 2 hosts",
                read("a.dot", "digraph { a:1 -> b:1; b:2 -> a:2; b:1 -> a:1 }").toString());
    }

    @Test
    void shouldReadTheTopologyOfPtm() throws IOException {
        // given: a server on two leaves, and a cable from a leaf to itself
        final String text =
                """
                graph g {
                 "leaf1" [function="leaf"]; "leaf2" [function="leaf"]; "server1" [function="host"];
                 "leaf1":"swp1" -- "leaf2":"swp1";
                 "leaf1":"swp8" -- "leaf1":"swp9";
                 "server1":"eth1" -- "leaf1":"swp2";
                 "server1":"eth2" -- "leaf2":"swp2";
                }
                """;
        // when
        final SwitchGraph graph = read("topology.dot", text);
        // then
        assertEquals("2 switches, 1 links, 2 hosts", graph.toString());
        assertEquals(
                Set.of("server1.eth1 at leaf1.swp2", "server1.eth2 at leaf2.swp2"), hosts(graph));
        assertEquals(
                Set.of("leaf2 at leaf1.1"),
                hosts(read("t.dot", "graph { leaf1 -- leaf2 }", "leaf2")));
    }

    @Test
    void shouldReadGraphMl() throws IOException {
        // given: what networkx.write_graphml writes, with attributes
        final String text =
                """
                <?xml version='1.0' encoding='utf-8'?>
                <graphml xmlns="http://graphml.graphdrawing.org/xmlns">
                  <key id="d1" for="edge" attr.name="rate" attr.type="string" />
                  <key id="d0" for="node" attr.name="type" attr.type="string" />
                  <graph edgedefault="%s">
                    <node id="leaf1" /><node id="leaf2" />
                    <node id="h1"><data key="d0">host</data></node>
                    <edge source="leaf1" target="leaf2"><data key="d1">40gbit</data></edge>
                    <edge source="leaf2" target="leaf1"><data key="d1">40gbit</data></edge>
                    <edge source="leaf1" target="h1" sourceport="p9" />
                  </graph>
                </graphml>
                """;
        // when
        final SwitchGraph directed = read("a.graphml", text.formatted("directed"));
        final SwitchGraph undirected = read("b.graphml", text.formatted("undirected"));
        // then
        assertEquals("2 switches, 1 links, 1 hosts", directed.toString());
        assertEquals("2 switches, 2 links, 1 hosts", undirected.toString());
        assertEquals(40_000_000_000L, directed.linkRateBps(0));
        assertEquals(Set.of("h1 at leaf1.p9"), hosts(directed));
    }

    @Test
    void shouldNameTheLineOfBadGraphMl() {
        assertRefused(":2: is not XML: ", "a.graphml", "<graphml>\n<graph><node id='a'/>");
        assertRefused(":1: has no <graph>", "b.graphml", "<html/>");
        assertRefused(
                ":2: an edge ends at 'b', which is no node",
                "c.graphml",
                "<graphml><graph><node id='a'/>\n<edge source='a' target='b'/></graph></graphml>");
        assertRefused(
                ":3: node 'a' is there twice",
                "d.graphml",
                "<graphml><graph>\n<node id='a'/>\n<node id='a'/></graph></graphml>");
        assertRefused(
                ":2: <edge> has no target",
                "e.graphml",
                "<graphml><graph>\n<edge source='a'/></graph></graphml>");
        // Entities that grow are not even looked at.
        assertRefused(
                ":",
                "f.graphml",
                "<!DOCTYPE x [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><graphml>&b;</graphml>");
    }

    @Test
    void shouldReadNetworksOfBookSim() throws IOException {
        // given: a latency, a link that both ends list, and a line of a node
        final String text =
                """
                router 0 node 0 node 1 router 1 5 router 2

                router 1 router 0
                node 2 router 1
                router 2 node 3 router 1 2
                """;
        // when
        final SwitchGraph graph = read("net.anynet", text);
        // then
        assertEquals("3 switches, 3 links, 4 hosts", graph.toString());
        assertEquals(Set.of("h0 at s0.3", "h1 at s0.4", "h2 at s1.3", "h3 at s2.3"), hosts(graph));
        assertRefused(
                ":2: 'router' is followed by its number", "n", "router 0 node 0\nrouter 1 router");
        assertRefused(":1: 'router' or 'node' should be where", "m", "router 0 link 1");
        assertRefused(":2: node 0 is at router 0 and", "o", "router 0 node 0\nrouter 1 node 0");
        assertRefused(":1: node 0 and node 1 are joined", "p", "node 0 node 1");
    }

    @Test
    void shouldReadEdgeListsWithWeights() throws IOException {
        // when, then: write_weighted_edgelist and write_edgelist of NetworkX
        assertEquals("3 switches, 2 links, 3 hosts", read("a", "0 1 1.5\n1 2 3\n").toString());
        assertEquals(
                "3 switches, 2 links, 3 hosts",
                read("b", "a b {'weight': 2, 'x': 1}\nb c {}\n").toString());
        assertRefused(":1: a link is two numbers", "c", "0 1 2 3");
    }

    @Test
    void shouldReadTheCablingOfOpenSm() throws IOException {
        // given
        final String discovered =
                """
                switchguid=0x200000(200000)
                Switch\t2 "S-0000000000200000"\t\t# "west" base port 0 lid 6 lmc 0
                [1]\t"S-0000000000200001"[1]\t\t# "east" lid 7 4xEDR
                [2]\t"H-0000000000100000"[1](100001) \t\t# "n0" lid 2 4xSDR

                Switch\t2 "S-0000000000200001"\t\t# "east" base port 0 lid 7 lmc 0
                [1]\t"S-0000000000200000"[1]\t\t# "west" lid 6 4xEDR

                Ca\t1 "H-0000000000100000"\t\t# "n0"
                [1](100001) \t"S-0000000000200000"[2]\t\t# lid 2 lmc 1 "west" lid 6 4xSDR
                """;
        // when
        final SwitchGraph graph = read("net.txt", discovered);
        // then
        assertEquals("2 switches, 1 links, 1 hosts", graph.toString());
        assertEquals(100_000_000_000L, graph.linkRateBps(0));
        assertEquals(10_000_000_000L, graph.hostRateBps(0));
        final SwitchGraph subnet = read("x.lst", SampleGraphs.openSm("irr16-subnet.lst"));
        assertEquals("16 switches, 32 links, 16 hosts", subnet.toString());
        assertEquals(10_000_000_000L, subnet.linkRateBps(0));
        // and what was cut off in the middle of a line
        assertRefused(
                ":3: is incomplete, or of another kind of file: '[1]\t\"S-000",
                "cut.txt",
                discovered.substring(0, discovered.indexOf("200001\"[1]")));
    }
}
