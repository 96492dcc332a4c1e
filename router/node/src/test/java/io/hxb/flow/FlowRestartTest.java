package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hxb.counter.CounterType;
import io.hxb.frame.FrameType;
import io.hxb.pm.PmStatus;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

/** What the receiving end does about a source that begins anew, and about frames of its past. */
@Tag("unit")
class FlowRestartTest {
    private static final int FIRST = FlowFixture.FIRST;
    private static final int PEER = FlowFixture.PEER;
    @AutoClose private final FlowFixture flows = new FlowFixture();

    @Test
    void shouldStartAgainWithANewIncarnationOfTheSourceAndReportIt() {
        // given
        flows.openFrom(PEER);
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
        assertEquals(List.of(0, 0), flows.ahead());
        assertEquals(1, flows.loop.counters().value(CounterType.FLOW_STALE_FRAMES));
        flows.delivered.forEach(flows::release);
        assertEquals(0, flows.pool.outstanding());
    }

    @Test
    void shouldNotLetALateOpenOfThePastEndTheFlow() {
        // given
        flows.openFrom(PEER);
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
        assertEquals(List.of(0, 1), flows.ahead());
        assertEquals(List.of(), flows.peerStatus);
        assertEquals(2, flows.loop.counters().value(CounterType.FLOW_STALE_FRAMES));
    }

    @Test
    void shouldReportSoWhenTheSourceGaveUpWhatHadBegun() {
        // given
        flows.openFrom(PEER);
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
    void shouldReportNothingWhenTheSourceGaveUpWhatHadNotBegun() {
        // given: such as an OPEN meant for the node that was here before
        flows.openFrom(PEER);
        // when
        flows.receiveOpen(PEER, FlowFixture.PEER_INCARNATION, 1);
        flows.work(0);
        flows.epoch = 1;
        flows.data(PEER, FIRST);
        flows.work(0);
        // then
        assertEquals(List.of(), flows.peerStatus);
        assertEquals(2, flows.sent(FrameType.ACCEPT).size());
        assertEquals(List.of(0), flows.ahead());
    }
}
