package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterType;
import io.hxb.counter.TimeBuckets;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.pm.PmStatus;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

/** What the sending end sends when, one rule a test; sequences are counted from the first. */
@Tag("unit")
class FlowSendTest {
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
    void shouldSendNoMoreThanTheReceiverTakes() {
        // given
        flows.open(3);
        for (int slot = 0; slot < 5; slot++) {
            flows.submit(slot, 1_000);
        }
        flows.work(0);
        assertEquals(List.of(1, 2, 3), flows.sequences());
        assertTrue(flows.last(FrameType.DATA).has(FrameHeaderFlyweight.FLAG_ACK_NOW));
        assertEquals(1, flows.loop.counters().value(CounterType.FLOW_WINDOW_STALLS_EVENTS));
        // when
        flows.ack(FIRST + 2, 3);
        flows.work(1_000);
        // then
        assertEquals(List.of(1, 2, 3, 4), flows.sequences());
    }

    @Test
    void shouldMeasureHowLongOneMessageInSixteenWaits() {
        // given: the 16th message waits for the window, after 14 others, since the turn that took
        // it
        flows.open(4);
        for (int slot = 0; slot < 15; slot++) {
            flows.submit(slot, 1_000);
        }
        flows.work(3 * MILLISECOND);
        final int bucket = TimeBuckets.of(MILLISECOND);
        // when: others leave, and nothing for a millisecond
        flows.work(MILLISECOND);
        assertEquals(0, flows.loop.counters().value(CounterType.FLOW_QUEUE_WAIT_NS));
        flows.ack(FIRST + 4, 32);
        flows.work(0);
        // then
        assertEquals(16, flows.loop.counters().value(CounterType.FLOW_SENT_MESSAGES));
        assertEquals(MILLISECOND, flows.loop.counters().value(CounterType.FLOW_QUEUE_WAIT_NS));
        assertEquals(1, flows.loop.counters().value(CounterType.FLOW_QUEUE_WAIT_EVENTS, bucket));
    }

    @Test
    void shouldForgetTheMessageThatWasMeasuredWhenItIsGivenUp() {
        final SendBacklog backlog = new SendBacklog(null);
        backlog.add(3, 100);
        assertTrue(backlog.watchLast(5));
        assertFalse(backlog.watchLast(6), "one at a time");
        backlog.takeMessages();
        assertEquals(SendBacklog.NOT_MEASURED, backlog.onLeft(1, 9));
        backlog.add(4, 100);
        assertTrue(backlog.watchLast(10));
        assertEquals(7, backlog.onLeft(1, 17));
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
    void shouldNotSendAWholeWindowAgainAtOnce() {
        // given
        flows.open(100);
        flows.sendOn(1, 64);
        // when
        flows.work(3 * MILLISECOND);
        // then: one frame asks what has arrived
        assertEquals(1, flows.loop.counters().value(CounterType.FLOW_RESENT_FRAMES));
        // when
        flows.work(6 * MILLISECOND);
        // then: no answer
        assertEquals(17, flows.loop.counters().value(CounterType.FLOW_RESENT_FRAMES));
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
        while (flows.loop.counters().value(CounterType.FLOW_RESENT_FRAMES) == 0) {
            flows.workFor(100_000);
        }
        flows.work(200_000);
        assertEquals(1, flows.loop.counters().value(CounterType.FLOW_RESENT_FRAMES));
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
        final long samples = flows.loop.counters().value(CounterType.FLOW_RTT_SAMPLES);
        flows.submit(0, 1_000);
        flows.work(0);
        flows.workFor(3 * MILLISECOND);
        // when
        flows.ack(FIRST + 2, 100);
        flows.work(0);
        // then
        assertEquals(List.of("0:0"), flows.done);
        assertEquals(samples, flows.loop.counters().value(CounterType.FLOW_RTT_SAMPLES));
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
        assertEquals(0, flows.loop.counters().value(CounterType.FLOW_RESENT_FRAMES));
    }

    @Test
    void shouldSendOfSparseFlowsBeforeBulkThatWaitedForLinksLonger() {
        // given
        flows.open(64);
        flows.peer = 2;
        flows.open(64);
        flows.isBlocked = true;
        for (int i = 0; i < 20; i++) {
            flows.submit(i, 1_000, FlowFixture.PEER);
        }
        flows.work(0);
        flows.submit(20, 8, 2);
        flows.work(0);
        flows.isBlocked = false;
        // when
        flows.loop.onLinkWritable();
        flows.work(0);
        // then
        final List<Integer> nodes =
                flows.sent(FrameType.DATA).stream().map(frame -> frame.node).toList();
        assertEquals(21, nodes.size());
        assertEquals(2, nodes.getFirst());
    }

    @Test
    void shouldSendShortPacketsBeforeBulkAlsoIfTheyAreNotTheShortest() {
        // given
        final int shortPackets = ContextKind.end(ContextKind.PACKETS, ContextKind.SHORT_PACKETS);
        flows.open(64);
        flows.loop.openContext(shortPackets, FlowFixture.INCARNATION, ContextTerms.of(64));
        flows.context = shortPackets;
        flows.peer = 2;
        flows.open(64);
        flows.isBlocked = true;
        flows.context = FlowFixture.CONTEXT;
        for (int i = 0; i < 20; i++) {
            flows.submit(i, 1_000, FlowFixture.PEER);
        }
        flows.work(0);
        flows.context = shortPackets;
        for (int i = 0; i < 4; i++) {
            flows.submit(20 + i, 1_000, 2);
        }
        flows.work(0);
        flows.isBlocked = false;
        // when
        flows.loop.onLinkWritable();
        flows.work(0);
        // then
        final List<Integer> nodes =
                flows.sent(FrameType.DATA).stream().map(frame -> frame.node).toList();
        assertEquals(24, nodes.size());
        assertEquals(List.of(2, 2, 2, 2), nodes.subList(0, 4));
    }

    @Test
    void shouldLetManySparseFlowsNotHoldUpBulk() {
        // given: more of them than send before others have a turn
        final int others = 6;
        flows.open(64);
        for (int node = 2; node < 2 + others; node++) {
            flows.peer = node;
            flows.open(64);
        }
        flows.isBlocked = true;
        for (int i = 0; i < 20; i++) {
            flows.submit(i, 1_000, FlowFixture.PEER);
        }
        flows.work(0);
        flows.isBlocked = false;
        // when: each has something again in each turn
        int bulk = 0;
        for (int turn = 0; turn < 5; turn++) {
            for (int node = 2; node < 2 + others; node++) {
                flows.submit(20 + turn * others + node, 8, node);
            }
            flows.work(200_000);
            bulk = (int) flows.sent(FrameType.DATA).stream().filter(f -> f.node == 1).count();
        }
        // then
        assertEquals(20, bulk);
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
        flows.loop.closeContext(FlowFixture.CONTEXT);
        flows.workFor(10_000 * MILLISECOND);
        // then
        assertEquals(List.of(), flows.done);
        assertEquals(List.of(), flows.peerStatus);
        assertEquals(0, flows.loop.framesInUse());
    }
}
