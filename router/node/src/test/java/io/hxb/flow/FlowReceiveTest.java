package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.FlowConfig;
import io.hxb.counter.CounterType;
import io.hxb.frame.EndedFlyweight;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.UnreachableFlyweight;
import io.hxb.pm.PmStatus;
import io.hxb.testing.LoopErrorsExtension;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

/** The receiving end, one rule a test; sequences are counted from the first. */
@Tag("unit")
class FlowReceiveTest {
    private static final long MILLISECOND = FlowFixture.MILLISECOND;
    private static final int FIRST = FlowFixture.FIRST;
    private static final int PEER = FlowFixture.PEER;
    @AutoClose private final FlowFixture flows = new FlowFixture();

    @Test
    void shouldAcceptAFlowWithAFirstWindow() {
        // when
        open(PEER);
        // then
        final FlowFixture.Sent accept = flows.last(FrameType.ACCEPT);
        assertEquals(FIRST, accept.acknowledgement);
        assertEquals(16, accept.windowFrames);
    }

    @Test
    void shouldDeliverInOrderAndAcknowledgeAfterAShortDelay() {
        // given
        open(PEER);
        flows.data(PEER, FIRST + 1);
        flows.data(PEER, FIRST);
        flows.work(0);
        assertEquals(List.of(0, 1), ahead());
        assertEquals(0, flows.sent(FrameType.ACK).size());
        // when
        flows.workFor(200_000);
        // then
        assertEquals(1, flows.sent(FrameType.ACK).size());
        assertEquals(FIRST + 2, flows.last(FrameType.ACK).acknowledgement);
    }

    @Test
    void shouldAcknowledgeEverySixteenFramesAtOnce() {
        // given
        open(PEER);
        flows.data(PEER, FIRST);
        flows.work(0);
        for (int i = 1; i < 15; i++) {
            flows.data(PEER, FIRST + i);
        }
        flows.delivered.forEach(flows::release);
        flows.work(0);
        final int before = flows.sent(FrameType.ACK).size();
        // when
        for (int i = 15; i < 32; i++) {
            flows.data(PEER, FIRST + i);
        }
        flows.work(0);
        // then
        assertEquals(before + 1, flows.sent(FrameType.ACK).size());
        assertEquals(FIRST + 32, flows.last(FrameType.ACK).acknowledgement);
    }

    @Test
    void shouldAcknowledgeAtOnceWhenAskedOrWhenSomethingArrivesTwice() {
        // given
        open(PEER);
        flows.data(
                PEER,
                FIRST,
                FrameHeaderFlyweight.FLAG_ACK_NOW,
                FlowFixture.PEER_INCARNATION,
                FlowFixture.INCARNATION);
        flows.work(0);
        assertEquals(1, flows.sent(FrameType.ACK).size());
        // when
        flows.data(PEER, FIRST);
        flows.work(0);
        // then
        assertEquals(2, flows.sent(FrameType.ACK).size());
        assertTrue(flows.last(FrameType.ACK).has(FrameHeaderFlyweight.FLAG_AGAIN));
        assertEquals(FIRST, flows.last(FrameType.ACK).sequence);
        assertEquals(1, flows.loop.counters().value(CounterType.FLOW_DUPLICATE_FRAMES));
        assertEquals(List.of(0), ahead());
        assertEquals(1, flows.pool.outstanding(), "the duplicate's buffer is back");
    }

    @Test
    void shouldTellWhichFramesBeyondAGapAreHere() {
        // given
        open(PEER);
        // when
        for (final int i : new int[] {0, 2, 3, 5, 6}) {
            flows.data(PEER, FIRST + i);
        }
        flows.work(0);
        // then: without waiting for sixteen, as frames beyond a gap count more
        final FlowFixture.Sent ack = flows.last(FrameType.ACK);
        assertEquals(FIRST + 1, ack.acknowledgement);
        assertEquals(0b110110, ack.bits);
    }

    @Test
    void shouldShrinkTheWindowToNothingAsTheApplicationHoldsFrames() {
        // given: one source, so it may have the quota of 64
        open(PEER);
        receiveAll(PEER, 0, 64);
        flows.workFor(MILLISECOND);
        assertEquals(0, flows.last(FrameType.ACK).windowFrames);
        final int before = flows.sent(FrameType.ACK).size();
        // when
        flows.release(flows.delivered.getFirst());
        flows.work(0);
        // then
        assertEquals(before + 1, flows.sent(FrameType.ACK).size(), "told at once");
        assertEquals(1, flows.last(FrameType.ACK).windowFrames);
    }

    @Test
    void shouldKeepWhatTheContextHasNoRoomForAndDeliverItLater() {
        // given
        open(PEER);
        flows.answer = FlowListener.FULL;
        flows.data(PEER, FIRST);
        flows.data(PEER, FIRST + 1);
        flows.workFor(MILLISECOND);
        assertEquals(List.of(), flows.delivered);
        assertEquals(0b11, flows.last(FrameType.ACK).bits, "the source need not send them again");
        // when
        flows.answer = FlowListener.DELIVERED;
        flows.loop.resume(FlowFixture.CONTEXT);
        // then
        assertEquals(List.of(0, 1), ahead());
    }

    @Test
    @LoopErrorsExtension.Expected
    void shouldGoOnWhenAContextFailsToTakeAFrame() {
        // given
        open(PEER);
        flows.isFailing = true;
        flows.data(PEER, FIRST);
        flows.workFor(MILLISECOND);
        assertEquals(List.of(), flows.delivered);
        // when
        flows.isFailing = false;
        flows.data(PEER, FIRST + 1);
        flows.loop.resume(FlowFixture.CONTEXT);
        // then
        assertEquals(List.of(0, 1), ahead());
        assertEquals(2, flows.pool.outstanding(), "those that the context holds");
    }

    @Test
    void shouldShareTheQuotaBetweenSources() {
        // given: the first source has earned a large window and holds it
        open(PEER);
        receiveAll(PEER, 0, 32);
        flows.delivered.forEach(flows::release);
        flows.work(0);
        // when
        int granted = flows.last(FrameType.ACK).windowFrames;
        for (int node = 2; node < 8; node++) {
            open(node);
            granted += flows.last(FrameType.ACCEPT).windowFrames;
        }
        // then
        assertTrue(granted <= 64, "granted " + granted);
    }

    @Test
    void shouldAskSilentSourcesForWindowThatAnotherNeeds() {
        // given
        for (int node = 1; node < 7; node++) {
            open(node);
            flows.receiveProbe(node, FIRST, 1);
            flows.work(0);
        }
        final List<FlowFixture.Sent> waiting =
                flows.sent(FrameType.ACK).stream().filter(ack -> ack.windowFrames == 0).toList();
        assertTrue(waiting.size() > 0, "nothing left for the last");
        flows.sent.clear();
        // when
        flows.workFor(20 * MILLISECOND);
        final int asked = flows.sent(FrameType.ACK).getFirst().node;
        flows.receiveProbe(asked, FIRST, 0);
        flows.work(0);
        // then
        final List<Integer> served =
                flows.sent(FrameType.ACK).stream()
                        .filter(ack -> ack.windowFrames > 0)
                        .map(ack -> ack.node)
                        .toList();
        assertEquals(waiting.getFirst().node, served.getFirst(), "who has waited longest");
    }

    @Test
    void shouldNotKeepFramesBeyondTheWindow() {
        // given: a source that may send 16 frames
        open(PEER);
        // when: it leaves the first out and ignores the window
        flows.data(PEER, FIRST + 1);
        flows.work(0);
        for (int i = 2; i < 100; i++) {
            flows.data(PEER, FIRST + i);
        }
        flows.work(0);
        // then
        assertEquals(15, flows.pool.outstanding());
        assertEquals(84, flows.loop.counters().value(CounterType.FLOW_OUTSIDE_WINDOW_FRAMES));
        // and nothing is lost for good
        flows.data(PEER, FIRST);
        assertEquals(16, flows.delivered.size());
    }

    @Test
    void shouldNotTakeWindowBackThatIsUsedByFramesThatWait() {
        // given
        open(PEER);
        flows.receiveProbe(PEER, FIRST, 1);
        flows.work(0);
        final int committed = committedFrames();
        for (int i = 1; i < 16; i++) {
            flows.data(PEER, FIRST + i);
        }
        // when: the source says that it has sent nothing
        flows.receiveProbe(PEER, FIRST, 0);
        flows.work(0);
        // then
        assertEquals(15, flows.pool.outstanding());
        assertEquals(committed, committedFrames());
    }

    @Test
    void shouldLendCreditToContextsThatReleaseAndTakeItBackWhenTheyClose() {
        // given: a source that is used
        open(PEER);
        for (int i = 0; i < 20; i++) {
            receiveAll(PEER, 16 * i, 16 * i + 16);
            flows.delivered.forEach(flows::release);
            flows.delivered.clear();
            flows.work(0);
        }
        assertTrue(flows.table.credit().lentFrames() > 0, "it has more than is guaranteed");
        // when
        flows.loop.closeContext(FlowFixture.CONTEXT);
        // then
        assertEquals(0, flows.table.credit().lentFrames());
    }

    @Test
    void shouldCoverCopiesByTheQuotaAlone() {
        // given: a context that takes copies and has room for 64
        flows.loop.closeContext(FlowFixture.CONTEXT);
        flows.loop.openContext(
                FlowFixture.CONTEXT,
                FlowFixture.INCARNATION,
                new ContextTerms(64, true, 0, FlowRights.ALL));
        flows.answer = FlowListener.COPIED;
        open(PEER);
        int next = 0;
        while (next < 200) {
            receiveAll(PEER, next, next + 10);
            next += 10;
            flows.delivered.forEach(frame -> flows.loop.releasedCopy(frame.handle));
            flows.delivered.clear();
            flows.work(0);
        }
        // when: it releases nothing any more
        for (int i = 0; i < 100; i++) {
            flows.data(PEER, FIRST + next + i);
            flows.work(0);
        }
        flows.workFor(MILLISECOND);
        // then
        assertEquals(64, flows.delivered.size());
        assertEquals(0, flows.last(FrameType.ACK).windowFrames);
        assertEquals(0, flows.pool.outstanding(), "copies occupy no buffer of the pool");
        assertTrue(
                flows.table.credit().lentFrames() <= 2,
                "others may have what is free, but for frames that stay borrowed for the next");
        // and when it releases them, it gets more
        flows.delivered.forEach(frame -> flows.loop.releasedCopy(frame.handle));
        flows.workFor(MILLISECOND);
        assertTrue(flows.last(FrameType.ACK).windowFrames >= 32);
        flows.loop.closeContext(FlowFixture.CONTEXT);
        assertEquals(0, flows.table.credit().lentFrames());
    }

    private int committedFrames() {
        return flows.table.context(FlowFixture.CONTEXT).credit.committedFrames();
    }

    @Test
    void shouldAcknowledgeWhatWasReleasedBeforeTheContextCloses() {
        // given
        open(PEER);
        flows.data(PEER, FIRST);
        flows.data(PEER, FIRST + 1);
        flows.work(0);
        assertEquals(0, flows.sent(FrameType.ACK).size());
        flows.delivered.forEach(flows::release);
        // when
        flows.loop.closeContext(FlowFixture.CONTEXT);
        // then
        assertEquals(FIRST + 2, flows.last(FrameType.ACK).acknowledgement);
        flows.workFor(FlowConfig.DEFAULT.peerTimeoutNs());
        assertEquals(0, flows.sent(FrameType.ENDED).size());
    }

    @Test
    void shouldTellSourcesWhatWasNotReleasedWhenTheContextCloses() {
        // given
        open(PEER);
        for (int i = 0; i < 4; i++) {
            flows.data(PEER, FIRST + i);
        }
        flows.data(PEER, FIRST + 6);
        flows.work(0);
        flows.release(flows.delivered.get(0));
        flows.release(flows.delivered.get(2));
        final FlowFixture.Delivery held = flows.delivered.get(1);
        flows.loop.abandoned(held.handle, FIRST + 1, 1);
        flows.release(held);
        final FlowFixture.Delivery last = flows.delivered.get(3);
        flows.loop.abandoned(last.handle, FIRST + 3, EndedFlyweight.ALL_MESSAGES);
        flows.release(last);
        // when
        flows.loop.closeContext(FlowFixture.CONTEXT);
        flows.work(0);
        // then
        final EndedFlyweight ended = flows.last(FrameType.ENDED).ended();
        assertEquals(FIRST + 7, ended.seenTo());
        assertTrue(ended.hasLost() && !ended.isOpenAgain());
        assertEquals(2, ended.runs());
        assertEquals(FIRST + 1, ended.runFirst(0));
        assertEquals(1, ended.runMessagesLeft(0));
        assertEquals(FIRST + 3, ended.runFirst(1));
        assertEquals(4, ended.runFrames(1));
        // when: nobody asks
        flows.workFor(2 * FlowConfig.DEFAULT.peerTimeoutNs());
        // then
        assertEquals(10, flows.sent(FrameType.ENDED).size());
    }

    @Test
    void shouldAnswerLateFramesWithWhatWasReleased() {
        // given
        open(PEER);
        flows.data(PEER, FIRST);
        flows.work(0);
        flows.release(flows.delivered.getFirst());
        flows.loop.closeContext(FlowFixture.CONTEXT);
        // when
        flows.data(PEER, FIRST);
        // then
        final EndedFlyweight ended = flows.last(FrameType.ENDED).ended();
        assertEquals(FrameType.DATA, ended.answeredType());
        assertEquals(FIRST + 1, ended.seenTo());
        assertEquals(0, ended.runs());
        assertFalse(ended.hasLost() || ended.isOpenAgain());
        // when: the context is open again, and the same frame comes again
        flows.openContextAgain(FlowFixture.INCARNATION + 1);
        flows.data(PEER, FIRST + 1);
        // then
        assertTrue(flows.last(FrameType.ENDED).ended().isOpenAgain());
        // when: the time is over
        flows.work(FlowConfig.DEFAULT.idleTimeoutNs() + 3 * FlowConfig.DEFAULT.peerTimeoutNs());
        flows.sent.clear();
        flows.data(PEER, FIRST + 1);
        // then
        assertEquals(
                UnreachableFlyweight.STALE_INCARNATION, flows.last(FrameType.UNREACHABLE).reason);
        assertEquals(0, flows.table.tombstones().count());
    }

    @Test
    void shouldRememberNoMoreClosedContextsThanItMayHaveFlows() {
        // given
        int incarnation = FlowFixture.INCARNATION;
        for (int i = 0; i < 100; i++) {
            open(PEER);
            flows.data(
                    PEER,
                    flows.last(FrameType.ACCEPT).acknowledgement,
                    0,
                    FlowFixture.PEER_INCARNATION,
                    incarnation);
            flows.work(0);
            // when
            flows.loop.closeContext(FlowFixture.CONTEXT);
            flows.openContextAgain(++incarnation);
        }
        // then
        assertEquals(32, flows.table.tombstones().count());
    }

    @Test
    void shouldTellSourcesThatNobodyIsThereOrThatItIsAnother() {
        // given
        open(PEER);
        // when
        flows.data(PEER, FIRST, 0, FlowFixture.PEER_INCARNATION, 1);
        assertEquals(
                UnreachableFlyweight.STALE_INCARNATION, flows.last(FrameType.UNREACHABLE).reason);
        flows.loop.closeContext(FlowFixture.CONTEXT);
        flows.data(PEER, FIRST);
        // then
        assertEquals(
                UnreachableFlyweight.NO_SUCH_CONTEXT, flows.last(FrameType.UNREACHABLE).reason);
        assertEquals(0, flows.pool.outstanding());
    }

    @Test
    void shouldStartAgainWithANewIncarnationOfTheSourceAndSaySo() {
        // given
        open(PEER);
        flows.data(PEER, FIRST);
        flows.data(PEER, FIRST + 2);
        flows.work(0);
        assertEquals(2, flows.pool.outstanding());
        // when
        flows.receiveOpen(PEER, FlowFixture.PEER_INCARNATION + 1, 0);
        flows.work(0);
        assertEquals(List.of(), flows.peerStatus, "anybody can ask");
        flows.data(PEER, FIRST, 0, FlowFixture.PEER_INCARNATION + 1, FlowFixture.INCARNATION);
        flows.work(0);
        // then
        assertEquals(List.of(PEER + ":" + PmStatus.PEER_RESTARTED), flows.peerStatus);
        assertEquals(2, flows.pool.outstanding(), "only what the application holds");
        flows.data(PEER, FIRST + 1);
        flows.work(0);
        assertEquals(List.of(0, 0), ahead());
        assertEquals(1, flows.loop.counters().value(CounterType.FLOW_STALE_FRAMES));
        flows.delivered.forEach(flows::release);
        assertEquals(0, flows.pool.outstanding());
    }

    @Test
    void shouldNotLetALateOpenOfThePastEndTheFlow() {
        // given
        open(PEER);
        flows.data(PEER, FIRST);
        flows.work(0);
        // when
        flows.receiveOpen(PEER, FlowFixture.PEER_INCARNATION - 1, 0);
        flows.receiveOpen(PEER, FlowFixture.PEER_INCARNATION, 0xFFFF);
        flows.work(0);
        flows.data(PEER, FIRST, 0, FlowFixture.PEER_INCARNATION - 1, FlowFixture.INCARNATION);
        flows.epoch = 0xFFFF;
        flows.data(PEER, FIRST);
        flows.work(0);
        flows.epoch = 0;
        flows.data(PEER, FIRST + 1);
        // then
        assertEquals(List.of(0, 1), ahead());
        assertEquals(List.of(), flows.peerStatus);
        assertEquals(2, flows.loop.counters().value(CounterType.FLOW_STALE_FRAMES));
    }

    @Test
    void shouldSaySoWhenTheSourceGaveUpWhatHadBegun() {
        // given
        open(PEER);
        flows.data(PEER, FIRST + 1);
        flows.work(0);
        // when
        flows.receiveOpen(PEER, FlowFixture.PEER_INCARNATION, 1);
        flows.work(0);
        flows.epoch = 1;
        flows.data(PEER, FIRST);
        flows.work(0);
        // then
        assertEquals(List.of(PEER + ":" + PmStatus.PEER_UNREACHABLE), flows.peerStatus);
        assertEquals(1, flows.pool.outstanding());
    }

    @Test
    void shouldSayNothingWhenTheSourceGaveUpWhatHadNotBegun() {
        // given: such as an OPEN meant for the node that was here before
        open(PEER);
        // when
        flows.receiveOpen(PEER, FlowFixture.PEER_INCARNATION, 1);
        flows.work(0);
        flows.epoch = 1;
        flows.data(PEER, FIRST);
        flows.work(0);
        // then
        assertEquals(List.of(), flows.peerStatus);
        assertEquals(2, flows.sent(FrameType.ACCEPT).size());
        assertEquals(List.of(0), ahead());
    }

    @Test
    void shouldAcknowledgeOnDataThatGoesTheOtherWay() {
        // given
        flows.open(8);
        open(PEER);
        flows.sent.clear();
        flows.data(PEER, FIRST);
        // when
        flows.submit(1, 1_000);
        flows.workFor(MILLISECOND);
        // then
        assertEquals(FIRST + 1, flows.last(FrameType.DATA).acknowledgement);
        assertTrue(flows.last(FrameType.DATA).has(FrameHeaderFlyweight.FLAG_ACK));
        assertEquals(0, flows.sent(FrameType.ACK).size());
    }

    @Test
    void shouldNotWakeTheLoopForWhatDataHasAcknowledged() {
        // given
        flows.open(8);
        open(PEER);
        flows.data(PEER, FIRST);
        flows.work(0);
        final long ackNs = flows.nowNs + FlowFixture.setup().config().ackDelayNs();
        assertEquals(ackNs, flows.loop.nextDeadlineNs(flows.nowNs));
        // when
        flows.submit(1, 1_000);
        flows.work(0);
        // then
        assertTrue(flows.loop.nextDeadlineNs(flows.nowNs) - ackNs > MILLISECOND);
    }

    /** Messages to and fro, more slowly than an acknowledgement waits. */
    private void exchangeSlowly(final int times) {
        flows.open(8);
        open(PEER);
        flows.sent.clear();
        for (int i = 0; i < times; i++) {
            flows.data(PEER, FIRST + i);
            flows.workFor(MILLISECOND);
            flows.submit(1, 1_000);
            flows.work(0);
            flows.ack(FIRST + 2 + i, 8);
            flows.work(0);
        }
    }

    @Test
    void shouldWaitForDataOfTheOtherWayThatComesLaterAgainAndAgain() {
        exchangeSlowly(10);
        assertEquals(2, flows.sent(FrameType.ACK).size());
        assertEquals(FIRST + 10, flows.last(FrameType.DATA).acknowledgement);
    }

    @Test
    void shouldAcknowledgeWithoutARideBeforeTheSourceTakesItsFrameForLost() {
        // given
        exchangeSlowly(4);
        flows.sent.clear();
        // when
        flows.data(PEER, FIRST + 4);
        flows.workFor(FlowFixture.setup().config().minRetransmitNs() * 4 / 5);
        // then
        assertEquals(1, flows.sent(FrameType.ACK).size());
        assertEquals(FIRST + 5, flows.last(FrameType.ACK).acknowledgement);
    }

    @Test
    void shouldGiveBuffersBackThatWaitBehindAGapWhenTheContextCloses() {
        // given
        open(PEER);
        flows.data(PEER, FIRST + 3);
        flows.data(PEER, FIRST + 4);
        flows.work(0);
        assertEquals(2, flows.pool.outstanding());
        // when
        flows.loop.closeContext(FlowFixture.CONTEXT);
        // then
        assertEquals(0, flows.pool.outstanding());
    }

    @Test
    void shouldGiveUpASourceThatFellSilentInTheMiddle() {
        // given
        open(PEER);
        flows.data(PEER, FIRST + 3);
        flows.work(0);
        // when
        flows.workFor(20_000 * MILLISECOND);
        // then
        assertEquals(List.of(PEER + ":" + PmStatus.PEER_UNREACHABLE), flows.peerStatus);
        assertEquals(0, flows.pool.outstanding());
    }

    @Test
    void shouldTakeNoHarmFromFramesThatMakeNoSense() {
        // given
        open(PEER);
        flows.data(PEER, FIRST);
        flows.work(0);
        flows.delivered.forEach(flows::release);
        // when
        flows.data(PEER, FIRST + 200);
        flows.data(PEER, FIRST - 1);
        flows.receiveProbe(2, FIRST, 1);
        flows.work(0);
        // then
        assertEquals(1, flows.loop.counters().value(CounterType.FLOW_OUTSIDE_WINDOW_FRAMES));
        assertEquals(1, flows.loop.counters().value(CounterType.FLOW_DUPLICATE_FRAMES));
        assertEquals(1, flows.loop.counters().value(CounterType.FLOW_STALE_FRAMES));
        assertEquals(0, flows.pool.outstanding());
    }

    private void open(final int node) {
        flows.receiveOpen(node, FlowFixture.PEER_INCARNATION, 0);
        flows.work(0);
    }

    private void receiveAll(final int node, final int from, final int to) {
        for (int i = from; i < to; i++) {
            flows.data(node, FIRST + i);
            flows.work(0);
        }
    }

    private List<Integer> ahead() {
        return flows.delivered.stream().map(FlowFixture.Delivery::ahead).toList();
    }

    @Test
    void shouldSayThatThereIsNoRoomForAnotherFlow() {
        // given: the table of the fixture has room for 32, half of it for one context
        for (int peerContext = 0; peerContext < 16; peerContext++) {
            flows.peerContext = peerContext;
            open(PEER);
            flows.data(PEER, FIRST);
            flows.work(0);
        }
        assertEquals(16, flows.table.receivingFlows());
        assertEquals(0, flows.loop.counters().value(CounterType.FLOW_REFUSED_EVENTS));
        // when
        flows.peerContext = 16;
        open(PEER);
        // then
        final FlowFixture.Sent refusal = flows.last(FrameType.UNREACHABLE);
        assertEquals(UnreachableFlyweight.NO_FLOWS, refusal.reason);
        assertEquals(1, flows.loop.counters().value(CounterType.FLOW_REFUSED_EVENTS));
    }
}
