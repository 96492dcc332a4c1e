package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterType;
import io.hxb.frame.FrameType;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.List;

/**
 * How many frames the receiving end lets its sources send, and what it does about those that send
 * more.
 */
@Tag("unit")
class ReceiveWindowTest {
    private static final long MILLISECOND = FlowFixture.MILLISECOND;
    private static final int FIRST = FlowFixture.FIRST;
    private static final int PEER = FlowFixture.PEER;
    @AutoClose private final FlowFixture flows = new FlowFixture();

    @Test
    void shouldShrinkTheWindowToNothingAsTheApplicationHoldsFrames() {
        // given: one source, so it may have the quota of 64
        flows.openFrom(PEER);
        flows.receiveAll(PEER, 0, 64);
        flows.workFor(MILLISECOND);
        assertEquals(0, flows.last(FrameType.ACK).windowFrames);
        final int before = flows.sent(FrameType.ACK).size();
        // when
        flows.release(flows.delivered.getFirst());
        flows.work(0);
        // then
        assertEquals(before + 1, flows.sent(FrameType.ACK).size(), "advertised at once");
        assertEquals(1, flows.last(FrameType.ACK).windowFrames);
    }

    @Test
    void shouldShareTheQuotaBetweenSources() {
        // given: the first source has earned a large window and holds it
        flows.openFrom(PEER);
        flows.receiveAll(PEER, 0, 32);
        flows.delivered.forEach(flows::release);
        flows.work(0);
        // when
        int granted = flows.last(FrameType.ACK).windowFrames;
        for (int node = 2; node < 8; node++) {
            flows.openFrom(node);
            granted += flows.last(FrameType.ACCEPT).windowFrames;
        }
        // then
        assertTrue(granted <= 64, "granted " + granted);
    }

    @Test
    void shouldAskSilentSourcesForWindowThatAnotherNeeds() {
        // given
        for (int node = 1; node < 7; node++) {
            flows.openFrom(node);
            flows.receiveProbe(node, FIRST, 1);
            flows.work(0);
        }
        final List<FlowFixture.Sent> waiting =
                flows.sent(FrameType.ACK).stream().filter(ack -> ack.windowFrames == 0).toList();
        assertTrue(waiting.size() > 0, "nothing left for the last");
        flows.sent.clear();
        // when
        flows.workFor(20 * MILLISECOND);
        final int asked = flows.sent(FrameType.ACK).getFirst().node;
        flows.receiveProbe(asked, FIRST, 0);
        flows.work(0);
        // then
        final List<Integer> served =
                flows.sent(FrameType.ACK).stream()
                        .filter(ack -> ack.windowFrames > 0)
                        .map(ack -> ack.node)
                        .toList();
        assertEquals(waiting.getFirst().node, served.getFirst(), "who has waited longest");
    }

    @Test
    void shouldNotKeepFramesBeyondTheWindow() {
        // given: a source that may send 16 frames
        flows.openFrom(PEER);
        // when: it leaves the first out and ignores the window
        flows.data(PEER, FIRST + 1);
        flows.work(0);
        for (int i = 2; i < 100; i++) {
            flows.data(PEER, FIRST + i);
        }
        flows.work(0);
        // then
        assertEquals(15, flows.pool.outstanding());
        assertEquals(84, flows.loop.counters().value(CounterType.FLOW_OUTSIDE_WINDOW_FRAMES));
        // and nothing is lost for good
        flows.data(PEER, FIRST);
        assertEquals(16, flows.delivered.size());
    }

    @Test
    void shouldNotTakeWindowBackThatIsUsedByFramesThatWait() {
        // given
        flows.openFrom(PEER);
        flows.receiveProbe(PEER, FIRST, 1);
        flows.work(0);
        final int committed = committedFrames();
        for (int i = 1; i < 16; i++) {
            flows.data(PEER, FIRST + i);
        }
        // when: the source reports that it has sent nothing
        flows.receiveProbe(PEER, FIRST, 0);
        flows.work(0);
        // then
        assertEquals(15, flows.pool.outstanding());
        assertEquals(committed, committedFrames());
    }

    private int committedFrames() {
        return flows.table.context(FlowFixture.CONTEXT).credit.committedFrames();
    }

    @Test
    void shouldLendCreditToContextsThatReleaseAndTakeItBackWhenTheyClose() {
        // given: a source that is used
        flows.openFrom(PEER);
        for (int i = 0; i < 20; i++) {
            flows.receiveAll(PEER, 16 * i, 16 * i + 16);
            flows.delivered.forEach(flows::release);
            flows.delivered.clear();
            flows.work(0);
        }
        assertTrue(flows.table.credit().lentFrames() > 0, "it has more than is guaranteed");
        // when
        flows.loop.closeContext(FlowFixture.CONTEXT);
        // then
        assertEquals(0, flows.table.credit().lentFrames());
    }

    @Test
    void shouldCoverCopiesByTheQuotaAlone() {
        // given: a context that takes copies and has room for 64
        flows.loop.closeContext(FlowFixture.CONTEXT);
        flows.loop.openContext(
                FlowFixture.CONTEXT,
                FlowFixture.INCARNATION,
                new ContextTerms(64, true, 0, FlowRights.ALL));
        flows.answer = FlowListener.COPIED;
        flows.openFrom(PEER);
        int next = 0;
        while (next < 200) {
            flows.receiveAll(PEER, next, next + 10);
            next += 10;
            flows.delivered.forEach(frame -> flows.loop.releasedCopy(frame.handle));
            flows.delivered.clear();
            flows.work(0);
        }
        // when: it releases nothing any more
        for (int i = 0; i < 100; i++) {
            flows.data(PEER, FIRST + next + i);
            flows.work(0);
        }
        flows.workFor(MILLISECOND);
        // then
        assertEquals(64, flows.delivered.size());
        assertEquals(0, flows.last(FrameType.ACK).windowFrames);
        assertEquals(0, flows.pool.outstanding(), "copies occupy no buffer of the pool");
        assertTrue(
                flows.table.credit().lentFrames() <= 2,
                "others may have what is free, but for frames that stay borrowed for the next");
        // and when it releases them, it gets more
        flows.delivered.forEach(frame -> flows.loop.releasedCopy(frame.handle));
        flows.workFor(MILLISECOND);
        assertTrue(flows.last(FrameType.ACK).windowFrames >= 32);
        flows.loop.closeContext(FlowFixture.CONTEXT);
        assertEquals(0, flows.table.credit().lentFrames());
    }
}
