package io.hxb.trunk.health;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.link.sim.SimFaults;
import io.hxb.link.sim.SimLink;
import io.hxb.trunk.LinkState;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

/** Links of cables as long as those of providers, of unequal and varying delay; in virtual time. */
@Tag("simulation")
class LongLinksTest {
    private static final long MS = TrunkWorld.MS;
    private static final SimFaults WIRES = SimFaults.NONE.withRate(1_000_000_000L, 4_096);

    private static void lengthen(
            final TrunkWorld world, final int link, final int delayMs, final int jitterMs) {
        final SimLink one = world.end(0).links[link];
        final SimLink other = world.end(1).links[link];
        final SimFaults wire = WIRES.withDelay(delayMs * MS, jitterMs * MS);
        world.network.faults(one, other, wire);
        world.network.faults(other, one, wire);
    }

    private static TrunkWorld started(final int seed, final int[] delaysMs, final int[] jittersMs) {
        final TrunkWorld world = new TrunkWorld(2, delaysMs.length, TrunkWorld.CONFIG, seed);
        for (int link = 0; link < delaysMs.length; link++) {
            lengthen(world, link, delaysMs[link], jittersMs[link]);
        }
        world.run(1_000 * MS);
        return world;
    }

    private static List<LinkEvent> failures(final TrunkWorld world) {
        return world.ends.stream()
                .flatMap(end -> end.events.stream())
                .filter(event -> event.state() == LinkState.FAILED)
                .toList();
    }

    private static void assertUnharmed(final String what, final TrunkWorld world) {
        assertTrue(world.end(1).arrived[0] > 100 && world.end(1).arrived[1] > 100, what);
        assertEquals(
                List.of(),
                failures(world).stream()
                        .map(event -> event.linkIndex() + " " + event.reason())
                        .toList(),
                what);
    }

    @ParameterizedTest
    @CsvSource({"20, 0, 20, 0", "20, 0, 80, 0", "80, 0, 20, 0", "20, 0, 60, 30", "20, 20, 20, 20"})
    void shouldLeaveOutNoLinkForItsDelay(
            final int oneMs, final int oneJitterMs, final int otherMs, final int otherJitterMs) {
        for (int seed = 1; seed <= 3; seed++) {
            // given
            final TrunkWorld world =
                    started(
                            seed,
                            new int[] {oneMs, otherMs},
                            new int[] {oneJitterMs, otherJitterMs});
            // when: bursts of several lengths, in one direction and in both
            for (int i = 0; i < 12; i++) {
                world.end(0).sendTo(1, 8_000);
                world.end(1).sendTo(0, i % 3 * 2_000);
                world.run((30 + 60 * (i % 4)) * MS);
                world.end(0).sendTo(1, 0);
                world.end(1).sendTo(0, 0);
                world.run((20 + 50 * (i % 5)) * MS);
            }
            // then
            assertUnharmed("seed " + seed, world);
        }
    }

    @Test
    void shouldStillNoticeALongLinkThatIsDead() {
        // given
        final TrunkWorld world = started(1, new int[] {20, 80}, new int[] {0, 0});
        world.end(0).sendTo(1, 8_000);
        world.run(1_000 * MS);
        // when
        world.cut(1, 0, true);
        // then: what is on its way arrives for 80 ms
        world.run(80 * MS);
        assertTrue(world.end(1).isUsed(1), "too soon");
        world.runUntil(() -> !world.end(1).isUsed(1), 150 * MS);
    }

    @Test
    void shouldNotGiveUpANeighbourWhoseRepliesTakeLongAfterTrafficInBothDirections() {
        // given: longer than replies that were late are remembered
        final TrunkWorld world = started(1, new int[] {80, 80}, new int[] {0, 0});
        world.end(0).sendTo(1, 500);
        world.end(1).sendTo(0, 500);
        world.run(41_000 * MS);
        // when
        world.end(0).sendTo(1, 0);
        world.end(1).sendTo(0, 0);
        world.run(500 * MS);
        world.end(0).sendTo(1, 4);
        world.run(2_000 * MS);
        // then
        assertUnharmed("seed 1", world);
    }

    @Test
    void shouldNoticeADeadLinkOfALocalNetworkAsSoonAsEver() {
        // given: beside links of 50 us
        final TrunkWorld world = TrunkWorld.ofTwo(3);
        world.end(0).sendTo(1, 30_000);
        world.run(50 * MS);
        // when
        world.cut(1, 0, true);
        // then
        world.runUntil(() -> !world.end(1).isUsed(1), 8 * MS);
    }
}
