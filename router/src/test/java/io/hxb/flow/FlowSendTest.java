package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.UnreachableFlyweight;
import io.hxb.pm.PmStatus;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

/** The sending end, one rule a test; sequences are counted from the first. */
@Tag("unit")
class FlowSendTest {
    // More than the first time-out of a flow.
    private static final long ROUND_TRIP_NS = 50_000_000L;
    private static final long MILLISECOND = FlowFixture.MILLISECOND;
    private static final int FIRST = FlowFixture.FIRST;
    @AutoClose private final FlowFixture flows = new FlowFixture();

    @Test
    void shouldAskForTheIncarnationBeforeTheFirstData() {
        // given
        flows.submit(7, 100);
        flows.work(0);
        assertEquals(1, flows.sent.size());
        // when
        flows.accept(FlowFixture.PEER, 8);
        flows.work(1_000);
        // then
        assertEquals(List.of(0), flows.sequences());
        assertEquals(flows.payloadAddress(), flows.last(FrameType.DATA).payloadAddress);
    }

    @Test
    void shouldRefuseWhatCanNeverBeSent() {
        assertEquals(PmStatus.TOO_LONG, flows.submit(0, 1_500 - 71));
        assertEquals(PmStatus.OK, flows.submit(0, 1_500 - 72));
        assertEquals(PmStatus.PEER_UNREACHABLE, flows.submit(1, 8, 16));
        assertEquals(PmStatus.CONTEXT_CLOSED, flows.loop.submit(4, 0, 1, 0, 0, 0, 0));
    }

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
    void shouldSendAgainAtOnceWhatTookALinkThatFailed() {
        // given
        flows.open(64);
        for (int slot = 0; slot < 60; slot++) {
            flows.nextLink = slot % 2;
            flows.submit(slot, 1_000);
            flows.work(0);
        }
        assertEquals(0, flows.loop.onLinkFailed(1, 0, 2), "another neighbour");
        assertEquals(0, flows.loop.onLinkFailed(2, 0, 1), "another link");
        // when
        flows.nextLink = 0;
        final int frames = flows.loop.onLinkFailed(1, 0, 1);
        flows.work(0);
        // then
        assertEquals(30, frames);
        final List<Integer> again = flows.sequences().subList(60, 90);
        assertTrue(again.stream().allMatch(sequence -> sequence % 2 == 0), () -> "" + again);
        assertEquals(30, again.stream().distinct().count());
        assertTrue(flows.last(FrameType.DATA).has(FrameHeaderFlyweight.FLAG_AGAIN));
        assertEquals(0, flows.loop.onLinkFailed(1, 0, 1), "nothing took it since");
    }

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
    void shouldSendNoMoreThanTheReceiverTakes() {
        // given
        flows.open(3);
        for (int slot = 0; slot < 5; slot++) {
            flows.submit(slot, 1_000);
        }
        flows.work(0);
        assertEquals(List.of(1, 2, 3), flows.sequences());
        assertTrue(flows.last(FrameType.DATA).has(FrameHeaderFlyweight.FLAG_ACK_NOW));
        assertEquals(1, flows.loop.counters().windowStalls);
        // when
        flows.ack(FIRST + 2, 3);
        flows.work(1_000);
        // then
        assertEquals(List.of(1, 2, 3, 4), flows.sequences());
    }

    @Test
    void shouldLetOthersGoOnWhenOneDestinationTakesNothing() {
        // given
        flows.open(0);
        flows.submit(1, 1_000);
        flows.submit(2, 1_000, 2);
        flows.work(0);
        // when
        flows.accept(2, 4);
        flows.work(1_000);
        // then
        assertEquals(2, flows.last(FrameType.DATA).node);
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
    void shouldBeDoneWithWhatWasAcknowledgedSelectively() {
        // given
        flows.open(8);
        for (int slot = 0; slot < 4; slot++) {
            flows.submit(slot, 1_000);
        }
        flows.work(0);
        // when
        flows.ack(FIRST + 1, 8, 1, 3);
        flows.work(0);
        // then
        assertEquals(List.of("1:0", "3:0"), flows.done);
    }

    @Test
    void shouldNotBeDoneWhileALinkStillReadsTheMessage() {
        // given
        flows.open(8);
        flows.isLinkSlow = true;
        flows.submit(4, 1_000);
        flows.work(0);
        flows.ack(FIRST + 2, 8);
        flows.work(0);
        assertEquals(List.of(), flows.done);
        assertEquals(1, flows.loop.queuedFrames(FlowFixture.CONTEXT));
        // when
        flows.releaseLink();
        // then
        assertEquals(List.of("4:0"), flows.done);
        assertEquals(0, flows.loop.queuedFrames(FlowFixture.CONTEXT));
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
    void shouldNotSendAWholeWindowAgainAtOnce() {
        // given
        flows.open(100);
        flows.sendOn(1, 64);
        // when
        flows.work(3 * MILLISECOND);
        // then: one frame asks what has arrived
        assertEquals(1, flows.loop.counters().framesResent);
        // when
        flows.work(6 * MILLISECOND);
        // then: no answer
        assertEquals(17, flows.loop.counters().framesResent);
    }

    @Test
    void shouldSendTheRestAgainWhenOnlyACopyIsAnsweredHoweverSoon() {
        // given: round trips measured in queues that are lost now, with all that was in them
        flows.peer = FlowFixture.DISTANT_PEER;
        flows.open(100);
        for (int slot = 1; slot <= 16; slot++) {
            flows.sendOn(0, 1);
            flows.work(1_500_000);
            flows.ack(FIRST + 1 + slot, 100);
            flows.work(0);
        }
        flows.sendOn(0, 64);
        while (flows.loop.counters().framesResent == 0) {
            flows.workFor(100_000);
        }
        flows.work(200_000);
        assertEquals(1, flows.loop.counters().framesResent);
        // when
        flows.ack(FIRST + 18, 100);
        flows.workFor(10 * MILLISECOND);
        // then
        final List<Integer> again = flows.sequences().subList(80, flows.sequences().size());
        assertEquals(64, again.stream().distinct().count());
    }

    @Test
    void shouldNotMeasureRoundTripsOfFramesSentTwice() {
        // given
        flows.open(100);
        final long samples = flows.loop.counters().rttSamples;
        flows.submit(0, 1_000);
        flows.work(0);
        flows.workFor(3 * MILLISECOND);
        // when
        flows.ack(FIRST + 2, 100);
        flows.work(0);
        // then
        assertEquals(List.of("0:0"), flows.done);
        assertEquals(samples, flows.loop.counters().rttSamples);
    }

    @Test
    void shouldGoOnWhenBlockedLinksAreWritableAgain() {
        // given
        flows.open(8);
        flows.isBlocked = true;
        flows.submit(0, 1_000);
        flows.submit(1, 1_000);
        flows.work(0);
        flows.isBlocked = false;
        // when
        flows.loop.onLinkWritable();
        assertEquals(flows.nowNs, flows.loop.nextDeadlineNs(flows.nowNs));
        flows.work(0);
        // then
        assertEquals(List.of(1, 2), flows.sequences());
        assertFalse(flows.last(FrameType.DATA).has(FrameHeaderFlyweight.FLAG_AGAIN));
        assertEquals(0, flows.loop.counters().framesResent);
    }

    @Test
    void shouldAskAReceiverWithoutWindowForEverAsLongAsItAnswers() {
        // given
        flows.open(0);
        flows.submit(1, 1_000);
        // when
        for (int i = 0; i < 60; i++) {
            flows.workFor(1_000 * MILLISECOND);
            flows.ack(FIRST + 1, 0);
        }
        // then: two a second in the end
        final int probes = flows.sent(FrameType.PROBE).size();
        assertTrue(probes >= 100 && probes <= 150, "probes " + probes);
        assertEquals(List.of(), flows.done);
        flows.ack(FIRST + 1, 4);
        flows.work(0);
        assertEquals(List.of(1), flows.sequences());
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
        assertEquals(1, flows.loop.counters().peerRestarted);
        assertEquals(0, flows.loop.framesInUse());
    }

    @Test
    void shouldAskAPeerThatIsSaidToBeGone() {
        // given
        flows.open(8);
        flows.submit(1, 1_000);
        flows.work(0);
        // when
        flows.unreachable(UnreachableFlyweight.NO_SUCH_CONTEXT, 0, 0);
        flows.work(0);
        // then
        assertEquals(1, flows.sent(FrameType.PROBE).size());
        // when: the question is denied, too
        flows.unreachable(UnreachableFlyweight.NO_SUCH_CONTEXT, 0, 0);
        flows.work(0);
        assertEquals(List.of(), flows.done);
        flows.workFor(ROUND_TRIP_NS);
        // then
        assertEquals(List.of("1:" + PmStatus.NO_SUCH_CONTEXT), flows.done);
        assertEquals(1, flows.loop.counters().peerContextGone);
    }

    @Test
    void shouldNotEndAFlowThatIsAcknowledgedMeanwhile() {
        // given
        flows.open(64);
        final long refused = flows.routes().counters().refusedAnswers();
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
        assertEquals(0, flows.loop.counters().peerContextGone);
        assertEquals(0, flows.loop.counters().peerRestarted);
        assertTrue(flows.routes().counters().refusedAnswers() - refused >= 39);
    }

    @Test
    void shouldForgetWhatNobodySaysAgain() {
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
    void shouldNotBelieveADenialOfAFrameThatWasNeverSent() {
        // given
        flows.open(8);
        flows.submit(1, 1_000);
        flows.work(0);
        final int[] flaws = {
            FrameHeaderFlyweight.TYPE_OFFSET,
            FrameHeaderFlyweight.SOURCE_INCARNATION_OFFSET,
            FrameHeaderFlyweight.SOURCE_OFFSET,
            FrameHeaderFlyweight.DESTINATION_OFFSET,
            FrameHeaderFlyweight.DESTINATION_INCARNATION_OFFSET,
            FrameHeaderFlyweight.SOURCE_CONTEXT_OFFSET,
            FrameHeaderFlyweight.DESTINATION_CONTEXT_OFFSET,
            FrameHeaderFlyweight.SEQUENCE_OFFSET,
            FrameHeaderFlyweight.EPOCH_OFFSET,
        };
        final long refused = flows.routes().counters().refusedAnswers();
        // when
        for (final int flaw : flaws) {
            flows.unreachableWithAFlaw(UnreachableFlyweight.NO_SUCH_CONTEXT, flaw);
        }
        flows.work(0);
        // then
        assertEquals(0, flows.sent(FrameType.PROBE).size());
        assertEquals(flaws.length, flows.routes().counters().refusedAnswers() - refused);
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
        assertEquals(1, flows.loop.counters().outOfWindow);
        assertEquals(2, flows.loop.counters().staleIncarnation);
    }

    @Test
    void shouldGiveWindowBackThatItDoesNotUseWhenAsked() {
        // given
        flows.open(8);
        // when
        flows.ack(FIRST + 1, 0);
        flows.work(0);
        // then
        assertEquals(0, flows.last(FrameType.PROBE).windowFrames);
        assertEquals(FIRST + 1, flows.last(FrameType.PROBE).sequence);
        flows.submit(1, 1_000);
        flows.workFor(3_000);
        assertEquals(1, flows.last(FrameType.PROBE).windowFrames, "asks at once for window");
        assertEquals(List.of(), flows.sequences());
    }

    @Test
    void shouldForgetWhatAClosedContextSent() {
        // given
        flows.open(1);
        flows.submit(1, 1_000);
        flows.submit(2, 1_000);
        flows.work(0);
        // when
        flows.table.closeContext(FlowFixture.CONTEXT);
        flows.workFor(10_000 * MILLISECOND);
        // then
        assertEquals(List.of(), flows.done);
        assertEquals(List.of(), flows.peerStatus);
        assertEquals(0, flows.loop.framesInUse());
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
