package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterBlock;
import io.hxb.counter.CounterType;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.pm.PmStatus;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

/** What the sending end makes of the word that its peer's context is closed, true or forged. */
@Tag("unit")
class FlowEndedTest {
    // More than the first time-out of a flow.
    private static final long ROUND_TRIP_NS = 50_000_000L;
    private static final int FIRST = FlowFixture.FIRST;
    private static final String RESTARTED = ":" + PmStatus.PEER_RESTARTED;

    @AutoClose private final FlowFixture flows = new FlowFixture();

    private void sendOne() {
        flows.open(8);
        flows.submit(1, 1_000);
        flows.work(0);
    }

    /** Reports it of the frame that was sent, and of the probe that follows. */
    private void reportEnded(final int seenTo) {
        flows.ended(seenTo, true);
        flows.work(0);
        flows.ended(seenTo, true);
        flows.workFor(ROUND_TRIP_NS);
    }

    @Test
    void shouldIgnoreWhatDoesNotNameAFrameOfTheFlow() {
        // given
        sendOne();
        final int[] flaws = {
            FrameHeaderFlyweight.EPOCH_OFFSET, // the type of the frame that is answered
            FrameHeaderFlyweight.SOURCE_INCARNATION_OFFSET,
            FrameHeaderFlyweight.DESTINATION_INCARNATION_OFFSET,
            FrameHeaderFlyweight.SOURCE_CONTEXT_OFFSET,
            FrameHeaderFlyweight.DESTINATION_CONTEXT_OFFSET,
            FrameHeaderFlyweight.SEQUENCE_OFFSET,
            FrameHeaderFlyweight.ACKNOWLEDGEMENT_OFFSET,
            FrameHeaderFlyweight.WINDOW_OFFSET, // frames behind that
            FrameHeaderFlyweight.ACKNOWLEDGED_EPOCH_OFFSET,
        };
        final CounterBlock counters = flows.loop.counters();
        final long before =
                counters.value(CounterType.FLOW_STALE_FRAMES)
                        + counters.value(CounterType.FLOW_UNKNOWN_CONTEXT_FRAMES);
        // when
        for (final int flaw : flaws) {
            flows.endedWithAFlaw(flaw);
        }
        flows.work(0);
        // then
        assertEquals(0, flows.sent(FrameType.PROBE).size());
        assertEquals(
                flaws.length,
                counters.value(CounterType.FLOW_STALE_FRAMES)
                        + counters.value(CounterType.FLOW_UNKNOWN_CONTEXT_FRAMES)
                        - before);
    }

    @Test
    void shouldAskAndForgetWhatIsNotReportedAgain() {
        // given
        sendOne();
        // when
        flows.ended(FIRST + 1, true);
        flows.work(0);
        // then
        assertEquals(1, flows.sent(FrameType.PROBE).size());
        flows.workFor(20 * ROUND_TRIP_NS);
        assertEquals(List.of(), flows.done);
        assertEquals(0, flows.sent(FrameType.OPEN).size());
    }

    @Test
    void shouldNotEndAFlowThatIsAcknowledgedMeanwhile() {
        // given
        flows.open(64);
        for (int i = 0; i < 39; i++) {
            flows.submit(i, 1_000);
            flows.work(0);
            // when: each frame is reported unseen, and released, and the peer has it
            flows.ended(FIRST + i + 1, true);
            flows.work(0);
            flows.ended(FIRST + i + 2, false);
            flows.ended(FIRST + i + 1, true);
            flows.ack(FIRST + i + 2, 64);
            flows.workFor(ROUND_TRIP_NS);
        }
        // then
        assertEquals(39, flows.done.size());
        assertTrue(flows.done.stream().allMatch(done -> done.endsWith(":0")), flows.done::toString);
        assertEquals(List.of(), flows.peerStatus);
        assertEquals(0, flows.sent(FrameType.OPEN).size());
        assertEquals(39, flows.sequences().size());
    }

    @Test
    void shouldSendToTheNextIncarnationWhatTheClosedOneDidNotSee() {
        // given
        sendOne();
        // when
        reportEnded(FIRST + 1);
        flows.acceptOf(FlowFixture.PEER_INCARNATION + 1, FlowFixture.PEER, 8, 0);
        flows.workFor(ROUND_TRIP_NS);
        // then
        assertEquals(List.of(), flows.done);
        assertEquals(0, flows.last(FrameType.DATA).sequence - FIRST);
        assertEquals(1, flows.last(FrameType.DATA).epoch);
    }

    @Test
    void shouldNotResendToAPeerWhoseReportedCloseWasFalse() {
        // given a frame that the peer may have, and whose acknowledgement is late
        sendOne();
        // when somebody reports, in time and twice, that the peer is closed and has not seen it
        reportEnded(FIRST + 1);
        assertEquals(List.of(), flows.done);
        flows.acceptOf(FlowFixture.PEER_INCARNATION, FlowFixture.PEER, 8, 0);
        flows.workFor(ROUND_TRIP_NS);
        // then its program is notified that it may not have arrived, and nothing arrives twice
        assertEquals(List.of("1" + RESTARTED), flows.done);
        assertTrue(flows.peerStatus.contains(FlowFixture.PEER + RESTARTED));
        assertEquals(0, sentAsNext());
        // when
        flows.submit(2, 1_000);
        flows.workFor(ROUND_TRIP_NS);
        // then
        assertTrue(sentAsNext() > 0);
    }

    /** Data frames of the flow that came after the first one. */
    private long sentAsNext() {
        return flows.sent(FrameType.DATA).stream().filter(frame -> frame.epoch == 1).count();
    }

    @Test
    void shouldCompleteWhatIsReportedAsReleased() {
        // given
        sendOne();
        // when
        reportEnded(FIRST + 2);
        // then
        assertEquals(List.of("1:" + PmStatus.OK), flows.done);
        assertEquals(0, flows.loop.framesInUse());
    }
}
