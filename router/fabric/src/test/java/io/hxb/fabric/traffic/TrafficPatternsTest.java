package io.hxb.fabric.traffic;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.GraphException;
import io.hxb.fabric.SampleGraphs;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;
import io.hxb.fabric.generate.GraphSpec;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/** The permutations as Dally and Towles define them, worked out digit by digit as BookSim does. */
@Tag("unit")
class TrafficPatternsTest {
    /** A rule for each digit of a node's number to the base {@code k}. Source: BookSim 2. */
    private static int digits(
            final int source, final int k, final int n, final IntUnaryOperator rule) {
        int offset = 1;
        int result = 0;
        for (int i = 0; i < n; i++) {
            result += offset * rule.applyAsInt(source / offset % k);
            offset *= k;
        }
        return result;
    }

    @ParameterizedTest
    @CsvSource({
        "mesh:4x4,  4, 2, 1",
        "mesh:5x5,  5, 2, 1",
        "torus:8x8, 8, 2, 4",
        "torus:5x5, 5, 2, 2",
        "torus:4x4x4, 4, 3, 1",
        "'cube:3,4', 3, 4, 1",
        "mesh:9,    9, 1, 2",
        "hyper-crossbar:4x4x4, 4, 3, 1",
    })
    void shouldGoRoundEachDimensionByTheTextbook(
            final String words, final int k, final int n, final int hosts) {
        // given
        final SwitchGraph graph = GraphSpec.parse(words, hosts);
        // when
        final int[] tornado = TrafficPatterns.permutation("tornado", graph);
        final int[] neighbour = TrafficPatterns.permutation("neighbour", graph);
        // then
        for (int host = 0; host < graph.hostCount(); host++) {
            final int node = host / hosts;
            assertEquals(
                    digits(node, k, n, d -> (d + (k + 1) / 2 - 1) % k) * hosts + host % hosts,
                    tornado[host],
                    "tornado of " + host);
            assertEquals(
                    digits(node, k, n, d -> (d + 1) % k) * hosts + host % hosts,
                    neighbour[host],
                    "neighbour of " + host);
        }
        assertArrayEquals(neighbour, TrafficPatterns.permutation("neighbor", graph));
    }

    @Test
    void shouldGoRoundUnequalDimensionsEachByItsOwnExtent() {
        // given a torus of 6 x 3: two ahead in X, one in Y
        final SwitchGraph graph = GraphSpec.parse("torus:6x3", 1);
        // when
        final int[] tornado = TrafficPatterns.permutation("tornado", graph);
        // then
        for (int node = 0; node < 18; node++) {
            assertEquals((node % 6 + 2) % 6 + 6 * ((node / 6 + 1) % 3), tornado[node]);
        }
    }

    @ParameterizedTest
    @CsvSource({"mesh:6x6, 6, 1", "torus:8x8, 8, 4", "hyper-crossbar:3x3, 3, 1"})
    void shouldExchangeCoordinates(final String words, final int k, final int hosts) {
        // given
        final SwitchGraph graph = GraphSpec.parse(words, hosts);
        // when
        final int[] transpose = TrafficPatterns.permutation("transpose", graph);
        // then
        for (int host = 0; host < graph.hostCount(); host++) {
            final int x = host / hosts % k;
            final int y = host / hosts / k;
            assertEquals((x * k + y) * hosts + host % hosts, transpose[host], "of " + host);
        }
    }

    @ParameterizedTest
    @CsvSource({"mesh:8x8", "torus:4x4x4", "hypercube:6", "'cube:2,4'", "mesh:4x2x4x2"})
    void shouldExchangeTheHalvesOfTheAddressAsBookSimDoes(final String words) {
        // given
        final SwitchGraph graph = GraphSpec.parse(words, 1);
        final int shift = Integer.numberOfTrailingZeros(graph.hostCount()) / 2;
        final int mask = (1 << shift) - 1;
        // then
        assertArrayEquals(
                IntStream.range(0, graph.hostCount())
                        .map(source -> ((source >> shift) & mask) | ((source & mask) << shift))
                        .toArray(),
                TrafficPatterns.permutation("transpose", graph));
    }

    @Test
    void shouldKeepHostNumbersUnderNamesOfTheirOwn() {
        // given
        final SwitchGraph graph = GraphSpec.parse("torus:4x2", 2);
        // then
        assertArrayEquals(
                IntStream.range(0, 16).map(h -> (h + 7) % 16).toArray(),
                TrafficPatterns.permutation("host-tornado", graph));
        assertArrayEquals(
                IntStream.range(0, 16).map(h -> (h + 1) % 16).toArray(),
                TrafficPatterns.permutation("host-neighbour", graph));
        assertArrayEquals(
                IntStream.range(0, 16).map(h -> h % 4 * 4 + h / 4).toArray(),
                TrafficPatterns.permutation("host-transpose", graph));
        // and where there are no coordinates, a host's number is its address
        assertArrayEquals(
                TrafficPatterns.permutation("host-transpose", graph),
                TrafficPatterns.permutation("transpose", GraphSpec.parse("fat-tree:2,4,2", 1)));
    }

    @Test
    void shouldPermuteBits() {
        // given
        final SwitchGraph graph = new SwitchGraphBuilder().addSwitches(1).addHosts(8).build();
        // then
        assertArrayEquals(
                new int[] {7, 6, 5, 4, 3, 2, 1, 0},
                TrafficPatterns.permutation("bit-complement", graph));
        assertArrayEquals(
                new int[] {0, 4, 2, 6, 1, 5, 3, 7}, TrafficPatterns.permutation("bitrev", graph));
        assertArrayEquals(
                new int[] {0, 2, 4, 6, 1, 3, 5, 7}, TrafficPatterns.permutation("shuffle", graph));
    }

    @Test
    void shouldReportWhereAPatternIsNotDefined() {
        // given
        final SwitchGraph random = SampleGraphs.read("irr16_0");
        assertRefused("tornado", random, "is not a mesh, torus or hyper-crossbar; 'host-tornado'");
        assertRefused("neighbour", random, "'host-neighbour' takes the numbers");
        assertRefused("transpose", GraphSpec.parse("mesh:4x2", 2), "those of a mesh 4x2 differ");
        assertRefused("transpose", GraphSpec.parse("mesh:3x3x3", 1), "'host-transpose'");
        assertRefused("tornado", GraphSpec.parse("hypercube:4", 1), "sends to itself");
        assertRefused("shift:16", GraphSpec.parse("mesh:4x4", 1), "sends to itself");
        assertRefused("tornado:3", GraphSpec.parse("mesh:4x4", 1), "is not a pattern of traffic");
        assertRefused("zork", random, "there are uniform, all-to-all");
        final SwitchGraph uneven =
                new SwitchGraphBuilder()
                        .addSwitches(2)
                        .addLink(0, 1)
                        .addHosts(0, 2)
                        .addHosts(1, 1)
                        .build();
        assertRefused("tornado", uneven, "equally many hosts on every switch, and s1 has 1");
    }

    private static void assertRefused(
            final String word, final SwitchGraph graph, final String message) {
        final GraphException problem =
                assertThrows(GraphException.class, () -> TrafficPatterns.of(word, graph), word);
        assertTrue(problem.getMessage().contains(message), problem.getMessage());
    }
}
