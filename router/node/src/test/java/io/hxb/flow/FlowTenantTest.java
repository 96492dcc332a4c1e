package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.counter.CounterType;
import io.hxb.frame.FrameType;
import io.hxb.frame.UnreachableFlyweight;
import io.hxb.pm.PmStatus;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** Flows between contexts of tenants that may talk with each other, and of others. */
@Tag("unit")
class FlowTenantTest {
    private static final int OWN = 0x1234_5678;
    private static final int FRIEND = -2;
    private static final int STRANGER = 99;

    private final List<String> refused = new ArrayList<>();
    private final FlowFixture flows = new FlowFixture(FlowFixture.setup(), 0, new Rights());

    @AfterEach
    void close() {
        flows.close();
    }

    /** A context of {@link #OWN}, which talks with {@link #FRIEND} only. */
    private final class Rights extends UnlimitedRights {
        @Override
        public void onCreditLimited() {}

        @Override
        public int tenant() {
            return OWN;
        }

        @Override
        public boolean mayReceiveFrom(
                final int peerTenant, final int peerNode, final int peerContext) {
            if (peerTenant != FRIEND) {
                refused.add("from " + peerTenant + " at " + peerNode + ":" + peerContext);
            }
            return peerTenant == FRIEND;
        }

        @Override
        public boolean maySendTo(final int peerTenant, final int peerNode, final int peerContext) {
            if (peerTenant != FRIEND) {
                refused.add("to " + peerTenant + " at " + peerNode + ":" + peerContext);
            }
            return peerTenant == FRIEND;
        }
    }

    @Test
    void shouldReportToThePeerWhoseContextItIs() {
        // when
        flows.submit(0, 8);
        flows.work(0);
        // then
        assertEquals(OWN, flows.last(FrameType.OPEN).acknowledgement);
        // when
        flows.receiveOpenOf(FRIEND);
        flows.work(0);
        // then
        assertEquals(OWN, flows.last(FrameType.ACCEPT).sequence);
        assertEquals(List.of(), refused);
    }

    @Test
    void shouldRefuseAFlowFromAStrangerBeforeItHasAnyState() {
        // when
        flows.receiveOpenOf(STRANGER);
        flows.work(0);
        // then
        final FlowFixture.Sent answer = flows.last(FrameType.UNREACHABLE);
        assertEquals(UnreachableFlyweight.NOT_ALLOWED, answer.reason);
        assertEquals(0, flows.table.receivingFlows());
        assertEquals(1, flows.loop.counters().value(CounterType.FLOW_NOT_ALLOWED_EVENTS));
        assertEquals(
                List.of(
                        "from "
                                + STRANGER
                                + " at "
                                + FlowFixture.PEER
                                + ":"
                                + FlowFixture.PEER_CONTEXT),
                refused);
        // and what it sends without leave is not delivered
        flows.data(FlowFixture.PEER, FlowFixture.FIRST);
        flows.work(0);
        assertEquals(List.of(), flows.delivered);
    }

    @Test
    void shouldNotSendToAStrangerThatAccepts() {
        // given
        flows.submit(0, 8);
        flows.work(0);
        // when
        flows.accept(FlowFixture.PEER, 64, STRANGER);
        flows.work(10_000);
        // then
        assertTrue(flows.sent.stream().noneMatch(frame -> frame.type == FrameType.DATA));
        assertEquals(List.of("0:" + PmStatus.NOT_ALLOWED), flows.done);
        assertEquals(List.of("1:" + PmStatus.NOT_ALLOWED), flows.peerStatus);
        assertEquals(1, refused.size());
    }

    @Test
    void shouldSendToAFriendThatAccepts() {
        flows.submit(0, 8);
        flows.work(0);
        flows.accept(FlowFixture.PEER, 64, FRIEND);
        flows.work(10_000);
        assertTrue(flows.sent.stream().anyMatch(frame -> frame.type == FrameType.DATA));
        assertEquals(List.of(), refused);
    }

    @Test
    void shouldEndAFlowThatThePeerRefuses() {
        // given
        flows.submit(0, 8);
        flows.work(0);
        final FlowFixture.Sent open = flows.last(FrameType.OPEN);
        // when
        flows.unreachable(
                UnreachableFlyweight.NOT_ALLOWED, open.epoch, FlowFixture.PEER_INCARNATION);
        flows.work(10_000);
        // then
        assertEquals(List.of("0:" + PmStatus.NOT_ALLOWED), flows.done);
        assertEquals(List.of("1:" + PmStatus.NOT_ALLOWED), flows.peerStatus);
    }
}
