package io.hxb.tool.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.ConfigException;
import io.hxb.config.yaml.ClusterConfigYaml;
import io.hxb.config.yaml.OptionsYaml;
import io.hxb.config.yaml.RecordsYaml;
import io.hxb.fabric.EdgeList;
import io.hxb.fabric.GraphException;
import io.hxb.fabric.SampleGraphs;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.TextLines;
import io.hxb.fabric.generate.GraphSpec;
import io.hxb.fabric.generate.RandomGraphs;
import io.hxb.fabric.traffic.TrafficMatrix;
import io.hxb.fabric.verify.OpenSmDump;
import io.hxb.testing.ParserFuzz;
import io.hxb.tool.report.ToolException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

/** Every file that describes a graph, and those that are read by the same means. */
@Tag("property")
class GraphFilesPropertyTest {
    private static final int TEXTS = 400;
    private static final int DEEP = 100_000;
    private static final SwitchGraph GRAPH = RandomGraphs.regular(8, 3, 1, 1);

    private static final String DOT =
            """
            /* a rack */ strict digraph "a \\" b" { node [shape=box, color="red"]; edge [rate="10gbit"]
              rankdir = LR; leaf1; "leaf 2" [label=<b <i>x</i>>]
              leaf1:p1 -> spine1:p2:n [rate="40gbit"];
              subgraph cluster_0 { leaf1 -> { spine2 spine3 } } // both
            # a comment
              h1 [type=host, mac="02:00:00:00:00:01"]; "leaf 2" -> h1 [tailport="1" + "2"]; -1.5 -> .5
            }
            """;
    private static final String CABLING =
            """
            rate: 10gbit
            switches: {leaf1: [swp1, swp2, swp48], spine1: }
            links:
              - [leaf1.swp1, spine1.swp1]
              - {from: leaf1.swp2, to: spine1.swp2, rate: 40gbit}
            hosts:
              node1: leaf1.swp48
              node2: {port: spine1.swp9, mac: "02:00:00:00:00:01", rate: 1gbit}
            """;
    private static final String EDGES = "# switches 4\n# hosts 0:4 1:4 3:1\n0 1\n1 2\n2,3\n3 0\n";
    private static final String LLDP =
            """
            {"leaf1": {"lldp": {"interface": [{"swp1": {"chassis": {"spine1": {"capability": [
            {"type": "Bridge", "enabled": true}]}}, "port": {"id": {"type": "ifname", "value":
            "swp9"}, "descr": "x"}}}, {"swp2": {"chassis": {"h1": {"capability": {"type":
            "Station", "enabled": true}}}, "port": {"id": {"type": "mac", "value":
            "02:00:00:00:00:01"}, "descr": "eth0"}}}]}}, "spine1": {"lldp": {"interface": {"swp9":
            {"chassis": {"leaf1": {"capability": {"type": "Bridge", "enabled": true}}}, "port":
            {"id": {"type": "ifname", "value": "swp1"}}}}}}}
            """;
    private static final String CLUSTER =
            """
            name: test
            shape: 4x4x2
            backend: udp
            links: {x: 2, y: [10.0.0.1:20000], z: 1}
            udp: {host: 127.0.0.1, basePort: 20000}
            nodes: {"1,0,0": {host: 10.0.0.9}}
            hosts: {west: "0,0,0"}
            orders: [x-y-z, z-y-x]
            flow: {windowFrames: 1024, ackDelay: 100us}
            pool: {buffers: 8192, bufferBytes: 12KiB}
            """;

    private final long seed = new Random().nextLong();

    private ParserFuzz fuzz() {
        return new ParserFuzz(
                seed, Set.of(GraphException.class, ConfigException.class, ToolException.class));
    }

    @Test
    @Timeout(60)
    void shouldTakeOrRefuseDamagedFiles() {
        // given
        final String subnet = SampleGraphs.openSm("irr16-subnet.lst").substring(0, 5_000);
        final String tables = SampleGraphs.openSm("irr16-updn-lfts.dump").substring(0, 5_000);
        final Map<String, Consumer<String>> parsers =
                Map.of(
                        DOT,
                        text -> DotGraph.parse("f.dot", text, 1, Set.of()),
                        CABLING,
                        text -> CablingYaml.parse(text, "f.yaml", 1),
                        EDGES,
                        text -> EdgeList.parse("f", text, 1),
                        LLDP,
                        text -> LldpNeighbours.parse("f.json", text, 1, Set.of()),
                        CLUSTER,
                        text -> ClusterConfigYaml.parse(text, "f.yaml"),
                        "0 1 2.5\nh1 h2\n# x\n",
                        text -> TrafficMatrix.parse("f", text, GRAPH),
                        subnet,
                        text -> OpenSmDump.parse("t", tables, "s", text),
                        tables,
                        text -> OpenSmDump.parse("t", text, "s", subnet),
                        "graph: torus:8x8\nload: [0.1, 0.2]\n",
                        text -> OptionsYaml.parse(text, "f", List.of("graph", "load")),
                        "- {at: 2s, pull: x}\n- at: 3s\n",
                        text -> RecordsYaml.parse(text, "f", "{at: 2s}"));
        final List<String> samples = List.copyOf(parsers.keySet());
        // when, then
        parsers.forEach((sample, parser) -> fuzz().check(sample, parser));
        parsers.forEach((sample, parser) -> fuzz().damage(List.of(sample), TEXTS / 2, parser));
        parsers.values().forEach(parser -> fuzz().damage(samples, TEXTS / 4, parser));
    }

    @Test
    @Timeout(60)
    void shouldRefuseDeepNestingAtOnce() {
        // given
        final ParserFuzz fuzz = fuzz();
        final List<String> deep =
                List.of(
                        "graph " + "{".repeat(DEEP),
                        "graph {" + "a -- {".repeat(DEEP) + "b" + "}".repeat(DEEP) + "}",
                        "graph { a " + "[b=c]".repeat(DEEP) + "}",
                        "graph { a -- " + "b -- ".repeat(DEEP) + "c }",
                        "graph { a [label=" + "<".repeat(DEEP) + "] }",
                        "[".repeat(DEEP),
                        "{a: ".repeat(DEEP),
                        "- ".repeat(DEEP),
                        "{\"a\":".repeat(DEEP),
                        "&a [*a, *a]\n".repeat(DEEP / 100),
                        "# hosts" + " 0:1".repeat(DEEP) + "\n0 1\n");
        // when, then
        for (final String text : deep) {
            fuzz.check(text, it -> DotGraph.parse("f.dot", it, 1, Set.of()));
            fuzz.check(text, it -> CablingYaml.parse(it, "f.yaml", 1));
            fuzz.check(text, it -> ClusterConfigYaml.parse(it, "f.yaml"));
            fuzz.check(text, it -> LldpNeighbours.parse("f.json", it, 1, Set.of()));
            fuzz.check(text, it -> EdgeList.parse("f", it, 1));
            fuzz.check(text, it -> TrafficMatrix.parse("f", it, GRAPH));
            fuzz.check(text, it -> OpenSmDump.parse("t", it, "s", it));
        }
    }

    @Test
    @Timeout(60)
    void shouldReadLinesThatARegularExpressionWouldTryInAllWays() {
        // given
        final ParserFuzz fuzz = fuzz();
        final List<String> lines =
                List.of(
                        "{ SW NodeGUID:1 ".repeat(DEEP / 20),
                        "{ SW NodeGUID:1 {".repeat(DEEP / 20) + "} LID:",
                        "{ CA NodeGUID:1 { } LID:1 PN:1 ".repeat(DEEP / 20),
                        "[1] \"S-1\"[1] # " + "\"\" lid ".repeat(DEEP / 10),
                        "0x1 1 # " + "'".repeat(DEEP) + " Channel Adapter",
                        "Unicast lids guid 0x".repeat(DEEP / 20),
                        "Switch 1 \"S-1\" # \"a\"\n[99999999999] \"S-1\"[1]",
                        "Unicast lids guid 0x"
                                + "f".repeat(40)
                                + "\n0x"
                                + "f".repeat(40)
                                + " 1 : x");
        // when, then
        for (final String line : lines) {
            fuzz.check(line, it -> OpenSmDump.parse("t", it, "s", it));
            fuzz.check(line, it -> EdgeList.parse("f", it, 1));
        }
    }

    @Test
    @Timeout(60)
    void shouldRefuseGraphsThatAreTooLargeBeforeTheyAreMade() {
        // given
        final ParserFuzz fuzz = fuzz();
        for (final String name :
                List.of(
                        "clos:100000,100000",
                        "clos:30000,30000",
                        "vbft:1,999999999",
                        "myrinet-clos:999999999",
                        "myrinet-clos:20000",
                        "hyperx:256x256x2",
                        "hyperx:65536",
                        "dragonfly:999999999,999999999",
                        "mesh:999999999x999999999",
                        "torus:256x256x256",
                        "cube:999999999,16",
                        "hypercube:17",
                        "hyper-crossbar:65536x2",
                        "fat-tree:999999999,999999999,999999999",
                        "fat-tree:1,2,999999999",
                        "tree:999999999,2",
                        "full:999999999",
                        "ring:999999999",
                        "chain:999999999",
                        "star:999999999",
                        "random:999999999,999999998,1",
                        "random:60000,2000,1",
                        "mesh:" + "1x".repeat(DEEP) + "1",
                        "hyper-crossbar:" + "1,".repeat(DEEP) + "1")) {
            // when, then
            assertThrows(GraphException.class, () -> GraphSpec.parse(name, 1), name);
            fuzz.check(name, it -> GraphSpec.parse(it, 1_000_000));
        }
        assertThrows(GraphException.class, () -> GraphSpec.parse("clos:1000,2", 999_999_999));
    }

    @Test
    void shouldNameTheLine() {
        assertMessage(
                "f.dot:3: ", () -> DotGraph.parse("f.dot", "graph {\n a -- b\n ) }", 1, Set.of()));
        final String deep = "graph " + "{".repeat(99);
        assertMessage("f.dot:1: subgraphs", () -> DotGraph.parse("f.dot", deep, 1, Set.of()));
        assertMessage("f:2: ", () -> EdgeList.parse("f", "0 1\n0 1 2 3", 1));
        final String wide = "0 1\n" + "x".repeat(TextLines.MAX_LINE_LENGTH + 1);
        assertMessage("f:2: has more than", () -> EdgeList.parse("f", wide, 1));
    }

    private static void assertMessage(final String start, final Runnable parser) {
        final GraphException thrown = assertThrows(GraphException.class, parser::run);
        assertTrue(thrown.getMessage().startsWith(start), thrown.getMessage());
    }

    @Test
    void shouldReadWhatDotMeans() {
        // when
        final DotReader read = DotReader.read("f.dot", DOT);
        // then
        assertEquals(
                List.of("leaf1", "leaf 2", "spine1", "spine2", "spine3", "h1", "-1.5", ".5"),
                List.copyOf(read.nodes().keySet()));
        assertEquals("red", read.nodes().get("spine3").get("color"));
        assertEquals("b <i>x</i>", read.nodes().get("leaf 2").get("label"));
        final List<DotReader.Edge> edges = read.edges();
        assertEquals(5, edges.size());
        assertEquals(
                Map.of("rate", "40gbit", "tailport", "p1", "headport", "p2"),
                edges.getFirst().attributes());
        assertEquals("spine2", edges.get(1).to());
        assertEquals("spine3", edges.get(2).to());
        assertEquals("12", edges.get(3).attributes().get("tailport"));
    }

    @Test
    void shouldReadBackWhatItWrites() {
        // given: more hosts on one line than a regular expression repeats a group
        final SwitchGraph large = RandomGraphs.regular(20_000, 4, 1, 5);
        // when
        final SwitchGraph again = EdgeList.parse("f", EdgeList.format(large), 1);
        final SwitchGraph dot = DotGraph.parse("f.dot", DotGraph.format(GRAPH, null), 1, Set.of());
        // then
        assertEquals(large.toString(), again.toString());
        assertEquals(GRAPH.toString(), dot.toString());
        assertThrows(ToolException.class, () -> GraphFile.text("/dev/zero"));
    }
}
