package io.hxb.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.pm.attach.ListedFlow;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a pass through the flows of a loop finds. */
@Tag("unit")
class FlowWalkTest {
    private static final int FIRST = FlowFixture.FIRST;
    private static final int ENOUGH = 1_000;

    @AutoClose private final FlowFixture flows = new FlowFixture();

    private FlowWalk walk(final int maxRows) {
        final FlowWalk walk = new FlowWalk(_ -> true, maxRows);
        assertTrue(flows.loop.walk(walk, ENOUGH));
        return walk;
    }

    private ListedFlow only() {
        final List<ListedFlow> rows = walk(ENOUGH).rows();
        assertEquals(1, rows.size(), rows::toString);
        return rows.getFirst();
    }

    @Test
    void shouldListAContextThatHasNoFlow() {
        final ListedFlow row = only();
        assertEquals(ListedFlow.State.CONTEXT, row.state());
        assertEquals(
                new ListedFlow.Ends(0, FlowFixture.CONTEXT, ListedFlow.NO_NODE, 0, 0), row.ends());
        assertEquals(new ListedFlow.Owner(-1, 0, 0), row.owner());
    }

    @Test
    void shouldListWhatAFlowHasSentAndWhatWaits() {
        // given: a flow that waits for its peer
        flows.submit(0, 8);
        flows.work(0);
        assertEquals(ListedFlow.State.OPENING, only().state());
        assertEquals(new ListedFlow.Amount(1, 16), only().sending().waiting());
        // when it is open, three of five messages fit in the window, and go over two links
        flows.accept(FlowFixture.PEER, 4);
        flows.work(10_000);
        flows.ack(FIRST + 1, 3);
        flows.work(100_000);
        for (int slot = 1; slot <= 5; slot++) {
            flows.nextLink = slot == 2 ? 1 : 0;
            flows.submit(slot, 1_000);
            flows.work(0);
        }
        // then
        final ListedFlow row = only();
        assertEquals(
                new ListedFlow.Ends(
                        0, FlowFixture.CONTEXT, FlowFixture.PEER, 0, FlowFixture.PEER_CONTEXT),
                row.ends());
        assertEquals(ListedFlow.State.OPEN, row.state());
        assertEquals(new ListedFlow.Amount(4, 16 + 3 * 1_008), row.sent());
        assertEquals(ListedFlow.Amount.NONE, row.received());
        assertEquals(3, row.sending().inFlightFrames());
        assertEquals(new ListedFlow.Amount(2, 2 * 1_008), row.sending().waiting());
        assertEquals(100_000, row.sending().roundTripNs());
        assertEquals(0, row.sending().resentFrames());
        assertEquals(0b11, row.sending().links());
        assertEquals(List.of(3, 1, 0, 0, 0, 0, 0, 0), row.sending().shares());
        // when a link fails
        flows.nextLink = 0;
        assertEquals(1, flows.loop.onLinkFailed(1, 0, 1));
        flows.work(0);
        // then no message counts twice
        assertEquals(1, only().sending().resentFrames());
        assertEquals(row.sent(), only().sent());
    }

    @Test
    void shouldListBothDirectionsOfAPairTogether() {
        // given
        flows.openFrom(FlowFixture.PEER);
        flows.receiveAll(FlowFixture.PEER, 0, 3);
        assertEquals(ListedFlow.State.RECEIVING, only().state());
        assertEquals(new ListedFlow.Amount(3, 3 * 16), only().received());
        // when
        flows.submit(0, 100);
        flows.work(0);
        // then
        assertEquals(ListedFlow.State.OPENING, only().state());
        assertEquals(new ListedFlow.Amount(3, 3 * 16), only().received());
    }

    @Test
    void shouldKeepTheBusiestOnly() {
        // given: the higher the number of a node, the more is sent to it
        for (int node = 1; node <= 9; node++) {
            flows.peer = node;
            flows.open(8);
            flows.submit(1, 100 * node);
            flows.work(0);
        }
        // when
        final FlowWalk walk = walk(3);
        final List<ListedFlow> rows = walk.rows();
        rows.sort(ListedFlow.BUSIEST_FIRST);
        // then
        assertEquals(9, walk.total());
        assertEquals(List.of(9, 8, 7), rows.stream().map(row -> row.ends().peerNode()).toList());
        // and two passes together have no more
        final FlowWalk both = new FlowWalk(_ -> true, 3);
        both.addAll(walk);
        both.addAll(new FlowWalk(_ -> true, 3));
        assertEquals(9, both.total());
        assertEquals(3, both.rows().size());
    }

    @Test
    void shouldLookAtABoundedNumberInOneTurnAndMissNoneWhenOthersEnd() {
        // given
        for (int node = 1; node <= 9; node++) {
            flows.openFrom(node);
            flows.receiveAll(node, 0, 1);
        }
        final FlowWalk walk = new FlowWalk(_ -> true, ENOUGH);
        assertFalse(flows.loop.walk(walk, 4));
        final int met = walk.rows().size();
        assertTrue(met > 0 && met <= 4, () -> met + " met");
        final int first =
                walk.rows().stream()
                        .map(row -> row.ends().peerNode())
                        .min(Comparator.naturalOrder())
                        .orElseThrow();
        // when one that was not met ends: its peer has started again, and has another flow
        flows.receiveOpen(1, FlowFixture.PEER_INCARNATION + 1, 0);
        flows.data(1, FIRST, 0, FlowFixture.PEER_INCARNATION + 1, FlowFixture.INCARNATION);
        int turns = 1;
        while (!flows.loop.walk(walk, 4)) {
            turns++;
        }
        // then
        assertTrue(first > 1, "node 1 was not met before");
        assertTrue(turns >= 2, "one turn looked at all");
        final Set<Integer> nodes = new HashSet<>();
        walk.rows().forEach(row -> assertTrue(nodes.add(row.ends().peerNode()), row::toString));
        assertTrue(nodes.containsAll(Set.of(2, 3, 4, 5, 6, 7, 8, 9)), nodes::toString);
    }

    @Test
    void shouldEndWhenTheContextIsClosedMeanwhile() {
        // given
        for (int node = 1; node <= 9; node++) {
            flows.openFrom(node);
            flows.receiveAll(node, 0, 1);
        }
        final FlowWalk walk = new FlowWalk(_ -> true, ENOUGH);
        assertFalse(flows.loop.walk(walk, 4));
        // when
        flows.loop.closeContext(FlowFixture.CONTEXT);
        // then
        assertTrue(flows.loop.walk(walk, 4));
    }

    @Test
    void shouldShowOnlyWhatTheAskerMaySee() {
        // given
        flows.openFrom(FlowFixture.PEER);
        // when
        final FlowWalk walk = new FlowWalk(rights -> rights.uid() == 1_000, ENOUGH);
        assertTrue(flows.loop.walk(walk, ENOUGH));
        // then
        assertEquals(0, walk.total());
        assertEquals(List.of(), walk.rows());
    }
}
