package io.hxb.sim.traffic;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.fabric.Lattice;
import io.hxb.fabric.SwitchGraph;
import io.hxb.fabric.SwitchGraphBuilder;
import io.hxb.fabric.traffic.TrafficMatrix;
import io.hxb.sim.flit.SimulationException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Where the hosts of each pattern send. */
@Tag("unit")
class PatternsTest {
    private static final int HOSTS = 16;
    private static final int DRAWS = 60_000;

    private final SplittableRandom random = new SplittableRandom(7);

    private static SwitchGraph hosts(final int hosts) {
        return new SwitchGraphBuilder().addSwitches(1).addHosts(hosts).build();
    }

    private static Destinations pattern(final String word, final boolean hasSelf) {
        return Patterns.of(word, hosts(HOSTS), hasSelf);
    }

    /** How often a host sends to each, {@code [hosts]}. */
    private int[] counts(final Destinations destinations, final int source, final int hosts) {
        final int[] counts = new int[hosts];
        for (int i = 0; i < DRAWS; i++) {
            counts[destinations.next(source, random)]++;
        }
        return counts;
    }

    /** Within five standard deviations of a count with this probability. */
    private static void assertShare(final double probability, final int count, final String what) {
        final double deviation = Math.sqrt(DRAWS * probability * (1 - probability));
        assertEquals(DRAWS * probability, count, 5 * deviation + 1e-9, what);
    }

    // Destinations of hosts 0 to 15, worked out by hand from each pattern's definition; -1: none.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "bit-reversal | -1 8 4 12 2 10 -1 14 1 -1 5 13 3 11 7 -1",
                "transpose    | -1 4 8 12 1 -1 9 13 2 6 -1 14 3 7 11 -1",
                "shuffle      | -1 2 4 6 8 10 12 14 1 3 5 7 9 11 13 -1",
                "host-tornado | 7 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6",
                "host-neighbour | 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 0",
                "shift:3      | 3 4 5 6 7 8 9 10 11 12 13 14 15 0 1 2",
                // The 4 x 4 processes' exchange with the transposed one, and so the six heavy pairs
                // 1-4, 2-8, 3-12, 6-9, 7-13, 11-14.
                "kernel-cg    | -1 4 8 12 1 -1 9 13 2 6 -1 14 3 7 11 -1",
            })
    void shouldSendToOneHostInPermutations(final String word, final String expected) {
        // given
        final int[] destinations =
                Arrays.stream(expected.strip().split(" ", -1))
                        .mapToInt(Integer::parseInt)
                        .toArray();
        // when
        final Destinations pattern = pattern(word.strip(), false);
        // then each time again
        for (int round = 0; round < 3; round++) {
            assertArrayEquals(
                    destinations,
                    IntStream.range(0, HOSTS).map(host -> pattern.next(host, random)).toArray());
        }
    }

    @Test
    void shouldExchangeWithTheTransposedProcessOfAnOblongGrid() {
        // given 8 processes in 2 rows of 4, as CG has them when their number is not a square
        final Destinations pattern = Patterns.of("kernel-cg", hosts(8), false);
        // when
        final int[] destinations =
                IntStream.range(0, 8).map(host -> pattern.next(host, random)).toArray();
        // then
        assertArrayEquals(new int[] {-1, -1, 4, 5, 2, 3, -1, -1}, destinations);
    }

    @ParameterizedTest
    @CsvSource({"transpose, 5", "bit-reversal, 6", "kernel-cg, 10", "shift:16, 3", "shuffle, 15"})
    void shouldSendToItselfWhereAskedFor(final String word, final int host) {
        // then hosts that a permutation leaves where they are send only with --self
        assertEquals(host, pattern(word, true).next(host, random));
        if (!word.equals("shift:16")) {
            assertEquals(Destinations.NOWHERE, pattern(word, false).next(host, random));
        }
    }

    @Test
    void shouldGoThroughAllHostsInTurnWithItself() {
        // given
        final Destinations pattern = pattern("all-to-all", true);
        // when
        final int[] turn =
                IntStream.range(0, HOSTS + 1).map(i -> pattern.next(13, random)).toArray();
        // then
        assertArrayEquals(
                new int[] {14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}, turn);
    }

    @Test
    void shouldFollowCoordinatesOfALattice() {
        // given a torus of 4 x 3 switches with two hosts each
        final SwitchGraph torus = Lattice.torus(4, 3).graph(2);
        // then host 1 of switch (3, 1) goes one ahead in X and one in Y
        final int host = 2 * (3 + 4) + 1;
        assertEquals(2 * (0 + 8) + 1, Patterns.of("tornado", torus, false).next(host, random));
        assertEquals(2 * (0 + 8) + 1, Patterns.of("neighbour", torus, false).next(host, random));
    }

    @Test
    void shouldSendEquallyOftenToAllOthers() {
        // when
        final int[] others = counts(pattern("uniform", false), 5, HOSTS);
        final int[] all = counts(pattern("uniform", true), 5, HOSTS);
        // then
        assertEquals(0, others[5]);
        for (int host = 0; host < HOSTS; host++) {
            if (host != 5) {
                assertShare(1.0 / 15, others[host], "to " + host);
            }
            assertShare(1.0 / 16, all[host], "to " + host + " with self");
        }
    }

    @Test
    void shouldSendItsShareToTheHotspotAndTheRestToAll() {
        // given 40 % to host 3
        final Destinations pattern = pattern("hotspot:3,40", false);
        // when
        final int[] ofOther = counts(pattern, 5, HOSTS);
        final int[] ofHot = counts(pattern, 3, HOSTS);
        // then
        assertShare(0.4 + 0.6 / 15, ofOther[3], "to the hotspot");
        assertShare(0.6 / 15, ofOther[0], "to another");
        assertEquals(0, ofOther[5]);
        assertEquals(0, ofHot[3]);
        assertShare(1.0 / 15, ofHot[0], "from the hotspot");
    }

    @Test
    void shouldGoThroughAllOthersInTurn() {
        // given
        final Destinations pattern = pattern("all-to-all", false);
        // when host 13 sends 30 messages, with another between them
        final int[] first = new int[15];
        final int[] second = new int[15];
        for (int i = 0; i < 30; i++) {
            (i < 15 ? first : second)[i % 15] = pattern.next(13, random);
            assertEquals((i % 15 + 1) % HOSTS, pattern.next(0, random));
        }
        // then
        assertArrayEquals(new int[] {14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, first);
        assertArrayEquals(first, second);
    }

    @Test
    void shouldSendByTheAmountsOfAMatrix() {
        // given host 0 sends 3 + 1, host 2 sends 1, host 1 nothing
        final TrafficMatrix matrix =
                TrafficMatrix.parse("own.txt", "0 1 3\n0 2 1  # less\n2 0\n", hosts(4));
        final Destinations pattern = Patterns.of(matrix, 4);
        // when
        final int[] counts = counts(pattern, 0, 4);
        // then
        assertShare(0.75, counts[1], "to 1");
        assertShare(0.25, counts[2], "to 2");
        assertEquals(0, pattern.next(2, random));
        assertEquals(Destinations.NOWHERE, pattern.next(1, random));
        // and hosts send in proportion to the one that sends most
        assertEquals(1, pattern.share(0));
        assertEquals(0, pattern.share(1));
        assertEquals(0.25, pattern.share(2));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "hotspot:3|hotspot:0,10",
                "hotspot:16,10|a host 0..15",
                "hotspot:0,101|0..100 percent",
                "shift:16|--self lets them",
            })
    void shouldRefuseWhatSuitsNoNetwork(final String word, final String message) {
        // when
        final SimulationException problem =
                assertThrows(SimulationException.class, () -> pattern(word, false));
        // then
        assertTrue(problem.getMessage().contains(message), problem.getMessage());
    }
}
