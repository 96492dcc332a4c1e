package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterType;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.UnreachableFlyweight;
import io.hxb.pm.PmStatus;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

/** How many flows there may be, and how they go; the node of the fixture has 32 each way. */
@Tag("unit")
class FlowLimitTest {
    private static final long MILLISECOND = FlowFixture.MILLISECOND;
    private static final int OTHER_CONTEXT = 4;
    private static final int FIRST = FlowFixture.FIRST;
    @AutoClose private final FlowFixture flows = new FlowFixture();

    @Test
    void shouldKeepNothingOfQuestionsThatAnybodyCanAsk() {
        // when: as many forged probes as once filled the table of a node for good
        for (int i = 0; i < 10_000; i++) {
            flows.peerContext = i;
            flows.receiveOpen(FlowFixture.PEER, i, i & 0xFFFF);
            if (i % 64 == 0) {
                flows.work(MILLISECOND);
                flows.sent.clear();
            }
        }
        flows.work(0);
        flows.work(10 * MILLISECOND);
        // then
        assertEquals(0, flows.table.receivingFlows());
        assertEquals(0, flows.pool.outstanding());
        assertEquals(0, flows.loop.counters().value(CounterType.FLOW_REFUSED_EVENTS));
        final ContextCredit credit = flows.table.context(FlowFixture.CONTEXT).credit;
        assertEquals(0, credit.committedFrames());
        receive(1);
        assertEquals(1, flows.table.receivingFlows());
        assertEquals(16, flows.last(FrameType.ACCEPT).windowFrames);
    }

    @Test
    void shouldLetDataBeginAFlowOnlyForWhoHeardTheAnswer() {
        // when
        for (int i = 0; i < 1_000; i++) {
            flows.data(FlowFixture.PEER, FIRST + i * 7_919);
        }
        flows.work(0);
        // then
        assertEquals(0, flows.table.receivingFlows());
        assertEquals(1_000, flows.loop.counters().value(CounterType.FLOW_STALE_FRAMES));
    }

    @Test
    void shouldLeaveSendingFlowsToOthersWhenAContextCallsEveryNode() {
        // given
        flows.loop.openContext(OTHER_CONTEXT, 78, ContextTerms.of(64));
        int sent = 0;
        while (submit(FlowFixture.CONTEXT, sent) == PmStatus.OK) {
            sent++;
        }
        // when, then: half of all; the other one half of the rest
        assertEquals(16, sent);
        assertEquals(PmStatus.FLOW_LIMIT, submit(FlowFixture.CONTEXT, sent));
        for (int i = 0; i < 8; i++) {
            assertEquals(PmStatus.OK, submit(OTHER_CONTEXT, i));
        }
        assertEquals(PmStatus.FLOW_LIMIT, submit(OTHER_CONTEXT, 8));
        assertEquals(3, flows.loop.counters().value(CounterType.FLOW_REFUSED_EVENTS));
    }

    @Test
    void shouldForgetFlowsThatWereRefusedWhenAnotherIsWanted() {
        // given
        for (int i = 0; i < 16; i++) {
            assertEquals(PmStatus.OK, submit(FlowFixture.CONTEXT, i));
        }
        assertEquals(PmStatus.FLOW_LIMIT, submit(FlowFixture.CONTEXT, 16));
        // when: nobody answers
        flows.workFor(6_000 * MILLISECOND);
        // then
        assertEquals(16, flows.done.size());
        assertEquals(PmStatus.OK, submit(FlowFixture.CONTEXT, 16));
    }

    @Test
    void shouldLeaveReceivingFlowsToOthersAndAskIdleSourcesToClose() {
        // given
        flows.loop.openContext(OTHER_CONTEXT, 78, ContextTerms.of(64));
        for (int i = 0; i < 16; i++) {
            receive(i);
        }
        flows.delivered.forEach(flows::release);
        flows.peerContext = 16;
        flows.receiveOpen(FlowFixture.PEER, FlowFixture.PEER_INCARNATION, 0);
        flows.work(0);
        assertEquals(UnreachableFlyweight.NO_FLOWS, flows.last(FrameType.UNREACHABLE).reason);
        // when: the sources are silent
        flows.sent.clear();
        flows.workFor(8_000 * MILLISECOND);
        final List<FlowFixture.Sent> asked =
                flows.sent(FrameType.ACK).stream()
                        .filter(ack -> ack.has(FrameHeaderFlyweight.FLAG_CLOSE))
                        .toList();
        assertTrue(asked.size() >= 16, "asked " + asked.size());
        assertEquals(16, flows.table.receivingFlows(), "they may yet answer");
        flows.workFor(12_000 * MILLISECOND);
        // then
        assertTrue(flows.table.receivingFlows() < 16, "flows " + flows.table.receivingFlows());
        receive(16);
        assertEquals(List.of(), flows.peerStatus, "nothing was lost");
    }

    @Test
    void shouldCloseAnIdleFlowAndOpenItAgainWithTheNextEpoch() {
        // given
        flows.open(8);
        // when
        flows.workFor(70_000 * MILLISECOND);
        // then
        final FlowFixture.Sent close = flows.last(FrameType.CLOSE);
        assertEquals(FIRST + 1, close.sequence);
        assertEquals(1, flows.table.sendingFlows());
        flows.submit(1, 1_000);
        flows.work(0);
        assertEquals(List.of(), flows.sequences(), "waits until the peer has forgotten it");
        // when
        flows.closed(close);
        flows.work(0);
        // then
        assertEquals(1, flows.last(FrameType.OPEN).epoch);
        flows.accept(FlowFixture.PEER, 8);
        flows.work(0);
        assertEquals(List.of(0), flows.sequences());
        assertEquals(List.of(), flows.peerStatus);
    }

    @Test
    void shouldForgetAClosedFlowAndRememberItsEpoch() {
        // given
        flows.open(8);
        flows.workFor(70_000 * MILLISECOND);
        // when
        flows.closed(flows.last(FrameType.CLOSE));
        flows.work(0);
        // then
        assertEquals(0, flows.table.sendingFlows());
        flows.submit(1, 8);
        flows.work(0);
        assertEquals(1, flows.last(FrameType.OPEN).epoch);
    }

    private int submit(final int context, final int number) {
        return flows.loop.submit(
                context, number, FlowFixture.PEER, number, flows.payloadAddress(), 8, 0);
    }

    private void receive(final int peerContext) {
        flows.peerContext = peerContext;
        flows.receiveOpen(FlowFixture.PEER, FlowFixture.PEER_INCARNATION, 0);
        flows.work(0);
        flows.data(FlowFixture.PEER, FIRST);
        flows.work(0);
    }
}
