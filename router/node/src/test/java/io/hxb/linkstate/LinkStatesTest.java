package io.hxb.linkstate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hxb.frame.LinkStateFlyweight;
import io.hxb.testing.Allocations;
import io.hxb.time.Deadline;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What node 0 of eight believes and sends; the others are made up. */
@Tag("unit")
class LinkStatesTest {
    private static final long MS = 1_000_000L;
    private static final int NODES = 8;
    private static final int BODY_BYTES = 1_336;
    private static final long IDENTITY = 1_000;

    private final List<String> claims = new ArrayList<>();
    private final MemorySegment memory = Arena.ofAuto().allocate(4_096, 8);
    private final LinkStateFlyweight entry = new LinkStateFlyweight();
    private LinkStates states = make(0, NODES);
    // Near the overflow of the clock, which happens in the tests.
    private long nowNs = Long.MAX_VALUE - 500 * MS;

    private LinkStates make(final int here, final int nodes) {
        return new LinkStates(
                here,
                nodes,
                new LinkStates.Self(IDENTITY, 50, 7, "pc-0"),
                (node, kept, refused) -> claims.add(node + ": " + kept + ", not " + refused));
    }

    private static Adjacency to(final int neighbour) {
        return new Adjacency(neighbour, 1, 1_500, 1_000);
    }

    // A record of a node which sees those neighbours, with growing numbers.
    private LinkStateFlyweight write(
            final int node, final int generation, final int sequence, final int... neighbours) {
        entry.wrap(memory.address())
                .record(neighbours.length, new byte[] {'p', 'c'})
                .origin(node, IDENTITY + node, generation, sequence, 7);
        for (int i = 0; i < neighbours.length; i++) {
            entry.adjacency(i, neighbours[i], 1, 1_500, 1_000);
        }
        return entry;
    }

    private void hear(final int from) {
        entry.wrap(memory.address());
        assertTrue(LinkStateFlyweight.isValid(memory.address(), entry.length()));
        states.onFrame(from, memory.address(), entry.length(), nowNs);
    }

    private void acknowledge(
            final int from, final int node, final int generation, final int sequence) {
        entry.wrap(memory.address())
                .acknowledgement()
                .origin(node, IDENTITY + node, generation, sequence, 7);
        hear(from);
    }

    // The entries of the next frame to a neighbour but the first, which is of this node.
    private List<String> sent(final int to) {
        final List<String> found = new ArrayList<>();
        final int bytes = states.fill(to, memory.address(), BODY_BYTES, nowNs);
        assertTrue(bytes == 0 || LinkStateFlyweight.isValid(memory.address(), bytes));
        for (int at = 0; at < bytes; at += entry.length()) {
            entry.wrap(memory.address() + at);
            final String kind = entry.kind() == LinkStateFlyweight.RECORD ? "record " : "ack ";
            found.add(kind + entry.node() + " " + entry.generation() + "/" + entry.sequence());
        }
        if (!found.isEmpty() && found.getFirst().startsWith("ack 0")) {
            found.removeFirst();
        }
        return found;
    }

    private void settle(final int from) {
        for (int i = 0; i < 10 && !sent(from).isEmpty(); i++) {
            acknowledge(from, 0, 50, 1);
        }
    }

    private long count(final LinkStateCount what) {
        return states.count(what);
    }

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
    void shouldPassRecordsOnToAllNeighboursButTheSender() {
        // given
        states.neighbourUp(1, nowNs);
        states.neighbourUp(2, nowNs);
        // when
        write(5, 9, 1, 3).ageMs(50_000);
        hear(1);
        // then
        assertEquals(List.of("ack 5 9/1"), sent(1));
        nowNs += 5 * MS;
        assertEquals(List.of("record 5 9/1"), sent(2));
        assertEquals(50_006, entry.ageMs());
        // when: the other one has it, too
        write(5, 9, 1, 3);
        hear(2);
        // then: both frames have crossed, so each acknowledges the other
        assertEquals(List.of(), sent(2));
        nowNs += 10_000 * MS;
        assertEquals(List.of(), sent(2));
        // when: the neighbour repeats it, as this node's frame was lost
        write(5, 9, 1, 3);
        hear(2);
        // then
        assertEquals(List.of("ack 5 9/1"), sent(2));
    }

    @Test
    void shouldSendAgainEverLaterUntilItIsAcknowledged() {
        // given
        states.own(List.of(to(1)), nowNs);
        states.neighbourUp(1, nowNs);
        final List<Long> waits = new ArrayList<>();
        // when
        for (int i = 0; i < 7; i++) {
            assertEquals(1, states.nextDue(nowNs));
            assertEquals(List.of("record 0 50/1"), sent(1));
            assertEquals(-1, states.nextDue(nowNs));
            final long dueNs = states.nextDueNs(nowNs);
            waits.add((dueNs - nowNs) / MS);
            nowNs = dueNs;
        }
        // then
        assertEquals(List.of(10L, 20L, 40L, 80L, 160L, 200L, 200L), waits);
        assertEquals(1, count(LinkStateCount.SENT));
        assertEquals(6, count(LinkStateCount.SENT_AGAIN));
        // when
        acknowledge(1, 0, 50, 1);
        // then: only the refresh is due
        assertEquals(-1, states.nextDue(nowNs));
        assertTrue(states.nextDueNs(nowNs) - nowNs > 20_000 * MS);
    }

    @Test
    void shouldSendNothingMoreToANeighbourThatIsGoneAndEverythingWhenItComesBack() {
        // given
        states.own(List.of(to(1)), nowNs);
        states.neighbourUp(1, nowNs);
        states.neighbourUp(1, nowNs);
        settle(1);
        write(5, 9, 1, 3);
        hear(1);
        // when
        states.neighbourDown(1);
        states.neighbourDown(1);
        // then
        assertEquals(-1, states.nextDue(nowNs));
        assertEquals(List.of(), sent(1));
        // when
        states.neighbourUp(1, nowNs);
        // then
        assertEquals(Set.of("record 0 50/1", "record 5 9/1"), Set.copyOf(sent(1)));
    }

    @Test
    void shouldSendOneFrameEvery200MsToANeighbourThatDoesNotAnswer() {
        // given: more than three frames of records
        states = make(0, 255);
        states.neighbourUp(1, nowNs);
        for (int node = 2; node < 100; node++) {
            write(node, 9, 1, 0);
            hear(1);
        }
        states.neighbourUp(2, nowNs);
        // when
        int frames = 0;
        for (int ms = 0; ms < 10_000; ms++, nowNs += MS) {
            frames += sent(2).isEmpty() || ms < 1_500 ? 0 : 1;
        }
        // then
        assertEquals(8_500 / 200, frames, 1);
    }

    @Test
    void shouldBoundFramesInBothDirections() {
        // given
        states.neighbourUp(1, nowNs);
        states.neighbourUp(2, nowNs);
        int frames = 0;
        // when: a neighbour sends 4,000 newer records within a second
        for (int i = 1; i <= 4_000; i++) {
            write(5, 9, i, 3);
            hear(1);
            frames += sent(2).isEmpty() ? 0 : 1;
            nowNs += 1_000 * MS / 4_000;
        }
        // then
        assertEquals(4_000 - 1_128, count(LinkStateCount.TOO_MANY), 2);
        assertEquals(64 + 500, frames, 2);
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
    void shouldTellEverythingAgainToANeighbourThatStartedAgain() {
        // given
        states.own(List.of(to(1)), nowNs);
        states.neighbourUp(1, nowNs);
        write(1, 9, 1, 0);
        hear(1);
        settle(1);
        assertEquals(List.of(), sent(1));
        // when
        write(1, 10, 1, 0).origin(1, IDENTITY + 1, 10, 1, 8);
        hear(1);
        // then
        assertEquals(List.of("ack 1 10/1", "record 0 50/1"), sent(1));
    }

    @Test
    void shouldAnswerAcknowledgementsThatShowThatSomethingWasMissed() {
        // given
        states.neighbourUp(1, nowNs);
        acknowledge(1, 1, 9, 1);
        sent(1);
        // when: the neighbour has a record that is not known here
        acknowledge(1, 5, 9, 1);
        // then
        assertEquals(List.of("ack 5 0/0"), sent(1));
        // when: it has none, and now an older one
        write(5, 9, 2, 3);
        hear(1);
        sent(1);
        entry.wrap(memory.address()).acknowledgement().ofNone(5);
        hear(1);
        // then
        assertEquals(List.of("record 5 9/2"), sent(1));
        acknowledge(1, 5, 9, 2);
        acknowledge(1, 5, 9, 1);
        assertEquals(List.of("record 5 9/2"), sent(1));
        // when: neither has any
        entry.wrap(memory.address()).acknowledgement().ofNone(6);
        hear(1);
        // then
        assertEquals(List.of(), sent(1));
    }

    @Test
    void shouldTellItsFirstChangeAtOnceAndLaterOnesTogether() {
        // given
        states.neighbourUp(1, nowNs);
        states.own(List.of(to(1)), nowNs);
        assertEquals(List.of("record 0 50/1"), sent(1));
        // when
        nowNs += MS;
        acknowledge(1, 0, 50, 1);
        states.own(List.of(to(1), to(2)), nowNs);
        states.own(List.of(to(1), to(2), to(3)), nowNs);
        // then
        assertEquals(List.of(), sent(1));
        assertEquals(4 * MS, states.nextDueNs(nowNs) - nowNs);
        nowNs += 4 * MS;
        assertEquals(1, states.nextDue(nowNs));
        assertEquals(List.of("record 0 50/2"), sent(1));
        assertEquals(3, entry.adjacencies());
        // when: it is as before in time
        acknowledge(1, 0, 50, 2);
        states.own(List.of(), nowNs);
        states.own(List.of(to(3), to(1), to(2)), nowNs);
        nowNs += 1_000 * MS;
        // then
        assertEquals(List.of(), sent(1));
        assertEquals(2, count(LinkStateCount.PUBLISHED));
    }

    @Test
    void shouldNotTellSmallDifferencesOfCapacityByThemselves() {
        // given
        states.neighbourUp(1, nowNs);
        states.own(List.of(to(1)), nowNs);
        settle(1);
        nowNs += 5_000 * MS;
        // when
        states.own(List.of(new Adjacency(1, 1, 1_500, 900)), nowNs);
        assertEquals(List.of(), sent(1));
        // then
        states.own(List.of(new Adjacency(1, 1, 1_500, 875)), nowNs);
        assertEquals(List.of("record 0 50/2"), sent(1));
        assertEquals(875, entry.capacityMbps(0));
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
    void shouldKeepRecordsThatDoNotFitIntoAFrame() {
        // given
        states.own(List.of(to(1), to(2)), nowNs);
        states.neighbourUp(1, nowNs);
        final int needed = LinkStateFlyweight.length(2, 4) + 24;
        // when
        assertEquals(0, states.fill(1, memory.address(), needed - 1, nowNs));
        // then
        assertEquals(1, count(LinkStateCount.TOO_LONG));
        assertEquals(-1, states.nextDue(nowNs));
        states.neighbourDown(1);
        states.neighbourUp(1, nowNs);
        assertEquals(needed, states.fill(1, memory.address(), needed, nowNs));
        assertEquals(24 + 576, LinkStates.MIN_BODY_BYTES);
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
        assertEquals(Deadline.NEVER, states.nextDueNs(nowNs));
        assertEquals(0, states.here());
        assertEquals(NODES, states.nodes());
    }

    @Test
    void shouldAllocateNothingWhileFramesComeAndGo() {
        // given
        states.own(List.of(to(1), to(2)), nowNs);
        states.neighbourUp(1, nowNs);
        states.neighbourUp(2, nowNs);
        write(5, 9, 1, 3);
        final int length = entry.length();
        final MemorySegment record = Arena.ofAuto().allocate(length, 8);
        record.copyFrom(memory.asSlice(0, length));
        final int[] sequence = {0};
        // when
        final int rounds =
                Allocations.awaitNone(
                        () -> {
                            for (int i = 0; i < 1_000; i++) {
                                sequence[0]++;
                                nowNs += 3 * MS;
                                entry.wrap(record.address()).origin(5, IDENTITY, 9, sequence[0], 7);
                                states.onFrame(1, record.address(), length, nowNs);
                                int to = states.nextDue(nowNs);
                                while (to >= 0) {
                                    states.fill(to, memory.address(), BODY_BYTES, nowNs);
                                    to = states.nextDue(nowNs);
                                }
                                states.nextDueNs(nowNs);
                            }
                        });
        // then
        assertTrue(rounds > 0);
        assertTrue(count(LinkStateCount.TAKEN) >= 1_000);
    }
}
