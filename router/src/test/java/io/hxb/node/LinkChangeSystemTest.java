package io.hxb.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.config.Backend;
import io.hxb.config.ClusterConfig;
import io.hxb.config.LinkPlan;
import io.hxb.config.LoopConfig;
import io.hxb.node.loop.NodeThreads;
import io.hxb.testing.TestNamespaces;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What a node says of its own NICs. */
@Tag("system")
class LinkChangeSystemTest {
    private static final long TURNS_NS = 20_000_000L;

    @Test
    void shouldLogOnceThatANicIsDown() throws IOException {
        TestNamespaces.assumeRoot();
        // given: one node, whose neighbour does not run.
        final PrintStream console = System.err;
        final ByteArrayOutputStream lines = new ByteArrayOutputStream();
        try (TestNamespaces namespaces = new TestNamespaces();
                NodeThreads threads = NodeThreads.invoker(LoopConfig.DEFAULT)) {
            final String left = namespaces.add("0");
            namespaces.veth(left, "n0", namespaces.add("1"), "n0", 1500);
            final String pattern = left.substring(0, left.length() - 1) + "{node}";
            final ClusterConfig config =
                    ClusterConfig.of(
                            "change",
                            Shape.of(2),
                            Backend.RAW,
                            LinkPlan.raw(List.of(List.of("n0")), pattern));
            try (Node node = Node.start(NodeOptions.embedded(config, 0, threads))) {
                node.awaitNeighbours(TURNS_NS);
                System.setErr(new PrintStream(lines, true, StandardCharsets.UTF_8));
                // when
                TestNamespaces.ipIn(left, "link set n0 down");
                TestNamespaces.await(
                        () -> "a line about the NIC: " + lines,
                        () -> {
                            node.awaitNeighbours(TURNS_NS);
                            return text(lines).contains("link down x.0 (n0) of node 0");
                        });
                node.awaitNeighbours(TURNS_NS);
            } finally {
                System.setErr(console);
            }
        }
        // then
        final List<String> told =
                text(lines).lines().filter(line -> line.contains("(n0)")).toList();
        assertEquals(1, told.size(), told.toString());
    }

    private static String text(final ByteArrayOutputStream lines) {
        return lines.toString(StandardCharsets.UTF_8);
    }
}
