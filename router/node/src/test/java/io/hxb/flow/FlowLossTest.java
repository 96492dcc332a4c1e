package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterType;
import io.hxb.frame.FrameHeaderFlyweight;
import io.hxb.frame.FrameType;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Arrays;

/** When the sending end takes a frame for lost that later ones have overtaken. */
@Tag("unit")
class FlowLossTest {
    private static final int FIRST = FlowFixture.FIRST;
    @AutoClose private final FlowFixture flows = new FlowFixture();

    @Test
    void shouldSendAgainWhatSixtyFourLaterFramesHaveOvertaken() {
        // given: a peer that is two hops away
        flows.peer = FlowFixture.DISTANT_PEER;
        flows.open(100);
        flows.sendOn(1, 1);
        flows.sendOn(2, 64);
        final int[] arrived = upTo(64);
        flows.ack(FIRST + 1, 100, Arrays.copyOf(arrived, 63));
        flows.work(1_000);
        assertEquals(0, flows.loop.counters().value(CounterType.FLOW_RESENT_FRAMES));
        // when
        flows.ack(FIRST + 1, 100, arrived);
        flows.work(1_000);
        // then
        assertEquals(1, flows.loop.counters().value(CounterType.FLOW_RESENT_FRAMES));
        assertEquals(FIRST + 1, flows.last(FrameType.DATA).sequence);
        assertTrue(flows.last(FrameType.DATA).has(FrameHeaderFlyweight.FLAG_AGAIN));
    }

    @Test
    void shouldWaitLongerForAFrameOnAnotherLinkToANeighbour() {
        // given: one frame on a link of its own, whose queue may be longer
        flows.open(100);
        flows.sendOn(1, 1);
        flows.work(1_000);
        flows.sendOn(2, 64);
        flows.ack(FIRST + 1, 100, upTo(64));
        flows.work(1_000);
        assertEquals(0, flows.loop.counters().value(CounterType.FLOW_RESENT_FRAMES));
        // when
        flows.workFor(1_500_000);
        // then
        assertEquals(1, flows.loop.counters().value(CounterType.FLOW_RESENT_FRAMES));
        assertEquals(0, flows.loop.counters().value(CounterType.FLOW_TIMEOUTS_EVENTS));
    }

    @Test
    void shouldWidenTheReorderingWindowWhenOvertakenFramesArrive() {
        // given: a frame sent again although it was only slow
        sendSixtyFiveAndTheFirstAgain(0);
        // when, then
        assertEquals(1, resentOfNinety());
    }

    @Test
    void shouldSendAgainSoonerWhatWasOvertakenOnItsOwnLinkToANeighbour() {
        // given
        flows.open(100);
        flows.sendOn(1, 17);
        // when
        flows.ack(FIRST + 1, 100, upTo(16));
        flows.work(1_000);
        // then
        assertEquals(1, flows.loop.counters().value(CounterType.FLOW_RESENT_FRAMES));
    }

    @Test
    void shouldSendAgainWhatALaterFrameOvertookForTooLong() {
        // given
        flows.open(100);
        flows.submit(0, 1_000);
        flows.work(0);
        flows.submit(1, 1_000);
        flows.work(1_000);
        flows.ack(FIRST + 1, 100, 1);
        flows.work(50_000);
        assertEquals(0, flows.loop.counters().value(CounterType.FLOW_RESENT_FRAMES));
        // when: sooner than the timeout of at least 2 ms
        flows.workFor(1_500_000);
        // then
        assertEquals(1, flows.loop.counters().value(CounterType.FLOW_RESENT_FRAMES));
        assertEquals(0, flows.loop.counters().value(CounterType.FLOW_TIMEOUTS_EVENTS));
    }

    @Test
    void shouldWidenTheReorderingWindowWhenAFrameArrivedTwice() {
        // given: a copy whose acknowledgement took long enough for one that was needed
        sendSixtyFiveAndTheFirstAgain(100_000);
        // when
        flows.ackAgain(FIRST + 66, 100, 1);
        flows.work(1_000);
        // then
        assertEquals(1, resentOfNinety());
    }

    @Test
    void shouldStayImpatientWhenTheNetworkDoubledAFrame() {
        // given
        sendSixtyFiveAndTheFirstAgain(100_000);
        // when: neither was sent twice, and the last never
        flows.ackAgain(FIRST + 66, 100, 2);
        flows.ackAgain(FIRST + 66, 100, 66);
        flows.work(1_000);
        // then
        assertEquals(2, resentOfNinety());
    }

    /** The copy of the first is acknowledged after {@code waitNs}. */
    private void sendSixtyFiveAndTheFirstAgain(final long waitNs) {
        flows.peer = FlowFixture.DISTANT_PEER;
        flows.open(100);
        flows.sendOn(1, 65);
        flows.work(1_000);
        flows.ack(FIRST + 1, 100, upTo(64));
        flows.work(1_000);
        assertEquals(1, flows.loop.counters().value(CounterType.FLOW_RESENT_FRAMES));
        flows.work(waitNs);
        flows.ack(FIRST + 66, 100);
        flows.work(1_000);
    }

    private long resentOfNinety() {
        flows.sendOn(1, 90);
        flows.ack(FIRST + 66, 100, upTo(64));
        flows.work(1_000);
        return flows.loop.counters().value(CounterType.FLOW_RESENT_FRAMES);
    }

    private static int[] upTo(final int last) {
        final int[] all = new int[last];
        for (int i = 0; i < last; i++) {
            all[i] = i + 1;
        }
        return all;
    }
}
