package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.config.FlowConfig;
import io.hxb.frame.EndedFlyweight;
import io.hxb.frame.FrameType;
import io.hxb.frame.UnreachableFlyweight;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What sources learn when a context that they send to closes, and when another one takes its
 * number.
 */
@Tag("unit")
class FlowContextCloseTest {
    private static final int FIRST = FlowFixture.FIRST;
    private static final int PEER = FlowFixture.PEER;
    @AutoClose private final FlowFixture flows = new FlowFixture();

    @Test
    void shouldAcknowledgeWhatWasReleasedBeforeTheContextCloses() {
        // given
        flows.openFrom(PEER);
        flows.data(PEER, FIRST);
        flows.data(PEER, FIRST + 1);
        flows.work(0);
        assertEquals(0, flows.sent(FrameType.ACK).size());
        flows.delivered.forEach(flows::release);
        // when
        flows.loop.closeContext(FlowFixture.CONTEXT);
        // then
        assertEquals(FIRST + 2, flows.last(FrameType.ACK).acknowledgement);
        flows.workFor(FlowConfig.DEFAULT.peerTimeoutNs());
        assertEquals(0, flows.sent(FrameType.ENDED).size());
    }

    @Test
    void shouldReportToSourcesWhatWasNotReleasedWhenTheContextCloses() {
        // given
        flows.openFrom(PEER);
        for (int i = 0; i < 4; i++) {
            flows.data(PEER, FIRST + i);
        }
        flows.data(PEER, FIRST + 6);
        flows.work(0);
        flows.release(flows.delivered.get(0));
        flows.release(flows.delivered.get(2));
        final FlowFixture.Delivery held = flows.delivered.get(1);
        flows.loop.abandoned(held.handle, FIRST + 1, 1);
        flows.release(held);
        final FlowFixture.Delivery last = flows.delivered.get(3);
        flows.loop.abandoned(last.handle, FIRST + 3, EndedFlyweight.ALL_MESSAGES);
        flows.release(last);
        // when
        flows.loop.closeContext(FlowFixture.CONTEXT);
        flows.work(0);
        // then
        final EndedFlyweight ended = flows.last(FrameType.ENDED).ended();
        assertEquals(FIRST + 7, ended.seenTo());
        assertTrue(ended.hasLost() && !ended.isOpenAgain());
        assertEquals(2, ended.runs());
        assertEquals(FIRST + 1, ended.runFirst(0));
        assertEquals(1, ended.runMessagesLeft(0));
        assertEquals(FIRST + 3, ended.runFirst(1));
        assertEquals(4, ended.runFrames(1));
        // when: nobody asks
        flows.workFor(2 * FlowConfig.DEFAULT.peerTimeoutNs());
        // then
        assertEquals(10, flows.sent(FrameType.ENDED).size());
    }

    @Test
    void shouldAnswerLateFramesWithWhatWasReleased() {
        // given
        flows.openFrom(PEER);
        flows.data(PEER, FIRST);
        flows.work(0);
        flows.release(flows.delivered.getFirst());
        flows.loop.closeContext(FlowFixture.CONTEXT);
        // when
        flows.data(PEER, FIRST);
        // then
        final EndedFlyweight ended = flows.last(FrameType.ENDED).ended();
        assertEquals(FrameType.DATA, ended.answeredType());
        assertEquals(FIRST + 1, ended.seenTo());
        assertEquals(0, ended.runs());
        assertFalse(ended.hasLost() || ended.isOpenAgain());
        // when: the context is open again, and the same frame comes again
        flows.openContextAgain(FlowFixture.INCARNATION + 1);
        flows.data(PEER, FIRST + 1);
        // then
        assertTrue(flows.last(FrameType.ENDED).ended().isOpenAgain());
        // when: the time is over
        flows.work(FlowConfig.DEFAULT.idleTimeoutNs() + 3 * FlowConfig.DEFAULT.peerTimeoutNs());
        flows.sent.clear();
        flows.data(PEER, FIRST + 1);
        // then
        assertEquals(
                UnreachableFlyweight.STALE_INCARNATION, flows.last(FrameType.UNREACHABLE).reason);
        assertEquals(0, flows.table.tombstones().count());
    }

    @Test
    void shouldRememberNoMoreClosedContextsThanItMayHaveFlows() {
        // given
        int incarnation = FlowFixture.INCARNATION;
        for (int i = 0; i < 100; i++) {
            flows.openFrom(PEER);
            flows.data(
                    PEER,
                    flows.last(FrameType.ACCEPT).acknowledgement,
                    0,
                    FlowFixture.PEER_INCARNATION,
                    incarnation);
            flows.work(0);
            // when
            flows.loop.closeContext(FlowFixture.CONTEXT);
            flows.openContextAgain(++incarnation);
        }
        // then
        assertEquals(32, flows.table.tombstones().count());
    }

    @Test
    void shouldNotifySourcesThatNobodyIsThereOrThatItIsAnother() {
        // given
        flows.openFrom(PEER);
        // when
        flows.data(PEER, FIRST, 0, FlowFixture.PEER_INCARNATION, 1);
        assertEquals(
                UnreachableFlyweight.STALE_INCARNATION, flows.last(FrameType.UNREACHABLE).reason);
        flows.loop.closeContext(FlowFixture.CONTEXT);
        flows.data(PEER, FIRST);
        // then
        assertEquals(
                UnreachableFlyweight.NO_SUCH_CONTEXT, flows.last(FrameType.UNREACHABLE).reason);
        assertEquals(0, flows.pool.outstanding());
    }

    @Test
    void shouldGiveBuffersBackThatWaitAfterAGapWhenTheContextCloses() {
        // given
        flows.openFrom(PEER);
        flows.data(PEER, FIRST + 3);
        flows.data(PEER, FIRST + 4);
        flows.work(0);
        assertEquals(2, flows.pool.outstanding());
        // when
        flows.loop.closeContext(FlowFixture.CONTEXT);
        // then
        assertEquals(0, flows.pool.outstanding());
    }
}
