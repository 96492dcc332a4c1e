package io.hxb.fabric.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.RouteSet;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.analysis.HopReport;
import io.hxb.fabric.generate.GraphSpec;
import io.hxb.fabric.generate.RandomGraphs;
import io.hxb.fabric.route.PathSelection;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

/**
 * Mean hops of chapters 3 and 5 of Koibuchi 2002: ten random graphs of each size, and the torus.
 *
 * <p>Uniform traffic: within 3 %. Bit reversal: of host numbers, switch times four plus port, where
 * hosts that are their own reversal do not send; only so do the torus and the 16 switches fit. The
 * columns cannot all be met within 3 % by means over pairs: R-turn is L-turn reversed, so that both
 * have the same mean, and the thesis has 3.73 and 3.61; on the torus it has 4.41, 4.23 and 4.02 for
 * one set of pairs and shortest Up*&#47;Down* paths, whose mean no choice among them can change. It
 * counts packets that arrived: simulated beyond saturation, ours pass as many links as its own
 * (benchmarks/log/2026-11.md). Means of ten graphs have a standard error of 2.0 to 2.4 % (16
 * switches) and 1.1 to 1.9 % (64). Bounds wider than 3 % are stated with each row and guard against
 * change.
 */
@Tag("property")
class ThesisHopsTest {
    private static double hops(final SwitchGraph graph, final String algorithm) {
        return HopReport.of(routes(graph, algorithm, PathSelection.LOW_PORT)).avgLinksHosts();
    }

    private static RouteSet routes(
            final SwitchGraph graph, final String algorithm, final PathSelection selection) {
        return RoutingAlgorithm.of(algorithm)
                .routing(graph, RoutingOptions.DEFAULTS.withSelection(selection))
                .routes(selection, 0);
    }

    /** Mean links to the reversed host number, without hosts that reverse to themselves. */
    private static double reversalHops(final RouteSet routes) {
        final SwitchGraph graph = routes.graph();
        final int bits = Integer.numberOfTrailingZeros(graph.hostCount());
        int links = 0;
        int senders = 0;
        for (int host = 0; host < graph.hostCount(); host++) {
            final int to = Integer.reverse(host) >>> (32 - bits);
            links += routes.length(graph.hostSwitch(host), graph.hostSwitch(to));
            senders += to == host ? 0 : 1;
        }
        return (double) links / senders;
    }

    // L-turn on 64 switches: 3.818 is the mean over all pairs that two other implementations found.
    // The thesis prints 3.67 for the packets that arrived.
    @ParameterizedTest
    @CsvSource({
        "16, updown-bfs, 2.03",
        "16, updown-dfs, 1.95",
        "16, l-turn-alpha, 2.01",
        "16, l-turn-beta, 2.01",
        "16, r-turn-alpha, 2.04",
        "16, r-turn-beta, 2.05",
        "16, dl-ud, 1.885",
        "16, dl-mutual, 1.885",
        "16, dl-ud-du, 1.885",
        "32, updown-bfs, 2.85",
        "32, dl-ud, 2.51",
        "32, dl-mutual, 2.51",
        "32, dl-ud-du, 2.51",
        "64, updown-bfs, 3.82",
        "64, updown-dfs, 3.53",
        "64, l-turn-alpha, 3.818",
        "64, r-turn-alpha, 3.87",
        "64, r-turn-beta, 3.86",
        "64, minimal, 3.142"
    })
    void shouldComeCloseOnRandomGraphs(
            final int switches, final String algorithm, final double expected) {
        // when
        double sum = 0;
        for (long seed = 1; seed <= 10; seed++) {
            sum += hops(RandomGraphs.regular(switches, 4, 4, seed), algorithm);
        }
        // then
        assertEquals(expected, sum / 10, 0.03 * expected);
    }

    @ParameterizedTest
    @CsvSource({
        "updown-bfs, 4.47", "updown-dfs, 4.30", "l-turn-alpha, 4.32", "l-turn-beta, 4.32",
        "r-turn-alpha, 4.32", "r-turn-beta, 4.31", "dl-ud, 4.01", "dl-mutual, 4.01"
    })
    void shouldComeCloseOnTheTorus(final String algorithm, final double expected) {
        // when
        final double found = hops(GraphSpec.parse("torus:8x8", 4), algorithm);
        // then
        assertEquals(expected, found, 0.03 * expected);
        assertTrue(found >= 4.015, "below the shortest paths");
    }

    @ParameterizedTest
    @CsvSource({
        "16, updown-bfs, 2.01, 4.2", // standard error of our ten graphs 2.4 %
        "16, updown-dfs, 2.01, 3",
        "16, r-turn-alpha, 2.05, 3.3", // 2.2 %
        "16, r-turn-beta, 2.07, 3",
        "16, l-turn-alpha, 2.00, 5.9", // 2.2 %
        "16, l-turn-beta, 2.02, 4.5", // 2.2 %
        "64, updown-bfs, 3.68, 6.3", // 1.3 %; over 300 graphs the same
        "64, updown-dfs, 3.45, 3",
        "64, r-turn-alpha, 3.73, 3",
        "64, r-turn-beta, 3.76, 3",
        "64, l-turn-alpha, 3.61, 5.8", // 1.1 %; over 300 graphs 6.5 %
        "64, l-turn-beta, 3.65, 4.5" // 1.1 %; over 300 graphs 5.3 %
    })
    void shouldComeAsCloseAsTenGraphsAllowWithBitReversal(
            final int switches,
            final String algorithm,
            final double expected,
            final double percent) {
        // when
        double sum = 0;
        for (long seed = 1; seed <= 10; seed++) {
            final SwitchGraph graph = RandomGraphs.regular(switches, 4, 4, seed);
            sum += reversalHops(routes(graph, algorithm, PathSelection.LOW_PORT));
        }
        // then
        assertEquals(expected, sum / 10, percent / 100 * expected);
    }

    @ParameterizedTest
    @CsvSource({
        "updown-bfs, 4.41, 3",
        "updown-dfs, 3.71, 3",
        "r-turn-alpha, 3.77, 3.5",
        "r-turn-beta, 3.70, 3",
        "l-turn-alpha, 3.82, 3",
        "l-turn-beta, 3.74, 3",
        "dl-ud, 3.49, 3",
        "dl-ud, 3.44, 3",
        "dl-mutual, 3.47, 3",
        "dl-mutual, 3.44, 3"
    })
    void shouldComeCloseOnTheTorusWithBitReversal(
            final String algorithm, final double expected, final double percent) {
        // when
        final SwitchGraph torus = GraphSpec.parse("torus:8x8", 4);
        final double found = reversalHops(routes(torus, algorithm, PathSelection.LOW_PORT));
        // then
        assertEquals(expected, found, percent / 100 * expected);
    }

    @Test
    void shouldGiveUpDownOneMeanOnTheTorusWhateverPathIsSelected() {
        // given what the thesis has for low port, high p-ch and the adaptive use of chapter 3
        final double ofUniform = (4.38 + 4.41 + 4.47) / 3;
        final SwitchGraph torus = GraphSpec.parse("torus:8x8", 4);
        for (final PathSelection selection :
                List.of(PathSelection.LOW_PORT, PathSelection.HIGH_PHYSICAL)) {
            // when
            final RouteSet routes = routes(torus, "updown-bfs", selection);
            // then
            assertEquals(4.518, HopReport.of(routes).avgLinksHosts(), 0.001);
            assertEquals(ofUniform, HopReport.of(routes).avgLinksHosts(), 0.03 * ofUniform);
            assertEquals(4.533, reversalHops(routes), 0.001);
        }
    }
}
