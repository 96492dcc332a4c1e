package io.hxb.linkstate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.frame.LinkStateFlyweight;
import io.hxb.time.Deadline;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** What node 0 of eight believes; the others are made up. */
@Tag("unit")
class LinkStatesTest extends MadeUpNeighbours {
    @Test
    void shouldShowAnEdgeWhereBothEndsReportItWithWhatBothAgreeOn() {
        // given
        states.own(List.of(new Adjacency(1, 3, 9_000, 30_000), to(2)), nowNs);
        states.neighbourUp(1, nowNs);
        final int version = states.version();
        assertEquals(0, states.graph().edges());
        // when
        write(1, 9, 1, 0, 3).adjacency(0, 0, 2, 1_500, 20_000);
        hear(1);
        // then
        assertNotEquals(version, states.version());
        final NodeGraph graph = states.graph();
        assertEquals(1, graph.edges());
        assertEquals(new NodeGraph.Edge(0, 1, 2, 1_500, 20_000), graph.edge(0));
        assertEquals("pc-0", graph.node(0).hostName());
        assertEquals("pc", graph.node(1).hostName());
        assertFalse(graph.isKnown(2));
        assertThrows(NullPointerException.class, () -> graph.node(2));
        assertEquals(1, graph.routes().next(0, 1));
        assertEquals("2 of 8 nodes, [" + graph.edge(0) + "]", graph.toString());
        assertEquals(graph, states.graph());
        assertEquals(graph.hashCode(), states.graph().hashCode());
    }

    @Test
    void shouldTakeAbsurdCapacitiesAsTheNearestUsableOnes() {
        for (final long capacity : new long[] {0, 0xFFFF_FFFFL}) {
            // given
            states = make(0, NODES);
            states.own(List.of(new Adjacency(1, 1, 70_000, capacity)), nowNs);
            states.neighbourUp(1, nowNs);
            // when
            write(1, 9, 1, 0).adjacency(0, 0, 1, 70_000, capacity);
            hear(1);
            // then
            final NodeGraph.Edge edge = states.graph().edge(0);
            assertEquals(capacity == 0 ? 1 : 100_000_000, edge.capacityMbps());
            assertEquals(65_535, edge.mtuBytes());
        }
    }

    @Test
    void shouldChangeItsVersionsOnlyWithWhatTheyStandFor() {
        // given
        states.own(List.of(to(1)), nowNs);
        states.neighbourUp(1, nowNs);
        write(1, 9, 1, 0);
        hear(1);
        final int version = states.version();
        final int records = states.recordsVersion();
        // when: it is refreshed, and a node reports what this one does not confirm
        write(1, 9, 2, 0);
        hear(1);
        assertEquals(records, states.recordsVersion());
        write(1, 9, 3, 0, 5);
        hear(1);
        // then
        assertEquals(version, states.version());
        assertNotEquals(records, states.recordsVersion());
        // when
        write(1, 9, 4, 5);
        hear(1);
        // then
        assertNotEquals(version, states.version());
        assertEquals(0, states.graph().edges());
    }

    @Test
    void shouldTakeNothingFromStrangersOrAboutThem() {
        // given
        states.neighbourUp(1, nowNs);
        // when: of a node that is no neighbour, of a number beyond the cluster, and too old
        write(2, 9, 1, 0);
        hear(2);
        write(8, 9, 1, 0);
        hear(1);
        write(2, 9, 1, 0).ageMs(LinkStateFlyweight.MAX_AGE_MS);
        hear(1);
        // then
        assertEquals(1, count(LinkStateCount.NO_NEIGHBOUR));
        assertEquals(2, count(LinkStateCount.REFUSED));
        assertEquals(0, states.recordsVersion());
        // when: it has a neighbour beyond the cluster
        write(2, 9, 1, 0, 200);
        hear(1);
        // then
        assertTrue(states.graph().isKnown(2));
        assertEquals(0, states.graph().edges());
    }

    @Test
    void shouldTakeTheNewestWhateverTheOrderAndAnswerOlderOnes() {
        // given
        states.neighbourUp(1, nowNs);
        write(5, 9, 7, 3);
        hear(1);
        assertEquals(List.of("ack 5 9/7"), sent(1));
        // when: an earlier one of its generation, and a late one of an earlier generation
        write(5, 9, 6, 2);
        hear(1);
        // then
        assertEquals(List.of("record 5 9/7"), sent(1));
        write(5, 8, 99, 2);
        hear(1);
        assertEquals(List.of(), sent(1));
        acknowledge(1, 5, 9, 7);
        assertEquals(2, count(LinkStateCount.OUTDATED));
        // when: numbers are unsigned
        write(5, -1, 1, 2);
        hear(1);
        // then
        assertEquals(List.of("ack 5 -1/1"), sent(1));
        assertEquals(2, count(LinkStateCount.TAKEN));
    }

    @Test
    void shouldOutdoNewerRecordsOfItself() {
        // given
        states.neighbourUp(1, nowNs);
        write(0, 70, 9, 5);
        hear(1);
        assertFalse(states.graph().isKnown(0), "before it has looked at itself");
        // when
        states.own(List.of(to(1)), nowNs);
        // then
        assertEquals(List.of("record 0 71/1"), sent(1));
        assertEquals(1, count(LinkStateCount.OUTDONE));
        // when: again, and what it sees is as before
        nowNs += 2_000 * MS;
        write(0, 71, 2, 5);
        hear(1);
        states.own(List.of(to(1)), nowNs);
        // then
        assertEquals(List.of("record 0 72/1"), sent(1));
        // when: only an acknowledgement shows that there is one
        nowNs += 2_000 * MS;
        acknowledge(1, 0, 90, 1);
        // then
        assertEquals(List.of("record 0 91/1"), sent(1));
        // when: nothing is newer than that
        nowNs += 2_000 * MS;
        write(0, -1, -2, 5);
        hear(1);
        // then
        assertEquals(List.of("record 0 -1/-1"), sent(1));
        assertEquals(0, claims.size());
    }

    @Test
    void shouldOutdoARecordOfAnEarlierStartWithTheSameNumbers() {
        // given
        states.own(List.of(to(1)), nowNs);
        states.neighbourUp(1, nowNs);
        nowNs += 2_000 * MS;
        // when
        write(0, 50, 1, 1).origin(0, IDENTITY, 50, 1, 8);
        hear(1);
        // then
        assertEquals(List.of("record 0 51/1"), sent(1));
        // when: the other one is older
        nowNs += 2_000 * MS;
        acknowledge(1, 0, 51, 1);
        write(0, 51, 1, 1).origin(0, IDENTITY, 51, 1, 6);
        hear(1);
        // then
        assertEquals(List.of("record 0 51/1"), sent(1));
    }

    @Test
    void shouldLeaveItsNumberToTheSmallerIdentity() {
        // given
        states.own(List.of(to(1)), nowNs);
        states.neighbourUp(1, nowNs);
        settle(1);
        // when: a larger one claims it, then a smaller one
        write(0, 99, 1, 5).origin(0, IDENTITY + 1, 99, 1, 7);
        hear(1);
        assertFalse(states.isDisplaced());
        assertEquals(List.of("record 0 50/1"), sent(1));
        write(0, 3, 1, 5).origin(0, 5, 3, 1, 7);
        hear(1);
        // then
        assertTrue(states.isDisplaced());
        assertEquals(5, states.graph().node(0).identity());
        assertEquals(List.of("0: 1000, not 1001"), claims);
        assertEquals(2, count(LinkStateCount.CLAIMED_TWICE));
        states.own(List.of(to(2)), nowNs);
        nowNs += 61_000 * MS;
        assertEquals(5, states.graph().node(0).identity());
        // when: it is reported again, and its record is forgotten in the end
        write(0, 99, 1, 5).origin(0, IDENTITY, 99, 1, 7);
        hear(1);
        assertEquals("0: 5, not 1000", claims.getLast());
        nowNs += 40_000 * MS;
        states.nextDueNs(nowNs);
        // then
        assertFalse(states.isDisplaced());
        assertEquals(IDENTITY, states.graph().node(0).identity());
        assertEquals(1, count(LinkStateCount.FORGOTTEN));
    }

    @Test
    void shouldDecideBetweenTwoIdentitiesAlikeWhateverCameFirst() {
        for (final long second : new long[] {-3, 3}) {
            // given: -3 is large, as identities are unsigned
            states = make(0, NODES);
            states.neighbourUp(1, nowNs);
            write(4, 9, 1, 5).origin(4, -second, 9, 1, 7);
            hear(1);
            // when
            write(4, 1, 1, 6).origin(4, second, 1, 1, 7);
            hear(1);
            // then
            assertEquals(3, states.graph().node(4).identity());
            assertEquals("4: 3, not -3", claims.getLast());
        }
    }

    @Test
    void shouldAddUpTrunksAndCountNeighboursBeyondWhatARecordHolds() {
        // given
        states = make(0, 255);
        states.neighbourUp(1, nowNs);
        final List<Adjacency> seen = new ArrayList<>();
        for (int node = 70; node > 0; node--) {
            seen.add(to(node));
        }
        seen.add(new Adjacency(1, 3, 1_400, 500));
        seen.add(new Adjacency(80, 0, 1_400, 500));
        // when
        states.own(seen, nowNs);
        // then
        assertEquals(List.of("record 0 50/1"), sent(1));
        assertEquals(64, entry.adjacencies());
        assertEquals(6, count(LinkStateCount.LEFT_OUT));
        assertEquals(4, entry.linkCount(0));
        assertEquals(1_400, entry.mtuBytes(0));
        assertEquals(1_500, entry.capacityMbps(0));
        assertEquals(64, entry.neighbour(63));
    }

    @Test
    void shouldReportAtOnceThatItStops() {
        // given
        states.neighbourUp(1, nowNs);
        states.own(List.of(to(1)), nowNs);
        write(1, 9, 1, 0);
        hear(1);
        sent(1);
        acknowledge(1, 0, 50, 1);
        // when
        nowNs += MS;
        states.stop(nowNs);
        states.stop(nowNs);
        states.own(List.of(to(1)), nowNs);
        // then
        assertEquals(List.of("record 0 50/2"), sent(1));
        assertTrue(entry.isStopped());
        assertTrue(states.graph().node(0).isStopped());
        assertEquals(0, states.graph().edges());
    }

    @Test
    void shouldRefreshItsRecordAndForgetOthers() {
        // given
        states.own(List.of(to(1)), nowNs);
        states.neighbourUp(1, nowNs);
        write(1, 9, 1, 0).ageMs(1_000);
        hear(1);
        settle(1);
        final int version = states.version();
        // when
        nowNs += 98_999 * MS;
        states.nextDueNs(nowNs);
        // then
        assertEquals(2, states.graph().nodes() - 6);
        assertTrue(states.graph().isKnown(1));
        assertTrue(count(LinkStateCount.PUBLISHED) >= 2);
        assertEquals(version, states.version());
        // when
        nowNs += MS;
        states.nextDueNs(nowNs);
        // then
        assertFalse(states.graph().isKnown(1));
        assertNotEquals(version, states.version());
        assertEquals(1, count(LinkStateCount.FORGOTTEN));
    }

    @Test
    void shouldCutHostNamesBetweenCharacters() {
        // given: 31 bytes, and a character of two
        final String name = "n".repeat(31) + "ü";
        states =
                new LinkStates(
                        0, 2, new LinkStates.Self(1, 1, 1, name), (node, kept, refused) -> {});
        // when
        states.own(List.of(), nowNs);
        // then
        assertEquals("n".repeat(31), states.graph().node(0).hostName());
    }

    @Test
    void shouldNameWhatIsWrongWithNumbers() {
        assertEquals(
                "nodes must be 1..255: 256",
                assertThrows(IllegalArgumentException.class, () -> make(0, 256)).getMessage());
        assertEquals(
                "here must be 0..7: 8",
                assertThrows(IllegalArgumentException.class, () -> make(8, 8)).getMessage());
        for (final int wrong : new int[] {-1, 0, 8}) {
            final String text = "neighbour must be another node, 0..7: " + wrong;
            assertEquals(
                    text,
                    assertThrows(
                                    IllegalArgumentException.class,
                                    () -> states.neighbourUp(wrong, nowNs))
                            .getMessage());
            assertEquals(
                    text,
                    assertThrows(
                                    IllegalArgumentException.class,
                                    () -> states.own(List.of(to(wrong)), nowNs))
                            .getMessage());
        }
        assertEquals(
                "maxBytes must be 48 or more: 47",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> states.fill(1, memory.address(), 47, nowNs))
                        .getMessage());
        assertEquals(Deadline.NEVER, states.nextDueNs(nowNs));
        assertEquals(0, states.here());
        assertEquals(NODES, states.nodes());
    }

    @Test
    void shouldRefuseFramesInTheNameOfNobodyOrOfItself() {
        final LinkStates one = make(0, 8);
        for (final int from : new int[] {-1, 0, 3, 8, 1_000}) {
            one.onFrame(from, 0, 0, nowNs);
        }
        assertEquals(5, one.count(LinkStateCount.NO_NEIGHBOUR));
    }
}
