package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.counter.CounterType;
import io.hxb.frame.FrameType;
import io.hxb.frame.UnreachableFlyweight;
import io.hxb.pm.PmStatus;
import io.hxb.testing.LoopErrorsExtension;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

/**
 * What the receiving end delivers, keeps and drops, one rule a test; sequences are counted from the
 * first.
 */
@Tag("unit")
class FlowReceiveTest {
    private static final long MILLISECOND = FlowFixture.MILLISECOND;
    private static final int FIRST = FlowFixture.FIRST;
    private static final int PEER = FlowFixture.PEER;
    @AutoClose private final FlowFixture flows = new FlowFixture();

    @Test
    void shouldAcceptAFlowWithAFirstWindow() {
        // when
        flows.openFrom(PEER);
        // then
        final FlowFixture.Sent accept = flows.last(FrameType.ACCEPT);
        assertEquals(FIRST, accept.acknowledgement);
        assertEquals(16, accept.windowFrames);
    }

    @Test
    void shouldKeepWhatTheContextHasNoRoomForAndDeliverItLater() {
        // given
        flows.openFrom(PEER);
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
        assertEquals(List.of(0, 1), flows.ahead());
    }

    @Test
    @LoopErrorsExtension.Expected
    void shouldGoOnWhenAContextFailsToTakeAFrame() {
        // given
        flows.openFrom(PEER);
        flows.isFailing = true;
        flows.data(PEER, FIRST);
        flows.workFor(MILLISECOND);
        assertEquals(List.of(), flows.delivered);
        // when
        flows.isFailing = false;
        flows.data(PEER, FIRST + 1);
        flows.loop.resume(FlowFixture.CONTEXT);
        // then
        assertEquals(List.of(0, 1), flows.ahead());
        assertEquals(2, flows.pool.outstanding(), "those that the context holds");
    }

    @Test
    void shouldGiveUpASourceThatFellSilentInTheMiddle() {
        // given
        flows.openFrom(PEER);
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
        flows.openFrom(PEER);
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

    @Test
    void shouldReportThatThereIsNoRoomForAnotherFlow() {
        // given: the table of the fixture has room for 32, half of it for one context
        for (int peerContext = 0; peerContext < 16; peerContext++) {
            flows.peerContext = peerContext;
            flows.openFrom(PEER);
            flows.data(PEER, FIRST);
            flows.work(0);
        }
        assertEquals(16, flows.table.receivingFlows());
        assertEquals(0, flows.loop.counters().value(CounterType.FLOW_REFUSED_EVENTS));
        // when
        flows.peerContext = 16;
        flows.openFrom(PEER);
        // then
        final FlowFixture.Sent refusal = flows.last(FrameType.UNREACHABLE);
        assertEquals(UnreachableFlyweight.NO_FLOWS, refusal.reason);
        assertEquals(1, flows.loop.counters().value(CounterType.FLOW_REFUSED_EVENTS));
    }
}
