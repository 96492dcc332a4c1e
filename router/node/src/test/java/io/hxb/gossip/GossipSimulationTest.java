package io.hxb.gossip;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.frame.RateCode;
import io.hxb.topology.Shape;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Random;

/** Who knows what, and when, in whole clusters in virtual time. */
@Tag("simulation")
class GossipSimulationTest {
    private static final Shape SHAPE = Shape.of(4, 4, 2);

    private static GossipNetwork running(final Shape shape, final long seed, final double loss) {
        final GossipNetwork network = new GossipNetwork(shape, seed);
        network.loss = loss;
        assertTrue(network.run(20_000, network::isComplete) >= 0, "seed " + seed);
        return network;
    }

    private static boolean knowAll(final GossipNetwork network, final int node, final boolean up) {
        // Of many nodes only some are asked, as that takes long.
        final int step = 1 + network.members.size() / 64;
        for (int by = 0; by < network.members.size(); by += step) {
            if (!network.members.get(by).isDead
                    && network.seen(by, node).links().get(3).isUp() != up) {
                return false;
            }
        }
        return true;
    }

    @Test
    void shouldShowAFailedLinkToAllWithinTwoSeconds() {
        for (long seed = 0; seed < 5; seed++) {
            // given
            final GossipNetwork network = running(SHAPE, seed, 0);
            network.run(3_000);
            // when
            network.members.get(9).isUp[3] = false;
            // then
            final long ms = network.run(2_000, () -> knowAll(network, 9, false));
            assertTrue(ms >= 0, "seed " + seed);
        }
    }

    @Test
    void shouldEndWithTheWholeViewInSpiteOfLossesCutsAndDeadNodes() {
        for (long seed = 0; seed < 5; seed++) {
            // given
            final GossipNetwork network = running(SHAPE, seed, 0.3);
            final Random random = new Random(seed);
            for (int i = 0; i < 6; i++) {
                network.members.get(random.nextInt(32)).isDead = true;
                network.cut(random.nextInt(32), random.nextInt(32));
            }
            // when
            for (final GossipNetwork.Member member : network.members) {
                member.isUp[random.nextInt(6)] = random.nextBoolean();
            }
            // then: whole records are repeated with every eighth summary
            assertTrue(network.run(30_000, network::isComplete) >= 0, "seed " + seed);
            network.run(12_000);
            for (int node = 0; node < 32; node++) {
                if (network.members.get(node).isDead) {
                    final boolean isHeard = network.seen(living(network), node).isHeard();
                    assertFalse(isHeard, node + " is dead, seed " + seed);
                }
            }
        }
    }

    private static int living(final GossipNetwork network) {
        int node = 0;
        while (network.members.get(node).isDead) {
            node++;
        }
        return node;
    }

    @Test
    void shouldTellALateNodeWhatHasHappenedAlsoToDeadNodes() {
        // given
        final GossipNetwork network = new GossipNetwork(SHAPE, 3);
        network.members.get(31).isDead = true;
        assertTrue(network.run(20_000, network::isComplete) >= 0);
        network.members.get(5).isUp[2] = false;
        network.run(3_000);
        network.members.get(5).isDead = true;
        network.run(60_000);
        assertNull(network.seen(0, 31));
        // when
        network.start(31, 1_000);
        // then
        assertTrue(network.run(3_000, network::isComplete) >= 0);
        final HeardNode dead = network.seen(31, 5);
        assertFalse(dead.isHeard());
        assertFalse(dead.links().get(2).isUp());
        final long ageMs = network.nowNs / GossipNetwork.MS - dead.heardMs();
        assertTrue(ageMs > 58_000 && ageMs < 70_000, ageMs + " ms old");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 999, 1_000, 1_001})
    void shouldBelieveANodeThatStartsAgainWhateverItsClock(final int generation) {
        for (long seed = 0; seed < 3; seed++) {
            // given: it has told a lot, and numbers begin anew
            final GossipNetwork network = running(SHAPE, seed, 0.1);
            network.run(20_000);
            // when
            network.start(13, generation);
            network.members.get(13).isUp[3] = false;
            // then
            final long ms = network.run(5_000, () -> knowAll(network, 13, false));
            assertTrue(ms >= 0, "seed " + seed);
            assertTrue(network.run(12_000, network::isComplete) >= 0, "seed " + seed);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "4x4x2", "9x8"})
    void shouldShowANodeThatHasStoppedInOrderWithinASecondForEachHop(final String text) {
        // given
        final Shape shape = Shape.parse(text);
        final GossipNetwork network = running(shape, 6, 0);
        final int node = shape.nodeCount() - 1;
        network.members.getFirst().isDead = node > 1;
        // when
        network.stop(node);
        // then
        final long ms = network.run(1_000L * shape.dimensions(), () -> isStopped(network, node));
        assertTrue(ms >= 0, "not told to all");
        // and: not unheard of later
        network.run(12_000);
        assertTrue(isStopped(network, node), "forgotten later");
        // when: it starts again, perhaps with a clock that was set back
        network.start(node, 999);
        // then
        assertTrue(network.run(20_000, network::isComplete) >= 0, "not seen again");
        assertFalse(network.seen(node - 1, node).isStopped(), "stopped though it lives");
    }

    private static boolean isStopped(final GossipNetwork network, final int node) {
        for (int by = 0; by < network.members.size(); by++) {
            if (!network.members.get(by).isDead && !network.seen(by, node).isStopped()) {
                return false;
            }
        }
        return true;
    }

    @Test
    void shouldServeALineOfNodesOfWhichTwoCannotReachEachOther() {
        // given
        final GossipNetwork network = new GossipNetwork(Shape.of(4), 1);
        network.cut(0, 3);
        // when, then
        assertTrue(network.run(5_000, network::isComplete) >= 0);
        network.run(30_000);
        assertTrue(network.isComplete());
    }

    @Test
    void shouldPassOnRates() {
        // given
        final GossipNetwork network = running(SHAPE, 8, 0);
        network.run(3_000);
        // when
        network.members.get(30).rates[4] = RateCode.of(123_456_789);
        // then
        assertTrue(
                network.run(
                                6_000,
                                () ->
                                        network.seen(1, 30).links().get(4).rates().getFirst()
                                                > 123_000_000)
                        >= 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "2x2x2", "4x4x2", "16", "8x8x4"})
    void shouldCostNoMoreThanTenFramesASecondWhateverHappens(final String text) {
        // given: everything changes all the time
        final Shape shape = Shape.parse(text);
        final GossipNetwork network = new GossipNetwork(shape, 5);
        network.run(1_000);
        network.members.forEach(
                member -> {
                    member.frames = 0;
                    member.bytes = 0;
                });
        final int seconds = shape.nodeCount() > 100 ? 4 : 20;
        // when
        for (int second = 0; second < seconds; second++) {
            for (final GossipNetwork.Member member : network.members) {
                member.isUp[network.random.nextInt(6)] ^= true;
                member.rates[network.random.nextInt(6)] = network.random.nextInt(60_000);
            }
            network.run(1_000);
        }
        // then: and the burst
        for (final GossipNetwork.Member member : network.members) {
            assertTrue(member.frames <= 10 * seconds + 20, member.frames + " frames");
            assertTrue(member.bytes <= 1_336 * member.frames, member.bytes + " bytes");
        }
    }

    @Test
    void shouldCostLittleWhileNothingHappens() {
        // given
        final GossipNetwork network = running(Shape.of(2, 2, 2), 5, 0);
        network.run(20_000);
        network.members.forEach(
                member -> {
                    member.frames = 0;
                    member.bytes = 0;
                });
        // when
        network.run(40_000);
        // then: a frame a second for each of three neighbours
        for (final GossipNetwork.Member member : network.members) {
            assertTrue(member.frames <= 3 * 41, member.frames + " frames");
            assertTrue(member.bytes / 40 < 1_000, member.bytes / 40 + " bytes a second");
        }
    }

    @Tag("outside")
    @Test
    void shouldKnow512NodesWithinAMinute() {
        // given
        final GossipNetwork network = new GossipNetwork(Shape.of(8, 8, 8), 2);
        // when
        int seconds = 0;
        while (seconds < 60 && !(network.isComplete(0) && network.isComplete(300))) {
            network.run(1_000);
            seconds++;
        }
        // then
        assertTrue(seconds < 60, seconds + " s");
        network.run(20_000);
        assertTrue(network.isComplete(511), "all are still heard");
        // when, then
        network.members.get(300).isUp[3] = false;
        network.run(10_000);
        assertTrue(knowAll(network, 300, false));
        assertEquals(0, network.members.getFirst().gossip.refused());
    }
}
