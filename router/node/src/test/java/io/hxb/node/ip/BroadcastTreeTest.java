package io.hxb.node.ip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Who gets a packet for all nodes, how often, and from whom. */
@Tag("property")
class BroadcastTreeTest {
    private static final int SEEDS = 300;

    /** Whether a node believes that another one passes packets on. */
    @FunctionalInterface
    private interface Belief {
        boolean passesOn(int node, int other);
    }

    /** One packet: how often each node got it, and the copies that each sent. */
    private static final class Spread {
        final int[] got;
        final int[] sent;

        Spread(final Shape shape, final int origin, final boolean[] isUp, final Belief belief) {
            final BroadcastTree tree = new BroadcastTree(shape);
            final ArrayDeque<Integer> passing = new ArrayDeque<>();
            got = new int[shape.nodeCount()];
            sent = new int[shape.nodeCount()];
            passing.add(origin);
            while (!passing.isEmpty()) {
                final int node = passing.poll();
                tree.spread(
                        origin,
                        node,
                        to -> {
                            sent[node]++;
                            got[to]++;
                            assertTrue(tree.isBelow(origin, to, node), "may come from there");
                            final boolean passesOn = belief.passesOn(node, to);
                            if (passesOn && isUp[to]) {
                                passing.add(to);
                            }
                            return passesOn;
                        });
            }
        }
    }

    private static Shape shape(final SplittableRandom random) {
        final int[] extents = new int[1 + random.nextInt(4)];
        Arrays.setAll(extents, i -> 2 + random.nextInt(extents.length == 1 ? 200 : 6));
        return Shape.of(extents);
    }

    private static boolean[] nodes(
            final Shape shape, final SplittableRandom random, final double share) {
        final boolean[] are = new boolean[shape.nodeCount()];
        for (int node = 0; node < are.length; node++) {
            are[node] = random.nextDouble() < share;
        }
        return are;
    }

    private static void checkOnce(
            final Spread spread, final int origin, final boolean[] isUp, final String what) {
        for (int node = 0; node < isUp.length; node++) {
            if (isUp[node]) {
                assertEquals(node == origin ? 0 : 1, spread.got[node], what + ", node " + node);
            }
        }
    }

    private static int binaryLogarithm(final int extent) {
        return Integer.SIZE - Integer.numberOfLeadingZeros(extent - 1);
    }

    @Test
    void shouldReachEveryNodeOnceWithFewCopiesOfEach() {
        for (long seed = 0; seed < SEEDS; seed++) {
            // given
            final SplittableRandom random = new SplittableRandom(seed);
            final Shape shape = shape(random);
            final int origin = random.nextInt(shape.nodeCount());
            final boolean[] isUp = nodes(shape, random, 1);
            // when
            final Spread spread = new Spread(shape, origin, isUp, (node, other) -> true);
            // then
            final String what = "seed " + seed + ", " + shape;
            checkOnce(spread, origin, isUp, what);
            int most = 0;
            for (int dimension = 0; dimension < shape.dimensions(); dimension++) {
                most += binaryLogarithm(shape.extent(dimension));
            }
            assertEquals(most, spread.sent[origin], what);
            assertTrue(Arrays.stream(spread.sent).max().orElseThrow() <= most, what);
        }
    }

    @Test
    void shouldGoAroundNodesThatAreKnownToBeDown() {
        for (long seed = 0; seed < SEEDS; seed++) {
            // given
            final SplittableRandom random = new SplittableRandom(seed);
            final Shape shape = shape(random);
            final boolean[] isUp = nodes(shape, random, random.nextDouble());
            final int origin = random.nextInt(isUp.length);
            isUp[origin] = true;
            // when
            final Spread spread = new Spread(shape, origin, isUp, (node, other) -> isUp[other]);
            // then
            checkOnce(spread, origin, isUp, "seed " + seed + ", " + shape);
        }
    }

    /** Each node doubts others of its own, but never believes in one that is down. */
    @Test
    void shouldReachEveryNodeOnceWhateverNodesDoubt() {
        for (long seed = 0; seed < SEEDS; seed++) {
            // given
            final SplittableRandom random = new SplittableRandom(seed);
            final Shape shape = shape(random);
            final boolean[] isUp = nodes(shape, random, 0.9);
            final int origin = random.nextInt(isUp.length);
            isUp[origin] = true;
            final double share = random.nextDouble();
            // when
            final Spread spread =
                    new Spread(
                            shape,
                            origin,
                            isUp,
                            (node, other) -> isUp[other] && random.nextDouble() < share);
            // then
            checkOnce(spread, origin, isUp, "seed " + seed + ", " + shape);
        }
    }

    @Test
    void shouldReachNobodyTwiceWhenNodesBelieveInThoseThatAreDown() {
        int missed = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            // given
            final SplittableRandom random = new SplittableRandom(seed);
            final Shape shape = shape(random);
            final boolean[] isUp = nodes(shape, random, 0.8);
            final int origin = random.nextInt(isUp.length);
            // when
            final Spread spread =
                    new Spread(shape, origin, isUp, (node, other) -> random.nextDouble() < 0.8);
            // then
            for (int node = 0; node < isUp.length; node++) {
                assertTrue(spread.got[node] <= 1, "seed " + seed + ", " + shape);
                missed += spread.got[node] == 0 ? 1 : 0;
            }
        }
        assertTrue(missed > 0, "a node that is down was believed in");
    }

    @Test
    void shouldKnowWhoMayHavePassedAPacketOn() {
        // given a line of eight: 0 sends to 1, 2, 4; 1 to 3, 5; 3 to 7; 2 to 6
        final BroadcastTree tree = new BroadcastTree(Shape.of(8));
        // when, then
        assertTrue(tree.isBelow(0, 7, 3));
        assertTrue(tree.isBelow(0, 7, 1));
        assertTrue(tree.isBelow(0, 7, 0));
        assertFalse(tree.isBelow(0, 7, 5));
        assertFalse(tree.isBelow(0, 3, 7));
        assertFalse(tree.isBelow(0, 7, 7));
        assertFalse(tree.isBelow(0, 0, 4), "a node gets no packet of its own");
        assertTrue(tree.isBelow(5, 4, 0), "7 from there is below 3");
    }
}
