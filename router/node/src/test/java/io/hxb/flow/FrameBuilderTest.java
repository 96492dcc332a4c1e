package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.pm.PmStatus;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

/** Which messages share a frame, which wait for others, and how frames are marked. */
@Tag("unit")
class FrameBuilderTest {
    private static final long MILLISECOND = FlowFixture.MILLISECOND;
    private static final int FIRST = FlowFixture.FIRST;
    @AutoClose private final FlowFixture flows = new FlowFixture();

    @Test
    void shouldHoldBackWhatFillsNoFrameForOneTurnWhileMoreIsComing() {
        // given: room for 35 records of 40 bytes in a frame of 1,500
        flows.open(64);
        flows.loop.moreComing(FlowFixture.CONTEXT, true);
        submitSmall(0, 40);
        // when, then: a full frame goes, five messages wait
        flows.work(0);
        assertEquals(List.of(35), messageCounts());
        submitSmall(40, 29);
        flows.work(0);
        assertEquals(List.of(35), messageCounts(), "34 leave room for one more");
        submitSmall(69, 1);
        flows.work(0);
        assertEquals(List.of(35, 35), messageCounts());
        // when nothing came for this flow: what is there goes
        submitSmall(70, 3);
        flows.work(0);
        assertEquals(2, messageCounts().size());
        assertEquals(flows.nowNs, flows.loop.nextDeadlineNs(flows.nowNs), "it does not sleep");
        flows.work(0);
        assertEquals(List.of(35, 35, 3), messageCounts());
    }

    @Test
    void shouldHoldNothingBackWhenNoMoreIsComingOrTheMessageIsLong() {
        flows.open(64);
        submitSmall(0, 2);
        flows.work(0);
        assertEquals(List.of(2), messageCounts());
        flows.loop.moreComing(FlowFixture.CONTEXT, true);
        flows.submit(2, 1_400);
        flows.work(0);
        assertEquals(List.of(2, 1), messageCounts());
        submitSmall(3, 2);
        flows.loop.moreComing(FlowFixture.CONTEXT, false);
        flows.work(0);
        assertEquals(List.of(2, 1, 2), messageCounts());
        flows.loop.moreComing(9, true);
    }

    private void submitSmall(final int firstSlot, final int count) {
        for (int slot = firstSlot; slot < firstSlot + count; slot++) {
            assertEquals(PmStatus.OK, flows.submit(slot, 32));
        }
    }

    private List<Integer> messageCounts() {
        return flows.sent(FrameType.DATA).stream().map(sent -> sent.messageCount).toList();
    }

    @Test
    void shouldCopyMessagesOnlyWhenTwoFitIntoAFrame() {
        // given
        flows.open(8);
        for (int slot = 0; slot < 4; slot++) {
            flows.submit(slot, slot < 2 ? 700 : 720);
        }
        // when
        flows.work(0);
        // then
        final List<FlowFixture.Sent> data = flows.sent(FrameType.DATA);
        assertEquals(List.of(2, 1, 1), data.stream().map(frame -> frame.messageCount).toList());
        assertEquals(flows.payloadAddress(), data.get(1).payloadAddress);
        assertEquals(flows.payloadAddress(), data.get(2).payloadAddress);
    }

    @Test
    void shouldPutSmallMessagesThatWaitTogetherIntoOneFrame() {
        // given
        flows.open(8);
        for (int slot = 0; slot < 5; slot++) {
            flows.submit(slot, slot == 3 ? 1_400 : 32);
        }
        // when
        flows.work(0);
        // then: three together, the big one by address, the last alone
        final List<FlowFixture.Sent> data = flows.sent(FrameType.DATA);
        assertEquals(List.of(3, 1, 1), data.stream().map(frame -> frame.messageCount).toList());
        assertEquals(0, data.getFirst().payloadAddress);
        assertEquals(flows.payloadAddress(), data.get(1).payloadAddress);
        flows.ack(FIRST + 2, 8);
        flows.work(0);
        assertEquals(List.of("0:0", "1:0", "2:0"), flows.done);
    }

    @Test
    void shouldMarkShortFramesOfAFlowWithFewInFlightAsSparse() {
        // given
        flows.open(100);
        // when
        flows.submit(0, 257);
        flows.work(0);
        for (int slot = 1; slot < 12; slot++) {
            flows.submit(slot, 64);
            flows.work(0);
        }
        flows.workFor(2 * MILLISECOND);
        // then: one too long, seven of eight in flight, then too many; and what is sent again
        final List<Boolean> marks =
                flows.sent(FrameType.DATA).stream()
                        .map(frame -> frame.has(FrameHeaderFlyweight.FLAG_SPARSE))
                        .toList();
        assertEquals(
                List.of(false, true, true, true, true, true, true, true, false, false),
                marks.subList(0, 10));
        assertTrue(flows.last(FrameType.DATA).has(FrameHeaderFlyweight.FLAG_AGAIN));
        assertFalse(flows.last(FrameType.DATA).has(FrameHeaderFlyweight.FLAG_SPARSE));
    }

    @Test
    void shouldMarkShortPacketsAsSparseUnlessNothingWaitsForThem() {
        // given
        final int end = ContextKind.end(ContextKind.PACKETS, ContextKind.SHORT_PACKETS);
        flows.loop.openContext(end, FlowFixture.INCARNATION, ContextTerms.of(64));
        flows.context = end;
        flows.open(100);
        // when: tags are the numbers of the slots
        final int patient = ContextKind.PATIENT_PACKET;
        flows.submit(patient, 64);
        flows.work(0);
        flows.submit(1, 64);
        flows.work(0);
        flows.submit(3, 64);
        flows.submit(patient, 64);
        flows.work(0);
        // then
        final List<Boolean> marks =
                flows.sent(FrameType.DATA).stream()
                        .map(frame -> frame.has(FrameHeaderFlyweight.FLAG_SPARSE))
                        .toList();
        assertEquals(List.of(false, true, true), marks);
        assertEquals(2, flows.last(FrameType.DATA).messageCount);
    }

    @Test
    void shouldAskForAnAcknowledgementAtTheEndOfABurst() {
        // given
        flows.open(100);
        // when
        for (int slot = 0; slot < 8; slot++) {
            flows.submit(slot, 1_000);
        }
        flows.work(0);
        // then
        final List<FlowFixture.Sent> data = flows.sent(FrameType.DATA);
        assertEquals(8, data.size());
        assertFalse(data.get(6).has(FrameHeaderFlyweight.FLAG_ACK_NOW));
        assertTrue(data.get(7).has(FrameHeaderFlyweight.FLAG_ACK_NOW));
    }
}
