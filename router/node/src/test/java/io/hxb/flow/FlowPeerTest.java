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

/** What the sending end makes of a peer that is silent, gone, restarted or full. */
@Tag("unit")
class FlowPeerTest {
    // More than the first time-out of a flow.
    private static final long ROUND_TRIP_NS = 50_000_000L;
    private static final long MILLISECOND = FlowFixture.MILLISECOND;
    private static final int FIRST = FlowFixture.FIRST;
    @AutoClose private final FlowFixture flows = new FlowFixture();

    @Test
    void shouldEndTheFlowWhenNobodyAnswersAndStartAgainWithTheNextEpoch() {
        // given
        flows.submit(0, 8);
        // when
        flows.workFor(4_999 * MILLISECOND);
        assertEquals(List.of(), flows.done);
        flows.workFor(2 * MILLISECOND);
        // then
        final int tries = flows.sent(FrameType.OPEN).size();
        assertTrue(tries > 8 && tries < 30, "tries " + tries);
        assertEquals(List.of("0:" + PmStatus.PEER_UNREACHABLE), flows.done);
        assertEquals(List.of("1:" + PmStatus.PEER_UNREACHABLE), flows.peerStatus);
        flows.submit(0, 8);
        flows.work(0);
        assertEquals(1, flows.last(FrameType.OPEN).epoch);
    }

    @Test
    void shouldEndTheFlowWhenThePeerIsANewIncarnation() {
        // given
        flows.open(1);
        flows.submit(1, 1_000);
        flows.submit(2, 1_000);
        flows.work(0);
        // when
        flows.unreachable(UnreachableFlyweight.STALE_INCARNATION, 0, 100);
        flows.work(0);
        assertEquals(List.of(), flows.done);
        flows.unreachable(UnreachableFlyweight.STALE_INCARNATION, 0, 100);
        flows.workFor(ROUND_TRIP_NS);
        // then
        final String restarted = ":" + PmStatus.PEER_RESTARTED;
        assertEquals(List.of("1" + restarted, "2" + restarted), flows.done);
        assertEquals(List.of("1" + restarted), flows.peerStatus);
        assertEquals(1, flows.loop.counters().value(CounterType.FLOW_PEER_RESTARTED_EVENTS));
        assertEquals(0, flows.loop.framesInUse());
    }

    @Test
    void shouldProbeAPeerThatIsReportedGone() {
        // given
        flows.open(8);
        flows.submit(1, 1_000);
        flows.work(0);
        // when
        flows.unreachable(UnreachableFlyweight.NO_SUCH_CONTEXT, 0, 0);
        flows.work(0);
        // then
        assertEquals(1, flows.sent(FrameType.PROBE).size());
        // when: the probe is denied, too
        flows.unreachable(UnreachableFlyweight.NO_SUCH_CONTEXT, 0, 0);
        flows.work(0);
        assertEquals(List.of(), flows.done);
        flows.workFor(ROUND_TRIP_NS);
        // then
        assertEquals(List.of("1:" + PmStatus.NO_SUCH_CONTEXT), flows.done);
        assertEquals(1, flows.loop.counters().value(CounterType.FLOW_NO_SUCH_CONTEXT_EVENTS));
    }

    @Test
    void shouldNotEndAFlowThatIsAcknowledgedMeanwhile() {
        // given
        flows.open(64);
        final long refused =
                flows.routes().counters().value(CounterType.FLOW_REFUSED_ANSWERS_FRAMES);
        for (int i = 0; i < 39; i++) {
            flows.submit(i, 1_000);
            flows.work(0);
            // when: everything that was sent is denied, and the peer has it all the same
            flows.unreachable(UnreachableFlyweight.NO_SUCH_CONTEXT, 0, 0);
            flows.work(0);
            flows.unreachable(UnreachableFlyweight.NO_SUCH_CONTEXT, 0, 0);
            flows.unreachable(UnreachableFlyweight.STALE_INCARNATION, 0, 100);
            flows.ack(FIRST + i + 2, 64);
            flows.workFor(ROUND_TRIP_NS);
        }
        // then
        assertEquals(39, flows.done.size());
        assertTrue(flows.done.stream().allMatch(done -> done.endsWith(":0")), flows.done::toString);
        assertEquals(0, flows.loop.counters().value(CounterType.FLOW_NO_SUCH_CONTEXT_EVENTS));
        assertEquals(0, flows.loop.counters().value(CounterType.FLOW_PEER_RESTARTED_EVENTS));
        assertTrue(
                flows.routes().counters().value(CounterType.FLOW_REFUSED_ANSWERS_FRAMES) - refused
                        >= 39);
    }

    @Test
    void shouldForgetWhatIsNotReportedAgain() {
        // given
        flows.open(8);
        flows.submit(1, 1_000);
        flows.work(0);
        // when
        flows.unreachable(UnreachableFlyweight.NO_SUCH_CONTEXT, 0, 0);
        flows.workFor(20 * ROUND_TRIP_NS);
        // then
        assertEquals(List.of(), flows.done);
    }

    @Test
    void shouldIgnoreADenialOfAFrameThatWasNeverSent() {
        // given
        flows.open(8);
        flows.submit(1, 1_000);
        flows.work(0);
        final int[] ofFrame = {
            // the type of the frame, the incarnation that it is for, its sequence
            FrameHeaderFlyweight.WINDOW_OFFSET + 1,
            FrameHeaderFlyweight.ACKNOWLEDGEMENT_OFFSET,
            FrameHeaderFlyweight.SEQUENCE_OFFSET,
        };
        final int[] ofFlow = {
            FrameHeaderFlyweight.DESTINATION_INCARNATION_OFFSET,
            FrameHeaderFlyweight.SOURCE_CONTEXT_OFFSET,
            FrameHeaderFlyweight.DESTINATION_CONTEXT_OFFSET,
            FrameHeaderFlyweight.EPOCH_OFFSET,
        };
        final long stale = flows.loop.counters().value(CounterType.FLOW_STALE_FRAMES);
        final long unknown = flows.loop.counters().value(CounterType.FLOW_UNKNOWN_CONTEXT_FRAMES);
        final long refused =
                flows.routes().counters().value(CounterType.FLOW_REFUSED_ANSWERS_FRAMES);
        // when
        for (final int flaw : ofFrame) {
            flows.unreachableWithAFlaw(UnreachableFlyweight.NO_SUCH_CONTEXT, flaw);
        }
        for (final int flaw : ofFlow) {
            flows.unreachableWithAFlaw(UnreachableFlyweight.NO_SUCH_CONTEXT, flaw);
        }
        flows.work(0);
        // then
        assertEquals(0, flows.sent(FrameType.PROBE).size());
        assertEquals(
                ofFrame.length,
                flows.routes().counters().value(CounterType.FLOW_REFUSED_ANSWERS_FRAMES) - refused);
        assertEquals(
                ofFlow.length,
                flows.loop.counters().value(CounterType.FLOW_STALE_FRAMES)
                        - stale
                        + flows.loop.counters().value(CounterType.FLOW_UNKNOWN_CONTEXT_FRAMES)
                        - unknown);
    }

    @Test
    void shouldEndTheFlowWhenThePeersContextIsNotOpen() {
        // given
        flows.submit(1, 8);
        flows.work(0);
        // when
        flows.unreachable(UnreachableFlyweight.NO_SUCH_CONTEXT, 0, 0);
        flows.work(0);
        // then
        assertEquals(List.of("1:" + PmStatus.NO_SUCH_CONTEXT), flows.done);
    }

    @Test
    void shouldAskAgainUntilThePeersContextIsOpen() {
        try (FlowFixture patient = new FlowFixture(FlowFixture.setup(), 20_000 * MILLISECOND)) {
            // given nobody there for longer than a silent peer would be given
            patient.submit(1, 8);
            patient.work(0);
            int asked = answerNobodyIsThere(patient, 10_000 * MILLISECOND);
            assertEquals(List.of(), patient.done);
            assertTrue(asked > 100 && asked < 400, "asked " + asked);
            // when
            final int first = patient.sent(FrameType.OPEN).getFirst().epoch;
            patient.workFor(60 * MILLISECOND);
            patient.accept(FlowFixture.PEER, 8);
            patient.unreachable(UnreachableFlyweight.NO_SUCH_CONTEXT, first, 0);
            patient.work(0);
            // then
            assertEquals(List.of(0), patient.sequences());
            assertEquals(List.of(), patient.done);
            assertEquals(List.of(), patient.peerStatus);
        }
    }

    @Test
    void shouldEndTheFlowWhenNobodyOpensThePeersContextInTime() {
        try (FlowFixture patient = new FlowFixture(FlowFixture.setup(), 2_000 * MILLISECOND)) {
            // given
            patient.submit(1, 8);
            patient.work(0);
            // when
            answerNobodyIsThere(patient, 1_900 * MILLISECOND);
            assertEquals(List.of(), patient.done);
            answerNobodyIsThere(patient, 200 * MILLISECOND);
            // then
            assertEquals(List.of("1:" + PmStatus.NO_SUCH_CONTEXT), patient.done);
            assertEquals(List.of("1:" + PmStatus.NO_SUCH_CONTEXT), patient.peerStatus);
        }
    }

    /** Answers every OPEN for a while; how many there were. */
    private static int answerNobodyIsThere(final FlowFixture flows, final long timeNs) {
        final int before = flows.sent(FrameType.OPEN).size();
        final long endNs = flows.nowNs + timeNs;
        int answered = before - 1;
        while (flows.nowNs - endNs < 0) {
            final int opens = flows.sent(FrameType.OPEN).size();
            if (opens > answered) {
                answered = opens;
                flows.unreachable(
                        UnreachableFlyweight.NO_SUCH_CONTEXT, flows.last(FrameType.OPEN).epoch, 0);
            }
            flows.workFor(MILLISECOND);
        }
        return answered - before;
    }

    @Test
    void shouldNotTakeARelaysWordForASignOfLife() {
        // given
        flows.open(8);
        flows.submit(1, 1_000);
        // when
        for (int i = 0; i < 60; i++) {
            flows.workFor(100 * MILLISECOND);
            flows.unreachable(UnreachableFlyweight.NO_ROUTE, 0, 0);
        }
        // then
        assertEquals(List.of("1:" + PmStatus.PEER_UNREACHABLE), flows.done);
    }

    @Test
    void shouldNoticeWithinASecondThatThereIsNoWayToAPeerThatTakesNothing() {
        // given: a window that has been shut for so long that its probes, all answered, are rare
        flows.open(0);
        flows.submit(1, 1_000);
        flows.work(0);
        int probes = 0;
        for (int i = 0; i < 5_000; i++) {
            flows.workFor(MILLISECOND);
            final int sent = flows.sent(FrameType.PROBE).size();
            if (sent > probes) {
                flows.ack(FIRST + 1, 0);
            }
            probes = sent;
        }
        assertTrue(probes < 30, "probes " + probes);
        assertEquals(List.of(), flows.done);
        // when: the last one was answered just now
        while (flows.sent(FrameType.PROBE).size() == probes) {
            flows.workFor(MILLISECOND);
        }
        flows.ack(FIRST + 1, 0);
        flows.work(0);
        flows.nextLink = FlowOutput.NO_ROUTE;
        flows.loop.onLinkFailed(0, 0, 1);
        flows.workFor(810 * MILLISECOND);
        // then
        assertEquals(List.of("1:" + PmStatus.PEER_UNREACHABLE), flows.done);
    }

    @Test
    void shouldIgnoreWhatBelongsToAnEarlierEpochOrWasNeverSent() {
        // given
        flows.open(8);
        flows.submit(1, 1_000);
        flows.work(0);
        // when
        flows.ack(FIRST + 3, 8);
        flows.ack(FIRST + 2, 8, 1, new int[0]);
        flows.unreachable(UnreachableFlyweight.NO_SUCH_CONTEXT, 0xFFFF, 0);
        flows.workFor(ROUND_TRIP_NS);
        // then
        assertEquals(List.of(), flows.done);
        assertEquals(1, flows.loop.counters().value(CounterType.FLOW_OUTSIDE_WINDOW_FRAMES));
        assertEquals(2, flows.loop.counters().value(CounterType.FLOW_STALE_FRAMES));
    }

    @Test
    void shouldEndAFlowThatThePeerHasNoRoomFor() {
        // given
        flows.submit(0, 8);
        flows.work(0);
        final FlowFixture.Sent open = flows.last(FrameType.OPEN);
        // when
        flows.unreachable(UnreachableFlyweight.NO_FLOWS, open.epoch, FlowFixture.PEER_INCARNATION);
        flows.work(10_000);
        // then
        assertEquals(List.of("0:" + PmStatus.PEER_FULL), flows.done);
        assertEquals(List.of("1:" + PmStatus.PEER_FULL), flows.peerStatus);
    }
}
