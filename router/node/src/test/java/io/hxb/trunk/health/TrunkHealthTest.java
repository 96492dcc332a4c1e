package io.hxb.trunk.health;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterType;
import io.hxb.link.sim.SimFaults;
import io.hxb.trunk.LinkReason;
import io.hxb.trunk.LinkState;
import io.hxb.trunk.Port;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

/** Health of the trunk between two nodes, in virtual time. */
@Tag("unit")
class TrunkHealthTest {
    // A node that has just started is waited for longer.
    private static final int JUST_STARTED_MS = 3_100;

    private static final long MS = TrunkWorld.MS;

    /** Frames a second on each of two links that make a link of 1 Gbit/s with frames of 9,000 B. */
    private static final double FULL = 13_800;

    @Test
    void shouldFindADeadLinkWithinFiveMillisecondsOfFullTraffic() {
        // given
        final TrunkWorld world = TrunkWorld.ofTwo(2);
        world.end(0).sendTo(1, 2 * FULL);
        world.run(100 * MS);
        // when
        world.cutBoth(1, true);
        final long ns = world.runUntil(() -> !world.end(0).isUsed(1), 100 * MS);
        // then
        assertTrue(ns <= 5 * MS, "took " + ns);
        assertEquals(LinkReason.SILENT, world.end(1).lastReason());
        assertEquals(LinkReason.REPORTED, world.end(0).lastReason());
        assertEquals("[x.1 1]", world.end(0).excluded.toString());
        assertTrue(world.end(0).isUsed(0) && world.end(1).isUsed(0));
    }

    @Test
    void shouldAgreeWhateverNumbersTheNodesBeginWith() {
        for (final int start : new int[] {-3, -1, Integer.MAX_VALUE - 1, 4711}) {
            // given: numbers that wrap around soon, or beats and counts that do
            final TrunkWorld world =
                    new TrunkWorld(2, 2, TrunkWorld.CONFIG, 1, () -> (long) start << Integer.SIZE);
            world.run(300 * MS);
            world.end(0).sendTo(1, FULL);
            world.end(1).sendTo(0, FULL);
            for (int i = 0; i < 3; i++) {
                // when
                world.cut(1, i % 2, true);
                world.runUntil(() -> !world.end(0).isUsed(1) && !world.end(1).isUsed(1), 50 * MS);
                world.cut(1, i % 2, false);
                // then
                world.runUntil(() -> world.end(0).isUsed(1) && world.end(1).isUsed(1), 3_000 * MS);
            }
            // and when: it has other NICs, which are believed once the old ones are silent
            world.restart(1);
            world.run(3_000 * MS);
            // then
            assertTrue(world.end(0).isUsed(1) && world.end(1).isUsed(1), "start " + start);
            assertEquals(
                    0, world.end(0).health.counters().value(CounterType.LINK_STATUS_BAD_FRAMES, 1));
        }
    }

    @Test
    void shouldFindALinkThatIsDeadInOneDirection() {
        // given
        final TrunkWorld world = TrunkWorld.ofTwo(3);
        world.end(0).sendTo(1, 6_000);
        world.run(100 * MS);
        // when
        world.cut(2, 0, true);
        world.runUntil(() -> !world.end(0).isUsed(2) && !world.end(1).isUsed(2), 100 * MS);
        world.run(2_000 * MS);
        // then
        assertFalse(world.end(0).isUsed(2) || world.end(1).isUsed(2), "both leave it out");
        assertEquals(LinkState.FAILED, world.end(0).state(2));
        assertEquals(LinkState.FAILED, world.end(1).state(2));
    }

    @Test
    void shouldNotJudgeALinkWhileFramesMayWaitInTheKernel() {
        // given
        final TrunkWorld world = TrunkWorld.ofTwo(3);
        world.end(0).sendTo(1, 30_000);
        world.run(50 * MS);
        world.end(1).isKernelBusy = true;
        // when
        world.cut(1, 0, true);
        world.run(40 * MS);
        // then
        assertTrue(world.isUsed(1));
        world.end(1).isKernelBusy = false;
        world.runUntil(() -> !world.isUsed(1), 10 * MS);
    }

    @Test
    void shouldWaitForLongerWhereItHadToWaitForItsCpu() {
        // given
        final TrunkWorld world = TrunkWorld.ofTwo(3);
        world.end(0).sendTo(1, 30_000);
        world.run(50 * MS);
        // when: frames of one link are as late as the loop was
        world.end(1).waitedNs += 12 * MS;
        world.cut(1, 0, true);
        world.run(20 * MS);
        // then
        assertTrue(world.isUsed(1));
        world.runUntil(() -> !world.isUsed(1), 20 * MS);
        // and when: it has its CPU again
        world.cut(1, 0, false);
        world.run(2_000 * MS);
        assertTrue(world.isUsed(1));
        world.cut(1, 0, true);
        world.runUntil(() -> !world.isUsed(1), 8 * MS);
    }

    @Test
    void shouldNotJudgeALinkByASilenceOfAll() {
        // given: link 1 is the last to be heard again after a pause of the neighbour
        final TrunkWorld world = TrunkWorld.ofTwo(3);
        world.end(0).sendTo(1, 30_000);
        world.run(50 * MS);
        for (int round = 0; round < 10; round++) {
            // when
            world.end(0).isAsleep = true;
            world.run(20 * MS);
            world.cut(1, 0, true);
            world.end(0).isAsleep = false;
            world.run(2 * MS);
            // then
            world.cut(1, 0, false);
            world.run(20 * MS);
            assertTrue(world.isUsed(1), "round " + round);
        }
        assertEquals(0, world.end(1).excluded.size());
    }

    @Test
    void shouldBePatientWithALinkWhoseFramesWereOnlyLate() {
        // given
        final TrunkWorld world = TrunkWorld.ofTwo(2);
        world.end(0).sendTo(1, 3 * FULL);
        world.run(100 * MS);
        delay(world, 1, 5_800_000);
        world.run(300 * MS);
        assertEquals(
                1,
                world.end(1).health.counters().value(CounterType.LINK_EXCLUDED_EVENTS, 1),
                "given up");
        assertTrue(world.end(0).isUsed(1), "and used again");
        // when
        delay(world, 1, 5_800_000);
        world.run(300 * MS);
        // then
        assertEquals(
                1,
                world.end(1).health.counters().value(CounterType.LINK_EXCLUDED_EVENTS, 1),
                "may be late");
        world.cut(1, 0, true);
        world.run(10 * MS);
        assertEquals(
                2,
                world.end(1).health.counters().value(CounterType.LINK_EXCLUDED_EVENTS, 1),
                "is found dead");
    }

    // What is sent within that time arrives as much later.
    private static void delay(final TrunkWorld world, final int link, final long ns) {
        final SimFaults usual = world.end(0).links[link].segment().faults();
        delay(world, link, usual.withDelay(ns, 0));
        world.run(ns);
        delay(world, link, usual);
    }

    private static void delay(final TrunkWorld world, final int link, final SimFaults faults) {
        world.network.faults(world.end(0).links[link], world.end(1).links[link], faults);
    }

    @Test
    void shouldNotJudgeIdleOrSlowTraffic() {
        // given
        final TrunkWorld world = TrunkWorld.ofTwo(2);
        // when
        world.run(3_000 * MS);
        world.end(0).sendTo(1, 90);
        world.run(3_000 * MS);
        // then
        assertHealthy(world);
    }

    @Test
    void shouldNotTakeALinkThatNobodyUsesForDead() {
        // given: round robin over two links, and frames to two neighbours in turn.
        final TrunkWorld world = new TrunkWorld(3, 2, TrunkWorld.CONFIG, 1);
        world.run(300 * MS);
        // when
        world.end(0).sendInTurnTo(1, 2, FULL);
        world.run(1_000 * MS);
        // then
        assertTrue(world.end(1).arrived[0] + world.end(1).arrived[1] > 5_000);
        assertTrue(Math.min(world.end(1).arrived[0], world.end(1).arrived[1]) < 100);
        for (final TrunkWorld.End end : world.ends) {
            assertEquals(0, end.health.counters().value(CounterType.LINK_EXCLUDED_EVENTS, 0));
            assertEquals(0, end.health.counters().value(CounterType.LINK_EXCLUDED_EVENTS, 1));
        }
    }

    @Test
    void shouldNotMisjudgeALinkTenTimesSlower() {
        // given
        final TrunkWorld world = TrunkWorld.ofTwo(2);
        world.end(0).links[1].segment().faults(SimFaults.NONE.withRate(100_000_000L, 64));
        // when
        world.end(0).sendTo(1, 120_000);
        world.run(1_000 * MS);
        // then
        assertHealthy(world);
        assertTrue(world.end(1).arrived[1] * 20 > world.end(1).arrived[0], "gets its share");
    }

    @Test
    void shouldLeaveOutALinkThatLosesALargeShareAndKeepOneThatLosesLittle() {
        // given
        final TrunkWorld world = TrunkWorld.ofTwo(3);
        world.end(0).sendTo(1, 3 * FULL);
        lose(world, 1, 0.5);
        lose(world, 2, 0.01);
        // when
        world.runUntil(() -> !world.end(0).isUsed(1), 1_000 * MS);
        world.run(500 * MS);
        // then
        assertEquals(LinkReason.LOSSY, world.end(1).ports[1].reason(0));
        assertTrue(world.end(0).isUsed(0) && world.end(0).isUsed(2));
        assertTrue(world.end(0).ports[2].weight(1) > Port.FULL_WEIGHT / 2);
    }

    @Test
    void shouldSendLessOverALinkThatLosesSome() {
        // given
        final TrunkWorld world = TrunkWorld.ofTwo(2);
        world.end(0).sendTo(1, 2 * FULL);
        lose(world, 1, 0.15);
        // when
        world.run(1_000 * MS);
        // then
        assertTrue(world.end(0).isUsed(1));
        assertTrue(world.end(0).ports[1].weight(1) < Port.FULL_WEIGHT / 2);
        assertEquals(Port.FULL_WEIGHT, world.end(0).ports[0].weight(1));
        assertTrue(world.end(0).sent[1] < world.end(0).sent[0] / 2);
    }

    private static void lose(final TrunkWorld world, final int link, final double share) {
        final SimFaults faults = world.end(0).links[link].segment().faults().withLoss(share, 0);
        world.network.faults(world.end(0).links[link], world.end(1).links[link], faults);
    }

    @Test
    void shouldUseALinkAgainAfterThreeHeartbeatsWheneverFramesPass() {
        // given: at all times between two hellos, which come with more to be reported
        for (long phase = 0; phase < 200 * MS; phase += 5 * MS) {
            final TrunkWorld world = TrunkWorld.ofTwo(2);
            world.end(0).sendTo(1, 2 * FULL);
            world.cutBoth(1, true);
            world.run(1_500 * MS + phase);
            assertFalse(world.end(0).isUsed(1));
            // when
            world.cutBoth(1, false);
            final long ns =
                    world.runUntil(
                            () -> world.end(0).isUsed(1) && world.end(1).isUsed(1), 200 * MS);
            // then: two intervals at least, so that frames have passed for that long
            final long beatNs = TrunkWorld.CONFIG.heartbeatNs();
            assertTrue(ns >= 2 * beatNs, "after " + ns + " at " + phase);
            assertTrue(ns <= 3 * beatNs + 5 * MS, "after " + ns + " at " + phase);
            assertEquals(LinkReason.HEALED, world.end(0).lastReason());
        }
    }

    @Test
    void shouldLeaveAFlappingLinkOutForLongerEachTime() {
        // given
        final TrunkWorld world = TrunkWorld.ofTwo(2);
        world.end(0).sendTo(1, 2 * FULL);
        final long[] outNs = new long[6];
        // when
        for (int round = 0; round < outNs.length; round++) {
            world.cutBoth(1, true);
            world.runUntil(() -> !world.end(0).isUsed(1), 100 * MS);
            world.cutBoth(1, false);
            outNs[round] = world.runUntil(() -> world.end(0).isUsed(1), 3_000 * MS);
        }
        // then
        assertTrue(outNs[0] < 100 * MS);
        assertTrue(outNs[1] >= 90 * MS);
        assertTrue(outNs[2] >= 190 * MS && outNs[3] >= 390 * MS && outNs[4] >= 790 * MS);
        assertTrue(outNs[5] < 1_100 * MS, "bounded");
    }

    @Test
    void shouldForgetEarlierFailuresOfALinkThatStaysGood() {
        // given
        final TrunkWorld world = TrunkWorld.ofTwo(2);
        world.end(0).sendTo(1, 2 * FULL);
        for (int round = 0; round < 3; round++) {
            world.cutBoth(1, true);
            world.runUntil(() -> !world.end(0).isUsed(1), 100 * MS);
            world.cutBoth(1, false);
            world.runUntil(() -> world.end(0).isUsed(1), 3_000 * MS);
        }
        world.run(1_000 * MS);
        // when
        world.cutBoth(1, true);
        world.runUntil(() -> !world.end(0).isUsed(1), 100 * MS);
        world.cutBoth(1, false);
        final long ns = world.runUntil(() -> world.end(0).isUsed(1), 3_000 * MS);
        // then
        assertTrue(ns <= 100 * MS, "took " + ns);
    }

    @Test
    void shouldAgreeThoughMostStatusFramesAreLost() {
        // given
        final TrunkWorld world = TrunkWorld.ofTwo(2);
        world.end(0).sendTo(1, FULL);
        world.run(50 * MS);
        world.cut(1, 0, true);
        final SimFaults lossy = world.end(0).links[0].segment().faults().withLoss(0.9, 0);
        world.network.faults(world.end(1).links[0], world.end(0).links[0], lossy);
        world.cut(1, 1, true);
        // when
        world.runUntil(() -> !world.end(1).isUsed(1), 100 * MS);
        world.runUntil(() -> !world.end(0).isUsed(1), 2_000 * MS);
        // then
        assertEquals(LinkState.FAILED, world.end(0).state(1));
        assertEquals(LinkState.FAILED, world.end(1).state(1));
    }

    @Test
    void shouldLeaveOutALinkWithoutCarrierAtOnce() {
        // given
        final TrunkWorld world = TrunkWorld.ofTwo(2);
        world.end(0).sendTo(1, 100);
        world.run(100 * MS);
        // when
        world.end(0).links[1].up(false);
        final long ns = world.runUntil(() -> !world.end(1).isUsed(1), 200 * MS);
        // then
        assertTrue(ns <= 20 * MS, "took " + ns);
        assertEquals(LinkReason.NO_CARRIER, world.end(0).lastReason());
        assertEquals(LinkReason.REPORTED, world.end(1).lastReason());
        // and when
        world.end(0).links[1].up(true);
        final long healedNs = world.runUntil(() -> world.end(1).isUsed(1), 200 * MS);
        assertTrue(healedNs <= 100 * MS, "took " + healedNs);
    }

    @Test
    void shouldKnowWithinAHundredAndFiftyMillisecondsThatANeighbourIsDead() {
        // given
        final TrunkWorld world = TrunkWorld.ofTwo(2);
        world.end(0).sendTo(1, 1_000);
        world.run(JUST_STARTED_MS * MS);
        // when
        world.end(1).isAsleep = true;
        final long ns =
                world.runUntil(() -> !world.end(0).isUsed(0) && !world.end(0).isUsed(1), 300 * MS);
        // then
        assertTrue(ns <= 150 * MS, "took " + ns);
        assertEquals(LinkReason.UNANSWERED, world.end(0).lastReason());
        assertTrue(world.end(0).events.getLast().isLast());
        // and when
        world.end(1).isAsleep = false;
        final long backNs =
                world.runUntil(
                        () ->
                                world.end(0).isUsed(0)
                                        && world.end(0).isUsed(1)
                                        && world.end(1).isUsed(0)
                                        && world.end(1).isUsed(1),
                        300 * MS);
        assertTrue(backNs <= 100 * MS, "took " + backNs);
    }

    @Test
    void shouldAskASilentNeighbourInTimeThoughTheLoopThatKeepsTimeSleeps() {
        // given: a loop that has sent, beside the keeper, which sleeps until the next hello
        final TrunkWorld world = TrunkWorld.ofTwo(2);
        world.run(JUST_STARTED_MS * MS);
        world.end(1).isAsleep = true;
        world.end(0).sendTo(1, 1_000);
        world.run(2 * MS);
        world.end(0).sendTo(1, 0);
        // when
        world.end(0).isWokenByTimeOnly = true;
        final long ns =
                world.runUntil(() -> !world.end(0).isUsed(0) && !world.end(0).isUsed(1), 300 * MS);
        // then
        assertTrue(ns <= 150 * MS, "took " + ns);
        assertEquals(LinkReason.UNANSWERED, world.end(0).lastReason());
    }

    @Test
    void shouldAskANeighbourThatIsSentFramesAndReportsNothing() {
        // given
        final TrunkWorld world = TrunkWorld.ofTwo(2);
        final long before =
                world.end(1).health.counters().value(CounterType.LINK_STATUS_SENT_FRAMES, 0);
        // when
        world.end(0).sendTo(1, 50);
        world.run(1_000 * MS);
        // then
        assertHealthy(world);
        assertTrue(
                world.end(1).health.counters().value(CounterType.LINK_STATUS_SENT_FRAMES, 0)
                        > before + 5);
    }

    @Test
    void shouldWorkWithOneLinkAndWithSixtyFour() {
        for (final int links : new int[] {1, 64}) {
            // given
            final TrunkWorld world = TrunkWorld.ofTwo(links);
            world.end(0).sendTo(1, 200_000);
            world.run(100 * MS);
            assertHealthy(world);
            // when
            world.cutBoth(links - 1, true);
            world.runUntil(() -> !world.end(0).isUsed(links - 1), 2_000 * MS);
            world.cutBoth(links - 1, false);
            // then
            world.runUntil(
                    () -> world.end(0).isUsed(links - 1) && world.end(1).isUsed(links - 1),
                    200 * MS);
        }
    }

    @Test
    void shouldReportWhatItHasSentOnlyWhereThereIsAnotherLinkToCompareWith() {
        // given
        final TrunkWorld one = TrunkWorld.ofTwo(1);
        final TrunkWorld two = TrunkWorld.ofTwo(2);
        final long before =
                one.end(0).health.counters().value(CounterType.LINK_STATUS_SENT_FRAMES, 0);
        // when
        for (final TrunkWorld world : List.of(one, two)) {
            world.end(0).sendTo(1, FULL);
            world.end(1).sendTo(0, FULL);
            world.run(100 * MS);
        }
        // then
        assertHealthy(one);
        assertEquals(
                before, one.end(0).health.counters().value(CounterType.LINK_STATUS_SENT_FRAMES, 0));
        assertTrue(
                two.end(0).health.counters().value(CounterType.LINK_STATUS_SENT_FRAMES, 0)
                        > before + 10);
    }

    @Test
    void shouldLookInTurnsThatFramesBringAndNotWakeForIt() {
        // given
        final TrunkWorld world = TrunkWorld.ofTwo(2);
        world.end(0).sendTo(1, FULL);
        for (int step = 0; step < 40; step++) {
            // when
            world.run(MS / 2);
            world.end(0).loop.note();
            // then
            final long inNs = world.end(0).loop.nextDeadlineNs(true) - world.clock.nanoTime();
            assertTrue(inNs >= 3 * MS / 2 && inNs <= 5 * MS / 2, "wakes in " + inNs);
        }
    }

    @Test
    void shouldForgetAnIdleNeighbourThatFallsSilent() {
        // given
        final TrunkWorld world = TrunkWorld.ofTwo(2);
        // when
        world.end(1).isAsleep = true;
        world.run(1_500 * MS);
        // then
        assertFalse(world.end(0).isUsed(0) || world.end(0).isUsed(1));
        assertEquals(LinkReason.MISSED_HELLOS, world.end(0).lastReason());
        assertEquals(1, world.end(0).health.counters().value(CounterType.TRUNK_LOST_EVENTS, 0));
    }

    @Test
    void shouldStartAnewAtOnceWithANeighbourThatRestartedWithTheSameNics() {
        for (final TrunkWorld world : List.of(TrunkWorld.ofTwo(2), TrunkWorld.ofTwoWithKey(2))) {
            assertStartsAnew(world, () -> world.restart(1), 300 * MS);
        }
    }

    @Test
    void shouldAcceptNewNicsOnceTheOldOnesHaveBeenSilent() {
        final TrunkWorld world = TrunkWorld.ofTwo(2);
        assertStartsAnew(world, () -> world.restartWithOtherNics(1), 1_500 * MS);
    }

    @Test
    void shouldAcceptNewNicsAtOnceOfANeighbourThatHasTheKey() {
        final TrunkWorld world = TrunkWorld.ofTwoWithKey(2);
        world.run(1_000 * MS);
        assertStartsAnew(world, () -> world.restartWithOtherNics(1), 300 * MS);
        // and when: again so soon, as two nodes in one place would
        world.restartWithOtherNics(1);
        // then: the one before has to be silent first
        world.run(300 * MS);
        assertFalse(isKnown(world), "is believed at once");
        world.runUntil(() -> isKnown(world) && world.isUsed(0) && world.isUsed(1), 1_500 * MS);
    }

    private static boolean isKnown(final TrunkWorld world) {
        return world.end(0).links[0].learned(1) == world.end(1).links[0].localAddress();
    }

    private static void assertStartsAnew(
            final TrunkWorld world, final Runnable restart, final long limitNs) {
        // given
        world.end(0).sendTo(1, FULL);
        world.cutBoth(1, true);
        world.run(500 * MS);
        assertFalse(world.end(0).isUsed(1));
        // when
        world.cutBoth(1, false);
        restart.run();
        // then
        world.runUntil(() -> world.isUsed(0) && world.isUsed(1), limitNs);
        assertEquals(LinkReason.HELLO, world.end(0).ports[1].reason(1));
        world.run(500 * MS);
        assertEquals(0, world.end(1).events.stream().filter(LinkEvent::isLast).count());
    }

    private static void assertHealthy(final TrunkWorld world) {
        for (final TrunkWorld.End end : world.ends) {
            for (int link = 0; link < end.links.length; link++) {
                assertTrue(end.isUsed(link), "link " + link + " of node " + end.node);
                assertEquals(
                        0, end.health.counters().value(CounterType.LINK_EXCLUDED_EVENTS, link));
            }
        }
    }
}
