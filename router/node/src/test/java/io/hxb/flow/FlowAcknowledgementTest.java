package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterType;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

/** When the receiving end acknowledges, and by what; sequences are counted from the first. */
@Tag("unit")
class FlowAcknowledgementTest {
    private static final long MILLISECOND = FlowFixture.MILLISECOND;
    private static final int FIRST = FlowFixture.FIRST;
    private static final int PEER = FlowFixture.PEER;
    @AutoClose private final FlowFixture flows = new FlowFixture();

    @Test
    void shouldDeliverInOrderAndAcknowledgeAfterAShortDelay() {
        // given
        flows.openFrom(PEER);
        flows.data(PEER, FIRST + 1);
        flows.data(PEER, FIRST);
        flows.work(0);
        assertEquals(List.of(0, 1), flows.ahead());
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
        flows.openFrom(PEER);
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
        flows.openFrom(PEER);
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
        assertEquals(List.of(0), flows.ahead());
        assertEquals(1, flows.pool.outstanding(), "the duplicate's buffer is back");
    }

    @Test
    void shouldReportWhichFramesBeyondAGapAreHere() {
        // given
        flows.openFrom(PEER);
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
    void shouldAcknowledgeOnDataThatGoesTheOtherWay() {
        // given
        flows.open(8);
        flows.openFrom(PEER);
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
        flows.openFrom(PEER);
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
        flows.openFrom(PEER);
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
}
